// Addresses: what an address that a script writes becomes on the replay server.

// The element of this script says which page the document is. It then leaves the
// document, so that scripts find the document as it was captured.
const element = document.currentScript;
const config = {
  url: element.getAttribute("data-url"),
  asked: element.getAttribute("data-asked") || "",
  captured: element.getAttribute("data-captured"),
  origin: element.getAttribute("data-interface") || "",
  frame: window.parent !== window.top, // the document is in a frame of another archived page
};
element.remove();

// Scripts of the page may replace functions of the language, so we keep our own.
const { apply, construct } = Reflect;
const describe = Object.getOwnPropertyDescriptor;
const define = Object.defineProperty;
const NativeURL = URL;
const host = location.host;

// replayed matches the path of an address of the replay server: time, modifier, URL.
const replayed = /^\/(\d{0,14})(?:([a-z]{2})_[a-z0-9-]*)?\/((?:https?|ftp):\/\/[^]*)$/i;
const files = "/_infomall/";

const test = (pattern, text) => apply(RegExp.prototype.test, pattern, [text]);

// pathOf returns the path, query and fragment of a URL object.
const pathOf = (u) => u.pathname + u.search + u.hash;

// archived returns the archived URL of a replay address, or "" if it is none.
function archived(address) {
  try {
    const found = replayed.exec(pathOf(new NativeURL(address)));
    return found ? found[3] : "";
  } catch {
    return "";
  }
}

// base returns the archived URL to which the addresses of a document are relative.
const base = (doc) => archived(doc.baseURI) || archived(document.baseURI) || config.url;

// page is the modifier of pages to which this document leads.
const page = () => (config.frame ? "if_" : "mp_");

// isPage reports whether a modifier is that of a page, which has the time asked for.
const isPage = (modifier) => modifier === "mp_" || modifier === "if_" || modifier === "";

// address returns the replay address of ref, an address as a script of doc writes it.
function address(ref, modifier, doc = document) {
  ref = String(ref);
  const clean = ref.replace(/^[\0-\x20]+|[\0-\x20]+$/g, "").replace(/[\t\n\r]/g, "");
  if (clean === "" || clean[0] === "#" || test(replayed, clean)) return ref;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(clean);
  if (scheme && !test(/^(https?|ftp)$/i, scheme[1])) {
    // A frame of such an address would be a document without this script.
    return modifier === "if_" && test(/^(javascript|data|blob)$/i, scheme[1]) ? "about:blank" : ref;
  }
  let u;
  try {
    u = new NativeURL(clean, base(doc));
    if (u.host === host) {
      if (test(replayed, pathOf(u)) || u.pathname.startsWith(files)) return pathOf(u);
      u = new NativeURL(pathOf(u), base(doc));
    }
  } catch {
    return "about:invalid";
  }
  return "/" + (isPage(modifier) ? config.asked : config.captured) + modifier + "/" + u.href;
}

// sources returns a srcset with its addresses replaced.
const sources = (set, doc) =>
  set.replace(/(^|,\s*|,?\s+)([^\s,][^\s]*[^\s,]|[^\s,])((?:\s+[^\s,(]+(?:\([^)]*\))?)*\s*(?=,|$))/g,
    (all, before, ref, after) => before + address(ref, "im_", doc) + after);

// sheet returns a style sheet with its addresses replaced.
const sheet = (css, doc) =>
  css.replace(/(@import\s+)(["'])([^"']*)\2|(url\(\s*)(["']?)([^"')\s]+)\5(\s*\))/gi,
    (all, rule, quote, sheetRef, open, mark, ref, close) =>
      rule ? rule + quote + address(sheetRef, "cs_", doc) + quote : open + mark + address(ref, "im_", doc) + mark + close);

// hints are the relations of a link by which a browser connects to other sites.
const hints = /^(preconnect|dns-prefetch|prefetch|prerender|subresource|pingback|compression-dictionary)$/i;

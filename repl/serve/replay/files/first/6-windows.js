// Windows: where scripts and links lead, and what the bar learns.

// tell posts a message to the bar.
function tell(message) {
  if (config.origin && window.parent !== window) topPage().parent.postMessage(message, config.origin);
}

// topPage returns the window of the page in the bar's frame.
function topPage() {
  let win = window;
  while (win !== win.top && win.parent !== win.top) win = win.parent;
  return win;
}

// openElsewhere asks the bar to open the page at ref, a page that wants a window of
// its own.
function openElsewhere(ref) {
  const to = address(ref, page());
  const url = archived(new NativeURL(to, location.href).href);
  if (url) tell({ infomall: "open", url, asked: config.asked });
}

// placeOf returns the window that a target names: this one, the page's, a frame of
// the page, or null for a window that does not exist.
function placeOf(target, win) {
  switch (String(target || "").toLowerCase()) {
    case "": case "_self":
      return win;
    case "_parent":
      return win === topPage() ? win : win.parent;
    case "_top":
      return topPage();
    case "_blank": case "_new":
      return null;
  }
  const find = (from) => {
    for (let i = 0; i < apply(windowLength, from, []); i++) {
      try {
        if (from[i].name === target) return from[i];
      } catch {
        continue; // a window of another origin
      }
      const inner = find(from[i]);
      if (inner) return inner;
    }
    return null;
  };
  return find(topPage());
}

// go sends win to the page at ref.
function go(win, ref, replace) {
  let to = address(ref, page());
  if (win === topPage()) to = to.replace(/^\/(\d*)if_[a-z0-9-]*\//, "/$1mp_/");
  if (replace) win.location.replace(to);
  else win.location.href = to;
}

// clicked sends the reader where a link leads that the browser would not follow.
function clicked(event) {
  if (event.defaultPrevented || event.button > 1) return;
  const link = event.composedPath().find((n) => n.nodeType === 1 && (n.localName === "a" || n.localName === "area") && (n.hasAttribute("href") || n.hasAttribute("xlink:href")));
  if (!link) return;
  const doc = link.ownerDocument;
  const href = typeof link.href === "string" ? link.href : link.href.baseVal;
  if (!test(/^(https?|ftp):|^\//i, href)) return;
  const target = apply(getAttribute, link, ["target"]) || apply(getAttribute, doc.querySelector("base[target]") || link, ["target"]);
  const place = event.button === 1 || event.ctrlKey || event.metaKey || event.shiftKey ? null : placeOf(target, doc.defaultView);
  if (place === doc.defaultView && !/^_(top|parent)$/i.test(target || "")) return; // The browser follows it.
  event.preventDefault();
  if (place) go(place, href);
  else openElsewhere(href);
}

// submitted keeps a form that wants a new window in this one. The form is being sent,
// by the button submitter or, if that is null, by a script.
function submitted({ target: form, submitter }) {
  const value = (el, name) => (el && apply(getAttribute, el, [name])) || "";
  const doc = ownerDocument(form);
  const own = value(submitter, "formtarget");
  const target = own || value(form, "target") || value(doc.querySelector("base[target]"), "target");
  if (target === "" || (placeOf(target, doc.defaultView || window) !== null && !test(/^_(top|parent)$/i, target))) return;
  if (own) apply(setAttribute, submitter, ["formtarget", "_self"]);
  else apply(setAttribute, form, ["target", "_self"]);
}

function patchNavigation(win) {
  const doc = win.document;
  define(win, "open", {
    configurable: true, writable: true,
    value: function open(url, target) {
      const place = target === undefined ? null : placeOf(target, win);
      if (url === undefined || url === "") return place;
      if (place) go(place, url);
      else openElsewhere(url);
      return place;
    },
  });
  around(win.HTMLFormElement.prototype, "submit", (native) => function () {
    submitted({ target: this, submitter: null });
    return apply(native, this, []);
  });
  for (const name of ["pushState", "replaceState"]) {
    around(win.History.prototype, name, (native) => function (state, title, url) {
      return apply(native, this, url === undefined || url === null ? [state, title] : [state, title, address(url, page(), doc)]);
    });
  }
  // All ways of a script to another page, such as location.href, pass here.
  if (win.navigation) {
    win.navigation.addEventListener("navigate", (event) => {
      const to = event.destination.url;
      if (event.hashChange || event.downloadRequest !== null || !event.cancelable || !test(/^(https?|ftp):/i, to)) return;
      const u = new NativeURL(to);
      if (u.host === host && (test(replayed, pathOf(u)) || u.pathname.startsWith(files))) return;
      event.preventDefault();
      win.setTimeout(() => go(win, to, event.navigationType === "replace"));
    });
  }
  // A cookie is one of this host, whatever the page says. The bar may be of another
  // site, and then only cookies with these attributes can be set.
  const suffix = window.isSecureContext ? "; Secure; SameSite=None; Partitioned" : "";
  before(win.Document.prototype, "cookie", (doc, value) =>
    String(value).replace(/;\s*((domain|samesite)\s*=[^;]*|secure|partitioned)\s*(?=;|$)/gi, "") + suffix);
  define(win.Document.prototype, "domain", { configurable: true, enumerable: true, get: () => new NativeURL(config.url).hostname, set() {} });
  for (const name of ["URL", "documentURI"]) {
    const property = describe(win.Document.prototype, name);
    define(win.Document.prototype, name, {
      ...property,
      get() {
        const own = apply(property.get, this, []);
        return archived(own) || own;
      },
    });
  }
}

// patchWindow changes the functions of win, this window or that of a frame. What
// protects the reader comes first, and no part can keep a later one from its work.
function patchWindow(win) {
  define(win, mark, { value: true });
  for (const part of [removeConnections, patchFrames, patchTrust, patchAttributes, patchMarkup, patchNetwork, patchNavigation, listen, watch, sweep]) {
    try {
      part(win);
    } catch (error) {
      console.error("infomall:", part.name, error);
    }
  }
}

// watch puts right what the parser and scripts do to styles, and sweeps for frames
// that the parser has made before the next script runs.
function watch(win) {
  new win.MutationObserver((changes) => {
    let added = false;
    for (const change of changes) {
      if (change.type === "childList") {
        added = added || change.addedNodes.length > 0;
        continue;
      }
      const style = apply(getAttribute, change.target, ["style"]);
      if (style && /url\(/i.test(style)) {
        const right = sheet(style, win.document);
        if (right !== style) apply(setAttribute, change.target, ["style", right]);
      }
    }
    if (added) sweep(win);
  }).observe(win.document, { subtree: true, childList: true, attributes: true, attributeFilter: ["style"] });
}

// registerWorker registers the service worker, which puts right the paths that we
// cannot see, such as those in modules. The page works without it.
async function registerWorker(container) {
  try {
    await container.register(files + "worker.js", { scope: "/" });
  } catch {
    return;
  }
}

// workers returns the service workers of this origin, or null where a page may have
// none.
function workers() {
  try {
    return navigator.serviceWorker || null;
  } catch {
    return null; // a frame that its page has put into a sandbox
  }
}

// begin makes this window ready.
function begin() {
  if (window[mark]) return listen(window);
  const container = workers();
  patchWindow(window);
  if (config.frame || window.parent === window) return;
  if (container) registerWorker(container);
  const loaded = () => tell({ infomall: "page", url: config.url, asked: config.asked, captured: config.captured, title: document.title });
  if (document.readyState === "complete") loaded();
  else window.addEventListener("load", loaded);
}

begin();

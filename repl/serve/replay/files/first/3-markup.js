// Markup: what scripts parse and write.

const innerHTML = describe(Element.prototype, "innerHTML").set;
const outerHTML = describe(Element.prototype, "outerHTML");
const replaceChildren = Element.prototype.replaceChildren;
const appendChild = Node.prototype.appendChild;
const inert = document.implementation.createHTMLDocument("");
const importNode = Document.prototype.importNode;

// parsed returns a fragment with the nodes of html as a child of context would have
// them. Nothing in it was loaded yet.
function parsed(context, html) {
  const copy = apply(importNode, inert, [context, false]);
  apply(innerHTML, copy, [html]);
  for (const el of copy.querySelectorAll("noscript")) el.textContent = el.innerHTML; // here scripts run
  fix(copy);
  const fragment = inert.createDocumentFragment();
  while (copy.firstChild) apply(appendChild, fragment, [copy.firstChild]);
  return fragment;
}

// plain reports whether html has no attribute, so that there is nothing to put right.
const plain = (html) => !html.includes("=");

const decoder = inert.createElement("p");

// decoded returns the value of an attribute without character references.
function decoded(value) {
  if (!value.includes("&")) return value;
  apply(innerHTML, decoder, ['<a x="' + value.replace(/"/g, "&quot;") + '">']);
  return apply(getAttribute, decoder.firstChild, ["x"]);
}

const encoded = (value) =>
  value.replace(/[&"'<>]/g, (c) => "&#" + c.charCodeAt(0) + ";");

// written returns html, a piece of a page, with the attributes of all its complete
// tags put right, and the piece of a tag at its end. within says that html begins in
// a program, and the result's within that it ends in one.
function written(html, within = false) {
  let out = "";
  let at = 0;
  for (;;) {
    if (within) {
      const end = html.slice(at).search(/<\/script[\t\n\f\r />]/i);
      if (end < 0) {
        const cut = html.indexOf("<", Math.max(at, html.lastIndexOf(">") + 1));
        const stop = cut < 0 ? html.length : cut;
        return { text: out + program(html.slice(at, stop)), rest: html.slice(stop), within };
      }
      out += program(html.slice(at, at + end));
      at += end;
      within = false;
    }
    const open = html.slice(at).search(/<[a-z]/i);
    if (open < 0) break;
    const start = at + open;
    const tag = readTag(html, start);
    if (!tag) return { text: out + html.slice(at, start), rest: html.slice(start), within };
    out += html.slice(at, start) + tag.text;
    at = tag.end;
    within = tag.program;
  }
  return { text: out + html.slice(at), rest: "", within };
}

// program returns text, which is between the tags of a script, as a program that does
// the same. A browser that reads the text as markup, such as in SVG, finds no srcdoc
// and no link in it.
const program = (text) => text.replace(/(?<=src)d(?=oc)|(?<=<lin)k/gi, (c) => "\\u00" + c.charCodeAt(0).toString(16));

// programs are the types of scripts that are programs.
const programs = /^\s*$|javascript|ecmascript|jscript|livescript|^\s*module\s*$/i;

// readTag reads the start tag at offset start, as browsers read it. It returns null
// if the tag has no end. The result's program says that a program follows.
function readTag(html, start) {
  const space = /[\t\n\f\r ]/;
  let i = start + 1;
  while (i < html.length && !/[\t\n\f\r />]/.test(html[i])) i++;
  const name = html.slice(start + 1, i);
  const attrs = [];
  for (;;) {
    while (i < html.length && (space.test(html[i]) || html[i] === "/")) i++;
    if (i >= html.length) return null;
    if (html[i] === ">") break;
    const attr = { from: i };
    i++;
    while (i < html.length && !/[\t\n\f\r />=]/.test(html[i])) i++;
    attr.name = html.slice(attr.from, i);
    attr.to = i;
    while (i < html.length && space.test(html[i])) i++;
    if (html[i] === "=") {
      i++;
      while (i < html.length && space.test(html[i])) i++;
      const quote = html[i];
      if (quote === '"' || quote === "'") {
        const close = html.indexOf(quote, i + 1);
        if (close < 0) return null;
        attr.value = decoded(html.slice(i + 1, close));
        i = close + 1;
      } else {
        const bare = i;
        while (i < html.length && !/[\t\n\f\r >]/.test(html[i])) i++;
        attr.value = decoded(html.slice(bare, i));
      }
      attr.to = i;
    }
    attrs.push(attr);
  }
  let text = "";
  let at = start;
  const other = (n) => attrs.find((a) => a.name.toLowerCase() === n)?.value ?? null;
  for (const attr of attrs) {
    if (attr.value === undefined) continue;
    const value = treat(name, attr.name, attr.value, other, document);
    if (value === attr.value) continue;
    text += html.slice(at, attr.from) + (value === dropped ? "" : attr.name + '="' + encoded(value) + '"');
    at = attr.to;
  }
  // In a piece of a page that the browser does not read as this tag, such as a text area
  // that ends in an attribute, nothing within the tag may become an element.
  text = "<" + (text + html.slice(at, i + 1)).slice(1).replace(/<(?=[a-z/!?])/gi, "&lt;");
  return { text, end: i + 1, program: test(/^script$/i, name) && test(programs, other("type") || "") };
}

// script is the markup of this script.
const script = '<script src="' + element.getAttribute("src") + '" data-url="' + encoded(config.url) + '" data-asked="' + config.asked +
  '" data-captured="' + config.captured + '" data-interface="' + config.origin + '"><\/script>';

// withScript returns html, a whole document, with this script before all others.
function withScript(html) {
  const head = /^\s*(<!doctype[^>]*>)?\s*(<html[^>]*>)?\s*(<head[^>]*>)?/i.exec(html)[0];
  return head + (html.includes(script) ? "" : script) + written(html.slice(head.length)).text;
}

// begun has for a document what written returned for the last piece that
// document.write has got.
const begun = new WeakMap();

// patchTrust makes the policy for text that becomes markup or a program. Our
// Content-Security-Policy asks for one, because only this policy sees the programs
// of javascript: addresses. Such a program could end in the text of a new document,
// which would be without this script; so its value is dropped.
function patchTrust(win) {
  if (!win.trustedTypes) return;
  const create = win.TrustedTypePolicyFactory.prototype.createPolicy;
  around(win.TrustedTypePolicyFactory.prototype, "createPolicy", (native) => function (name, ...rest) {
    return apply(native, this, [String(name) === "default" ? "default of the page" : name, ...rest]);
  });
  apply(create, win.trustedTypes, ["default", {
    createHTML: (text) => text,
    createScriptURL: (text) => text,
    createScript: (text, type, sink) => (sink === "Location href" ? text + "\n;undefined" : text),
  }]);
}

function patchMarkup(win) {
  const isPage = (node) => !node.ownerDocument || node.ownerDocument.contentType === "text/html";
  // safe returns html. If node belongs to an XML document, the attributes in html are put
  // right, because the browser loads what they name as soon as html is set.
  const safe = (node, html) => (isPage(node) ? html : written(html).text);
  for (const proto of [win.Element.prototype, win.ShadowRoot.prototype]) {
    const property = describe(proto, "innerHTML");
    define(proto, "innerHTML", {
      ...property,
      set(html) {
        html = html === null ? "" : String(html);
        if (plain(html) || !isPage(this) || this.localName === "template") {
          apply(property.set, this, [safe(this, html)]);
          if (!plain(html)) fix(this.localName === "template" && this.content ? this.content : this);
        } else {
          insert(() => apply(replaceChildren, this, [parsed(this.host && this.nodeType === 11 ? this.host : this, html)]));
        }
        if (this.localName === "style") fixElement(this);
        sweepAll(this);
      },
    });
    for (const name of Object.getOwnPropertyNames(proto)) {
      // Newer functions that parse markup, which we do not know how to put right.
      if (/HTML/.test(name) && !/^(innerHTML|outerHTML|getHTML|setHTML|setHTMLUnsafe|insertAdjacentHTML)$/.test(name)) delete proto[name];
    }
    around(proto, "setHTMLUnsafe", (native) => function (html, ...rest) {
      const result = apply(native, this, [written(String(html)).text, ...rest]);
      sweepAll(this);
      return result;
    });
  }
  define(win.Element.prototype, "outerHTML", {
    ...outerHTML,
    get() { return apply(outerHTML.get, this, []); },
    set(html) {
      html = html === null ? "" : String(html);
      const parent = this.parentNode;
      if (!parent || parent.nodeType === 9 || plain(html) || !isPage(this)) apply(outerHTML.set, this, [safe(this, html)]);
      else insert(() => parent.replaceChild(parsed(parent.nodeType === 1 ? parent : inert.createElement("body"), html), this));
      sweepAll(parent);
    },
  });
  around(win.Element.prototype, "insertAdjacentHTML", (native) => function (where, html) {
    html = String(html);
    where = String(where).toLowerCase();
    const inside = where === "afterbegin" || where === "beforeend";
    const parent = inside ? this : this.parentNode;
    if (plain(html) || !isPage(this) || !parent || parent.nodeType !== 1 || !/^(beforebegin|afterbegin|beforeend|afterend)$/.test(where)) {
      apply(native, this, [where, written(html).text]);
    } else {
      const next = { beforebegin: this, afterbegin: this.firstChild, beforeend: null, afterend: this.nextSibling }[where];
      insert(() => parent.insertBefore(parsed(parent, html), next));
    }
    sweepAll(this);
  });
  const write = win.Document.prototype.write;
  for (const name of ["write", "writeln"]) {
    around(win.Document.prototype, name, () => function (...pieces) {
      const before = begun.get(this);
      const now = written((before?.rest || "") + pieces.join("") + (name === "writeln" ? "\n" : ""), before?.within);
      begun.set(this, now);
      apply(write, this, [now.text]);
      listen(this.defaultView || win);
      sweepAll(this);
    });
  }
  around(win.Document.prototype, "open", (native) => function (...args) {
    if (args.length > 2) return win.open(...args);
    begun.delete(this);
    const result = apply(native, this, args);
    listen(this.defaultView || win);
    return result;
  });
  around(win.Range.prototype, "createContextualFragment", (native) => function (html) {
    const fragment = apply(native, this, [html]);
    fix(fragment);
    return fragment;
  });
  around(win.DOMParser.prototype, "parseFromString", (native) => function (...args) {
    const doc = apply(native, this, args);
    fix(doc);
    return doc;
  });
  around(win.Document, "parseHTMLUnsafe", (native) => function (...args) {
    const doc = apply(native, this, args);
    fix(doc);
    return doc;
  });
  if (win.XSLTProcessor) {
    for (const name of ["transformToFragment", "transformToDocument"]) {
      around(win.XSLTProcessor.prototype, name, (native) => function (...args) {
        const result = apply(native, this, args);
        if (result) fix(result);
        return result;
      });
    }
  }
  around(win.Document.prototype, "execCommand", (native) => function (command, ui, value) {
    const result = apply(native, this, [command, ui, /^inserthtml$/i.test(command) ? written(String(value)).text : value]);
    sweepAll(this);
    return result;
  });
}

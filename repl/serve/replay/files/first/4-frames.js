// Frames: each new window of a frame gets the same changes as this one.
//
// A frame has a window as soon as it is in the document, before its page is there.
// A script could use the functions of that window, which nobody has changed yet. So
// we change them after each call that may put a frame into a document, before any
// script can look.

const mark = "_infomall";
const frames = "iframe,frame,object,embed";
const windowLength = describe(window, "length").get;

// sweep changes the windows of all frames of win.
function sweep(win) {
  const count = apply(windowLength, win, []);
  for (let i = 0; i < count; i++) patch(win[i]);
}

// sweepAll changes the windows of the frames of this document and of node's.
function sweepAll(node) {
  sweep(window);
  const win = node && (node.defaultView || (node.ownerDocument && node.ownerDocument.defaultView));
  if (win && win !== window) sweep(win);
}

// patch changes the functions of win if it is ours to change and was not changed yet.
function patch(win) {
  try {
    if (!win || win[mark] || !win.document) return;
  } catch {
    return; // a window of another origin, such as a sandboxed frame
  }
  patchWindow(win);
}

// insert calls put, which puts nodes into a document. The nodes have no scripts that
// would run.
const insert = (put) => put();

let shadows = false; // whether the page has a shadow root, in which a frame may be

// later keeps the scripts among nodes from running while frames are put into the
// document together with them. It returns a function that lets them run.
function later(nodes) {
  const scripts = [];
  let framed = shadows;
  for (const node of nodes) {
    if (!node || typeof node !== "object" || (node.nodeType !== 1 && node.nodeType !== 11)) continue;
    if (node.nodeType === 1 && node.matches("script")) scripts.push(node);
    if (node.nodeType === 1 && node.matches(frames)) framed = true;
    if (!node.firstChild) continue;
    scripts.push(...node.querySelectorAll("script"));
    framed = framed || node.querySelector(frames) !== null;
  }
  if (!framed || scripts.length === 0 || (nodes.length === 1 && nodes[0] === scripts[0])) return () => {};
  const types = scripts.map((s) => apply(getAttribute, s, ["type"]));
  for (const s of scripts) apply(setAttribute, s, ["type", "infomall/later"]);
  return () => {
    scripts.forEach((s, i) => {
      const parent = s.parentNode;
      const next = s.nextSibling;
      if (types[i] === null) s.removeAttribute("type");
      else apply(setAttribute, s, ["type", types[i]]);
      if (parent && s.isConnected) {
        apply(nativeRemove, s, []);
        apply(nativeInsertBefore, parent, [s, next]);
      }
    });
  };
}

const nativeRemove = Element.prototype.remove;
const nativeInsertBefore = Node.prototype.insertBefore;

function patchFrames(win) {
  const inserting = (native) => function (...args) {
    const run = later(args);
    const result = apply(native, this, args);
    if (this.localName === "style") fixElement(this);
    sweepAll(this.startContainer || this);
    run();
    return result;
  };
  const methods = {
    Node: ["appendChild", "insertBefore", "replaceChild"],
    Element: ["append", "prepend", "replaceChildren", "before", "after", "replaceWith", "insertAdjacentElement", "moveBefore"],
    Document: ["append", "prepend", "replaceChildren", "moveBefore"],
    DocumentFragment: ["append", "prepend", "replaceChildren", "moveBefore"],
    CharacterData: ["before", "after", "replaceWith"],
    DocumentType: ["before", "after", "replaceWith"],
    Range: ["insertNode", "surroundContents"],
  };
  for (const [type, names] of Object.entries(methods)) {
    for (const name of names) around(win[type].prototype, name, inserting);
  }
  for (const type of ["HTMLIFrameElement", "HTMLFrameElement", "HTMLObjectElement", "HTMLEmbedElement"]) {
    const proto = win[type] && win[type].prototype;
    for (const name of ["contentWindow", "contentDocument"]) {
      const property = proto && describe(proto, name);
      if (!property) continue;
      define(proto, name, {
        ...property,
        get() {
          const value = apply(property.get, this, []);
          patch(name === "contentWindow" ? value : value && value.defaultView);
          return value;
        },
      });
    }
  }
  around(win.Element.prototype, "attachShadow", (native) => function (...args) {
    const root = apply(native, this, args);
    shadows = true;
    root.addEventListener("load", () => sweepAll(this), true);
    return root;
  });
  // The functions of a custom element may run inside the call that inserts it.
  around(win.CustomElementRegistry.prototype, "define", (native) => function (name, type, ...rest) {
    const proto = typeof type === "function" && type.prototype;
    for (const callback of ["connectedCallback", "disconnectedCallback", "adoptedCallback", "attributeChangedCallback", "connectedMoveCallback"]) {
      const own = proto && proto[callback];
      if (typeof own !== "function") continue;
      define(proto, callback, {
        configurable: true, writable: true,
        value(...args) {
          sweepAll(this);
          return apply(own, this, args);
        },
      });
    }
    return apply(native, this, [name, type, ...rest]);
  });
}

// listen adds our listeners to the document of win. A document that is opened again
// loses them.
function listen(win) {
  const doc = win.document;
  doc.addEventListener("load", () => sweep(win), true);
  win.addEventListener("click", clicked);
  win.addEventListener("auxclick", clicked);
  win.addEventListener("submit", submitted);
}

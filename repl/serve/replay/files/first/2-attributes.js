// Attributes: which of them have addresses, and the functions that set them.

// dropped is what treat returns for an attribute that a page must not have.
const dropped = {};

// treat returns the value that attribute name of an element gets when a script
// gives it value. tag is the name of the element, and other returns the values of
// its other attributes.
function treat(tag, name, value, other, doc) {
  const colon = name.indexOf(":");
  name = (colon < 0 ? name : name.slice(colon + 1)).toLowerCase();
  tag = tag.toLowerCase();
  switch (name) {
    case "href":
      return address(value, hrefModifier(tag, other), doc);
    case "src":
      return address(value, srcModifier(tag), doc);
    case "action": case "formaction": case "cite": case "longdesc":
      return address(value, page(), doc);
    case "background": case "poster": case "lowsrc": case "dynsrc":
      return address(value, "im_", doc);
    case "data":
      return tag === "object" ? address(value, "oe_", doc) : value;
    case "srcset": case "imagesrcset":
      return sources(String(value), doc);
    case "style":
      return sheet(String(value), doc);
    case "srcdoc":
      return tag === "iframe" ? withScript(String(value)) : value;
    case "integrity": case "ping": case "attributionsrc":
      return dropped;
    case "rel":
      return tag === "link" ? String(value).split(/\s+/).filter((word) => !test(hints, word)).join(" ") : value;
    case "type":
      return tag === "script" && test(/^\s*speculationrules\s*$/i, value) ? "application/json" : value;
    case "content":
      return tag === "meta" && test(/^\s*refresh\s*$/i, other("http-equiv") || "") ? refresh(String(value), doc) : value;
    case "http-equiv":
      return tag === "meta" && test(/^\s*(content-security-policy|x-dns-prefetch-control|origin-trial|delegate-ch|accept-ch)/i, value) ? dropped : value;
  }
  return value;
}

function hrefModifier(tag, other) {
  switch (tag) {
    case "link": {
      const rel = other("rel") || "";
      return test(/stylesheet/i, rel) ? "cs_" : test(/canonical|alternate|next|prev/i, rel) ? page() : "oe_";
    }
    case "script":
      return "js_";
    case "image": case "use": case "feimage":
      return "im_";
  }
  return page();
}

function srcModifier(tag) {
  switch (tag) {
    case "script":
      return "js_";
    case "iframe": case "frame":
      return "if_";
    case "embed": case "video": case "audio": case "source": case "track":
      return "oe_";
  }
  return "im_";
}

const refresh = (content, doc) =>
  content.replace(/^(\s*[\d.]*\s*[;,\s]\s*(?:url\s*=\s*)?["']?)([^"'\s][^"']*)/i, (all, before, ref) => before + address(ref, page(), doc));

const getAttribute = Element.prototype.getAttribute;
const setAttribute = Element.prototype.setAttribute;
const attrValue = describe(Attr.prototype, "value").set;

// own returns a function that reads property name of a node. Unlike node.name, it is
// not misled by a form that has a field of this name.
function own(type, name) {
  const { get } = describe(type.prototype, name);
  return (node) => apply(get, node, []);
}
const localName = own(Element, "localName");
const ownerDocument = own(Node, "ownerDocument");
const attributes = own(Element, "attributes");
const removeAttributeNode = Element.prototype.removeAttributeNode;

// treatElement returns what treat returns for an attribute of el.
const treatElement = (el, name, value) =>
  treat(localName(el), name, value, (other) => apply(getAttribute, el, [other]), ownerDocument(el));

// fixElement puts right the attributes that el has.
function fixElement(el) {
  for (const attr of [...attributes(el)]) {
    const value = treatElement(el, attr.name, attr.value);
    if (value === dropped) apply(removeAttributeNode, el, [attr]);
    else if (value !== attr.value) apply(attrValue, attr, [value]);
  }
  if (localName(el) === "style" && test(/url\(|@import/i, el.textContent)) {
    const css = sheet(el.textContent, ownerDocument(el));
    if (css !== el.textContent) el.textContent = css;
  }
}

// fix puts right all elements below root, a node that a parser has made.
function fix(root) {
  for (const el of root.querySelectorAll("*")) {
    fixElement(el);
    if (localName(el) === "template") fix(el.content);
  }
}

// reflected are the properties of elements that set an attribute.
const reflected = {
  HTMLAnchorElement: ["href", "ping", "attributionSrc"], HTMLAreaElement: ["href", "ping"], HTMLBaseElement: ["href"],
  HTMLLinkElement: ["href", "rel", "integrity", "imageSrcset"],
  HTMLScriptElement: ["src", "integrity", "type", "attributionSrc"], HTMLImageElement: ["src", "srcset", "lowsrc", "longDesc", "attributionSrc"],
  HTMLInputElement: ["src", "formAction"], HTMLButtonElement: ["formAction"], HTMLFormElement: ["action"],
  HTMLIFrameElement: ["src", "srcdoc", "longDesc"], HTMLFrameElement: ["src", "longDesc"], HTMLEmbedElement: ["src"], HTMLObjectElement: ["data"],
  HTMLMediaElement: ["src"], HTMLVideoElement: ["poster"], HTMLSourceElement: ["src", "srcset"], HTMLTrackElement: ["src"],
  HTMLBodyElement: ["background"], HTMLQuoteElement: ["cite"], HTMLModElement: ["cite"], HTMLMetaElement: ["content", "httpEquiv"],
};

// before makes setter of a property of proto call change first, which returns the
// value to set or dropped.
function before(proto, name, change) {
  const property = proto && describe(proto, name);
  if (!property || !property.set || !property.configurable) return;
  define(proto, name, {
    ...property,
    set(value) {
      value = change(this, value);
      if (value !== dropped) apply(property.set, this, [value]);
    },
  });
}

// around replaces function name of proto. around's function gets the native one.
function around(proto, name, make) {
  const property = proto && describe(proto, name);
  if (!property || typeof property.value !== "function" || !property.configurable) return;
  const made = make(property.value);
  define(made, "name", { value: name });
  define(made, "length", { value: property.value.length });
  define(proto, name, { ...property, value: made });
}

function patchAttributes(win) {
  for (const [type, names] of Object.entries(reflected)) {
    for (const name of names) {
      const attribute = name === "httpEquiv" ? "http-equiv" : name.toLowerCase();
      before(win[type] && win[type].prototype, name, (el, value) => treatElement(el, attribute, value));
    }
  }
  around(win.Element.prototype, "setAttribute", (native) => function (name, value) {
    value = treatElement(this, String(name), value);
    return value === dropped ? undefined : apply(native, this, [name, value]);
  });
  around(win.Element.prototype, "setAttributeNS", (native) => function (ns, name, value) {
    value = treatElement(this, String(name), value);
    return value === dropped ? undefined : apply(native, this, [ns, name, value]);
  });
  const setNode = (owner) => (native) => function (attr) {
    const el = owner(this);
    if (el && attr && attr.name) {
      const value = treatElement(el, attr.name, attr.value);
      apply(attrValue, attr, [value === dropped ? "" : value]);
    }
    return apply(native, this, [attr]);
  };
  for (const name of ["setAttributeNode", "setAttributeNodeNS"]) around(win.Element.prototype, name, setNode((el) => el));
  // The element of a NamedNodeMap is known once it has an attribute; a new one is
  // put right after it was set.
  for (const name of ["setNamedItem", "setNamedItemNS"]) {
    around(win.NamedNodeMap.prototype, name, (native) => function (attr) {
      const neutral = win.document.createElement(this[0]?.ownerElement?.localName || "link");
      return setNode((map) => map[0]?.ownerElement || neutral)(native).call(this, attr);
    });
  }
  for (const [proto, name] of [[win.Attr.prototype, "value"], [win.Node.prototype, "nodeValue"], [win.Node.prototype, "textContent"], [win.CharacterData.prototype, "data"]]) {
    before(proto, name, (node, value) => {
      if (node.nodeType !== 2) return (node.nodeType === 3 ? node.parentNode : node)?.localName === "style" ? sheet(String(value), node.ownerDocument) : value;
      const el = node.ownerElement;
      return el ? treatElement(el, node.name, value) : value;
    });
  }
  // A link of SVG has an object with the address.
  before(win.SVGAnimatedString && win.SVGAnimatedString.prototype, "baseVal", (s, value) =>
    test(/^\s*([a-z]+:)?\/\//i, value) ? address(value, "im_") : value);
  around(win.CSSStyleDeclaration.prototype, "setProperty", (native) => function (name, value, priority) {
    return apply(native, this, [name, sheet(String(value)), priority === undefined ? "" : priority]);
  });
  before(win.CSSStyleDeclaration.prototype, "cssText", (s, value) => sheet(String(value)));
  for (const name of ["insertRule", "replace", "replaceSync"]) {
    around(win.CSSStyleSheet.prototype, name, (native) => function (css, ...rest) {
      return apply(native, this, [sheet(String(css)), ...rest]);
    });
  }
}

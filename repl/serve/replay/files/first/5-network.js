// Network: the functions by which scripts load something.

// removed are the connections that no policy of the browser covers, and functions
// that would load something outside of the page.
const removed = [
  "RTCPeerConnection", "webkitRTCPeerConnection", "mozRTCPeerConnection", "RTCIceTransport", "RTCIceGatherer", "RTCDtlsTransport",
  "WebTransport", "WebSocketStream", "TCPSocket", "TCPServerSocket", "UDPSocket", "PresentationRequest", "PaymentRequest",
  "MediaMetadata", "Notification", "fetchLater", "sharedStorage", "SharedWorker",
];
const removedOfNavigator = [
  "serviceWorker", "registerProtocolHandler", "unregisterProtocolHandler", "joinAdInterestGroup", "leaveAdInterestGroup", "runAdAuction",
  "updateAdInterestGroups", "credentials", "login", "presentation", "mediaSession", "setAppBadge", "share", "getInstalledRelatedApps",
];

function removeConnections(win) {
  for (const name of removed) {
    delete win[name];
    if (name in win) define(win, name, { value: undefined, configurable: true, writable: true });
  }
  for (const name of removedOfNavigator) delete win.Navigator.prototype[name];
}

function patchNetwork(win) {
  around(win.Navigator.prototype, "sendBeacon", () => function () { return true; });

  const ref = (value) => address(value, "oe_", win.document);
  around(win, "fetch", (native) => function (input, init) {
    return apply(native, win, [typeof input === "object" && input instanceof win.Request ? input : ref(input), init]);
  });
  around(win.XMLHttpRequest.prototype, "open", (native) => function (method, url, ...rest) {
    return apply(native, this, [method, ref(url), ...rest]);
  });
  const xml = describe(win.XMLHttpRequest.prototype, "responseXML");
  define(win.XMLHttpRequest.prototype, "responseXML", {
    ...xml,
    get() {
      const doc = apply(xml.get, this, []);
      if (doc) fix(doc);
      return doc;
    },
  });
  const response = describe(win.XMLHttpRequest.prototype, "response");
  define(win.XMLHttpRequest.prototype, "response", {
    ...response,
    get() {
      const value = apply(response.get, this, []);
      if (value && this.responseType === "document") fix(value);
      return value;
    },
  });
  made(win, "Request", (args) => [typeof args[0] === "object" && args[0] instanceof win.Request ? args[0] : ref(args[0]), ...args.slice(1)]);
  made(win, "EventSource", (args) => [ref(args[0]), ...args.slice(1)]);
  around(win.URL, "revokeObjectURL", (native) => function (url) {
    if (!programsOfWorkers.has(String(url))) apply(native, this, [url]);
  });
  made(win, "Worker", (args) => [workerAddress(String(args[0]), args[1], win), ...args.slice(1)]);
  made(win, "Audio", (args) => (args.length > 0 ? [address(args[0], "oe_", win.document)] : args));
  made(win, "FontFace", (args) => [args[0], typeof args[1] === "string" ? sheet(args[1], win.document) : args[1], ...args.slice(2)]);
  around(win.Worklet && win.Worklet.prototype, "addModule", (native) => function (url, ...rest) {
    return apply(native, this, [address(url, "js_", win.document), ...rest]);
  });
  // A web socket of an archived page cannot open. The page learns it as from a
  // server that does not answer.
  define(win, "WebSocket", { configurable: true, writable: true, value: closedSocket(win) });
}

// workerAddress returns the address of the program of a worker. A program that the
// page has made itself gets a policy for trusted types, which its page's
// Content-Security-Policy asks for, and the first script of workers.
function workerAddress(ref, options, win) {
  if (!test(/^\s*blob:/i, ref)) return address(ref, "js_", win.document);
  programsOfWorkers.add(ref);
  const policy = "self.trustedTypes?.createPolicy('default', { createHTML: (s) => s, createScript: (s) => s, createScriptURL: (s) => s });";
  const own = JSON.stringify("/" + config.captured + "js_/" + base(win.document));
  const load = options && options.type === "module" ? "import " + JSON.stringify(ref)
    : "self._infomall = " + own + "; try { importScripts(" + JSON.stringify(win.origin + files + "worker-first.js") + ") } catch {} importScripts(" + JSON.stringify(ref) + ")";
  return createObjectURL(new NativeBlob([policy, load], { type: "text/javascript" }));
}

// programsOfWorkers are the addresses of blobs that workers load. A page may revoke
// such an address once it has made the worker; the worker loads it a little later. So
// these addresses stay until the page has gone.
const programsOfWorkers = new Set();

const NativeBlob = Blob;
const createObjectURL = URL.createObjectURL;

// made replaces the constructor name of win by one that changes its arguments.
function made(win, name, change) {
  const native = win[name];
  if (!native) return;
  const proxy = new Proxy(native, {
    construct: (target, args, type) => construct(target, change(args), type === proxy ? target : type),
  });
  define(native.prototype, "constructor", { value: proxy, configurable: true, writable: true });
  define(win, name, { value: proxy, configurable: true, writable: true });
}

function closedSocket(win) {
  class WebSocket extends win.EventTarget {
    constructor(url) {
      super();
      this.url = String(url);
      this.readyState = 0;
      this.bufferedAmount = 0;
      this.extensions = this.protocol = "";
      this.binaryType = "blob";
      win.setTimeout(() => {
        this.readyState = 3;
        for (const event of [new win.Event("error"), new win.CloseEvent("close", { code: 1006 })]) {
          this.dispatchEvent(event);
          const handler = this["on" + event.type];
          if (typeof handler === "function") apply(handler, this, [event]);
        }
      });
    }
    send() {}
    close() {}
  }
  for (const [name, value] of Object.entries({ CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 })) {
    define(WebSocket, name, { value });
    define(WebSocket.prototype, name, { value });
  }
  return WebSocket;
}

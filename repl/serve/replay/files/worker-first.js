// The first script of workers: what an address becomes that the program of a worker
// writes. It runs before that program. The Content-Security-Policy of the worker keeps
// it inside; this script only makes it find what it looks for.
(() => {
"use strict";
const replayed = /^\/(\d{0,14})(?:([a-z]{2})_[a-z0-9-]*)?\/((?:https?|ftp):\/\/[^]*)$/i;

// A program that a page has made itself has no address, and says that of its page.
const found = replayed.exec(self._infomall || location.pathname + location.search);
delete self._infomall;
if (!found) return;
const [, time, , base] = found;
const { origin, URL, Request } = self;
const { apply, construct } = Reflect;

// address returns the replay address of ref.
function address(ref, modifier) {
  const clean = String(ref).trim();
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(clean);
  if (clean === "" || (scheme && !/^(https?|ftp)$/i.test(scheme[1]))) return ref;
  if (replayed.test(clean)) return origin + clean;
  try {
    let u = new URL(clean, base);
    if (u.origin === origin) {
      const path = u.pathname + u.search;
      if (replayed.test(path)) return u.href;
      u = new URL(path, base);
    }
    return origin + "/" + time + modifier + "/" + u.href;
  } catch {
    return ref;
  }
}

const loaded = (input) => (input instanceof Request ? input : address(input, "oe_"));

// around makes function name of owner change its arguments.
function around(owner, name, change) {
  const native = owner[name];
  owner[name] = function (...args) { return apply(native, this, change(args)); };
}

// made makes the constructor name change its arguments.
function made(name, change) {
  const native = self[name];
  if (!native) return;
  self[name] = new Proxy(native, {
    construct: (target, args, type) => construct(target, change(args), type === self[name] ? target : type),
  });
}

around(self, "importScripts", (refs) => refs.map((ref) => address(ref, "js_")));
around(self, "fetch", ([input, ...rest]) => [loaded(input), ...rest]);
around(XMLHttpRequest.prototype, "open", ([method, ref, ...rest]) => [method, address(ref, "oe_"), ...rest]);
made("Request", ([input, ...rest]) => [loaded(input), ...rest]);
made("EventSource", ([ref, ...rest]) => [address(ref, "oe_"), ...rest]);
made("Worker", ([ref, ...rest]) => [address(ref, "js_"), ...rest]);
})();

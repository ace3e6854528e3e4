// The service worker of the replay server. It sees requests for paths that no
// rewriting could see, such as /api/x of a script, and sends them to the archive as
// paths of the site of their page. It stores nothing.
"use strict";

const replayed = /^\/(\d{0,14})(?:([a-z]{2})_[a-z0-9-]*)?\/((?:https?|ftp):\/\/[^]*)$/i;
const files = "/_infomall/";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

// pageOf returns time and URL of the page that sent a request.
async function pageOf(id) {
  const own = id && (await self.clients.get(id));
  const all = own ? [own] : [];
  for (const client of [...all, ...(await self.clients.matchAll({ type: "window" }))]) {
    const u = new URL(client.url);
    const found = replayed.exec(u.pathname + u.search);
    if (found) return { time: found[1], url: found[3] };
  }
  return null;
}

// modifiers say in an address what a request is for, by its destination.
const modifiers = { script: "js_", worker: "js_", style: "cs_", image: "im_" };

async function answer(event, u) {
  const { request } = event;
  const page = await pageOf(event.clientId);
  if (!page) return fetch(request);
  const path = u.pathname + u.search;
  const address = "/" + page.time + (request.mode === "navigate" ? "mp_" : modifiers[request.destination] || "oe_") + "/" + new URL(path, page.url).href;
  if (request.mode === "navigate") return Response.redirect(address);
  const init = { method: request.method, headers: request.headers, credentials: "same-origin" };
  if (request.method !== "GET" && request.method !== "HEAD") init.body = await request.arrayBuffer();
  return fetch(address, init);
}

self.addEventListener("fetch", (event) => {
  const u = new URL(event.request.url);
  if (u.origin !== self.location.origin || u.pathname.startsWith(files) || replayed.test(u.pathname + u.search)) return;
  event.respondWith(answer(event, u));
});

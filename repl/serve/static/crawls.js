"use strict";
// The page follows the crawls: when /api/crawls reports a change, the parts of the
// page are fetched again, one request at a time.
(() => {
  const parts = document.getElementById("parts");
  if (!parts || !window.EventSource) return;
  let busy = false;
  let first = true;
  const events = new EventSource("/api/crawls");
  events.addEventListener("crawls", async () => {
    document.getElementById("live").hidden = false;
    if (first || busy) { // the page is as new as the first event
      first = false;
      return;
    }
    busy = true;
    try {
      const address = new URL(location.href);
      address.searchParams.delete("url"); // what was decided about a URL stays
      const answer = await fetch(address);
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById("parts");
        if (fresh) parts.replaceChildren(...fresh.children);
      }
    } catch {
      // The server is gone for a moment: the next event tries again.
    } finally {
      busy = false;
    }
  });
})();

"use strict";
// The page in the frame says what it is and when it was captured. What it says is
// text of a page that may be hostile: it is shown, and never run or followed unseen.
(() => {
  const frame = document.getElementById("replay");
  const bar = document.getElementById("bar"); // null if the server shows none
  const stamp = /^[0-9]{14}$/;
  const shown = t => t.replace(/^(....)(..)(..)(..)(..)(..)$/, "$1-$2-$3 $4:$5:$6");
  // The URL of the page that the bar is about; null before it has loaded. A document after
  // load runs no script that could say it.
  let current = frame.dataset.url || null;
  let wanted = null; // the address of the bar that is to be shown next

  // addressOf returns the address of the interface's page for a URL, or null if it
  // would be that of something else, such as an API.
  function addressOf(asked, url) {
    const u = new URL("/" + (asked ? asked + "/" : "") + url, location.origin);
    return u.origin === location.origin && /^\/([0-9]{14}\/)?https?:\/\//.test(u.pathname) ? u : null;
  }

  // load puts the bar of another page in the place of this one.
  async function load(address) {
    const busy = wanted !== null;
    wanted = address;
    if (busy) return;
    for (let now = null; now !== wanted;) {
      now = wanted;
      try {
        const answer = await fetch(now, { redirect: "error" });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const found = page.getElementById("bar");
        if (!found) continue;
        bar.replaceChildren(...found.childNodes);
        document.title = page.title;
      } catch {
        continue; // The server does not answer: the bar keeps the text that it has.
      }
    }
    wanted = null;
  }

  addEventListener("message", event => {
    const m = event.data;
    if (event.source !== frame.contentWindow || !m || typeof m.url !== "string" || !/^https?:\/\//.test(m.url)) return;
    const address = addressOf(stamp.test(m.asked) ? m.asked : "", m.url);
    if (!address) return;
    if (m.infomall === "page" && stamp.test(m.captured)) {
      if (bar) {
        document.getElementById("url").textContent = m.url.replace(/^http:\/\//, "");
        document.getElementById("captured").textContent = shown(m.captured);
      }
      if (typeof m.title === "string" && m.title) document.title = m.title.slice(0, 300) + " – infomall";
      // After a link was followed in the frame, the bar is that of the page before.
      if (current !== null && current !== m.url) {
        history.replaceState(null, "", address);
        if (bar) load(address);
      }
      current = m.url;
    } else if (m.infomall === "open" && bar) {
      const nav = bar.querySelector("nav"), a = document.createElement("a");
      a.href = address;
      a.target = "_blank";
      a.rel = "noopener";
      a.textContent = "↗ " + m.url.slice(0, 80);
      for (const old of nav.querySelectorAll("a[target=_blank]")) old.remove();
      nav.append(a);
    }
  });
})();

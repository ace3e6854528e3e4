"use strict";
// The page in the frame says what it is and when it was captured. What it says is
// text of a page that may be hostile: it is shown, and never run or followed unseen.
(() => {
  const frame = document.getElementById("replay");
  const stamp = /^[0-9]{14}$/;
  const shown = t => t.replace(/^(....)(..)(..)(..)(..)(..)$/, "$1-$2-$3 $4:$5:$6");
  addEventListener("message", event => {
    const m = event.data;
    if (event.source !== frame.contentWindow || !m || typeof m.url !== "string" || !/^https?:\/\//.test(m.url)) return;
    const asked = stamp.test(m.asked) ? m.asked : "";
    const address = "/" + (asked ? asked + "/" : "") + m.url;
    if (m.infomall === "page" && stamp.test(m.captured)) {
      const url = document.getElementById("url"), before = url.dataset.url;
      url.textContent = m.url.replace(/^http:\/\//, "");
      url.dataset.url = m.url;
      document.getElementById("captured").textContent = shown(m.captured);
      if (typeof m.title === "string" && m.title) document.title = m.title.slice(0, 300) + " – infomall";
      // After a link was followed in the frame, the other parts of the bar are of
      // the page before; the address of the new page loads them when it is opened.
      if (before !== undefined && before !== m.url) {
        history.replaceState(null, "", address);
        for (const a of document.querySelectorAll("#bar nav a")) a.hidden = true;
        const nav = document.querySelector("#bar nav"), a = document.createElement("a");
        a.href = address;
        a.textContent = "↻ " + shown(m.captured);
        nav.append(a);
      }
    } else if (m.infomall === "open") {
      const nav = document.querySelector("#bar nav"), a = document.createElement("a");
      a.href = address;
      a.target = "_blank";
      a.rel = "noopener";
      a.textContent = "↗ " + m.url.slice(0, 80);
      for (const old of nav.querySelectorAll("a[target=_blank]")) old.remove();
      nav.append(a);
    }
  });
})();

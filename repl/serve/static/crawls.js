"use strict";
// The table of crawls follows the events of /api/crawls.
(() => {
  const table = document.querySelector("main table");
  if (!table || !window.EventSource) return;
  const columns = [...table.querySelectorAll("th")].map(th => th.textContent);
  if (columns[0] !== "name") return; // there are no crawls: the first table is another
  const events = new EventSource("/api/crawls");
  events.addEventListener("crawls", event => {
    document.getElementById("live").hidden = false;
    const body = document.createElement("tbody");
    for (const row of JSON.parse(event.data)) {
      const tr = document.createElement("tr");
      for (const name of columns) {
        const td = document.createElement("td");
        if (typeof row[name] === "number") td.className = "n";
        td.textContent = row[name] === null ? "–" : row[name];
        tr.append(td);
      }
      body.append(tr);
    }
    table.tBodies[0].replaceWith(body);
  });
})();

"use strict";
// The statement's box offers what may come at the cursor, as the shell does.
(() => {
  const box = document.getElementById("q"), list = document.getElementById("completions");
  let typed = "", chosen = -1, asked = 0;

  const options = () => [...list.children];
  function close() {
    asked++;
    list.hidden = true;
    list.replaceChildren();
    chosen = -1;
    box.removeAttribute("aria-activedescendant");
  }

  // choose marks the option with this index, round and round.
  function choose(index) {
    const all = options();
    chosen = (index + all.length) % all.length;
    all.forEach((li, i) => li.setAttribute("aria-selected", i === chosen));
    box.setAttribute("aria-activedescendant", all[chosen].id);
    all[chosen].scrollIntoView({ block: "nearest" });
  }

  // take puts the text of an option in the place of what was typed.
  function take(text) {
    box.focus();
    box.setRangeText(text, box.selectionStart - typed.length, box.selectionStart, "end");
    close();
  }

  // offer asks for the completions at the cursor. all says that they are shown even if
  // no word was begun.
  async function offer(all) {
    const turn = ++asked, at = box.selectionStart;
    if (at !== box.selectionEnd) return close();
    const parts = new URLSearchParams({ before: box.value.slice(0, at), after: box.value.slice(at) });
    let answer;
    try {
      const reply = await fetch("/api/complete?" + parts);
      if (!reply.ok) throw new Error(reply.statusText);
      answer = await reply.json();
    } catch {
      return close(); // the server is gone, or the statement is too long
    }
    if (turn !== asked) return; // something was typed since
    typed = answer.typed;
    const texts = answer.candidates.filter(text => text !== typed);
    if (!texts.length || typed === "" && !all) return close();
    list.replaceChildren(...texts.map((text, i) => {
      const li = document.createElement("li");
      li.id = "completion-" + i;
      li.setAttribute("role", "option");
      li.setAttribute("aria-selected", "false");
      li.textContent = text;
      li.addEventListener("mousedown", event => { event.preventDefault(); take(text); });
      return li;
    }));
    chosen = -1;
    list.hidden = false;
  }

  box.setAttribute("aria-controls", "completions");
  box.setAttribute("aria-autocomplete", "list");
  box.addEventListener("input", () => offer(false));
  box.addEventListener("blur", close);
  box.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      box.form.requestSubmit();
    } else if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      offer(true);
    } else if (list.hidden) {
      return;
    } else if (event.key === "Escape") {
      close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : chosen < 0 ? 0 : -1));
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) {
      event.preventDefault();
      take(options()[chosen].textContent);
    }
  });
})();

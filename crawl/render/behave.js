(() => {
	// The functions act on the document, its open shadow trees and the frames of its origin.
	const roots = () => {
		const list = [];
		const look = (root) => {
			list.push(root);
			for (const e of root.querySelectorAll("*")) {
				if (list.length >= 10000) return;
				if (e.shadowRoot) look(e.shadowRoot);
				if (e.localName !== "iframe" && e.localName !== "frame") continue;
				try {
					if (e.contentDocument) look(e.contentDocument);
				} catch {} // a frame of another origin
			}
		};
		look(document);
		return list;
	};
	const visible = (e) => e.checkVisibility({visibilityProperty: true}) && e.getClientRects().length > 0;
	const every = (selector) => roots().flatMap((r) => [...r.querySelectorAll(selector)]);
	// Two frames are drawn before the page has seen that it was scrolled. A page that is
	// not drawn gets no frames.
	const drawn = () => new Promise((done) => {
		setTimeout(done, 500);
		requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
	});
	const label = (e) => (e.innerText || e.value || "").trim().replace(/\s+/g, " ").replace(/ ?[(（\[]\d+[)）\]]$/, "").replace(/[\s.…›»▼▾↓⌄>+]+$/, "");
	const buttons = () => every("button, [role=button], a, input[type=button]").filter((e) => !e.closest("form") && !e.disabled && visible(e));
	// find returns the first visible element that a rule means.
	const find = (rule, fits) => {
		if (rule.selector) return every(rule.selector).find((e) => visible(e) && fits(e));
		const words = new RegExp("^(?:" + rule.label + ")$", "iu");
		return buttons().find((e) => {
			const text = label(e);
			return text.length < 40 && words.test(text) && fits(e);
		});
	};
	const leaves = (e) => {
		const link = e.closest("a[href]");
		if (!link) return false;
		const href = link.getAttribute("href").trim();
		return href !== "" && !href.startsWith("#") && !/^javascript:/i.test(href);
	};
	const size = () => roots().reduce((n, r) => n + r.querySelectorAll("*").length, 0);
	return {
		address: () => location.href,
		// idle returns when the page has nothing to do, or after a second.
		idle: () => new Promise((done) => {
			setTimeout(done, 1000);
			requestIdleCallback(() => done());
		}),
		size,
		// click clicks the element that the first of the rules finds. It returns the number of
		// the rule, or -1 if no rule finds one.
		click: async (rules) => {
			for (let i = 0; i < rules.length; i++) {
				const e = find(rules[i], () => true);
				if (!e) continue;
				e.click();
				await drawn();
				return i;
			}
			return -1;
		},
		// open opens at most n closed details and returns how many.
		open: async (n) => {
			const list = every("details:not([open])").slice(0, n);
			for (const e of list) e.open = true;
			if (list.length) await drawn();
			return list.length;
		},
		// scroll scrolls what can be scrolled down by the height of the window and reports
		// whether something moved.
		scroll: async () => {
			const list = [document.scrollingElement || document.documentElement];
			for (const e of every("*")) {
				if (list.length >= 20) break;
				if (e.scrollHeight > e.clientHeight + 20 && e.clientHeight > innerHeight / 3 && e !== list[0] && /auto|scroll/.test(getComputedStyle(e).overflowY)) list.push(e);
			}
			let moved = false;
			for (const e of list) {
				if (!e) continue;
				const before = e.scrollTop;
				e.scrollBy({top: innerHeight * 0.9, behavior: "instant"});
				if (e.scrollTop !== before) moved = true;
			}
			await drawn();
			return moved;
		},
		// top scrolls back to the beginning.
		top: async () => {
			for (const e of [document.scrollingElement, ...every("*").filter((e) => e.scrollTop > 0)]) if (e) e.scrollTo({top: 0, behavior: "instant"});
			await drawn();
		},
		// more clicks a button that loads more of this page, by the rules. It returns the
		// number of elements before, or -1 if there is no such button.
		more: async (rules) => {
			for (const rule of rules) {
				const e = find(rule, (e) => !leaves(e) && !e.disabled);
				if (!e) continue;
				const before = size();
				e.click();
				await drawn();
				return before;
			}
			return -1;
		},
	};
})()

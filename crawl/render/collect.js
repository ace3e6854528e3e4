(bytesMax, linksMax, foreign) => {
	// Returns the document with its shadow trees and its frames: as HTML, as text, and its
	// links. foreign has the HTML of frames of other origins, by place; see placeScript. The
	// text and the links are without those of frames of other origins. It stops when the HTML or the text has bytesMax characters.
	const hollow = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);
	const raw = new Set(["script", "style", "xmp", "iframe", "noembed", "noframes", "plaintext", "noscript"]);
	const result = {url: location.href, dom: "", text: "", links: [], login: false, cut: false};
	const escapeText = (s) => s.replace(/[&<>\u00a0]/g, (c) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\u00a0": "&nbsp;"})[c]);
	const escapeAttribute = (s) => s.replace(/[&<>"\u00a0]/g, (c) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\u00a0": "&nbsp;"})[c]);

	// Output of one document. A frame has an output of its own, for it is escaped as a whole.
	let size = 0;
	const full = () => size > bytesMax;
	const rules = (sheet) => {
		try {
			return [...sheet.cssRules].map((r) => r.cssText).join("\n");
		} catch {
			return ""; // of another origin
		}
	};
	const styles = (root) => (root.adoptedStyleSheets || []).map((s) => "<style>" + rules(s).replace(/<\//g, "<\\/") + "</style>").join("");
	const frameOf = (e) => {
		try {
			return e.contentDocument && e.contentDocument.documentElement ? e.contentDocument : null;
		} catch {
			return null;
		}
	};
	// foreignOf returns the document of a frame of another origin, or "".
	const foreignOf = (e) => {
		const place = [];
		for (let w = e.contentWindow; w && w !== top; w = w.parent) {
			let i = 0;
			while (i < w.parent.length && w.parent[i] !== w) i++;
			place.unshift(i);
		}
		return foreign[place.join("/")] || "";
	};
	const write = (out, s) => {
		size += s.length;
		out.push(s);
	};

	const children = (out, node, depth) => {
		for (let c = node.firstChild; c && !full(); c = c.nextSibling) one(out, c, depth);
	};
	const one = (out, node, depth) => {
		switch (node.nodeType) {
		case Node.DOCUMENT_TYPE_NODE:
			write(out, "<!DOCTYPE " + node.name + (node.publicId ? ' PUBLIC "' + node.publicId + '"' + (node.systemId ? ' "' + node.systemId + '"' : "") : node.systemId ? ' SYSTEM "' + node.systemId + '"' : "") + ">");
			return;
		case Node.COMMENT_NODE:
			write(out, "<!--" + node.data + "-->");
			return;
		case Node.TEXT_NODE:
			const parent = node.parentElement;
			write(out, parent && parent.namespaceURI === "http://www.w3.org/1999/xhtml" && raw.has(parent.localName) ? node.data : escapeText(node.data));
			return;
		case Node.ELEMENT_NODE:
			element(out, node, depth);
		}
	};
	const element = (out, e, depth) => {
		const html = e.namespaceURI === "http://www.w3.org/1999/xhtml";
		const name = html ? e.localName : e.tagName;
		let inner = "";
		if (html && name === "iframe" && depth < 8) {
			const frame = frameOf(e);
			if (!frame) inner = foreignOf(e);
			else if (frame.body && frame.body.firstChild) inner = whole(frame, depth + 1);
		}
		let s = "<" + name;
		for (const a of e.attributes) {
			if (inner && a.name === "srcdoc") continue;
			s += " " + a.name + '="' + escapeAttribute(a.value) + '"';
		}
		if (inner) s += ' srcdoc="' + escapeAttribute(inner) + '"';
		write(out, s + ">");
		if (e.shadowRoot && depth < 500) {
			const root = e.shadowRoot;
			write(out, '<template shadowrootmode="' + root.mode + '"' + (root.delegatesFocus ? " shadowrootdelegatesfocus" : "") + ">");
			children(out, root, depth);
			write(out, styles(root) + "</template>");
		}
		if (html && hollow.has(name)) return;
		if (name === "style" && html && e.sheet && !e.textContent.trim()) {
			write(out, rules(e.sheet).replace(/<\//g, "<\\/")); // rules that scripts added
		} else if (name === "template" && html) {
			children(out, e.content, depth);
		} else {
			if ((name === "pre" || name === "textarea" || name === "listing") && html && e.firstChild && e.firstChild.nodeType === Node.TEXT_NODE && e.firstChild.data[0] === "\n") write(out, "\n");
			children(out, e, depth);
		}
		if (name === "head" && html) write(out, styles(e.ownerDocument));
		write(out, "</" + name + ">");
	};
	// whole returns the document of a frame. Relative addresses hold in it as they did.
	const whole = (d, depth) => {
		const out = [];
		children(out, d, depth);
		if (d.querySelector("base[href]")) return out.join("");
		return out.join("").replace(/<head[^>]*>/, (head) => head + '<base href="' + escapeAttribute(d.baseURI) + '">');
	};

	// The text that a reader sees: innerText knows neither shadow trees nor frames, so
	// the elements that contain some are taken apart.
	const apart = new Set();
	const roots = [];
	const look = (root) => {
		roots.push(root);
		for (const e of root.querySelectorAll("*")) {
			const frame = e.localName === "iframe" || e.localName === "frame" ? frameOf(e) : null;
			if (!frame && !e.shadowRoot) continue;
			for (let p = e; p && !apart.has(p); p = p.parentNode || p.host) apart.add(p);
			if (roots.length >= 10000) return;
			if (frame) look(frame);
			else look(e.shadowRoot);
		}
	};
	look(document);
	const text = [];
	let length = 0;
	const say = (s) => {
		s = s.trim();
		if (s && length <= bytesMax) {
			length += s.length;
			text.push(s);
		}
	};
	const read = (node, depth) => {
		if (length > bytesMax || depth > 2000) return;
		if (node.nodeType === Node.TEXT_NODE) return say(node.data);
		if (node.nodeType !== Node.ELEMENT_NODE) return;
		if (node.localName === "slot") {
			const given = node.assignedNodes();
			for (const n of given.length ? given : node.childNodes) read(n, depth + 1);
			return;
		}
		if (!node.checkVisibility({visibilityProperty: true})) {
			if (getComputedStyle(node).display !== "contents") return;
		}
		if (!apart.has(node) && !node.querySelector("slot")) return say(node.innerText || "");
		const frame = frameOf(node);
		if (frame) return frame.body && read(frame.body, depth + 1);
		for (const n of (node.shadowRoot || node).childNodes) read(n, depth + 1);
	};
	if (document.body) read(document.body, 0);
	else say(document.documentElement ? document.documentElement.textContent : "");
	result.text = text.join("\n");

	const seen = new Set();
	for (const root of roots) {
		for (const e of root.querySelectorAll("a[href], area[href]")) {
			if (seen.size >= linksMax) break;
			if (/^https?:/.test(e.href)) seen.add(e.href);
		}
		for (const e of root.querySelectorAll("input[type=password i]")) {
			if (e.checkVisibility({visibilityProperty: true})) result.login = true;
		}
	}
	result.links = [...seen];

	const out = [];
	if (window === top) children(out, document, 0);
	else if (document.body && document.body.firstChild) out.push(whole(document, 1));
	result.cut = full();
	result.dom = result.cut ? "" : out.join("");
	return result;
}

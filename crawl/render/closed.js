(() => {
	// A closed shadow tree cannot be read from outside. This script opens it, and hides from
	// the scripts of the page that it is open. Our own scripts run in another world and see it.
	const closed = new WeakSet(), proto = Element.prototype, attach = proto.attachShadow;
	const root = Object.getOwnPropertyDescriptor(proto, "shadowRoot");
	const mode = Object.getOwnPropertyDescriptor(ShadowRoot.prototype, "mode");
	const has = WeakSet.prototype.has.bind(closed), add = WeakSet.prototype.add.bind(closed);
	const run = (f, self, ...args) => Reflect.apply(f, self, args);
	proto.attachShadow = {attachShadow(init) {
		if (!init || init.mode !== "closed") return run(attach, this, init);
		const r = run(attach, this, {...init, mode: "open"});
		add(r);
		return r;
	}}.attachShadow;
	Object.defineProperty(proto, "shadowRoot", {...root, get() {
		const r = run(root.get, this);
		return r && has(r) ? null : r;
	}});
	Object.defineProperty(ShadowRoot.prototype, "mode", {...mode, get() {
		return has(this) ? "closed" : run(mode.get, this);
	}});
})()

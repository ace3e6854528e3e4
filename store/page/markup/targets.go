package markup

// Targets returns the links of the whole body in order, as Links does, but
// without Anchor, Before and After. It takes much less time than Links.
func (t *Tree) Targets(charset string) []Link {
	w := t.findTargets(charset)
	defer w.free()
	return w.result()
}

// AppendTargets appends the links that Targets returns to dst as References. They
// may share the memory of the body.
func (t *Tree) AppendTargets(dst []Reference, charset string) []Reference {
	w := t.findTargets(charset)
	defer w.free()
	for i := range w.links {
		l := &w.links[i]
		dst = append(dst, Reference{Kind: l.kind, NoFollow: len(l.rel) > 0 && hasWord(string(l.rel), "nofollow"), Target: l.target})
	}
	return dst
}

func (t *Tree) findTargets(charset string) *linkWriter {
	w := t.newLinkWriter(charset)
	w.end = int32(len(t.Body))
	for i := range t.Nodes {
		if t.Nodes[i].Kind == Element {
			w.element(i)
		}
	}
	return w
}

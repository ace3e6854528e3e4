package page

// Targets returns the links of the whole body in order, as Links does but
// without the text at and around them, which is most of the work: their Anchor,
// Before and After are not to be used.
func (t *Tree) Targets(charset string) []Link {
	w := t.findTargets(charset)
	defer w.free()
	return w.made()
}

// AppendTargets appends Targets as references, whose memory is that of the body or
// their own.
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

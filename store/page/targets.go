package page

// Targets returns the links of the whole body in order, as Links does but
// without the text at and around them, which is most of the work: their Anchor,
// Before and After are not to be used.
func (t *Tree) Targets(charset string) []Link {
	w := linkWriters.Get().(*linkWriter)
	defer w.free()
	w.t, w.charset, w.plain = t, charset, ASCIISafe(charset)
	for i := range t.Nodes {
		if t.Nodes[i].Kind == Element {
			w.element(i)
		}
	}
	return w.made()
}

package document

// Unpack counts n unpacked bytes. It returns ErrLimit if the document, together with
// the bodies that it is inside of, has then unpacked more than Limits.Unpacked.
func (b *Builder) Unpack(n int64) error {
	left := b.limits.left
	if *left -= n; *left < 0 {
		*left = 0
		return ErrLimit
	}
	return nil
}

// UnpackLeft returns how many bytes Unpack still accepts.
func (b *Builder) UnpackLeft() int64 { return *b.limits.left }

// Nested reads a body inside of the document, such as a member of a zip file, with what
// is left of the limits of the document. It returns nil if no kind reads the body, or if
// it is inside of too many others.
func (b *Builder) Nested(in *Input) *Document {
	if b.nested == nil {
		return nil
	}
	in.Limits = b.limits
	in.Limits.Text = max(1, b.limits.Text-b.text)
	in.Limits.Parts = max(1, b.limits.Parts-b.parts)
	in.Limits.Links = max(1, b.limits.Links-len(b.Doc.Links))
	return b.nested(in)
}

// AddMember adds the parts and links of d, which Nested returned, as one section of
// kind Member. name is the name of its file. The title of d becomes a Heading, unless it
// is the first part of d anyway.
func (b *Builder) AddMember(name string, d *Document) error {
	if err := b.Begin(Member, name); err != nil {
		return err
	}
	if title := Clean(d.Title); title != "" && (len(d.Sections) == 0 || len(d.Sections[0].Parts) == 0 || Clean(d.Sections[0].Parts[0].Text) != title) {
		if err := b.Add(Heading, title); err != nil {
			return err
		}
	}
	for _, s := range d.Sections {
		for _, p := range s.Parts {
			if err := b.Add(p.Kind, p.Text); err != nil {
				return err
			}
		}
	}
	for _, l := range d.Links {
		b.Link(l.Target, l.Anchor)
	}
	return nil
}

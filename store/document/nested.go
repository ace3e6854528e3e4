package document

import "strings"

// Unpack counts n more unpacked bytes. It returns ErrLimit if the total exceeds Limits.Unpacked.
// The total includes the bodies around this document and those inside it.
func (b *Builder) Unpack(n int64) error {
	left := b.limits.left
	if *left -= n; *left < 0 {
		*left = 0
		return ErrLimit
	}
	return nil
}

// UnpackLeft returns how many more bytes may be unpacked before Unpack returns ErrLimit.
func (b *Builder) UnpackLeft() int64 { return *b.limits.left }

// Nested reads a body inside of the document, such as a member of a zip file. The result may use
// what is left of the document's limits. Nested returns nil if no kind reads the body, or if the
// body is nested too deeply.
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
// is the first part of d anyway. A document without text and links adds nothing.
func (b *Builder) AddMember(name string, d *Document) error {
	if d.Title == "" && len(d.Links) == 0 && !d.hasText() {
		return nil
	}
	if err := b.Begin(Member, name); err != nil {
		return err
	}
	if title := Clean(d.Title); title != "" && (len(d.Sections) == 0 || len(d.Sections[0].Parts) == 0 || Clean(d.Sections[0].Parts[0].Text) != title) {
		if err := b.Add(Heading, title); err != nil {
			return err
		}
	}
	return b.AddParts(d)
}

// AddParts adds the parts and links of d to the current section.
func (b *Builder) AddParts(d *Document) error {
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

// hasText reports whether the document has any part.
func (d *Document) hasText() bool {
	for _, s := range d.Sections {
		if len(s.Parts) > 0 {
			return true
		}
	}
	return false
}

// mimes has the media types of files whose bytes do not show what they are, by the
// extension of their names.
var mimes = map[string]string{
	"csv": "text/csv", "tsv": "text/tab-separated-values", "tab": "text/tab-separated-values",
	"txt": "text/plain", "text": "text/plain", "md": "text/plain", "log": "text/plain", "me": "text/plain", "nfo": "text/plain", "readme": "text/plain",
	"htm": "text/html", "html": "text/html", "shtml": "text/html", "xhtml": "application/xhtml+xml",
	"xml": "application/xml", "json": "application/json", "ndjson": "application/json", "jsonl": "application/json", "geojson": "application/json",
	"js": "text/javascript", "css": "text/css", "eml": "message/rfc822", "mbox": "application/mbox",
}

// MimeOf returns the media type that the name of a file says, for files whose bytes
// do not show what they are. It is "" for other names.
func MimeOf(name string) string {
	name = strings.ToLower(name[strings.LastIndexAny(name, "/\\")+1:])
	return mimes[name[strings.LastIndexByte(name, '.')+1:]]
}

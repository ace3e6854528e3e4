package media

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf16"

	"infomall/store/document"
	"infomall/store/page/charset"
	"infomall/store/record"
)

// Field says what a tag is about.
type Field uint8

// The fields. A file may have several values of each field. Of Title, Producer
// and Date only the first value is used.
const (
	Title Field = iota
	Author
	Album
	Comment // description, caption or comment
	Rights  // copyright
	Lyrics  // lyrics, or other text of a recording, such as the titles of its chapters
	Keywords
	Producer // program, encoder or camera
	Date     // time at which the work was made
	fields
)

// tagBytesMax is the largest number of bytes of one tag that are read, and
// tagsMax the largest number of tags of a file.
const (
	tagBytesMax = 1 << 20
	tagsMax     = 2000
)

// tag is one statement of a file about itself. A text without a declared
// charset is kept as raw bytes until all tags are known, because many short
// texts together show their charset better than each by itself.
type tag struct {
	field Field
	raw   []byte // nil if text is set
	text  string
	short bool // the text may be cut, because the format limits it to a few bytes
}

// Tags collects the tags of one file. The zero value is empty.
type Tags struct {
	all []tag
}

// Add adds a tag whose text is UTF-8.
func (t *Tags) Add(f Field, text string) {
	text = strings.TrimSpace(text[:min(len(text), tagBytesMax)])
	if text != "" && len(t.all) < tagsMax {
		t.all = append(t.all, tag{field: f, text: text})
	}
}

// AddRaw adds a tag whose charset is not known. The text ends at the first zero byte.
func (t *Tags) AddRaw(f Field, raw []byte) {
	raw, _, _ = bytes.Cut(raw[:min(len(raw), tagBytesMax)], []byte{0})
	if raw = bytes.Clone(bytes.TrimSpace(raw)); len(raw) > 0 && len(t.all) < tagsMax {
		t.all = append(t.all, tag{field: f, raw: raw})
	}
}

// AddShort adds a tag whose text may be cut, because its format limits it to a
// few bytes. The tag is ignored if the same field has a longer tag with the
// same beginning.
func (t *Tags) AddShort(f Field, raw []byte) {
	n := len(t.all)
	if t.AddRaw(f, raw); len(t.all) > n {
		t.all[n].short = true
	}
}

// decode sets the text of each tag that only has raw bytes. It finds one
// charset for all of them.
func (t *Tags) decode() {
	var raw []byte
	for _, g := range t.all {
		if g.raw != nil && len(raw) < tagBytesMax {
			raw = append(append(raw, g.raw...), '\n')
		}
	}
	if raw == nil {
		return
	}
	cs := charset.Find(raw, "", "").Charset
	for i := range t.all {
		if g := &t.all[i]; g.raw != nil {
			g.text, g.raw = string(charset.ToUTF8(g.raw, cs)), nil
		}
	}
}

// of returns the texts of the field f, each once.
func (t *Tags) of(f Field) []string {
	var out []string
	for _, g := range t.all {
		known := func(o string) bool {
			return o == g.text || g.short && strings.HasPrefix(o, strings.TrimRight(g.text, "\ufffd"))
		}
		if g.field == f && !slices.ContainsFunc(out, known) && len(out) < 100 {
			out = append(out, g.text)
		}
	}
	return out
}

// shortMax is the largest number of bytes of a tag that a field of a document
// takes. The parts of the document take the whole text.
const shortMax = 4096

// Put writes the tags into the document of b: into its fields, and the texts that people
// read as parts too, so that a search finds them. A field of the document that is set
// stays as it is. Put returns the error of the Builder.
func (t *Tags) Put(b *document.Builder) error {
	t.decode()
	d := b.Doc
	set := func(field *string, texts ...string) {
		if *field == "" {
			*field = document.Clean(cut(strings.Join(texts, "; "), shortMax))
		}
	}
	first := func(f Field) []string { a := t.of(f); return a[:min(1, len(a))] }
	set(&d.Title, first(Title)...)
	set(&d.Author, t.of(Author)...)
	set(&d.Producer, first(Producer)...)
	set(&d.Keywords, t.of(Keywords)...)
	set(&d.Description, slices.Concat(t.of(Album), t.of(Comment))...)
	for _, date := range t.of(Date) {
		if d.Created == record.NoTime {
			d.Created = Time(date)
		}
	}
	for f, kind := range partKinds {
		for _, text := range t.of(f) {
			if err := b.Add(kind, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// partKinds ranges over the fields whose text becomes parts, in the order of the parts.
func partKinds(yield func(Field, document.PartKind) bool) {
	_ = yield(Title, document.Heading) &&
		yield(Author, document.Paragraph) &&
		yield(Album, document.Paragraph) &&
		yield(Comment, document.Paragraph) &&
		yield(Lyrics, document.Paragraph) &&
		yield(Rights, document.Note)
}

// cut returns the first n bytes of text, without a cut character at the end.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}

// UTF16 returns the text of b, which is UTF-16, up to the first zero character. A byte
// order mark decides the byte order; without one, big does.
func UTF16(b []byte, big bool) string {
	v := View(b[:min(len(b), tagBytesMax)])
	switch {
	case v.Has(0, "\xfe\xff"):
		v, big = v[2:], true
	case v.Has(0, "\xff\xfe"):
		v, big = v[2:], false
	}
	units := make([]uint16, 0, len(v)/2)
	for i := 0; i+1 < len(v); i += 2 {
		u := uint16(v.Little16(i))
		if big {
			u = uint16(v.Big16(i))
		}
		if u == 0 {
			break
		}
		units = append(units, u)
	}
	return string(utf16.Decode(units))
}

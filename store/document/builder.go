package document

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrLimit is returned if a document would exceed its Limits. Everything that was added before
// stays in the document.
var ErrLimit = errors.New("larger than the limits: the rest is not read")

// Builder collects a document within its Limits. A reader sets the fields of Doc
// that say what the document is, and adds its text with Begin and Add. Only one
// goroutine may use it.
type Builder struct {
	Doc *Document
	// Lead is the text in the largest letters on the first page. It may become
	// the title. It is "" if documents of this kind have no sizes of letters.
	Lead   string
	limits Limits
	nested func(*Input) *Document
	text   int // number of bytes of text that were added
	parts  int // number of parts and sections that were added
	linked int // number of bytes of the links that were added
}

// NewBuilder returns a Builder of an empty document. The function nested reads a body that is
// inside the document, such as a member of a zip file; it returns nil if no kind reads that body.
func NewBuilder(l Limits, nested func(*Input) *Document) *Builder {
	l = l.WithDefaults()
	if l.left == nil {
		left := l.Unpacked
		l.left = &left
	}
	return &Builder{Doc: New(), limits: l, nested: nested}
}

// Limits returns the limits of the document, with the defaults in place of zeros.
func (b *Builder) Limits() Limits { return b.limits }

// Begin begins a section. Later parts and links belong to it. Without a call of Begin
// they belong to one section of kind Whole.
func (b *Builder) Begin(kind SectionKind, name string) error {
	if b.parts++; b.parts > b.limits.Parts {
		return ErrLimit
	}
	b.Doc.Sections = append(b.Doc.Sections, Section{Kind: kind, Name: Clean(name)})
	return nil
}

// Add adds a part to the current section. It cleans text as cleanLines does, and adds nothing if
// no text is left. If the limits are reached, it adds as much of text as they allow and returns
// ErrLimit.
func (b *Builder) Add(kind PartKind, text string) error {
	if text = cleanLines(text); text == "" {
		return nil
	}
	if len(b.Doc.Sections) == 0 {
		if err := b.Begin(Whole, ""); err != nil {
			return err
		}
	}
	var err error
	if b.parts++; b.parts > b.limits.Parts {
		return ErrLimit
	}
	if left := b.limits.Text - b.text; len(text) > left {
		for left > 0 && !utf8.RuneStart(text[left]) {
			left--
		}
		if text, err = text[:left], ErrLimit; text == "" {
			return err
		}
	}
	b.text += len(text)
	s := &b.Doc.Sections[len(b.Doc.Sections)-1]
	s.Parts = append(s.Parts, Part{Kind: kind, Text: text})
	return err
}

// Link adds a link to the current section. It leaves out a link without a
// target, and links beyond the limits.
func (b *Builder) Link(target, anchor string) {
	if target = strings.TrimSpace(target); target == "" || len(b.Doc.Links) >= b.limits.Links || len(target) > linkBytesMax {
		return
	}
	if len(target)+len(anchor) > b.LinkLeft() {
		return
	}
	b.linked += len(target) + len(anchor)
	b.Doc.Links = append(b.Doc.Links, Link{Target: Clean(target), Anchor: Clean(anchor), Section: max(0, len(b.Doc.Sections)-1)})
}

// LinkLeft returns how many bytes the target and the anchor of the next link may have together.
func (b *Builder) LinkLeft() int { return linkedMax*b.limits.Text - b.linked }

// linkBytesMax is the size in bytes of the longest target of a link. The targets and texts of all links may
// have linkedMax times as many bytes as the text of the document: a link that goes over many
// paragraphs counts once for each, and links inside of each other have the same text.
const (
	linkBytesMax = 16 << 10
	linkedMax    = 4
)

// Clean returns text as one line of valid UTF-8. It leaves out characters that
// show nothing, and writes each piece of white space as one blank.
func Clean(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// cleanLines returns text as valid UTF-8 with "\n" as line break. It leaves out
// characters that show nothing, and blanks at the ends of lines. It keeps tabs
// and line breaks inside the text.
func cleanLines(text string) string {
	text = clean(text)
	if !strings.ContainsAny(text, "\n\r") {
		return strings.Trim(text, " ")
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// clean returns text without bytes that are not UTF-8 and without characters
// that show nothing. It writes each kind of blank as a plain blank, except for
// tabs and line breaks.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return r
		case r == '\v' || r == '\f' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			return '\n'
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError, unicode.IsControl(r), r == '\ufeff', r == '\u00ad', r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe:
			return -1
		}
		return r
	}, text)
}

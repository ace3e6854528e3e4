package crawl

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"strings"

	"infomall/store/urlkey"
)

// Bounds of what is taken for a trap: pages without end that say the same.
const (
	trapSample  = 4    // of so many pages one is looked at
	trapWindow  = 50   // pages of one shape that are judged together, of those looked at
	trapVaried  = 5    // texts among them that are new, from which on they are no trap
	trapPlain   = 250  // pages of a shape, from which on titles and words of links do not count
	trapNumbers = 1000 // from which on numbers do not count either, of pages that such pages led to
	trapDepth   = 50   // links from a seed, from which on neither does
	textsMax    = 512  // texts of a shape that are remembered; a calendar has some 400
	shapesMax   = 50_000
	shapeLength = 512
)

// traps notices URLs of one shape that bring the same texts again and again: a
// calendar without end, pages that lead to themselves under ever new names. What
// brings new text goes on, however many URLs there are of its shape. Where only
// numbers are new that is text too, as of the items of a list; but not where such
// pages lead to ever more of their like. It belongs to the engine.
type traps struct {
	shapes map[string]*shape
}

// shape is what the pages had of whose URLs only numbers, and what a name is
// given, differ.
type shape struct {
	trap  string // why no more are fetched; "" as long as they are
	all   int    // pages
	pages int    // of the window
	fresh int    // texts of the window that were new
	texts map[uint64]bool
}

// text is the fingerprint of a page's text and images, also without the title
// and the words of links, and of that without numbers: what traps make up. The
// zero value is no page.
type text struct{ whole, plain, words uint64 }

// refuse says why a URL is not fetched; "" if it is.
func (t *traps) refuse(u string) string {
	if len(t.shapes) == 0 {
		return ""
	}
	if s := t.shapes[shapeOf(u)]; s != nil {
		return s.trap
	}
	return ""
}

// note takes into account what the page of u has, that many links from a seed,
// which the page via led to.
func (t *traps) note(u, via string, layer int, x text) {
	if x == (text{}) {
		return
	}
	name := shapeOf(u)
	s := t.shapes[name]
	if s == nil {
		if t.shapes == nil || len(t.shapes) >= shapesMax {
			t.shapes = make(map[string]*shape)
		}
		s = new(shape)
		t.shapes[name] = s
	}
	if s.trap != "" {
		return
	}
	if s.texts == nil {
		s.texts = make(map[uint64]bool)
	}
	print := x.whole
	switch s.all++; {
	case layer >= trapDepth, s.all > trapNumbers && shapeOf(via) == name:
		print = x.words
	case s.all > trapPlain:
		print = x.plain
	}
	if !s.texts[print] {
		if s.fresh++; len(s.texts) >= textsMax {
			clear(s.texts)
		}
		s.texts[print] = true
	}
	if s.pages++; s.pages < trapWindow {
		return
	}
	if s.fresh < trapVaried {
		s.trap = fmt.Sprintf("of the last %d pages such as this one only %d said anything new: it is taken for a trap", s.pages, s.fresh)
		s.texts = nil
	}
	s.pages, s.fresh = 0, 0
}

// shapeOf is what URLs have in common that differ in numbers, in the last part
// of the path, and in what arguments are: host, folders and names of arguments.
func shapeOf(u string) string {
	path, query, _ := strings.Cut(urlkey.RawPath(u), "?")
	if _, q, ok := strings.Cut(u, "?"); ok {
		query = q
	}
	var b strings.Builder
	b.WriteString(hostOf(u))
	digits := false
	for _, c := range []byte(path[:strings.LastIndexByte(path, '/')+1]) {
		if c >= '0' && c <= '9' {
			if !digits {
				b.WriteByte('#')
			}
			digits = true
			continue
		}
		digits = false
		b.WriteByte(c)
	}
	for arg := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(arg, "=")
		b.WriteString("?" + name)
		if b.Len() > shapeLength {
			break
		}
	}
	return b.String()
}

// textSeed makes fingerprints of this process comparable.
var textSeed = maphash.MakeSeed()

// sampled reports whether the page of a URL is looked at.
func sampled(u string) bool { return maphash.String(textSeed, u)%trapSample == 0 }

// textOf is the fingerprint of a page.
func textOf(page []byte) text {
	var whole, plain, words maphash.Hash
	for _, h := range []*maphash.Hash{&whole, &plain, &words} {
		h.SetSeed(textSeed)
	}
	skip := false
	for len(page) > 0 {
		said, rest, _ := bytes.Cut(page, []byte("<"))
		whole.Write(said)
		if !skip {
			plain.Write(said)
			writeWords(&words, said)
		}
		tag, after, _ := bytes.Cut(rest, []byte(">"))
		switch {
		case isTag(tag, "a"), isTag(tag, "title"):
			skip = true
		case isTag(tag, "/a"), isTag(tag, "/title"):
			skip = false
		case isTag(tag, "img"):
			whole.Write(tag)
			plain.Write(tag)
			words.Write(tag)
		}
		page = after
	}
	return text{whole.Sum64(), plain.Sum64(), words.Sum64()}
}

// isTag reports whether a tag has that name, which is in lower case.
func isTag(tag []byte, name string) bool {
	return len(tag) >= len(name) && tag[0]|0x20 == name[0]|0x20 && strings.EqualFold(string(tag[:len(name)]), name) &&
		(len(tag) == len(name) || tag[len(name)] <= ' ')
}

// writeWords adds a text without its digits.
func writeWords(h *maphash.Hash, said []byte) {
	from := 0
	for i, c := range said {
		if c >= '0' && c <= '9' {
			h.Write(said[from:i])
			from = i + 1
		}
	}
	h.Write(said[from:])
}

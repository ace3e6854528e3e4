package about

import (
	"strings"
	"unicode/utf8"

	"infomall/store/block/divide"
	"infomall/store/block/label"
	"infomall/store/page/markup"
	"infomall/store/words"
)

// The limits of a headline, in half words. A letter of a script without spaces, such as Chinese,
// is half a word.
const (
	headlineLeast = 2 * 4
	headlineMost  = 2 * 40
)

// Headline is the text of a link that is long enough to be a headline.
type Headline struct {
	Text string
	// Main is set if the link is in the main part of the page, and not in a menu, a header,
	// a footer, an aside, an advertisement or a form.
	Main bool
}

// Headlines appends to dst the headlines of a page, in their order: the texts of links of at
// least four words, or of eight letters of a script without spaces. If a link encloses headings,
// only the heading of the highest rank counts: a heading of a lower rank is often only a catchword
// above it. Otherwise the first line of the link that is long enough counts. A document, such as a
// PDF, has no headlines.
func Headlines(dst []Headline, b *divide.Body) []Headline {
	if b.Document != nil || b.Plain {
		return dst
	}
	t := b.Page
	var labels []label.Label
	block := 1 // all blocks before it begin before the link
	for i := 0; i < len(t.Nodes); i++ {
		n := &t.Nodes[i]
		if n.Kind != markup.Element || n.Tag != markup.TagA || n.Outer-n.Inner < headlineLeast {
			continue
		}
		if _, ok := t.Attr(i, "href"); !ok {
			continue
		}
		text, next := headlineOf(t, i, b.Charset)
		i = next - 1
		if text == "" {
			continue
		}
		if labels == nil {
			labels = LabelsTo(b.Tree, mainLevel)
		}
		var main bool
		block, main = inMain(b, labels, block, int(n.Start))
		dst = append(dst, Headline{text, main})
	}
	return dst
}

// inMain reports whether the byte at offset at is in the main part of the page. Call it with
// rising offsets. The parameter from is 1 in the first call, and later the result next of the
// call before.
func inMain(b *divide.Body, labels []label.Label, from, at int) (next int, main bool) {
	for n := from; n < len(b.Blocks); {
		switch p := &b.Blocks[n]; {
		case at < p.Start:
			return n, true
		case at >= p.End:
			n = p.Next
		case b.Leaf(n) || p.Depth == mainLevel:
			switch labels[n] {
			case label.Main, label.List, label.Media, label.Other:
				return n, true
			}
			return n, false
		default:
			n++
		}
	}
	return len(b.Blocks), true
}

// headlineOf returns the headline of the link that is node i, or "". The link ends where a link
// inside it begins, as in browsers. next is the first node that headlineOf has not looked at.
func headlineOf(t *markup.Tree, i int, charset string) (headline string, next int) {
	of, level := i, 7
	end := t.Nodes[i].Outer
	for next = i + 1; next < int(t.Nodes[i].Next); next++ {
		n := &t.Nodes[next]
		if n.Kind != markup.Element {
			continue
		}
		if n.Tag == markup.TagA {
			end = n.Start
			break
		}
		if h := n.Tag.Heading(); h > 0 && h < level {
			of, level = next, h
		}
	}
	n := &t.Nodes[of]
	text := t.TextRange(int(n.Inner), int(min(n.Outer, end)), charset)
	if of > i {
		return headlineText(text), next
	}
	for line := range strings.Lines(text) {
		if halfWords(line) >= headlineLeast {
			return headlineText(line), next
		}
	}
	return "", next
}

// headlineText returns a text in one line, or "" if it is too short or too long for a headline.
func headlineText(text string) string {
	if size := halfWords(text); size < headlineLeast || size > headlineMost {
		return ""
	}
	return strings.Join(strings.Fields(text), " ")
}

// halfWords returns the length of a text in half words, or a number above headlineMost if it is
// longer.
func halfWords(text string) (n int) {
	for _, w := range words.Of(text) {
		n += 2
		if r, _ := utf8.DecodeRuneInString(w); words.Ideograph(r) {
			n--
		}
		if n > headlineMost {
			break
		}
	}
	return n
}

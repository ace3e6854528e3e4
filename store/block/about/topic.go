package about

import (
	"strconv"
	"strings"
	"unicode"

	"infomall/store/block/divide"
	"infomall/store/page/markup"
)

// TopicOptions are the limits by which Topic chooses words. 0 means the default.
type TopicOptions struct {
	Theta   int // the largest number of words in a topic; 12 by default
	Delta   int // the number of words from which on a text is long, so that its frequent words are its topic; 60 by default
	Epsilon int // a word that occurs more than Epsilon times is frequent; 2 by default
}

// filled returns the options with defaults in place of zeros.
func (o TopicOptions) filled() TopicOptions {
	if o.Theta <= 0 {
		o.Theta = 12
	}
	if o.Delta <= 0 {
		o.Delta = 60
	}
	if o.Epsilon <= 0 {
		o.Epsilon = 2
	}
	return o
}

// Topic returns the topic of a block: a few of its words that say what it is
// about. The result depends on nothing but the four arguments, so equal blocks
// have equal topics. p is the profile with which the page was divided. A block
// without words has the topic "".
func Topic(block []byte, charset string, p divide.Profile, o TopicOptions) string {
	s := speeches.Get().(*speech)
	defer s.free()
	s.options, s.profile = o.filled(), p
	s.tree.Read(block)
	return s.topic(s.tree.Text(charset), charset)
}

// TopicAndText returns the topic (see Topic) of the bytes of the body from
// start to end, and the text that these bytes show.
func TopicAndText(b *divide.Body, start, end int) (topic, text string) {
	return topicAndText(b.Charset, b.Plain, b.Profile, func(t *markup.Tree) { b.ReadPart(t, start, end) })
}

// TopicAndTextOf returns the topic of the bytes of a block of a page that was divided with the
// profile divide.Modern, and the text that these bytes show. The flag plain says that the page
// is plain text, and not markup.
func TopicAndTextOf(block []byte, charset string, plain bool) (topic, text string) {
	return topicAndText(charset, plain, divide.Modern, func(t *markup.Tree) { t.Read(block) })
}

// topicAndText returns the topic and the text of the block that the function read parses.
func topicAndText(charset string, plain bool, p divide.Profile, read func(*markup.Tree)) (topic, text string) {
	s := speeches.Get().(*speech)
	defer s.free()
	s.options, s.profile = TopicOptions{}.filled(), p
	read(&s.tree)
	text = s.tree.Text(charset)
	topic = s.topic(text, charset)
	if plain {
		text = markup.NewPlainTree(s.tree.Body).Text(charset)
	}
	return topic, text
}

// topicMax is the largest number of characters of a topic. A topic reaches it only if one of its
// words is so long that no reader would call it a word.
const topicMax = 400

// topic returns the topic of the block in s.tree. text is the text that the block
// shows.
func (s *speech) topic(text, charset string) string {
	topic, n := s.wholeTopic(text, charset), 0
	for i := range topic {
		if n++; n > topicMax {
			return topic[:i] + "…"
		}
	}
	return topic
}

// wholeTopic is topic without the bound on its length.
func (s *speech) wholeTopic(text, charset string) string {
	if found := s.standsOut(charset, text); found != "" {
		if s.read(found) <= s.options.Theta {
			return found
		}
		return s.trim()
	}
	return s.extract(text)
}

// candidatesMax is the largest number of elements of a block that standsOut
// considers.
const candidatesMax = 64

// standsOut returns the part of a block's text that a reader sees first: the
// part in the largest letters, if they are larger than normal; otherwise a
// short first line; otherwise the first part in another colour. It returns ""
// if nothing stands out. text is the whole text.
func (s *speech) standsOut(charset, text string) string {
	t := &s.tree
	best, bestSize := "", normalSize
	coloured, tried := "", 0
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Kind != markup.Element || tried == candidatesMax {
			continue
		}
		size, colour := typeSize(t, i)
		if size <= bestSize && !(colour && coloured == "") {
			continue
		}
		tried++
		found := t.TextRange(int(n.Start), int(n.End), charset)
		if !hasLetter(found) || len(found) == len(text) && s.read(found) > s.options.Theta {
			continue
		}
		if size > bestSize {
			best, bestSize = found, size
		}
		if colour && coloured == "" {
			coloured = found
		}
	}
	if best != "" {
		return oneLine(best)
	}
	if first, rest, ok := strings.Cut(text, "\n"); ok && rest != "" && hasLetter(first) && !strings.Contains(first, "\t") &&
		s.read(first) <= s.options.Theta && 3*len(first) < len(rest) {
		return first
	}
	return oneLine(coloured)
}

// oneLine returns s with a space in place of each line break and tab.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return lineJoiner.Replace(s)
}

var lineJoiner = strings.NewReplacer("\n", " ", "\t", " ")

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// normalSize is the size of letters whose size is not declared. Sizes are ten
// times the sizes of the HTML element font, which go from 1 to 7.
const normalSize = 30

// typeSize returns the size of letters that element n sets, or normalSize if it
// sets none. colour says whether the element sets a colour.
func typeSize(t *markup.Tree, n int) (size int, colour bool) {
	size = normalSize
	switch tag := t.Nodes[n].Tag; tag {
	case markup.TagH1, markup.TagH2, markup.TagH3, markup.TagH4, markup.TagH5, markup.TagH6:
		size = 75 - 5*tag.Heading()
	case markup.TagBig, markup.TagCaption, markup.TagLegend, markup.TagSummary:
		size = 40
	case markup.TagB, markup.TagStrong, markup.TagTh, markup.TagDt:
		size = 35
	case markup.TagFont, markup.TagSpan, markup.TagDiv, markup.TagP, markup.TagA, markup.TagTd:
	default:
		return size, false
	}
	if !t.May(n, markup.AttrStyle) {
		return size, false
	}
	for a := range t.Attrs(n) {
		font := t.Nodes[n].Tag == markup.TagFont
		switch {
		case font && len(a.Name) == 4 && markup.EqualFold(a.Name, "size"):
			size = max(size, fontSize(string(a.Value)))
		case font && len(a.Name) == 5 && markup.EqualFold(a.Name, "color"):
			colour = true
		case len(a.Name) == 5 && markup.EqualFold(a.Name, "style"):
			style := strings.ToLower(string(a.Value))
			size = max(size, styleSize(style))
			colour = colour || strings.Contains(";"+strings.ReplaceAll(style, " ", ""), ";color:")
		}
	}
	return size, colour
}

// fontSize returns the size of letters for v, the size attribute of a font
// element, such as 50 for "5" or "+2". If v is no valid size, it returns
// normalSize.
func fontSize(v string) int {
	v = strings.TrimSpace(v)
	n, err := strconv.Atoi(strings.TrimPrefix(v, "+"))
	if err != nil || n < -6 || n > 20 {
		return normalSize
	}
	if strings.HasPrefix(v, "+") || n < 0 {
		return normalSize + 10*n
	}
	return 10 * n
}

// styleSize returns the size of letters that a style attribute sets with a
// font-size in px or pt. It returns normalSize for any other style. style must
// be in lower case.
func styleSize(style string) int {
	_, v, ok := strings.Cut(style, "font-size:")
	if !ok {
		return normalSize
	}
	v = strings.TrimSpace(v)
	end := 0
	for end < len(v) && (v[end] >= '0' && v[end] <= '9' || v[end] == '.') {
		end++
	}
	n, err := strconv.ParseFloat(v[:end], 64)
	if err != nil || n > 200 {
		return normalSize
	}
	switch unit := v[end:]; {
	case strings.HasPrefix(unit, "pt"):
		n *= 4.0 / 3
	case !strings.HasPrefix(unit, "px"):
		return normalSize
	}
	return int(n * normalSize / 16)
}

// TopicOf returns the topic of the bytes of the body from start to end, as
// TopicAndText does.
func TopicOf(b *divide.Body, start, end int) string {
	topic, _ := TopicAndText(b, start, end)
	return topic
}

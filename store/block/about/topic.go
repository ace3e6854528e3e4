package about

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"infomall/store/block/divide"
	"infomall/store/page/markup"
	"infomall/store/words"
)

// TopicOptions are the limits by which Topic chooses words. 0 means the default.
type TopicOptions struct {
	Theta   int // the most words of a topic; 12 by default
	Delta   int // the topic of a text with at least Delta words is its frequent words; 60 by default
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
// about. The result depends only on the bytes of the block, the charset, the
// profile p and o: equal blocks have equal topics. A block without words has the
// topic "".
func Topic(block []byte, charset string, p divide.Profile, o TopicOptions) string {
	s := speeches.Get().(*speech)
	defer s.free()
	s.options, s.profile = o.filled(), p
	s.tree.Read(block)
	return s.topic(s.tree.Text(charset), charset)
}

// TopicAndText returns the topic (see Topic) of the bytes of the body from start
// to end, and the text that these bytes show by themselves.
func TopicAndText(b *divide.Body, start, end int) (topic, text string) {
	s := speeches.Get().(*speech)
	defer s.free()
	s.options, s.profile = TopicOptions{}.filled(), b.Profile
	b.ReadPart(&s.tree, start, end)
	text = s.tree.Text(b.Charset)
	topic = s.topic(text, b.Charset)
	if b.Plain {
		text = markup.NewPlainTree(s.tree.Body).Text(b.Charset)
	}
	return topic, text
}

// topic returns the topic of the block in s.tree. text is the text that the block
// shows.
func (s *speech) topic(text, charset string) string {
	if found := s.standsOut(charset, text); found != "" {
		if len(s.segment(found)) <= s.options.Theta {
			return found
		}
		return s.trim(found)
	}
	return s.extract(text)
}

// candidatesMax is the largest number of elements of a block that are considered
// as its topic.
const candidatesMax = 64

// standsOut returns the part of a block's text that a reader sees first: the part
// in the largest type; without larger type, a short first line; otherwise the
// first part in another colour. It returns "" if nothing stands out. text is the
// whole text.
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
		if !hasLetter(found) || len(found) == len(text) && len(s.segment(found)) > s.options.Theta {
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
		len(s.segment(first)) <= s.options.Theta && 3*len(first) < len(rest) {
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

// normalSize is the size of text that declares none. Sizes of type are ten times
// the sizes of the HTML element font.
const normalSize = 30

// typeSize returns the size of type that element n sets, or normalSize. colour
// says whether the element sets a colour.
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

// fontSize returns the size of type for v, the size attribute of a font element,
// such as 50 for "5" or "+2". If v is no valid size, it returns normalSize.
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

// styleSize returns the size of type that a style attribute sets with a font-size
// in px or pt. It returns normalSize for any other style. style must be in lower
// case.
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

// speech finds the topics of blocks. It reuses its memory: the words that a
// method returns are valid until the same method is called again.
type speech struct {
	options TopicOptions
	profile divide.Profile
	tree    markup.Tree // the block
	words   []string    // the result of segment
	kept    []string    // the result of significant
	counted frequencies
}

var speeches = sync.Pool{New: func() any { return new(speech) }}

func (s *speech) free() {
	clear(s.words)
	clear(s.kept)
	clear(s.counted.entries)
	s.tree.Body = nil
	speeches.Put(s)
}

// extract returns the topic of a text in which nothing stands out: its frequent
// words if it is long and has frequent words, otherwise its significant words.
func (s *speech) extract(text string) string {
	if len(s.segment(text)) < s.options.Delta {
		return s.trimWords()
	}
	f := &s.counted
	f.count(s.significant(), true)
	var topic []string
	if s.profile == divide.Classic {
		for _, e := range f.entries {
			if e.first < s.options.Theta && e.count > s.options.Epsilon {
				topic = append(topic, e.word)
			}
		}
	} else {
		topic = f.mostFrequent(s.options.Theta, s.options.Epsilon)
	}
	if len(topic) == 0 {
		return s.trimWords()
	}
	return phrase(topic)
}

// trim returns the significant words of a text (see significant), each once, at
// most Theta of them.
func (s *speech) trim(text string) string {
	s.segment(text)
	return s.trimWords()
}

// trimWords does the same as trim for the words that segment returned last.
func (s *speech) trimWords() string {
	kept := s.significant()
	if len(kept) == 0 {
		kept = s.words // Stop words alone are better than nothing.
	}
	if s.profile == divide.Classic {
		kept = kept[:min(len(kept), s.options.Theta)]
	}
	s.counted.count(kept, false)
	if s.profile == divide.Classic {
		return phrase(s.counted.inOrder())
	}
	return phrase(s.counted.mostFrequent(s.options.Theta, 0))
}

func phrase(words []string) string { return strings.Join(words, " ") }

//go:embed stop_en.txt
var stopEnglish string

//go:embed stop_zh.txt
var stopChinese string

// keptChinese lists words of two letters that must not be split, although one of
// the letters alone is a stop word.
//
//go:embed kept_zh.txt
var keptChinese string

// stopWords are the English and Chinese words that say nothing of what a text is
// about. In Chinese text, which has no spaces, segment also ends words at stop
// words.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for _, list := range []string{stopEnglish, stopChinese} {
		for w := range strings.FieldsSeq(list) {
			m[w] = true
		}
	}
	return m
}()

// keptWords are the words of keptChinese.
var keptWords = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(keptChinese) {
		m[w] = true
	}
	return m
}()

// stopRunes is the number of letters of the longest Chinese stop word.
const stopRunes = 2

// stopLatin has the words of stopEnglish, for a quick search.
var stopLatin = func() *words.Table {
	t := words.NewTable()
	for w := range strings.FieldsSeq(stopEnglish) {
		t.Add(w, 0)
	}
	return t
}()

// significant returns the words that segment returned last, without stop words,
// numbers and single letters.
func (s *speech) significant() []string {
	s.kept = s.kept[:0]
	for _, w := range s.words {
		if saysSomething(w) {
			s.kept = append(s.kept, w)
		}
	}
	return s.kept
}

func saysSomething(w string) bool {
	letters := false
	for i := range len(w) {
		c := w[i]
		if c >= utf8.RuneSelf {
			if stopWords[strings.ToLower(w)] {
				return false
			}
			r, size := utf8.DecodeRuneInString(w)
			return (size < len(w) || words.Ideograph(r)) && hasLetter(w)
		}
		letters = letters || letter(c)
	}
	return len(w) > 1 && letters && !stopLatin.Has(w)
}

// segment returns the words of a text. It splits text without spaces, such as
// Chinese, at punctuation and at stop words, which become words of their own. The
// letters between two stop words are one word, or several of at most wordRunes
// letters. This needs no dictionary, only the short list keptWords, and it always
// splits the same letters in the same way. Letters such as 中 and 用 are no stop
// words, because they are in words as often as between words.
func (s *speech) segment(text string) []string {
	out := s.words[:0]
	from, end := 0, 0 // the range of letters that are not split yet
	cut := func() {
		if end > from {
			out = appendIdeographs(out, text[from:end])
		}
		from, end = 0, 0
	}
	for at, w := range words.Of(text) {
		if r, _ := utf8.DecodeRuneInString(w); !words.Ideograph(r) {
			cut()
			out = append(out, w)
			continue
		}
		if at != end || end == 0 {
			cut()
			from = at
		}
		end = at + len(w)
	}
	cut()
	s.words = out
	return out
}

// wordRunes is the largest number of letters of a word in text without spaces.
const wordRunes = 6

// appendIdeographs splits s, a sequence of letters without spaces, into words
// (see segment), and appends the words to out.
func appendIdeographs(out []string, s string) []string {
	from, runes := 0, 0 // of the word being read
	for i := 0; i < len(s); {
		whole := keptAt(s[i:])
		if n := stopAt(s[i:]); n > 0 && whole == 0 {
			if i > from {
				out = append(out, s[from:i])
			}
			out = append(out, s[i:i+n])
			i += n
			from, runes = i, 0
			continue
		}
		size, letters := whole, 2
		if whole == 0 {
			_, size = utf8.DecodeRuneInString(s[i:])
			letters = 1
		}
		if runes+letters > wordRunes {
			out = append(out, s[from:i])
			from, runes = i, 0
		}
		i += size
		runes += letters
	}
	if from < len(s) {
		out = append(out, s[from:])
	}
	return out
}

// keptAt returns the length in bytes of the word of keptWords with which s begins, or
// 0 if there is none.
func keptAt(s string) int {
	_, first := utf8.DecodeRuneInString(s)
	_, second := utf8.DecodeRuneInString(s[first:])
	if keptWords[s[:first+second]] {
		return first + second
	}
	return 0
}

// stopAt returns the length in bytes of the longest stop word with which s begins, or 0
// if there is none.
func stopAt(s string) int {
	length, end := 0, 0
	for range stopRunes {
		_, size := utf8.DecodeRuneInString(s[end:])
		if end += size; size > 0 && stopWords[s[:end]] {
			length = end
		}
	}
	return length
}

// TopicOf returns the topic of the bytes of the body from start to end, as
// TopicAndText does.
func TopicOf(b *divide.Body, start, end int) string {
	topic, _ := TopicAndText(b, start, end)
	return topic
}

package about

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"infomall/store/block/divide"
	"infomall/store/page/markup"
	"infomall/store/words"
	"infomall/store/words/cut"
	"infomall/store/words/match"
)

// speech finds the topics of blocks. It reuses its memory: what a method returns is
// valid until the same method is called again.
type speech struct {
	options TopicOptions
	profile divide.Profile
	tree    markup.Tree // the markup of the block
	text    string      // the text that read read last
	words   []word      // the words of text
	phrases []phrase    // the result of phrasesOf
	listed  []string    // the words or phrases whose occurrences are counted
	costs   []int       // working memory of the method split
	sizes   []int       // working memory of the method split
	counted frequencies
}

var speeches = sync.Pool{New: func() any { return new(speech) }}

func (s *speech) free() {
	clear(s.words)
	clear(s.phrases)
	clear(s.listed)
	clear(s.counted.entries)
	s.tree.Body, s.text = nil, ""
	speeches.Put(s)
}

// word is a word of a text, at text[from:to].
type word struct {
	from, to int
	script   script
	letters  int  // how long the word is, in Chinese letters
	stop     bool // the word says nothing of what the text is about
}

// script says how the words of a script are written.
type script uint8

const (
	spaced  script = iota // with spaces between words
	number                // digits alone
	chinese               // Chinese letters
	thai                  // the other scripts without spaces, which package cut does not cut
	hiragana
	katakana
)

func scriptOf(w string) script {
	r, _ := utf8.DecodeRuneInString(w)
	switch {
	case r < utf8.RuneSelf || !words.Ideograph(r) && !unicode.IsMark(r):
		if strings.IndexFunc(w, func(r rune) bool { return !unicode.IsNumber(r) }) < 0 {
			return number
		}
		return spaced
	case r >= 0x0e00 && r < 0x0e80:
		return thai
	case r >= 0x3040 && r < 0x30a0:
		return hiragana
	case r >= 0x30a0 && r < 0x3100 || r >= 0x31f0 && r < 0x3200:
		return katakana
	case words.Ideograph(r):
		return chinese
	}
	return spaced
}

// cutter finds the words of Chinese text in both scripts.
var cutter = &cut.Cutter{Fold: match.Simplified}

// foreignBytes is the largest size in bytes of a word in kana or Thai. In these scripts all
// letters that follow each other count as one word, because the program cannot tell where
// their words end.
const foreignBytes = 60

// latinLetters is how many Chinese letters a Latin word counts as in the length of a text.
const latinLetters = 3

// read divides a text into s.words, stop words included. It returns the length of the text,
// which is the sum of the lengths of its phrases in words (see unitsOf).
func (s *speech) read(text string) int {
	s.readWords(text)
	units := 0
	for from := 0; from < len(s.words); {
		to := s.phraseEnd(from)
		units += unitsOf(s.words[from:to])
		from = to
	}
	return units
}

// unitLetters is the number of Chinese letters that are as long as one word of another
// language.
const unitLetters = 6

// unitsOf returns the length of a phrase in words. A phrase of Chinese words has one word for
// each unitLetters letters, rounded up.
func unitsOf(words []word) int {
	letters := 0
	for i := range words {
		letters += words[i].letters
	}
	return (letters + unitLetters - 1) / unitLetters
}

func (s *speech) readWords(text string) {
	s.text, s.words = text, s.words[:0]
	for at, w := range cutter.Of(text) {
		next := word{from: at, to: at + len(w), script: scriptOf(w)}
		switch next.script {
		case chinese:
			next.letters = utf8.RuneCountInString(w)
			next.stop = next.letters <= cut.StopLettersMax && cut.Stop(strings.Map(match.Simplified, w))
		case thai, hiragana, katakana:
			next.letters = 1
			if n := len(s.words) - 1; n >= 0 {
				if last := &s.words[n]; last.script == next.script && last.to == at && next.to-last.from <= foreignBytes {
					last.to = next.to
					last.letters++
					continue
				}
			}
		case number:
			next.letters = min((len(w)+1)/2, latinLetters)
		default:
			next.letters = latinLetters
			next.stop = stopLatin().Has(w)
		}
		s.words = append(s.words, next)
	}
}

//go:embed stop_en.txt
var stopEnglish string

// stopLatin has the words of stopEnglish as a table, in which a word is found quickly.
var stopLatin = sync.OnceValue(func() *words.Table {
	t := words.NewTable()
	for w := range strings.FieldsSeq(stopEnglish) {
		t.Add(w, 0)
	}
	return t
})

// saysSomething reports whether a word alone says what a text is about: it is no stop
// word, no number and no single letter.
func (s *speech) saysSomething(w *word) bool {
	switch {
	case w.stop || w.script == number:
		return false
	case w.script == spaced:
		_, size := utf8.DecodeRuneInString(s.text[w.from:w.to])
		return size < w.to-w.from && hasLetter(s.text[w.from:w.to])
	}
	return w.letters > 1
}

// lone reports whether the word is a single Chinese letter. If several of them follow each other,
// they may be a word that the list of package cut lacks, such as 入职.
func (w *word) lone() bool { return w.script == chinese && w.letters == 1 }

// phrase is one word or several words that follow each other in a text without a stop
// word or anything else between them, such as 毕业典礼. A stop word is a phrase by
// itself, but see phraseEnd.
type phrase struct {
	text  string
	units int // length of the phrase in words, as unitsOf counts them
}

// phraseLetters is how long a phrase may be at most, counted in Chinese letters.
const phraseLetters = 12

// phrasesOf returns the phrases of the text that was read last. Phrases begin and end
// where words do. If all is false, phrases that say nothing are left out.
func (s *speech) phrasesOf(all bool) []phrase {
	s.phrases = s.phrases[:0]
	for from := 0; from < len(s.words); {
		to := s.phraseEnd(from)
		s.split(from, to, all)
		from = to
	}
	return s.phrases
}

// phraseEnd returns the index after the last word of the phrase that begins with word from. It
// sets no limit to the length of the phrase. A stop word of one letter between a word and a single
// letter is part of the phrase, because the two letters may be a word: 在 is a stop word, and
// 在逃人员 is cut into 在, 逃 and 人员.
func (s *speech) phraseEnd(from int) int {
	to := from + 1
	for !s.words[from].stop && to < len(s.words) && s.joined(to) {
		if s.words[to].stop && !(s.words[to].lone() && to+1 < len(s.words) && s.joined(to+1) && s.words[to+1].lone() && !s.words[to+1].stop) {
			break
		}
		to++
	}
	return to
}

// joined reports whether word n follows the word before it with nothing between them. A sign
// between two digits, as in 3.5, counts as nothing.
func (s *speech) joined(n int) bool {
	from, to := s.words[n-1].to, s.words[n].from
	if from == to {
		return true
	}
	return to == from+1 && strings.IndexByte(".,:-/", s.text[from]) >= 0 && isDigit(s.text[from-1]) && isDigit(s.text[to])
}

func isDigit(c byte) bool { return c-'0' < 10 }

// partCost is the cost in the method split of parting a word from a single Chinese letter, which is
// likely the end or the beginning of a word that the list of package cut lacks, such as 加 in the
// name 加索尔. tearCost is the cost of parting two single letters, which are likely one word, or a
// number and its unit.
const (
	partCost = 12
	tearCost = phraseLetters * phraseLetters
)

// parting returns the cost of ending a phrase before word n, which follows the word before it with
// nothing between them.
func (s *speech) parting(n int) int {
	before, after := s.words[n-1].lone() && !s.isUnit(n-1), s.words[n].lone()
	switch {
	case after && (before || s.isUnit(n)):
		return tearCost
	case before || after:
		return partCost
	}
	return 0
}

// isUnit reports whether word n is a single letter directly after a number, such as 月 in 7月.
func (s *speech) isUnit(n int) bool {
	return n > 0 && s.words[n].lone() && s.words[n-1].script == number && s.joined(n)
}

// split adds the words from index from to index to as one phrase, or as several phrases if
// they have more than phraseLetters letters. It chooses the phrases with the least sum of
// (phraseLetters - letters of the phrase)² and of the costs of parting them. So they are about
// equally long. If two choices have the same sum, it takes the one whose earlier phrases are
// shorter.
func (s *speech) split(from, to int, all bool) {
	n := to - from
	s.costs = append(s.costs[:0], 0) // the least cost of the first words, by their number
	s.sizes = append(s.sizes[:0], 0) // the number of words of the last phrase of these
	for end := 1; end <= n; end++ {
		best, size, letters := -1, 0, 0
		for begin := end - 1; begin >= 0; begin-- {
			letters += s.words[from+begin].letters
			if letters > phraseLetters && begin < end-1 {
				break
			}
			lack := max(phraseLetters-letters, 0)
			cost := s.costs[begin] + lack*lack
			if begin > 0 {
				cost += s.parting(from + begin)
			}
			if best < 0 || cost <= best {
				best, size = cost, end-begin
			}
		}
		s.costs, s.sizes = append(s.costs, best), append(s.sizes, size)
	}
	first := len(s.phrases)
	for end := n; end > 0; end -= s.sizes[end] {
		if begin := end - s.sizes[end]; all || s.sayTogether(from+begin, from+end) {
			text := s.text[s.words[from+begin].from:s.words[from+end-1].to]
			s.phrases = append(s.phrases, phrase{text, unitsOf(s.words[from+begin : from+end])})
		}
	}
	slices.Reverse(s.phrases[first:])
}

// sayTogether reports whether the words from index from to index to say something about the
// text. They do if one of them alone does, or if two single Chinese letters among them follow
// each other: these are likely an unknown name.
func (s *speech) sayTogether(from, to int) bool {
	for i := from; i < to; i++ {
		w := &s.words[i]
		if s.saysSomething(w) || i > from && !w.stop && w.script == chinese && s.words[i-1].script == chinese {
			return true
		}
	}
	return false
}

// frequentLeast is the least number of frequent words that make a topic. With fewer, the first
// phrases of the text are the better topic: in a list of headlines, often one word is frequent.
const frequentLeast = 3

// extract returns the topic of a text in which nothing stands out by its size or colour. If the
// text is long and has enough frequent words, the topic is these words. Otherwise it is the first
// phrases of the text (see trim).
func (s *speech) extract(text string) string {
	if s.read(text) < s.options.Delta {
		return s.trim()
	}
	s.listed = s.listed[:0]
	for i := range s.words {
		if w := &s.words[i]; s.saysSomething(w) {
			s.listed = append(s.listed, s.text[w.from:w.to])
		}
	}
	f := &s.counted
	f.count(s.listed, true)
	var topic []string
	if s.profile == divide.Classic {
		for _, e := range f.entries {
			if e.first < s.options.Theta && e.count > s.options.Epsilon {
				topic = append(topic, e.word)
			}
		}
	} else {
		frequent := f.mostFrequent(s.options.Theta, s.options.Epsilon)
		if len(frequent) < frequentLeast {
			frequent = nil
		}
		for _, i := range frequent {
			topic = append(topic, f.entries[i].word)
		}
	}
	if len(topic) == 0 {
		return s.trim()
	}
	return strings.Join(topic, " ")
}

// trim returns the first phrases of the text that was read last, each once, with at most Theta
// words together, counted as unitsOf does.
func (s *speech) trim() string {
	phrases := s.phrasesOf(false)
	if len(phrases) == 0 {
		phrases = s.phrasesOf(true) // Stop words alone are better than nothing.
	}
	s.listed = s.listed[:0]
	for _, p := range phrases {
		s.listed = append(s.listed, p.text)
	}
	f := &s.counted
	f.count(s.listed, false)
	chosen := f.inOrder()
	if s.profile != divide.Classic {
		chosen = f.mostFrequent(s.options.Theta, 0)
	}
	var topic []string
	size := 0
	for _, i := range chosen {
		p := &phrases[f.entries[i].first]
		if size += p.units; size > s.options.Theta && len(topic) > 0 {
			break
		}
		topic = append(topic, p.text)
	}
	return strings.Join(topic, " ")
}

// Package keyword finds the words that tell most of a text, from the text alone. All its
// functions are pure.
//
// # Words
//
//	word      a word of package cut; what is written alike but for capitals is one word
//	stop word a word that says nothing of what a text is about, such as "the"
//	run       words that follow each other in the text, each time that one of them occurs
//	rarity    how rare a word is in general, in bits
//
// # Weights
//
// The weight of a word is the number of its occurrences times its rarity (tf × idf). The
// rarity of a Chinese word comes from the frequencies of package cut. For other languages
// there are no frequencies: stop words have none, and all other words the same. A word that
// the text always writes with a capital letter weighs more: it is probably a name.
package keyword

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"infomall/store/words"
	"infomall/store/words/cut"
	"infomall/store/words/match"
)

// bytesMax is how many bytes of a text are read.
const bytesMax = 200_000

const (
	rarityUsual = 13.     // bits, of a word whose frequency is not known
	nameWeight  = 1.5     // factor of the weight of a word that always has a capital letter
	runWordsMax = 4       // the greatest number of words of a run
	bitsOfCost  = 1. / 10 // package cut gives costs in tenths of a bit
)

// Of returns the n keywords of a text: the words, or runs of words, with the greatest weight,
// the greatest first. They are spelled as in the text. Of keywords with equal weight, the one
// that the text has first comes first. Numbers and single letters are left out.
func Of(text string, n int) []string {
	if len(text) > bytesMax {
		text = strings.ToValidUTF8(text[:bytesMax], "")
	}
	r := reader{text: text, numbers: make(map[string]int)}
	r.read()
	return r.best(n)
}

// word is a word of the text.
type word struct {
	text    string // as it is written at its first occurrence
	lower   string
	count   int
	name    bool // it always begins with a capital letter
	chinese bool
	next    int // index of the word that follows it, or none or several
	before  int // index of the word before it, or none or several
}

// The values of word.next and word.before if there is no such word, or if different words stand
// there.
const (
	none    = -1
	several = -2
)

// reader collects the words of one text.
type reader struct {
	text    string
	numbers map[string]int // index of each word in list, by the word in lower case
	list    []word
}

// cutter cuts Chinese text in both scripts.
var cutter = &cut.Cutter{Fold: match.Simplified}

// read reads the text and fills r.list with its words.
func (r *reader) read() {
	last, end := none, 0
	for at, w := range cutter.Of(r.text) {
		lower := strings.ToLower(w)
		i, ok := r.numbers[lower]
		first, _ := utf8.DecodeRuneInString(w)
		if !ok {
			i = len(r.list)
			r.numbers[lower] = i
			r.list = append(r.list, word{text: w, lower: lower, name: true, chinese: words.Ideograph(first), next: none, before: none})
		}
		x := &r.list[i]
		x.name = x.name && unicode.IsUpper(first)
		if last != none && !follows(r.text[end:at]) {
			r.list[last].next = several
			last = none
		}
		switch {
		case last == none || x.count > 0 && x.before != last:
			x.before = several
		default:
			x.before = last
		}
		if last != none {
			if before := &r.list[last]; before.count == 1 && before.next == none {
				before.next = i
			} else if before.next != i {
				before.next = several
			}
		}
		x.count++
		last, end = i, at+len(w)
	}
	if last != none {
		r.list[last].next = several
	}
}

// follows reports whether two words can be in one run. The parameter between is the text between
// them: it must be "", a blank or a hyphen.
func follows(between string) bool { return between == "" || between == " " || between == "-" }

// keyword is a word or a run, with its weight.
type keyword struct {
	text   string
	weight float64
	first  int // index of its first word in reader.list
}

// best returns the n words and runs with the greatest weight, the greatest first.
func (r *reader) best(n int) []string {
	counts := make(map[string]int, len(r.list))
	for i := range r.list {
		counts[r.list[i].lower] = r.list[i].count
	}
	stop := stopsOf(counts)
	var list []keyword
	in := make([]bool, len(r.list)) // a run has the word
	for i := range r.list {
		if in[i] {
			continue
		}
		run := r.run(i, stop)
		k := keyword{first: i}
		for _, j := range run {
			in[j] = true
			k.weight = max(k.weight, r.list[j].weight(stop))
		}
		if k.weight == 0 {
			continue
		}
		k.text = r.written(run)
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b keyword) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.first, b.first))
	})
	var out []string
	for _, k := range list[:min(n, len(list))] {
		out = append(out, k.text)
	}
	return out
}

// run returns the indexes of the words of the run that begins with word i: words that always
// follow each other in the text. Each occurs at least twice, and as often as the others. If no
// word always follows word i, the result is only i. A stop word is in a run only if it always
// has a capital letter, such as New in New Library.
func (r *reader) run(i int, stop *stopList) []int {
	run := []int{i}
	for len(run) < runWordsMax {
		last := &r.list[run[len(run)-1]]
		if last.next < 0 {
			break
		}
		next := &r.list[last.next]
		if last.count < 2 || next.count != last.count || next.before != run[len(run)-1] || last.next == i || !last.joins(stop) || !next.joins(stop) || last.chinese != next.chinese {
			break
		}
		run = append(run, last.next)
	}
	return run
}

// written returns the words of a run, spelled like their first occurrence in the text.
func (r *reader) written(run []int) string {
	if len(run) == 1 {
		return r.list[run[0]].text
	}
	var out strings.Builder
	for n, j := range run {
		if n > 0 && !r.list[j].chinese {
			out.WriteByte(' ')
		}
		out.WriteString(r.list[j].text)
	}
	return out.String()
}

// joins reports whether w may be in a run (words that are always written together).
func (w *word) joins(stop *stopList) bool {
	if w.chinese {
		return !cut.Stop(strings.Map(match.Simplified, w.text))
	}
	return w.name || !stop.words[w.lower] && !digits(w.text)
}

// digits reports whether a word has no letter.
func digits(w string) bool { return !strings.ContainsFunc(w, unicode.IsLetter) }

// numerals are the letters of Chinese numbers. measures are the letters of the measure words
// that follow numbers.
const (
	numerals = "〇零一二两三四五六七八九十百千万亿几多余数第半"
	measures = "个只张册件条名位次年月日天人元所家种项台本届时点分秒倍批起部层座辆米平方公里斤吨岁周组号段篇套句度股"
)

// counted reports whether a Chinese word is a number, with or without a measure word, such as
// 八张.
func counted(w string) bool {
	rest := strings.TrimLeft(w, numerals)
	return len(rest) < len(w) && strings.Trim(rest, measures) == ""
}

// Says reports whether a word can say what a text is about: it has two letters or more, and is
// neither a number nor a stop word of Chinese or English. The word must be in lower case and in
// simplified letters.
func Says(word string) bool { return says(word, listOf("en")) }

// says does what Says does, with the given stop words in place of the English ones.
func says(word string, stop *stopList) bool {
	return utf8.RuneCountInString(word) > 1 && !digits(word) && !stop.words[word] && !cut.Stop(word) && !counted(word)
}

// weight returns the weight of the word as a keyword; 0 if the word says nothing of what a text
// is about.
func (w *word) weight(stop *stopList) float64 {
	rarity := rarityUsual
	simple := w.lower
	if w.chinese {
		simple = strings.Map(match.Simplified, w.text)
	}
	switch {
	case !says(simple, stop):
		return 0
	case w.chinese:
		if c := cut.CostOf(simple); c > 0 {
			rarity = float64(c) * bitsOfCost
		}
	}
	weight := float64(w.count) * rarity
	if w.name {
		weight *= nameWeight
	}
	return weight
}

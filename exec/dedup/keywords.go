package dedup

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// KeywordsOfText is the most keywords that a text has, and KeywordCharacters
// is how many characters of a text the caller reads for them.
const (
	KeywordsOfText    = 5
	KeywordCharacters = 20_000
)

// nameWeight is the factor by which a word weighs more if the text always
// writes it with a capital letter: it is probably the name of a person or a
// place, or a noun.
const nameWeight = 1.5

// Term is a word of a text, in lower case, with the number of its occurrences
// in the text.
type Term struct {
	Word  string
	Count uint32
	Name  bool // the text always writes it with a capital letter
}

// Terms counts the words of a text. The zero value is ready to use.
type Terms struct {
	at   map[string]int
	list []Term
}

// Word adds the next word of the text, in the case in which the text has it.
func (t *Terms) Word(word string) {
	first, _ := utf8.DecodeRuneInString(word)
	name := unicode.IsUpper(first)
	word = strings.ToLower(word)
	i, ok := t.at[word]
	if !ok {
		if t.at == nil {
			t.at = make(map[string]int)
		}
		i = len(t.list)
		t.at[word] = i
		t.list = append(t.list, Term{Word: word, Name: true})
	}
	t.list[i].Count++
	t.list[i].Name = t.list[i].Name && name
}

// List returns the counted words in alphabetical order, and empties t for
// another text.
func (t *Terms) List() []Term {
	list := t.list
	*t = Terms{}
	slices.SortFunc(list, func(a, b Term) int { return strings.Compare(a.Word, b.Word) })
	return list
}

// Corpus counts in how many texts each word occurs. The counts are approximate:
// a word is counted under its hash, so some words share one of 1<<20 counters.
// A Corpus takes 4 MB for any number of words.
type Corpus struct {
	hash  func(word string) uint64
	texts int64
	in    []uint32
}

// NewCorpus returns a corpus without texts. The function hash must spread
// similar words over all numbers, because the Corpus uses the remainder of the
// hash as index.
func NewCorpus(hash func(word string) uint64) *Corpus {
	const places = 1 << 20
	return &Corpus{hash: hash, in: make([]uint32, places)}
}

// Add counts one text in the corpus. terms are its words, as Terms.List returns
// them.
func (c *Corpus) Add(terms []Term) {
	c.texts++
	for i := range terms {
		*c.place(terms[i].Word)++
	}
}

// place returns a pointer to the counter of a word.
func (c *Corpus) place(word string) *uint32 { return &c.in[c.hash(word)%uint64(len(c.in))] }

// Keywords appends to dst the keywords of a text, in alphabetical order: the
// KeywordsOfText terms with the greatest weight, or all if there are fewer. A
// term weighs more if the text has it often, and if few texts of the corpus
// have it (tf·idf). The text must have been added to the corpus. Keywords from
// different corpora cannot be compared.
func (c *Corpus) Keywords(terms []Term, dst []string) []string {
	type weighed struct {
		word   string
		weight float64
	}
	list := make([]weighed, len(terms))
	for i, t := range terms {
		w := float64(t.Count) * math.Log(float64(c.texts+1)/float64(*c.place(t.Word)))
		if t.Name {
			w *= nameWeight
		}
		list[i] = weighed{t.Word, w}
	}
	slices.SortFunc(list, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.word, b.word))
	})
	from := len(dst)
	for _, w := range list[:min(len(list), KeywordsOfText)] {
		dst = append(dst, w.word)
	}
	slices.Sort(dst[from:])
	return dst
}

package dedup

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What keywords are taken from: how many are taken of a text, and how many
// characters of it are looked at.
const (
	KeywordsOfText    = 5
	KeywordCharacters = 20_000
)

// nameWeight is how much more a word counts that a text writes with a capital
// wherever it has it: it is a name, of a person or a place, or a noun.
const nameWeight = 1.5

// Term is a word of a text, in small letters, and how often it stands there.
type Term struct {
	Word  string
	Count uint32
	Name  bool // it began with a capital each time
}

// Terms counts the words of a text as they come. The zero value is ready.
type Terms struct {
	at   map[string]int
	list []Term
}

// Word adds the next word.
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

// List gives the terms in alphabetical order, and makes t ready for another text.
func (t *Terms) List() []Term {
	list := t.list
	*t = Terms{}
	slices.SortFunc(list, func(a, b Term) int { return strings.Compare(a.Word, b.Word) })
	return list
}

// Corpus knows in how many texts a word stands, about: words share 1<<20 places
// by their hash. It takes 4 MB, however many words there are.
type Corpus struct {
	hash  func(word string) uint64
	texts int64
	in    []uint32
}

// NewCorpus begins with no texts. The hash must mix words well.
func NewCorpus(hash func(word string) uint64) *Corpus {
	const places = 1 << 20
	return &Corpus{hash: hash, in: make([]uint32, places)}
}

// Add adds a text by its terms.
func (c *Corpus) Add(terms []Term) {
	c.texts++
	for i := range terms {
		*c.place(terms[i].Word)++
	}
}

func (c *Corpus) place(word string) *uint32 { return &c.in[c.hash(word)%uint64(len(c.in))] }

// Keywords appends to dst the terms of a text that weigh most by how often they
// stand in it and how few texts have them (tf·idf), in alphabetical order.
// Keywords of different corpora are not to be compared.
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

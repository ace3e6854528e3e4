package match

import (
	"math/bits"
	"slices"
	"strings"

	"infomall/store/words/stem"

	"golang.org/x/text/unicode/norm"
)

// table is a query in the form that a finder needs: the phrases one after the other, as
// the bits of a vector (Baeza-Yates and Gonnet 1992, "A new approach to text
// searching"). Bit i stands for term i of all terms.
type table struct {
	words   int                 // number of 64-bit words of a vector
	terms   map[string][]uint64 // for the text of a term: the terms of the query that equal it, as bits
	begins  map[string][]uint64 // for the beginning of a term: the terms of the query that are written with * after it, as bits
	lengths []int               // the lengths in bytes of the beginnings, ascending, each once
	stems   []stems             // the terms of the query that are written with ~, by language
	starts  []uint64            // bits of the first terms of all phrases
	apart   []uint64            // bits of the terms that need not be joined to the term before
	ends    []uint64            // bits of the last terms of all phrases
	phrases []span              // the terms of each phrase
	of      []int               // of[i] is the number of the phrase of term i
	exact   []string            // exact[i] is Phrase.Exact of phrase i
	longest int                 // number of terms of the longest phrase
}

// stems has the terms of a query that are written with ~ and belong to one language: all words
// with the same stem match.
type stems struct {
	language string
	firsts   [4]uint64           // set of the first bytes of the terms; a word that begins with another byte has another stem
	bits     map[string][]uint64 // by the stem of a term: bits of the terms with that stem
}

// byStem adds term number i of the query, which is written with ~, to t.stems.
func (t *table) byStem(term *Term, i int) {
	k := slices.IndexFunc(t.stems, func(s stems) bool { return s.language == term.Language })
	if k < 0 {
		k = len(t.stems)
		t.stems = append(t.stems, stems{language: term.Language, bits: make(map[string][]uint64)})
	}
	s := &t.stems[k]
	set(s.firsts[:], int(term.Text[0]))
	if s.bits[term.Stem()] == nil {
		s.bits[term.Stem()] = make([]uint64, t.words)
	}
	set(s.bits[term.Stem()], i)
}

type span struct{ from, to int }

func set(v []uint64, i int) { v[i>>6] |= 1 << (i & 63) }

// make fills t with the phrases of atoms, and sets Atom.first to the number of the first phrase
// of each atom.
func (t *table) make(atoms []Atom) {
	n := 0
	for i := range atoms {
		atoms[i].first = len(t.phrases)
		for _, ph := range atoms[i].Phrases {
			t.phrases = append(t.phrases, span{n, n + len(ph.Terms)})
			t.exact = append(t.exact, ph.Exact)
			t.longest = max(t.longest, len(ph.Terms))
			n += len(ph.Terms)
		}
	}
	t.words = (n + 63) >> 6
	vector := func() []uint64 { return make([]uint64, t.words) }
	t.terms, t.starts, t.apart, t.ends = make(map[string][]uint64), vector(), vector(), vector()
	t.begins = make(map[string][]uint64)
	at := 0
	for i := range atoms {
		for k, ph := range atoms[i].Phrases {
			set(t.starts, at)
			for j, term := range ph.Terms {
				t.of = append(t.of, atoms[i].first+k)
				if !term.Joined || j == 0 {
					set(t.apart, at)
				}
				switch {
				case term.Prefix:
					if t.begins[term.Text] == nil {
						t.begins[term.Text] = vector()
						t.lengths = append(t.lengths, len(term.Text))
					}
					set(t.begins[term.Text], at)
				case term.Language != "":
					t.byStem(&term, at)
				default:
					if t.terms[term.Text] == nil {
						t.terms[term.Text] = vector()
					}
					set(t.terms[term.Text], at)
				}
				at++
			}
			set(t.ends, at-1)
		}
	}
	slices.Sort(t.lengths)
	t.lengths = slices.Compact(t.lengths)
}

// canonical returns a text in the form in which ="…" compares exact letters: NFC, with one
// blank in place of each piece of white space.
func canonical(text string) string { return norm.NFC.String(strings.Join(strings.Fields(text), " ")) }

// Place is a place of a text where a phrase was found.
type Place struct {
	From, To int // the phrase is at text[From:To]
	Atom     int // number of the atom
}

// hit is a place of a text where a phrase of the query was found.
type hit struct {
	phrase      int // number of the phrase
	first, last int // numbers of the phrase's first and last term among the terms of the text
	from, to    int // the phrase is at text[from:to]
}

// finder finds the phrases of a query in texts. Only one goroutine may use it.
type finder struct {
	t     *table
	terms Terms
	state []uint64
	next  []uint64
	froms []int // froms[n % longest] is the offset of term n of the text, for the last terms
	is    []uint64
	stems []*stem.Cache // one for each language of table.stems
}

func (t *table) finder() *finder {
	f := &finder{t: t, state: make([]uint64, t.words), next: make([]uint64, t.words), is: make([]uint64, t.words), froms: make([]int, t.longest)}
	for i := range t.stems {
		f.stems = append(f.stems, stem.NewCache(t.stems[i].language))
	}
	return f
}

// equal returns the terms of the query that match a term of a text, as bits. It returns nil if
// there are none. The result is valid until the next call.
func (f *finder) equal(term []byte) []uint64 {
	t := f.t
	is := t.terms[string(term)]
	if len(t.begins) == 0 && len(t.stems) == 0 {
		return is
	}
	more := false
	add := func(bits []uint64) {
		if !more {
			clear(f.is)
			copy(f.is, is)
			more = true
		}
		for w, b := range bits {
			f.is[w] |= b
		}
	}
	for _, n := range t.lengths {
		if n > len(term) {
			break
		}
		if v := t.begins[string(term[:n])]; v != nil {
			add(v)
		}
	}
	for i := range t.stems {
		s := &t.stems[i]
		if s.firsts[term[0]>>6]>>(term[0]&63)&1 == 0 {
			continue
		}
		if bits := s.bits[f.stems[i].Of(term)]; bits != nil {
			add(bits)
		}
	}
	if more {
		return f.is
	}
	return is
}

// find calls found for each place where a phrase of the query ends in the text, from left to
// right, until found returns false. It returns the number of terms that it read.
func (f *finder) find(text string, found func(hit) bool) int {
	t, n := f.t, 0
	clear(f.state)
	open := false // a bit of state is set
	for f.terms.Read(text); f.terms.Next(); n++ {
		f.froms[n%t.longest] = f.terms.From
		is := f.equal(f.terms.Term())
		if is == nil {
			if open {
				clear(f.state)
				open = false
			}
			continue
		}
		if f.step(is); !f.ended(n, text, found) {
			return n + 1
		}
		open = true
	}
	return n
}

// step advances f.state (the phrases that may go on) over the next term of the text. The
// parameter is has the terms of the query that match this term, as bits.
func (f *finder) step(is []uint64) {
	t, carry := f.t, uint64(0)
	for w, s := range f.state {
		v := (s<<1 | carry | t.starts[w]) & is[w]
		carry = s >> 63
		if !f.terms.Joined {
			v &= t.apart[w]
		}
		f.next[w] = v
	}
	f.state, f.next = f.next, f.state
}

// ended calls found for each phrase whose last term is term n of the text. It returns false if
// found does.
func (f *finder) ended(n int, text string, found func(hit) bool) bool {
	t := f.t
	for w, s := range f.state {
		for s &= t.ends[w]; s != 0; s &= s - 1 {
			phrase := t.of[w<<6+bits.TrailingZeros64(s)]
			first := n - (t.phrases[phrase].to - t.phrases[phrase].from) + 1
			h := hit{phrase, first, n, f.froms[first%t.longest], f.terms.To}
			if t.exact[phrase] != "" && canonical(text[h.from:h.to]) != t.exact[phrase] {
				continue
			}
			if !found(h) {
				return false
			}
		}
	}
	return true
}

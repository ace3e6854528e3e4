package match

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"infomall/store/words/stem"

	"golang.org/x/text/unicode/norm"
)

// table is a query in the form that a finder needs: the phrases one after the other, as
// the bits of a vector (Baeza-Yates and Gonnet 1992, "A new approach to text
// searching"). Bit i stands for term i of all terms.
type table struct {
	words   int                 // number of 64-bit words of a vector
	terms   map[string][]uint64 // for the text of a term: bits of the equal terms of the query
	begins  map[string][]uint64 // terms written with *, by the beginning
	lengths []int               // the lengths in bytes of the beginnings, ascending, each once
	// sizes has, for each first byte of a term of a text, the lengths in bytes of those terms that
	// may equal a term of the query, as bits. The last bit stands for all lengths from 63 on.
	// Terms written with ~ do not count.
	sizes   [256]uint64
	stems   []stems  // the terms written with ~, one element for each language
	starts  []uint64 // the first term of each phrase
	apart   []uint64 // terms for which Term.Joined is false: anything may separate them from the term before
	ends    []uint64 // the last term of each phrase
	phrases []span   // the terms of each phrase
	of      []int    // number of the phrase to which each term belongs
	exact   []string // exact[i] is Phrase.Exact of phrase i
	longest int      // number of terms of the longest phrase
}

// stems has the terms of a query that are written with ~ and belong to one language: all words
// with the same stem match.
type stems struct {
	language string
	firsts   [4]uint64           // set of the first bytes of the terms; a word with another first byte has another stem
	bits     map[string][]uint64 // for each stem: the terms with that stem, as bits
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
	if s.bits[term.stem()] == nil {
		s.bits[term.stem()] = make([]uint64, t.words)
	}
	set(s.bits[term.stem()], i)
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
					t.sizes[term.Text[0]] |= ^uint64(0) << min(len(term.Text), 63)
					set(t.begins[term.Text], at)
				case term.Language != "":
					t.byStem(&term, at)
				default:
					if t.terms[term.Text] == nil {
						t.terms[term.Text] = vector()
					}
					t.sizes[term.Text[0]] |= 1 << min(len(term.Text), 63)
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
	first, last int // numbers of its first and last term among the terms of the text
	from, to    int // the phrase is at text[from:to]
}

// finder finds the phrases of a query in texts. Only one goroutine may use it.
type finder struct {
	t     *table
	terms Terms
	state []uint64
	next  []uint64
	froms []int // froms[n % longest] is the offset of term n of the text, if it equals a term of the query; only the last terms are kept
	is    []uint64
	stems []*stem.Cache // stems[i] finds the stems of words in the language of table.stems[i]
}

func (t *table) finder() *finder {
	f := &finder{t: t, state: make([]uint64, t.words), next: make([]uint64, t.words), is: make([]uint64, t.words), froms: make([]int, t.longest)}
	for i := range t.stems {
		f.stems = append(f.stems, stem.NewCache(t.stems[i].language))
	}
	if len(t.stems) == 0 {
		f.terms.wanted = &t.sizes
	}
	return f
}

// equal returns the terms of the query that match a term of a text, as bits. It returns nil if
// there are none. The result is valid until the next call.
func (f *finder) equal(term []byte) []uint64 {
	t := f.t
	if len(term) == 0 {
		return nil
	}
	may := t.sizes[term[0]]>>min(len(term), 63)&1 != 0
	if !may && len(t.stems) == 0 {
		return nil // most terms of a text end here
	}
	var is []uint64
	if may {
		is = t.terms[string(term)]
	}
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

// Lacks reports whether a text surely has no term of the query. It reads the text once and copies nothing, and so
// takes less time than Count. If it returns false, the text may have a term: because a word has the first letter and
// the length of one, or because the text has letters that are not ASCII.
func (q *Query) Lacks(text string) bool {
	t := &q.table
	if len(t.stems) > 0 {
		return false
	}
	for i := 0; i < len(text); i++ {
		from := i
		for i < len(text) && ascii[text[i]] != 0 {
			i++
		}
		if i > from && t.sizes[ascii[text[from]]]>>min(i-from, 63)&1 != 0 {
			return false
		}
		if i < len(text) && (text[i] >= utf8.RuneSelf || text[i] == '\'') {
			return false
		}
	}
	return true
}

// find calls found for each place where a phrase of the query ends in the text, from left to
// right, until found returns false. It returns the number of terms that it read.
func (f *finder) find(text string, found func(hit) bool) int {
	t := f.t
	clear(f.state)
	next := 0 // if the next term has this number, the phrases in f.state may go on
	for f.terms.Read(text); f.terms.Next(); {
		is := f.equal(f.terms.Term())
		if is == nil {
			continue
		}
		n := f.terms.Count - 1
		if n != next {
			clear(f.state)
		}
		next = n + 1
		f.froms[n%t.longest] = f.terms.From
		if f.step(is); !f.ended(n, text, found) {
			break
		}
	}
	return f.terms.Count
}

// step updates f.state (the phrases that may still go on) for the next term of the text. Bit i
// of the parameter is says that term i of the query matches this term.
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

package places

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"infomall/store/words"
	"infomall/store/words/match"
)

// Gazetteer is a list of places. It does not change; several goroutines may use it.
type Gazetteer struct {
	places []Place
	names  []name
	// The names form a tree of tokens. Its nodes are numbered, and the root is 0. A token is a
	// letter of a script without spaces, or firstWord plus the number of a word.
	edges  map[edge]int32
	ends   []int32 // by node: the name that ends there, or -1
	words  map[string]uint32
	firsts [1 << 16 / 64]uint64 // one bit per letter: a name begins with it
	lower  bool                 // a name of a script with spaces begins with a small letter
}

type edge struct {
	node  int32
	token uint32
}

// firstWord is the token for word number 0. Tokens below firstWord are letters.
const firstWord = unicode.MaxRune + 1

// noWord is the token for every word that occurs in no name.
const noWord = 1<<32 - 1

// tokensMax is the most tokens that a name may have. Longer names are left out.
const tokensMax = 24

// name is one name, and the places that have it.
type name struct {
	places   []int32 // indexes of places; the most populous first; none if the name is a phrase
	strength strength
	upper    uint32 // one bit per token: the token must begin with a capital letter
	exact    string // if not "", the name must be written like this, as in US
	person   bool   // the name is a given name or a surname too
	user     bool
	wide     bool // the name is in a script without spaces
}

// Places yields the places of g. The places of the user's list come first.
func (g *Gazetteer) Places() iter.Seq[*Place] {
	return func(yield func(*Place) bool) {
		for i := range g.places {
			if !yield(&g.places[i]) {
				return
			}
		}
	}
}

// Named returns the place whose field Name is name, as the column places shows it. If there are
// several, it returns the most populous one; if there are none, nil. It does not look at variants.
func (g *Gazetteer) Named(name string) *Place {
	node := int32(0)
	for _, w := range words.Of(name) {
		token := uint32(simple(firstRune(w)))
		if !isLetter(w) {
			number, ok := g.words[string(match.AppendFolded(nil, w))]
			if !ok {
				return nil
			}
			token = number
		}
		next, ok := g.edges[edge{node, token}]
		if !ok {
			return nil
		}
		node = next
	}
	if g.ends[node] < 0 {
		return nil
	}
	for _, i := range g.names[g.ends[node]].places {
		if g.places[i].Name == name {
			return &g.places[i]
		}
	}
	return nil
}

// isLetter reports whether a word is one letter of a script without spaces.
func isLetter(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return size == len(word) && words.Ideograph(r)
}

func firstRune(word string) rune {
	r, _ := utf8.DecodeRuneInString(word)
	return r
}

// With returns a gazetteer that has the places of a user's list and those of g. If a name is in the
// list, it means only places of the list.
func (g *Gazetteer) With(list []Place) *Gazetteer {
	all := make([]Place, 0, len(list)+len(g.places))
	for _, p := range list {
		p.User = true
		all = append(all, p)
	}
	return newGazetteer(append(all, g.places...))
}

// newGazetteer returns a gazetteer of places. The gazetteer keeps the slice, so the caller must not
// change it. The places of a user's list must come first.
func newGazetteer(places []Place) *Gazetteer {
	g := &Gazetteer{places: places, edges: map[edge]int32{}, ends: []int32{-1}, words: map[string]uint32{}}
	for i := range places {
		p := &places[i]
		for _, n := range p.names() {
			g.add(n, int32(i))
		}
	}
	for phrase := range lists().phrases {
		g.add(phrase, noPlace)
	}
	for i := range g.names {
		n := &g.names[i]
		slices.SortStableFunc(n.places, func(a, b int32) int { return int(places[b].population - places[a].population) })
	}
	return g
}

// names returns all names of p.
func (p *Place) names() []string {
	names := append([]string{p.Name}, p.Variants...)
	if p.Chinese != "" {
		names = append(names, p.Chinese)
	}
	return names
}

// noPlace stands for the number of a place in a phrase that looks like a name but means no place.
const noPlace = -1

// add adds a name of place number i to the tree. If i is noPlace, text is a phrase that means no
// place.
func (g *Gazetteer) add(text string, i int32) {
	p := &Place{}
	if i != noPlace {
		p = &g.places[i]
	}
	if !p.User && lists().never[simplified(text)] {
		return
	}
	n := name{user: p.User}
	if !p.User {
		n.exact = abbreviation(text)
	}
	node, tokens := int32(0), 0
	for _, w := range words.Of(text) {
		if tokens == tokensMax {
			return
		}
		r := firstRune(w)
		token := uint32(simple(r))
		if !isLetter(w) {
			folded := string(match.AppendFolded(nil, w))
			number, ok := g.words[folded]
			if !ok {
				number = firstWord + uint32(len(g.words))
				g.words[folded] = number
			}
			token = number
			if unicode.IsUpper(r) || unicode.IsTitle(r) {
				n.upper |= 1 << tokens
			}
		} else {
			n.wide = true
		}
		if tokens == 0 && p.User && unicode.IsLower(r) {
			g.lower = true
		}
		if tokens == 0 && token < 1<<16 {
			g.firsts[token/64] |= 1 << (token % 64)
		}
		tokens++
		next, ok := g.edges[edge{node, token}]
		if !ok {
			next = int32(len(g.ends))
			g.ends = append(g.ends, -1)
			g.edges[edge{node, token}] = next
		}
		node = next
	}
	if tokens == 0 {
		return
	}
	if g.ends[node] < 0 {
		g.ends[node] = int32(len(g.names))
		n.person = lists().person[text]
		g.names = append(g.names, n)
	}
	old := &g.names[g.ends[node]]
	if i == noPlace {
		return
	}
	if old.user && !p.User || slices.Contains(old.places, i) {
		return
	}
	old.places = append(old.places, i)
	old.upper &= n.upper
	if n.exact == "" {
		old.exact = ""
	}
	old.strength = max(old.strength, p.strengthOf(text, n.wide))
}

// abbreviation returns the text if it is an abbreviation in capital letters, such as US or
// U.S., otherwise "".
func abbreviation(text string) string {
	letters := 0
	for _, r := range text {
		if r == '.' || r == ' ' {
			continue
		}
		if !unicode.IsUpper(r) {
			return ""
		}
		letters++
	}
	if letters > 4 {
		return ""
	}
	return strings.Clone(text)
}

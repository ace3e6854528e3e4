package places

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"infomall/store/words"
	"infomall/store/words/match"
)

// pieceBytes is about how many bytes of a text are in memory as tokens. A name that goes
// over the border of two pieces is not found; borders are at line ends if possible.
const pieceBytes = 64 << 10

// token is one word of a text.
type token struct {
	from, to int // its bytes
	id       uint32
	upper    bool // begins with a capital letter
	wide     bool // a letter of a script without spaces
}

// finder finds the places of one text.
type finder struct {
	g        *Gazetteer
	host     string
	language string // such as "en"
	tokens   []token
	text     string // the piece that is read
	start    int    // offset of the piece in the text
	folded   []byte
	counts   map[int32]*count // by name
	order    []int32          // names in the order of their first mention
	// last is the name that was found last, -1 if none was, and lastTo the end of its bytes.
	last   int32
	lastTo int
	// runFrom and runTo are the run of letters that was cut last; bounds has the offsets in
	// it at which words begin, and its end.
	runFrom, runTo int
	bounds         []int
}

// count is how often a name was seen in a text.
type count struct {
	plain, supported int // mentions, and mentions that the words around support
	other            int // times that the name meant a club or a person
}

var finders = sync.Pool{New: func() any { return &finder{counts: map[int32]*count{}} }}

// find returns the places that a text mentions, in the order of their first mention.
func (g *Gazetteer) find(text, host string) []found {
	f := finders.Get().(*finder)
	defer finders.Put(f)
	f.g, f.host, f.language, f.start = g, host, "", 0
	clear(f.counts)
	f.order = f.order[:0]
	for first := true; text != ""; first = false {
		n := pieceOf(text)
		f.text = text[:n]
		f.runFrom, f.runTo, f.last = 0, 0, -1
		f.read()
		if first {
			f.language = f.languageOf()
		}
		f.walk()
		text = text[n:]
		f.start += n
	}
	f.text = ""
	return f.decide()
}

// pieceOf returns how many bytes of a text are its first piece.
func pieceOf(text string) int {
	if len(text) <= pieceBytes {
		return len(text)
	}
	if at := strings.LastIndexByte(text[:pieceBytes], '\n'); at > 0 {
		return at + 1
	}
	if at := strings.LastIndexByte(text[:pieceBytes], ' '); at > 0 {
		return at + 1
	}
	n := pieceBytes
	for n > pieceBytes-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// read sets f.tokens to the tokens of the piece.
func (f *finder) read() {
	f.tokens = f.tokens[:0]
	for at, w := range words.Of(f.text) {
		t := token{from: at, to: at + len(w), id: noWord}
		if c := w[0]; c < utf8.RuneSelf {
			t.upper = 'A' <= c && c <= 'Z'
		} else {
			r, size := utf8.DecodeRuneInString(w)
			if size == len(w) && words.Ideograph(r) {
				t.id, t.wide = uint32(simple(r)), true
			} else {
				t.upper = unicode.IsUpper(r) || unicode.IsTitle(r)
			}
		}
		f.tokens = append(f.tokens, t)
	}
}

// simple returns the simplified letter of a letter, like match.Simplified.
func simple(r rune) rune {
	if r < firstHan || r > lastHan {
		return r
	}
	return simpleLetters()[r-firstHan]
}

const firstHan, lastHan = 0x3400, 0x9fff

var simpleLetters = sync.OnceValue(func() []rune {
	all := make([]rune, lastHan-firstHan+1)
	for i := range all {
		all[i] = match.Simplified(firstHan + rune(i))
	}
	return all
})

// idOf returns the number of the word of a token.
func (f *finder) idOf(t *token) uint32 {
	if t.id != noWord {
		return t.id
	}
	f.folded = match.AppendFolded(f.folded[:0], f.text[t.from:t.to])
	if id, ok := f.g.words[string(f.folded)]; ok {
		return id
	}
	// The genitive of German: Deutschlands.
	if n := len(f.folded); f.language == "de" && n > 4 && f.folded[n-1] == 's' {
		if id, ok := f.g.words[string(f.folded[:n-1])]; ok {
			return id
		}
	}
	return noWord
}

// languageTokens is how many tokens decide in which language a text is.
const languageTokens = 4000

// languageOf returns the language of the piece: the one whose frequent words it has most
// often. It is "en" if the piece has none.
func (f *finder) languageOf() string {
	counts := map[string]int{}
	l := lists()
	best := ""
	for i := range f.tokens[:min(len(f.tokens), languageTokens)] {
		t := &f.tokens[i]
		if t.wide || t.to-t.from > 5 {
			continue
		}
		if language := l.function[f.text[t.from:t.to]]; language != "" {
			counts[language]++
			if c := counts[language]; c > counts[best] || c == counts[best] && language < best {
				best = language
			}
		}
	}
	if best == "" {
		return "en"
	}
	for language, n := range counts { // the first of several
		if n == counts[best] && language < best {
			best = language
		}
	}
	return best
}

// walk looks for names in the piece.
func (f *finder) walk() {
	g := f.g
	for i := 0; i < len(f.tokens); {
		t := &f.tokens[i]
		if t.wide {
			if t.id >= 1<<16 || g.firsts[t.id/64]>>(t.id%64)&1 == 0 {
				i++
				continue
			}
		} else if !t.upper && f.text[t.from] < utf8.RuneSelf && !g.lower {
			i++
			continue
		}
		i = f.matchAt(i)
	}
}

// matchAt looks for the longest name that begins at the token i and is a mention, and
// returns the token after it, or i+1 if there is none.
func (f *finder) matchAt(i int) int {
	g := f.g
	node := int32(0)
	var ends [tokensMax]int32 // by number of tokens: the name that ends there, or -1
	n := 0
	for j := i; j < len(f.tokens) && j-i < tokensMax; j++ {
		t := &f.tokens[j]
		if j > i && !f.joined(&f.tokens[j-1], t) {
			break
		}
		id := f.idOf(t)
		if id == noWord {
			break
		}
		next, ok := g.edges[edge{node, id}]
		if !ok {
			break
		}
		node = next
		ends[n] = g.ends[node]
		n++
	}
	for ; n > 0; n-- {
		if ends[n-1] >= 0 && f.note(ends[n-1], i, i+n) {
			return i + n
		}
	}
	return i + 1
}

// joined reports whether two tokens that follow each other may belong to one name.
func (f *finder) joined(a, b *token) bool {
	gap := f.text[a.to:b.from]
	if a.wide && b.wide {
		return gap == ""
	}
	if len(gap) > 3 {
		return false
	}
	for _, r := range gap {
		if !strings.ContainsRune(" -'’.,\u00a0\n‐", r) {
			return false
		}
	}
	return true
}

// note notes what the tokens from i to j, which are the name number n, mean. It returns
// false if they are not the name.
func (f *finder) note(n int32, i, j int) bool {
	g := f.g
	x := &g.names[n]
	for k := i; k < j; k++ {
		if x.upper>>(k-i)&1 != 0 && !f.tokens[k].upper {
			return false
		}
	}
	if x.exact != "" && !f.isExact(x.exact, i, j) {
		return false
	}
	if len(x.places) == 0 {
		return true
	}
	var verdict verdict
	if f.tokens[i].wide {
		verdict = f.judgeWide(x, i, j)
	} else {
		verdict = f.judge(x, i, j)
	}
	if verdict == otherName {
		return false
	}
	if verdict == plain && x.wide && f.follows(x, i) {
		verdict = supported
	}
	f.last, f.lastTo = n, f.tokens[j-1].to
	c := f.counts[n]
	if c == nil {
		c = &count{}
		f.counts[n] = c
	}
	if verdict != other && c.plain+c.supported == 0 {
		f.order = append(f.order, n)
	}
	switch verdict {
	case plain:
		c.plain++
	case supported:
		c.supported++
	case other:
		c.other++
	}
	return true
}

// follows reports whether the name x, at the token i, directly follows the name of another
// place of its province, as 汶川 does in 四川汶川.
func (f *finder) follows(x *name, i int) bool {
	if f.last < 0 || f.lastTo != f.tokens[i].from {
		return false
	}
	for _, a := range f.g.names[f.last].places {
		for _, b := range x.places {
			if r := f.g.places[b].region; r != "" && r == f.g.places[a].region {
				return true
			}
		}
	}
	return false
}

// isExact reports whether the tokens from i to j are written as the name is, and do not
// stand in a line of capital letters.
func (f *finder) isExact(name string, i, j int) bool {
	to := f.tokens[j-1].to
	if strings.HasSuffix(name, ".") && to < len(f.text) && f.text[to] == '.' {
		to++
	}
	if f.text[f.tokens[i].from:to] != name {
		return false
	}
	before, _, _ := f.before(i)
	after, _ := f.after(j)
	return !capitals(before) && !capitals(after)
}

// capitals reports whether a word is of two capital letters or more.
func capitals(word string) bool {
	return utf8.RuneCountInString(word) > 1 && word == strings.ToUpper(word) && word != strings.ToLower(word)
}

// found is a place that a text mentions.
type found struct {
	place    *Place
	mentions int
}

// decide returns the places that the text mentions, after all of it was read.
func (f *finder) decide() []found {
	// Strong names say which countries and regions the text is about.
	ctx := context{regions: map[string]int{}, countries: map[string]int{}, host: countryOfHost(f.host)}
	for _, n := range f.order {
		x, c := &f.g.names[n], f.counts[n]
		if x.strength == strong && c.counts() {
			p := &f.g.places[x.places[0]]
			if len(x.places) == 1 || p.Kind == "country" {
				ctx.add(p)
			}
		}
	}
	out := make([]found, 0, len(f.order))
	seen := map[*Place]int{}
	for _, n := range f.order {
		x, c := &f.g.names[n], f.counts[n]
		if !c.counts() {
			continue
		}
		p := ctx.best(f.g, x)
		switch x.strength {
		case weak:
			if c.supported == 0 && !ctx.supports(x, p) {
				continue
			}
		case medium:
			if c.supported == 0 && !ctx.knows(p) {
				continue
			}
		}
		if at, ok := seen[p]; ok {
			out[at].mentions += c.plain + c.supported
			continue
		}
		seen[p] = len(out)
		out = append(out, found{p, c.plain + c.supported})
	}
	return slices.Clip(out)
}

// counts reports whether the name means a place in the text, and not a club or a person.
func (c *count) counts() bool {
	return c.plain+c.supported > 0 && (c.other == 0 || c.supported > 0 && c.other <= c.plain+c.supported)
}

// context is what the sure names of a text say about the others.
type context struct {
	regions, countries map[string]int
	host               string // country of the host, or ""
}

func (x *context) add(p *Place) {
	if p.Country != "" {
		x.countries[p.Country]++
	}
	if p.region != "" {
		x.regions[p.region]++
	}
}

// knows reports whether the text names other places of p's country, or is of that country.
func (x *context) knows(p *Place) bool {
	return p.Country != "" && (x.countries[p.Country] > 0 || x.host == p.Country)
}

// supports reports whether the text says that p is meant by the weak name n, although the
// words around it do not: if n is a country, and the text is about several countries, or if
// n is Chinese, and the text names other places of the province. The short name of a county
// is too often another word for that.
func (x *context) supports(n *name, p *Place) bool {
	if p.Kind == "country" {
		return len(x.countries) > 1
	}
	return n.wide && p.region != "" && x.regions[p.region] > 0 && (p.Kind != "county" || strings.HasSuffix(p.Chinese, "市"))
}

// best returns the place of a name that fits the context best; the most populous of several.
func (x *context) best(g *Gazetteer, n *name) *Place {
	var best *Place
	most := -1
	for _, i := range n.places {
		p := &g.places[i]
		score := 0
		if p.region != "" && x.regions[p.region] > 0 {
			score += 4
		}
		if p.Country != "" && x.countries[p.Country] > 0 {
			score += 2
		}
		if p.Country != "" && x.host == p.Country {
			score++
		}
		if score > most {
			best, most = p, score
		}
	}
	return best
}

// countryOfHost returns the country of a host by its last label, or "".
func countryOfHost(host string) string {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if len(last) != 2 {
		return ""
	}
	if last = strings.ToUpper(last); last == "UK" {
		return "GB"
	}
	return last
}

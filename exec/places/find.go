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

// pieceBytes is about the size, in bytes, of the pieces in which a text is read. Only one piece
// is in memory as tokens. A name that crosses the border of two pieces is not found, so the
// borders are at line ends if possible.
const pieceBytes = 64 << 10

// token is one word of a text.
type token struct {
	from, to int // its bytes
	id       uint32
	upper    bool // begins with a capital letter
	wide     bool // a letter of a script without spaces
}

// finder finds the places that one text names. Its fields are reused for the next text.
type finder struct {
	g        *Gazetteer
	host     string
	language string // such as "en"
	tokens   []token
	text     string // the piece that is read
	folded   []byte
	counts   map[int32]*count // by name
	order    []int32          // names in the order of their first mention
	// last is the number of the name that was found last, or -1 if none was found. lastTo is the
	// offset of its end.
	last   int32
	lastTo int
	// runFrom and runTo are the bounds of the last run of letters that was cut into words. bounds
	// has the offsets at which its words begin, and its end.
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
	f.g, f.host, f.language = g, host, ""
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
	}
	f.text = ""
	return f.decide()
}

// pieceOf returns the length in bytes of the first piece of a text.
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

// read cuts the current piece into words and sets f.tokens to them.
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

// simple returns the simplified Chinese letter for a traditional one, and other letters unchanged,
// like match.Simplified.
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

// idOf returns the number that the gazetteer gives to the word of a token, or noWord.
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

// languageTokens is how many tokens of a text are looked at to find its language.
const languageTokens = 4000

// languageOf returns the language of the piece: the one whose frequent words the piece has most
// often. It is "en" if the piece has no such words.
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

// walk finds the names in the current piece and notes them in f.
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

// matchAt notes the longest name that begins at token i and is a mention (its words mean the name).
// It returns the index of the token after the name, or i+1 if there is no name.
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

// joined reports whether the tokens a and b, which follow each other, may belong to one name.
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

// note decides what the tokens from i up to j, which spell name n, mean, and counts the result in
// f.counts. It returns false if the tokens are no use of the name at all.
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

// follows reports whether the name x, at token i, comes directly after the name of another place in
// the same province, as 汶川 does in 四川汶川.
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

// isExact reports whether the tokens from i up to j are spelled exactly as the name is, and the words
// before and after them are not written in capital letters.
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

// capitals reports whether a word has two letters or more, all of them capital.
func capitals(word string) bool {
	return utf8.RuneCountInString(word) > 1 && word == strings.ToUpper(word) && word != strings.ToLower(word)
}

// found is a place that a text mentions.
type found struct {
	place    *Place
	mentions int
}

// decide returns the places that the text mentions. Call it after the whole text was read, because
// the other names of the text help to decide what a name means.
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

// counts reports whether the counted uses of a name in a text show that it means a place there, and
// not a club or a person.
func (c *count) counts() bool {
	return c.plain+c.supported > 0 && (c.other == 0 || c.supported > 0 && c.other <= c.plain+c.supported)
}

// context holds how often the places of each province and country occur among the strong names of a
// text. It helps to decide what the other names mean.
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

// knows reports whether the text names other places in the country of p, or its host is in that
// country.
func (x *context) knows(p *Place) bool {
	return p.Country != "" && (x.countries[p.Country] > 0 || x.host == p.Country)
}

// supports reports whether the whole text shows that the weak name n means the place p, although
// the words around n do not. This is so for a country if the text is about several countries, and
// for a Chinese name if the text names other places of the province. The short name of a county is
// an exception, because it is too often another word.
func (x *context) supports(n *name, p *Place) bool {
	if p.Kind == "country" {
		return len(x.countries) > 1
	}
	return n.wide && p.region != "" && x.regions[p.region] > 0 && (p.Kind != "county" || strings.HasSuffix(p.Chinese, "市"))
}

// best returns, of the places with the name n, the one that fits the rest of the text best. If
// several fit equally well, it returns the most populous one.
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

// countryOfHost returns the code of the country that the last label of a host stands for, or "".
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

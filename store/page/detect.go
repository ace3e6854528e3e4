package page

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// costMax is more than any text costs in any charset.
const costMax = 1 << 30

// How many of the bytes beyond ASCII of a body are looked at: quickBytes to see
// whether a declaration may be right, sampleBytes to tell charsets apart.
const (
	quickBytes  = 1 << 10
	sampleBytes = 8 << 10
)

// appendTelling appends the bytes of a body that tell its charset: those beyond
// ASCII and those next to them, up to about limit bytes. Where it leaves ASCII out
// it puts a newline.
func appendTelling(dst, body []byte, limit int) []byte {
	const around = 2
	for i := 0; i < len(body) && len(dst) < limit; {
		if body[i] >= utf8.RuneSelf {
			dst = append(dst, body[i])
			i++
			continue
		}
		end := i + ascii(body[i:])
		for end < len(body) && body[end] < utf8.RuneSelf {
			end += ascii(body[end:])
		}
		if end-i <= 2*around {
			dst = append(dst, body[i:end]...)
			i = end
			continue
		}
		if i > 0 {
			dst = append(dst, body[i:i+around]...)
		}
		dst = append(dst, '\n')
		if end < len(body) {
			dst = append(dst, body[end-around:end]...)
		}
		i = end
	}
	return dst
}

// pairs counts the pairs of bytes of a sample of which one is no ASCII.
type pairs struct {
	count [1 << 16]uint16
	list  []uint16
	all   int
}

func (p *pairs) read(sample []byte) {
	last := byte('\n')
	for _, c := range sample {
		if last|c >= utf8.RuneSelf {
			k := uint16(last)<<8 | uint16(c)
			if p.count[k] == 0 {
				p.list = append(p.list, k)
			}
			p.count[k]++
			p.all++
		}
		last = c
	}
}

func (p *pairs) clear() {
	for _, k := range p.list {
		p.count[k] = 0
	}
	p.list, p.all = p.list[:0], 0
}

// cost is the cost of all pairs as r reads them; it stops above max.
func (p *pairs) cost(r *byteReading, max int) int {
	sum := 0
	for _, k := range p.list {
		sum += int(p.count[k]) * r.pair(byte(k>>8), byte(k))
		if sum > max {
			break
		}
	}
	return sum
}

// wideOf lists the charsets of several bytes a character, with the language
// written in each, and how much likelier than each windows-1252 is.
var wideOf = []struct {
	charset string
	prior   int
	lang    string
}{
	{charsetGB18030, 2, "zh-hans"},
	{"big5", 4, "zh-hant"},
	{"shift_jis", 6, "ja"},
	{"euc-jp", 8, "ja"},
	{"euc-kr", 8, "ko"},
}

// wideCost is the cost of a sample read in a charset of several bytes a
// character.
func wideCost(sample []byte, charset, lang string) int {
	_, characters := languages()
	costs := characters[lang]
	text, _, err := transform.Append(decoderOf(charset), make([]byte, 0, len(sample)*2), sample)
	if err != nil {
		return costInvalid * len(sample)
	}
	sum, last := 0, rune('\n')
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case r >= utf8.RuneSelf:
			sum += wideRune(r, costs)
		case last >= utf8.RuneSelf:
			sum += costFirst
		}
		last = r
	}
	return sum
}

// wideRune is the cost of a character beyond ASCII in a text of which costs has the
// frequent characters.
func wideRune(r rune, costs *[1 << 16]uint8) int {
	if r < 1<<16 && costs[r] != 0 {
		return int(costs[r])
	}
	switch {
	case r == utf8.RuneError:
		return costInvalid + costHan
	case r >= 0x3000 && r < 0x3040, r >= 0xff00 && r < 0xff61, r >= 0x2010 && r < 0x2040, r == '·', r == '～':
		return costWide
	case r >= 0xff61 && r < 0xffa0:
		return costHalf
	case unicode.Is(unicode.Co, r):
		return costInvalid
	}
	return costHan
}

// sampled is what is read of a body to tell its charset.
type sampled struct {
	bytes []byte // as appendTelling gives it
	pairs pairs  // of bytes
	costs map[string]int
}

var sampledPool = sync.Pool{New: func() any { return &sampled{costs: make(map[string]int)} }}

func newSampled(body []byte, limit int) *sampled {
	s := sampledPool.Get().(*sampled)
	s.bytes = appendTelling(s.bytes[:0], body, limit)
	s.pairs.read(s.bytes)
	return s
}

func (s *sampled) free() {
	s.pairs.clear()
	clear(s.costs)
	sampledPool.Put(s)
}

// cost is the cost of the sample in a charset; ok is false if there is no model of
// it.
func (s *sampled) cost(charset string) (cost int, ok bool) {
	if c, ok := s.costs[charset]; ok {
		return c, true
	}
	cost = -1
	for _, w := range wideOf {
		if w.charset == charset {
			cost = wideCost(s.bytes, charset, w.lang) + w.prior
		}
	}
	for i, of := range bytesOf {
		if of.charset != charset {
			continue
		}
		cost = costMax
		for _, r := range byteReadings()[i] {
			cost = min(cost, s.pairs.cost(r, cost))
		}
		cost += of.prior
	}
	if cost < 0 {
		return 0, false
	}
	s.costs[charset] = cost
	return cost, true
}

// plain reports whether the sample reads in a charset as a text of one of its
// languages does.
func (s *sampled) plain(charset string) bool {
	cost, ok := s.cost(charset)
	each := plainCost
	if singleByte(charset) == nil {
		each = plainWide
	} else if strings.HasPrefix(charset, "iso-8859") && hasControls(s.bytes) {
		return false
	}
	return !ok || cost <= each*s.pairs.all
}

// hasControls reports whether b has bytes that are control characters in the
// charsets of ISO 8859, and letters or quotes in those of Windows.
func hasControls(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 && c < 0xa0 {
			return true
		}
	}
	return false
}

// evidence is what the bytes of a body say of its charset. All is made when it is
// first asked for.
type evidence struct {
	body        []byte
	counted     bool
	good, bad   int // as countUTF8 counts
	sample      *sampled
	best        string // the charset that costs least
	least, next int    // its cost, and that of the next one that reads another text
}

func (e *evidence) free() {
	if e.sample != nil {
		e.sample.free()
	}
}

// count counts the characters beyond ASCII.
func (e *evidence) count() (good, bad int) {
	if !e.counted {
		e.counted = true
		e.good, e.bad = countUTF8(e.body)
		if n := len(e.body); n > 0 && e.good+e.bad == 0 && e.body[n-1] >= utf8.RuneSelf {
			e.bad = 1 // no cut letter: nothing else says that it is UTF-8
		}
	}
	return e.good, e.bad
}

// A declaration is believed without another look if the pairs of bytes cost no more
// than plainCost each, plainWide in charsets of several bytes a character. Texts in
// their true charset cost 9 to 13, or 15. Else another charset contradicts the declaration
// that costs less by contradictAll, and by contradictEach for each byte
// that it reads otherwise.
const (
	plainCost      = 14
	plainWide      = 18
	contradictEach = 4
	contradictAll  = 80
	// plainPairs is how many pairs of bytes are enough for no other look.
	plainPairs = 200
)

// contradicts reports whether the bytes of the body say that it is not in the
// charset that it is declared to be in. UTF-8 is contradicted if more than one
// character in four is invalid; another charset if the body is UTF-8, or if
// another one fits far better: its bytes are valid and make letters of a language that stand next
// to each other as they do in that language, and those of the declared one do not.
func (e *evidence) contradicts(name string) bool {
	good, bad := e.count()
	seven := !ASCIISafe(name)
	switch {
	case good+bad == 0:
		found := escapes(e.body)
		return seven && found != name || !seven && found != ""
	case name == charsetUTF8:
		return bad*3 > good
	case name == charsetUTF16LE, name == charsetUTF16BE:
		return bad == 0 || len(e.body)%2 != 0 || !valid16(e.body[:min(len(e.body), 2048)&^1], highByte(name))
	case seven:
		return (good+bad)*50 > len(e.body) || escapes(e.body) != name
	case bad == 0 && e.mustBeUTF8(name):
		return true
	}
	quick := newSampled(e.body, quickBytes)
	plain := quick.plain(name)
	quick.free()
	if plain {
		return false
	}
	e.compare()
	cost, ok := e.sample.cost(name)
	return ok && cost-e.least > max(contradictAll, contradictEach*e.otherwise(name, e.best))
}

// otherwise counts the bytes of the sample that charset b reads otherwise than a.
func (e *evidence) otherwise(a, b string) int {
	in, of := singleByte(a), singleByte(b)
	if in == nil || of == nil {
		return len(e.sample.bytes)
	}
	n := 0
	for _, c := range e.sample.bytes {
		if in.DecodeByte(c) != of.DecodeByte(c) {
			n++
		}
	}
	return n
}

// mustBeUTF8 reports whether a body that is valid UTF-8 cannot well be in the
// charset name: two bytes in a row may be a Chinese character of GBK too.
func (e *evidence) mustBeUTF8(name string) bool {
	least := 8
	if singleByte(name) != nil {
		least = 4
	}
	return e.good >= least || bytes.ContainsFunc(e.body, func(r rune) bool { return r >= 0x800 })
}

// compare finds the charset that costs least.
func (e *evidence) compare() {
	if e.best != "" {
		return
	}
	e.sample = newSampled(e.body, sampleBytes)
	type candidate struct {
		charset string
		cost    int
	}
	var all []candidate
	for _, w := range wideOf {
		cost, _ := e.sample.cost(w.charset)
		all = append(all, candidate{w.charset, cost})
	}
	least := func() int {
		return slices.MinFunc(all, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) }).cost
	}
	if n := e.sample.pairs.all; n < plainPairs || least() > plainWide*n { // else no charset of single bytes comes near
		for _, of := range bytesOf {
			cost, _ := e.sample.cost(of.charset)
			all = append(all, candidate{of.charset, cost})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) })
	e.best, e.least, e.next = all[0].charset, all[0].cost, costMax
	for _, c := range all[1:] {
		if c.cost-e.least >= 3*sureMargin || e.differ(e.best, c.charset) {
			e.next = c.cost
			break
		}
	}
}

// differ reports whether the sample reads otherwise in charset b than in a.
func (e *evidence) differ(a, b string) bool {
	return !bytes.Equal(ToUTF8(e.sample.bytes, a), ToUTF8(e.sample.bytes, b))
}

// sureMargin is the least by which the next charset must cost more than the best
// one, which then needs no other page's word.
const sureMargin = 24

// detect finds the charset by the bytes alone, or by usual where they say too little.
func (e *evidence) detect(usual string) (charset, source string, unsure bool) {
	good, bad := e.count()
	switch {
	case good+bad == 0:
		if charset = escapes(e.body); charset != "" {
			return charset, SourceDetected, false
		}
		return charsetUTF8, SourceDefault, false
	case bad == 0, good > 20*bad:
		return charsetUTF8, SourceDetected, false // a title cut within a character does not change that
	}
	e.compare()
	if e.next-e.least >= sureMargin {
		return e.best, SourceDetected, false
	}
	if cost, ok := e.sample.cost(usual); ok && cost-e.least <= 2*sureMargin {
		return usual, SourceHost, true
	}
	if e.best == charsetLatin1 {
		return e.best, SourceDefault, true
	}
	return e.best, SourceDetected, true
}

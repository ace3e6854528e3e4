package charset

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

// costMax is greater than the cost of any sample in any charset.
const costMax = 1 << 30

// How many bytes outside ASCII, with their neighbours, a sample has: quickBytes
// to check a declaration, sampleBytes to compare charsets.
const (
	quickBytes  = 1 << 10
	sampleBytes = 8 << 10
)

// appendTelling appends to dst the bytes of body that help to find its charset: bytes outside
// ASCII, and the ASCII bytes next to them. It stops at about limit bytes. Each part that is left
// out becomes a newline.
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

// pairs counts the pairs of neighbouring bytes in a sample. It leaves out pairs
// of two ASCII bytes.
type pairs struct {
	count [1 << 16]uint16 // by pair, as a number whose upper byte is the first byte of the pair
	list  []uint16        // the pairs whose count is not 0
	all   int             // the sum of the counts
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

// cost returns the sum of the costs of all pairs if the sample is read as r
// says: in one charset, as text of one language. It stops when the sum is
// greater than the argument max.
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

// wideOf lists the multibyte charsets, each with the language of its texts. prior
// is added to the cost of a charset, because it is less frequent than
// windows-1252.
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

// wideCost returns the cost of a sample in a multibyte charset as text of
// language lang. The less a text costs, the likelier it is in that charset.
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

// wideRune returns the cost of r, a character outside ASCII. costs has the costs
// of the frequent characters of the language, by code point.
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

// sampled is the sample of a body with which charsets are compared, and its costs
// in the charsets tried so far.
type sampled struct {
	bytes []byte // the sample, from appendTelling
	pairs pairs  // the pairs in bytes
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

// cost returns the cost of the sample in a charset. ok is false if the cost is
// not known, because neither wideOf nor bytesOf has the charset.
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

// plain reports whether the sample, decoded from charset, looks like an ordinary text in a
// language of that charset. It also returns true if the cost of the sample in that charset cannot
// be computed.
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

// hasControls reports whether b has a byte from 0x80 to 0x9f. Such bytes are
// control characters in ISO 8859, and letters or quotes in the Windows charsets.
func hasControls(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 && c < 0xa0 {
			return true
		}
	}
	return false
}

// evidence holds what the bytes of a body show about its charset. Its fields are computed when
// they are first needed.
type evidence struct {
	body        []byte
	counted     bool
	good, bad   int // results of countUTF8, valid if counted is set
	sample      *sampled
	best        string // the charset in which the sample costs least; "" before compare
	least, next int    // cost of the sample in best, and in the next best charset that reads the sample as another text
}

func (e *evidence) free() {
	if e.sample != nil {
		e.sample.free()
	}
}

// count counts the characters outside ASCII in the body. good is the number of
// valid UTF-8 characters, and bad the number of bytes that are not part of one.
func (e *evidence) count() (good, bad int) {
	if !e.counted {
		e.counted = true
		e.good, e.bad = countUTF8(e.body)
		if n := len(e.body); n > 0 && e.good+e.bad == 0 && e.body[n-1] >= utf8.RuneSelf {
			e.bad = 1 // not a cut letter: nothing else says that the body is UTF-8
		}
	}
	return e.good, e.bad
}

// The limits by which contradicts decides. It accepts a declaration at once if
// the byte pairs of the sample cost at most plainCost on average, or plainWide
// in a multibyte charset. In their true charset, texts cost 9 to 13, or 15 in a
// multibyte charset. Otherwise a declaration is only rejected if another
// charset costs less by contradictAll, and by contradictEach for each byte that
// the two charsets read differently.
const (
	plainCost      = 14
	plainWide      = 18
	contradictEach = 4
	contradictAll  = 80
	// plainPairs is how many byte pairs are enough for compare to accept a
	// multibyte charset without trying the single-byte charsets.
	plainPairs = 200
)

// contradicts reports whether the bytes of the body show that it is not in the
// declared charset name. UTF-8 is contradicted if more than one character in
// four is invalid. Any other charset is contradicted if the body is UTF-8, or
// if its bytes fit a third charset far better. They fit a charset if they form
// letters in an order that is usual for a language.
func (e *evidence) contradicts(name string) bool {
	good, bad := e.count()
	seven := !ASCIISafe(name)
	switch {
	case good+bad == 0:
		found := escapes(e.body)
		return seven && found != name || !seven && found != ""
	case name == UTF8:
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

// otherwise returns how many bytes of the sample mean one character in charset
// a and another in charset b. If either is not a single-byte charset, it
// returns the length of the sample.
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

// mustBeUTF8 reports whether a body that is valid UTF-8 has too many characters
// outside ASCII to be in the charset name by accident. Two bytes that are valid
// UTF-8 may also be a Chinese character in GBK.
func (e *evidence) mustBeUTF8(name string) bool {
	least := 8
	if singleByte(name) != nil {
		least = 4
	}
	return e.good >= least || bytes.ContainsFunc(e.body, func(r rune) bool { return r >= 0x800 })
}

// compare sets e.best to the charset in which the sample costs least (see
// package comment), e.least to that cost, and e.next to the least cost among
// the charsets in which the sample is another text.
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
	if n := e.sample.pairs.all; n < plainPairs || least() > plainWide*n { // otherwise no single-byte charset costs nearly as little
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

// differ reports whether the sample decodes to different texts in the charsets a and b.
func (e *evidence) differ(a, b string) bool {
	return !bytes.Equal(ToUTF8(e.sample.bytes, a), ToUTF8(e.sample.bytes, b))
}

// sureMargin is by how much the second best charset must cost more than the
// best, so that the best one is certain. If the difference is smaller, the
// charset of other pages of the host may be taken instead.
const sureMargin = 24

// detect finds the charset from the bytes alone. If they show too little, it
// returns usual, the charset of other pages of the host, or a default. source is
// the Found.Source of the result, and unsure its Found.Unsure.
func (e *evidence) detect(usual string) (charset, source string, unsure bool) {
	good, bad := e.count()
	switch {
	case good+bad == 0:
		if charset = escapes(e.body); charset != "" {
			return charset, SourceDetected, false
		}
		return UTF8, SourceDefault, false
	case bad == 0, good > 20*bad:
		return UTF8, SourceDetected, false // even if a title was cut within a character
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

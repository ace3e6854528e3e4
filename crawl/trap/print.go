package trap

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
)

// Bounds on a Print.
const (
	unitsMax = 64 // units kept: the lowest hashes, so that similar pages keep the same ones
	mediaMax = 16 // names of images and other media kept
)

// Print is the content of one response, as hashes, so that it can be
// compared with the content of other pages. A unit is a pair of neighbouring
// words. Prints of different versions of this program cannot be compared.
type Print struct {
	units []uint32 // hashes of units, sorted; at most unitsMax
	media []uint32 // hashes of the names of images and other media
	cut   bool     // whether there were more than unitsMax units
	page  bool     // whether the response is HTML; if not, only same is set
	same  uint64   // hash of the whole text with its numbers, regardless of the order of words
	words uint64   // hash of the text without numbers, dates and words of the URL
	dates int      // count of names of months and days
	last  int      // N, if the page says "n of N"; else 0
}

// Text returns two hashes of the text of a page: one of the whole text, and one of
// the text without numbers, dates and words of the URL. ok is false if p is not the
// print of a page.
func (p *Print) Text() (whole, words uint64, ok bool) { return p.same, p.words, p.page }

// NewFilePrint returns the Print of a response that is not HTML. It has only
// a hash of the body.
func NewFilePrint(body []byte) *Print {
	h := uint64(fnvOffset64)
	for len(body) >= 8 {
		w := uint64(body[0]) | uint64(body[1])<<8 | uint64(body[2])<<16 | uint64(body[3])<<24 |
			uint64(body[4])<<32 | uint64(body[5])<<40 | uint64(body[6])<<48 | uint64(body[7])<<56
		h = (h ^ w) * 0x9e3779b97f4a7c15
		h ^= h >> 32
		body = body[8:]
	}
	for _, c := range body {
		h = (h ^ uint64(c)) * fnvPrime64
	}
	return &Print{same: mix(h)}
}

// NewPrint returns the Print of the page html, whose canonical URL is
// pageURL. In the encoding of html, ASCII bytes must mean ASCII characters,
// as in UTF-8 and GBK.
func NewPrint(pageURL string, html []byte) *Print {
	s := &scanner{p: &Print{page: true, units: make([]uint32, 0, unitsMax)}, limit: ^uint32(0), prev: edge, lastNumber: -1}
	s.readURL(pageURL)
	s.read(html)
	s.endBlock()
	return s.p
}

// Two values that take the place of a word in a pair: edge is the start or end
// of a block of text, and number is anything that is not a word, such as a
// number or a date.
const (
	edge   = 1
	number = 2
)

// scanner builds a Print from the bytes of an HTML page, in one pass.
type scanner struct {
	p     *Print
	limit uint32 // a unit with a higher hash is not kept
	prev  uint32 // previous word in the same block, or edge or number
	// own holds the hashes of the words in the page's URL.
	own []uint32
	// ownBits has a bit for each word of own, chosen by the first bits of its hash. With it,
	// most words of a page need no search in own.
	ownBits uint64
	ids     []uint32 // hashes of parts of the URL that look like ids

	numbers    uint64 // hash of the numbers in the current block of text so far, in order
	noComment  bool   // no comment ends after the current tag
	lastNumber int    // previous number, if no long word came after it; else -1
	between    int    // words and slashes after lastNumber
}

// readURL sets s.own and s.ids to the words and ids in the page's URL u.
func (s *scanner) readURL(u string) {
	if _, rest, ok := strings.Cut(u, "://"); ok {
		_, u, _ = strings.Cut(rest, "/")
	}
	if strings.Contains(u, "%") {
		if plain, err := url.QueryUnescape(u); err == nil {
			u = plain
		}
	}
	text := []byte(u)
	for i := 0; i < len(text) && len(s.own) < 64; {
		t := readToken(text, i)
		switch {
		case t.end == i:
			i++
			continue
		case t.digits && t.end-i >= idLength:
			s.ids = append(s.ids, t.hash)
		case !t.digits:
			s.own = append(s.own, t.hash)
			s.ownBits |= 1 << (t.hash >> 26)
		}
		i = t.end
	}
}

// idLength is the least length of a part of a URL or text that contains a
// digit and may be the id of a visit (a session).
const idLength = 6

// token is a word or number in a text: letters in a row, or ASCII letters
// and digits in a row.
type token struct {
	end    int // index after its last byte
	hash   uint32
	digits bool // whether it has a digit; it then does not count as a word
	value  int  // value of a short number; -1 for any other token
}

// The classes of bytes in a text: ASCII letters, ASCII digits, bytes of
// characters outside of ASCII, and all other bytes.
const (
	other = iota
	letter
	digit
	high // part of a character outside of ASCII
)

// class maps each byte to its class: other, letter, digit or high.
var class = func() (c [256]uint8) {
	for b := range c {
		switch {
		case 'a' <= b|0x20 && b|0x20 <= 'z':
			c[b] = letter
		case '0' <= b && b <= '9':
			c[b] = digit
		case b >= 0x80:
			c[b] = high
		}
	}
	return c
}()

// readToken returns the token that begins at text[i]; its end is i if no
// token begins there. A token ends between a digit and a character outside
// of ASCII, because scripts such as Chinese write no blanks between them.
func readToken(text []byte, i int) token {
	h := uint32(fnvOffset32)
	// Most tokens have nothing but ASCII letters. This loop only reads such
	// tokens faster; a print of English text takes 7 per cent less time.
	for j, c := range text[i:] {
		if class[c] == other {
			return token{end: i + j, hash: mix32(h), value: -1}
		}
		if class[c] != letter {
			break
		}
		h = (h ^ uint32(c|0x20)) * fnvPrime32
	}
	h = uint32(fnvOffset32)
	t := token{end: i, value: 0}
	was := uint8(other)
	for ; t.end < len(text); t.end++ {
		c := text[t.end]
		k := class[c]
		if k == other || k == digit && was == high || k == high && t.digits {
			break
		}
		was = k
		switch k {
		case digit:
			t.digits = true
			if t.value >= 0 && t.value < 1e6 {
				t.value = t.value*10 + int(c-'0')
			} else {
				t.value = -1
			}
		case letter:
			c |= 0x20
			t.value = -1
		}
		h = (h ^ uint32(c)) * fnvPrime32
	}
	if !t.digits {
		t.value = -1
	}
	t.hash = mix32(h)
	return t
}

// The constants of FNV-1a, by which tokens, names and URLs are hashed.
const (
	fnvOffset32 = 2166136261
	fnvPrime32  = 16777619
	fnvOffset64 = 14695981039346656037
	fnvPrime64  = 1099511628211
)

// mix32 returns h with its bits spread evenly. Equal numbers give equal
// results. The result is never edge or number.
func mix32(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x7feb352d
	h ^= h >> 15
	h *= 0x846ca68b
	h ^= h >> 16
	return h | 4 // never edge or number
}

// mix returns h with its bits spread evenly. Equal numbers give equal
// results.
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// read adds the text of the page html, and the names of the media to which
// it refers, to the Print.
func (s *scanner) read(html []byte) {
	for i := 0; i < len(html); {
		c := html[i]
		switch {
		case class[c] != other:
			t := readToken(html, i)
			s.token(&t, t.end-i)
			i = t.end
		case c == '<':
			i = s.tag(html, i)
		case c == '&':
			i = s.reference(html, i)
		default:
			if c == '/' && s.lastNumber >= 0 {
				s.between++
			}
			i++
		}
	}
}

// spread is a factor for 32-bit hashes before they are added to a 64-bit
// sum. It moves their bits into the upper half of the sum too.
const spread = 0x9e3779b97f4a7c15

// ofLength is the maximum length, in bytes, of the word for "of" in "n of
// N", such as "von" or "из".
const ofLength = 4

// token adds the token t to the text of the page. length is the length of
// the token in bytes.
func (s *scanner) token(t *token, length int) {
	if t.digits {
		s.number(t, length)
		return
	}
	w := t.hash
	if s.lastNumber >= 0 {
		if s.between++; length > ofLength {
			s.lastNumber = -1
		}
	}
	s.p.same += uint64(w) * spread
	switch {
	case maybeDate[w%dateFilter/8]&(1<<(w%8)) != 0 && dateWords[w]:
		s.p.dates++
		w = number
	case s.ownBits&(1<<(w>>26)) != 0 && slices.Contains(s.own, w):
		w = number
	}
	if w == number && s.prev == number {
		return
	}
	s.pair(w)
}

// number adds the token t, which has digits, to the text of the page. length
// is its length in bytes. Two numbers with one short word or slash between
// them are an "n of N".
func (s *scanner) number(t *token, length int) {
	if length < idLength || !slices.Contains(s.ids, t.hash) {
		s.numbers = mix(s.numbers ^ uint64(t.hash))
		s.p.same += s.numbers
	}
	if s.lastNumber > 0 && s.between == 1 && t.value > 1 && t.value >= s.lastNumber && s.p.last == 0 {
		s.p.last = t.value
	}
	s.lastNumber, s.between = t.value, 0
	if s.prev != number {
		s.pair(number)
	}
}

// pair adds the unit of the previous word and w, and makes w the previous
// word. w is the hash of a word, or edge or number.
func (s *scanner) pair(w uint32) {
	u := mix32(s.prev*0x9e3779b1 + w)
	s.prev = w
	s.p.words += uint64(u) * spread
	if u <= s.limit {
		s.keep(u)
	}
}

// keep adds the unit u, which is at most s.limit, to the sorted units of the
// Print. If there are then more than unitsMax, keep drops the highest one.
// Of a long page few units get here. Inserting each of them therefore takes
// less time than collecting and sorting hundreds: a third less for the whole
// print.
func (s *scanner) keep(u uint32) {
	p := s.p
	i := len(p.units)
	for i > 0 && p.units[i-1] >= u {
		i--
	}
	switch {
	case i < len(p.units) && p.units[i] == u:
		return
	case len(p.units) < unitsMax:
		p.units = slices.Insert(p.units, i, u)
		return
	case i < unitsMax:
		copy(p.units[i+1:], p.units[i:])
		p.units[i] = u
	}
	p.cut, s.limit = true, p.units[unitsMax-1]
}

// endBlock ends the current block of text, such as a paragraph. A word
// before the end and a word after it make no unit.
func (s *scanner) endBlock() {
	if s.prev != edge {
		s.pair(edge)
	}
	s.prev, s.numbers, s.lastNumber = edge, 0, -1
}

// reference handles the character reference at html[i], such as &amp;, and
// returns the index after it. A numeric reference such as &#228; counts as a
// word.
func (s *scanner) reference(html []byte, i int) int {
	end := bytes.IndexByte(html[i:min(i+12, len(html))], ';')
	if end < 2 {
		return i + 1
	}
	if html[i+1] == '#' {
		t := readToken(html, i+2)
		if t.value > 127 || t.value < 0 {
			t.digits = false
			s.token(&t, 2)
		}
	}
	return i + end + 1
}

// tag handles the tag or comment that begins with the "<" at html[i]. It
// returns the index after the tag; for the start tag of a script or style it
// returns the index of the end tag.
func (s *scanner) tag(html []byte, i int) int {
	rest := html[i+1:]
	if len(rest) > 0 && rest[0] == '!' && !s.noComment && bytes.HasPrefix(rest, []byte("!--")) {
		if end := bytes.Index(rest, []byte("-->")); end >= 0 {
			return i + 1 + end + 3
		}
		s.noComment = true // without this, each further comment would be sought to the end of the page
	}
	end := bytes.IndexByte(rest, '>')
	if end < 0 {
		return len(html)
	}
	var name [10]byte
	n := 0
	for n < len(name) && n < end && (class[rest[n]] == letter || class[rest[n]] == digit || n == 0 && rest[n] == '/') {
		name[n] = rest[n] | 0x20
		n++
	}
	next := i + 1 + end + 1
	switch string(name[:n]) {
	case "b", "i", "em", "strong", "font", "span", "u", "s", "sup", "sub", "small", "big", "tt", "code", "abbr", "wbr", "mark",
		"/b", "/i", "/em", "/strong", "/font", "/span", "/u", "/s", "/sup", "/sub", "/small", "/big", "/tt", "/code", "/abbr", "/mark":
		return next
	case "script", "style", "template":
		s.endBlock()
		return next + endOf(html[next:], string(name[:n]))
	case "img", "source", "embed", "video", "audio", "object", "image", "input":
		s.names(rest[:end], true)
	case "a", "area", "div":
		s.names(rest[:end], false)
	case "frame", "iframe":
		for _, c := range rest[:end] {
			s.p.same += mix(uint64(c) + s.p.same<<8)
		}
	}
	s.endBlock()
	return next
}

// endOf returns the index of the first end tag of the element name in html,
// or the length of html if there is none. It is for elements such as script,
// whose content is not markup.
func endOf(html []byte, name string) int {
	for at := 0; ; {
		i := bytes.Index(html[at:], []byte("</"))
		if i < 0 {
			return len(html)
		}
		at += i
		if len(html) >= at+2+len(name) && strings.EqualFold(string(html[at+2:at+2+len(name)]), name) {
			return at
		}
		at += 2
	}
}

// names adds the names of the media files to which a tag refers: every
// address that ends like a media file, such as .jpg. If shows is set, the
// element shows media, such as img; names then also adds any address in a
// src or data attribute.
func (s *scanner) names(tag []byte, shows bool) {
	if !shows && bytes.IndexByte(tag, '.') < 0 {
		return // Most tags. A media file has an extension.
	}
	for i := 0; i < len(tag) && len(s.p.media) < mediaMax; {
		eq := bytes.IndexByte(tag[i:], '=')
		if eq < 0 {
			return
		}
		attr := tag[:i+eq]
		i += eq + 1
		value := tag[i:]
		var end int
		if len(value) > 0 && (value[0] == '"' || value[0] == '\'') {
			value = value[1:]
			i++
			end = bytes.IndexByte(value, tag[i-1])
		} else {
			end = bytes.IndexAny(value, " \t\r\n")
		}
		if end < 0 {
			end = len(value)
		}
		value = value[:end]
		i += end
		address := shows && (hasSuffixFold(attr, "src") || hasSuffixFold(attr, "data"))
		if name, query := fileOf(value); len(name) > 0 && (address || isMedia(name)) {
			s.medium(name, query)
		}
	}
}

// fileOf returns the last part of the path of an address, and its query.
func fileOf(address []byte) (name, query []byte) {
	name, query, _ = bytes.Cut(address, []byte("?"))
	return name[bytes.LastIndexByte(name, '/')+1:], query
}

// hasSuffixFold reports whether b ends with suffix, in upper or lower case.
func hasSuffixFold(b []byte, suffix string) bool {
	return len(b) >= len(suffix) && strings.EqualFold(string(b[len(b)-len(suffix):]), suffix)
}

// isMedia reports whether name ends like the name of a media file or a
// document to print, such as .jpg or .pdf.
func isMedia(name []byte) bool {
	dot := bytes.LastIndexByte(name, '.')
	if dot <= 0 || len(name)-dot > 5 {
		return false
	}
	var lower [4]byte
	n := copy(lower[:], name[dot+1:])
	for i := range n {
		lower[i] |= 0x20
	}
	switch string(lower[:n]) {
	case "jpg", "jpeg", "png", "gif", "webp", "avif", "svg", "bmp", "tif", "tiff", "mp3", "ogg", "wav", "mp4", "webm", "avi", "mov", "mpg", "mpeg", "pdf", "ps", "zip", "doc":
		return true
	}
	return false
}

// medium adds one media file, by the last part of its path and its query, to
// the Print. It does not use the folders, which may name a visit (a
// session), nor long parts of the query with digits, which a visit may have
// made up.
func (s *scanner) medium(name, query []byte) {
	h := uint32(fnvOffset32)
	for _, c := range name {
		h = (h ^ uint32(c)) * fnvPrime32
	}
	for i := 0; i < len(query); {
		t := readToken(query, i)
		if t.end == i {
			i++
			continue
		}
		if !t.digits || t.end-i < idLength {
			h = (h ^ t.hash) * fnvPrime32
		}
		i = t.end
	}
	u := mix32(h ^ 0x55555555)
	s.p.same += mix(uint64(u))
	s.p.media = append(s.p.media, u)
}

// Package rtf reads the Rich Text Format.
//
// Footnotes, comments, headers and footers become notes, text that a tracked change has
// removed becomes deleted text. Hidden text, field codes and the many groups that are
// not text are left out. The numbers of lists are text, as the file has them.
package rtf

import (
	"bytes"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"infomall/store/document"
	"infomall/store/document/office"
	"infomall/store/record"
)

// Kind is the kind of files in the Rich Text Format.
var Kind = document.Kind{Name: "rtf", Is: is, Read: read}

func is(in *document.Input) bool {
	head := bytes.TrimLeft(in.Body[:min(len(in.Body), 64)], "\ufeff \t\r\n\x00")
	return bytes.HasPrefix(head, []byte(`{\rtf`))
}

var errCut = errors.New("cut short: the end of the document is missing")

func read(b *document.Builder, in *document.Input) error {
	r := &reader{
		b: b, body: in.Body, flow: office.NewFlow(b), fonts: map[int]font{}, headings: map[int]bool{},
		page: 1252, langs: &office.LanguageCount{}, now: group{unicodeSkip: 1, font: -1, wideFont: -1},
	}
	err := r.run()
	if end := r.flow.EndSection(); err == nil || end != nil {
		err = end
	}
	if b.Doc.Lang = r.langs.Most(); b.Doc.Lang == "" {
		b.Doc.Lang = r.deflang
	}
	return err
}

// reader reads one file.
type reader struct {
	b     *document.Builder
	body  []byte
	at    int
	flow  *office.Flow
	langs *office.LanguageCount

	now    group   // the current group
	around []group // those around it

	page     int          // code page of the file
	fonts    map[int]font // by number
	defined  int          // number of the font that the table of fonts now defines
	deffont  int
	headings map[int]bool // numbers of the styles that are headings
	styled   int          // number of the style that the table of styles now defines
	deflang  string

	raw      []byte // bytes of text that were not decoded yet
	rawPage  int    // their code page
	rawANSI  bool   // their font says no more than that it is Western
	high     uint16 // first half of a surrogate pair
	skip     int    // characters to skip, because Unicode stood before them
	capture  []byte // text of a group that is not text of the document
	date     [6]int // of a date in the properties
	inRow    bool   // between \trowd and \row
	rowEnded bool   // no cell was begun since the last \row
}

// group holds the properties that apply inside of a pair of braces.
type group struct {
	dest        destination
	end         ending
	star        bool // \* was read: the group is left out if its word is not known
	unicodeSkip int  // characters that follow each \u as its substitute
	font        int  // -1 for the default
	wideFont    int  // font of Asian characters; -1 if there is none
	wide        bool // text is in that font
	hidden      bool
	deleted     bool
	inTable     bool // the paragraph is in a table
	heading     bool
	lang, asian string
	target      string // of a field's link
}

// destination says where the text of a group goes.
type destination uint8

const (
	toText destination = iota
	toNothing
	toFonts     // the table of fonts
	toStyles    // the table of styles
	toCapture   // kept until the end of the group
	toFieldCode // the code of a field
)

// ending is the action at the end of a group.
type ending uint8

const (
	plain ending = iota
	endFrame
	endLink
	endTitle
	endAuthor
	endSubject
	endKeywords
	endComment
	endProducer
	endCreated
	endModified
	endFieldCode
)

// font is one font of the table of fonts.
type font struct {
	page   int // its code page; 0 for that of the file
	ansi   bool
	symbol bool
	greek  bool // the font called Symbol
}

// captureMax is how many bytes of a title, a field code and the like are kept.
const captureMax = 32 << 10

// run reads the whole file.
func (r *reader) run() error {
	for r.at < len(r.body) {
		switch c := r.body[r.at]; c {
		case '{':
			r.at++
			r.skip = 0
			if len(r.around) >= r.b.Limits().Nesting {
				return fmt.Errorf("groups are nested more than %d deep: the rest is not read", len(r.around))
			}
			r.flush()
			r.around = append(r.around, r.now)
			r.now.end, r.now.star, r.now.target = plain, false, ""
		case '}':
			r.at++
			r.skip = 0
			if len(r.around) == 0 {
				return nil // what follows the document is not text
			}
			r.close()
			if len(r.around) == 0 {
				return nil
			}
		case '\\':
			r.at++
			r.control()
		case '\r', '\n', 0:
			r.at++
		default:
			r.at++
			r.char(c)
		}
		if r.flow.Err() != nil {
			return r.flow.Err()
		}
	}
	for len(r.around) > 0 {
		r.close()
	}
	return errCut
}

// close ends the current group.
func (r *reader) close() {
	r.flush()
	switch text := string(r.capture); r.now.end {
	case endFrame:
		r.flow.EndFrame()
	case endLink:
		r.flow.EndLink()
	case endTitle:
		r.b.Doc.Title = document.Clean(text)
	case endAuthor:
		r.b.Doc.Author = document.Clean(text)
	case endSubject:
		if r.b.Doc.Description == "" {
			r.b.Doc.Description = document.Clean(text)
		}
	case endKeywords:
		r.b.Doc.Keywords = document.Clean(text)
	case endComment:
		r.b.Doc.Description = document.Clean(text)
	case endProducer:
		r.b.Doc.Producer = document.Clean(trimSemicolon(text))
	case endCreated:
		r.b.Doc.Created = r.time()
	case endModified:
		r.b.Doc.Modified = r.time()
	case endFieldCode:
		// The result is in the next group of the group around.
		r.around[len(r.around)-1].target = office.LinkOf(text)
	}
	if r.now.dest >= toCapture && r.now.end != plain {
		r.capture = r.capture[:0]
	}
	last := len(r.around) - 1
	r.now, r.around = r.around[last], r.around[:last]
}

func trimSemicolon(text string) string {
	if n := len(text); n > 0 && text[n-1] == ';' {
		return text[:n-1]
	}
	return text
}

// time returns the date that was read last.
func (r *reader) time() record.Time {
	d := r.date
	r.date = [6]int{}
	if d[0] < 1900 || d[0] > 9999 {
		return record.NoTime
	}
	return record.At(time.Date(d[0], time.Month(max(1, d[1])), max(1, d[2]), d[3], d[4], d[5], 0, time.UTC))
}

// control reads what follows a backslash.
func (r *reader) control() {
	if r.at >= len(r.body) {
		return
	}
	c := r.body[r.at]
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		r.word()
		return
	}
	r.at++
	switch c {
	case '\'':
		if r.at+2 <= len(r.body) {
			high, ok := hex(r.body[r.at])
			low, ok2 := hex(r.body[r.at+1])
			if ok && ok2 {
				r.at += 2
				r.char(high<<4 | low)
			}
		}
	case '\\', '{', '}':
		r.char(c)
	case '*':
		r.now.star = true
	case '~':
		r.rune(' ')
	case '_':
		r.rune('-')
	case '\r', '\n':
		r.paragraph()
	}
}

// hex returns the value of a hexadecimal digit.
func hex(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// wordMax is how long a control word may be. The specification says 32.
const wordMax = 40

// word reads a control word with its number, and does what it says.
func (r *reader) word() {
	from := r.at
	for r.at < len(r.body) && r.at-from < wordMax && (r.body[r.at]|0x20 >= 'a' && r.body[r.at]|0x20 <= 'z') {
		r.at++
	}
	name := string(r.body[from:r.at])
	number, has, sign := 0, false, 1
	if r.at+1 < len(r.body) && r.body[r.at] == '-' && r.body[r.at+1] >= '0' && r.body[r.at+1] <= '9' {
		sign = -1
		r.at++
	}
	for digits := 0; r.at < len(r.body) && r.body[r.at] >= '0' && r.body[r.at] <= '9'; r.at++ {
		if digits++; digits <= 9 {
			number = number*10 + int(r.body[r.at]-'0')
		}
		has = true
	}
	number *= sign
	if r.at < len(r.body) && r.body[r.at] == ' ' {
		r.at++
	}
	if name == "bin" {
		r.at += max(0, min(number, len(r.body)-r.at))
		return
	}
	if name == "u" {
		r.unicode(number)
		return
	}
	if r.skip > 0 {
		r.skip--
		return
	}
	star := r.now.star
	r.now.star = false
	if r.begin(name) || r.apply(name, number, has) {
		return
	}
	if star {
		r.leaveOut()
	}
}

// leaveOut makes the current group one that is not text.
func (r *reader) leaveOut() { r.flush(); r.now.dest = toNothing }

// unicode adds the UTF-16 unit n, and skips the characters that follow as its
// substitute.
func (r *reader) unicode(n int) {
	unit := uint16(n)
	r.skip = r.now.unicodeSkip
	switch {
	case unit >= 0xd800 && unit < 0xdc00:
		r.high = unit
	case unit >= 0xdc00 && unit < 0xe000:
		if r.high != 0 {
			r.rune(0x10000 + (rune(r.high)-0xd800)<<10 + rune(unit) - 0xdc00)
		}
		r.high = 0
	default:
		r.high = 0
		if unit >= 0xf000 && unit <= 0xf0ff { // a character of a symbol font
			r.symbol(byte(unit), r.font().greek)
			return
		}
		r.flush()
		r.add(utf8.AppendRune(nil, rune(unit)))
	}
}

// rune adds c to the text, unless c is one of the characters that follow an escape \u as its
// substitute, for readers without Unicode.
func (r *reader) rune(c rune) {
	if r.skip > 0 && r.high == 0 && c < 0x10000 {
		r.skip--
		return
	}
	r.flush()
	r.add(utf8.AppendRune(nil, c))
}

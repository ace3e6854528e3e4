package msxls

import (
	"bytes"
	"strings"

	"infomall/store/document/ole"
)

// link is the hyperlink of a cell.
type link struct {
	row, col uint16
	target   string
}

// The class identifiers of the two forms of targets.
const (
	urlMoniker  = "\xe0\xc9\xea\x79\xf9\xba\xce\x11\x8c\x82\x00\xaa\x00\x4b\xa9\x0b"
	fileMoniker = "\x03\x03\x00\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46"
)

// readLink reads the record of a hyperlink ([MS-OSHARED] 2.3.7.1).
func readLink(d []byte) (l link, ok bool) {
	if len(d) < 32 {
		return l, false
	}
	l.row, l.col = ole.U16(d, 0), ole.U16(d, 4)
	flags := ole.U32(d, 28)
	rest := d[32:]
	// text reads a text of a number of characters of two bytes.
	text := func() string {
		n := min(uint64(ole.U32(rest, 0))*2, uint64(max(0, len(rest)-4)))
		if len(rest) < 4 {
			rest = nil
			return ""
		}
		s := ole.UTF16(rest[4 : 4+n])
		rest = rest[4+n:]
		s, _, _ = strings.Cut(s, "\x00")
		return s
	}
	if flags&0x10 != 0 {
		text() // the name that is shown
	}
	if flags&0x80 != 0 {
		text() // the frame
	}
	switch {
	case flags&0x101 == 0x101:
		l.target = text()
	case flags&1 != 0 && bytes.HasPrefix(rest, []byte(urlMoniker)):
		rest = rest[16:]
		n := min(uint64(ole.U32(rest, 0)), uint64(max(0, len(rest)-4)))
		if len(rest) >= 4 {
			l.target, _, _ = strings.Cut(ole.UTF16(rest[4:4+n]), "\x00")
			rest = rest[4+n:]
		}
	case flags&1 != 0 && bytes.HasPrefix(rest, []byte(fileMoniker)):
		n := min(uint64(ole.U32(rest, 18)), uint64(max(0, len(rest)-22)))
		if len(rest) >= 22 {
			name, _, _ := bytes.Cut(rest[22:22+n], []byte{0})
			l.target = ole.Text(name, 1252)
			rest = rest[22+n:]
			if len(rest) >= 28 { // a version stamp, zeros, and the name in UTF-16 if it needs it
				size := min(uint64(ole.U32(rest, 24)), uint64(len(rest)-28))
				if wide := rest[28 : 28+size]; len(wide) > 6 {
					l.target = ole.UTF16(wide[6:min(len(wide), 6+int(min(ole.U32(wide, 0), 1<<15)))])
				}
				rest = rest[28+size:]
			}
		}
	}
	if flags&8 != 0 {
		if place := text(); place != "" {
			l.target += "#" + place
		}
	}
	return l, l.target != ""
}

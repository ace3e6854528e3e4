package msxls

import (
	"unicode/utf16"

	"infomall/store/document/ole"
)

// The codes of the records that are used. Those with a second code have it in Excel 2,
// 3 or 4.
const (
	recEOF        = 0x0a
	recContinue   = 0x3c
	recFilePass   = 0x2f
	recCodePage   = 0x42
	recDate1904   = 0x22
	recBoundSheet = 0x85
	recSheetName  = 0x8f // of Excel 4
	recSST        = 0xfc
	recFormat     = 0x41e
	recFormat2    = 0x1e
	recXF         = 0xe0
	recXF3        = 0x243
	recXF4        = 0x443

	recLabelSST = 0xfd
	recLabel    = 0x204
	recLabel2   = 0x04
	recRString  = 0xd6
	recNumber   = 0x203
	recNumber2  = 0x03
	recInteger2 = 0x02
	recRK       = 0x27e
	recMulRK    = 0xbd
	recBoolErr  = 0x205
	recBoolErr2 = 0x05
	recFormula  = 0x06
	recFormula3 = 0x206
	recFormula4 = 0x406
	recString   = 0x207
	recString2  = 0x07

	recHeader = 0x14
	recFooter = 0x15
	recNote   = 0x1c
	recObject = 0x5d
	recText   = 0x1b6
	recLink   = 0x1b8
)

// The kinds of substreams.
const (
	kindGlobals   = 0x05
	kindSheet     = 0x10
	kindChart     = 0x20
	kindMacros    = 0x40
	kindWorkspace = 0x100
)

// isBegin reports whether a record of this code begins a substream, and of which
// version of the format: 2, 3, 4, 5 or 8.
func isBegin(code uint16, data []byte) (version int, ok bool) {
	switch code {
	case 0x0009:
		return 2, true
	case 0x0209:
		return 3, true
	case 0x0409:
		return 4, true
	case 0x0809:
		if ole.U16(data, 0) == 0x0600 {
			return 8, true
		}
		return 5, true
	}
	return 0, false
}

// record is one record with the records that continue it.
type record struct {
	code uint16
	data []byte
	more [][]byte
	next int // where the next record begins
}

// continuesMax is how many records may continue a record. Each has up to 8 KB.
const continuesMax = 1 << 16

// recordAt reads the record at an offset of the stream. ok is false at the end. The
// last record of a cut stream has the data that are left.
func recordAt(stream []byte, at int) (r record, ok bool) {
	one := func(at int) (code uint16, data []byte, next int, ok bool) {
		if at < 0 || at+4 > len(stream) {
			return 0, nil, 0, false
		}
		next = min(at+4+int(ole.U16(stream, at+2)), len(stream))
		return ole.U16(stream, at), stream[at+4 : next], next, true
	}
	if r.code, r.data, r.next, ok = one(at); !ok {
		return r, false
	}
	for {
		code, data, next, ok := one(r.next)
		if !ok || code != recContinue || len(r.more) == continuesMax {
			return r, true
		}
		r.more, r.next = append(r.more, data), next
	}
}

// reader reads the data of a record and of the records that continue it.
type reader struct {
	data []byte
	more [][]byte
}

func (r *record) reader() *reader { return &reader{r.data, r.more} }

// nextData goes to the data of the next record. It reports whether there is one.
func (r *reader) nextData() bool {
	if len(r.more) == 0 {
		r.data = nil
		return false
	}
	r.data, r.more = r.more[0], r.more[1:]
	return true
}

// ended reports whether nothing is left.
func (r *reader) ended() bool {
	for len(r.data) == 0 {
		if !r.nextData() {
			return true
		}
	}
	return false
}

// skip leaves out n bytes.
func (r *reader) skip(n int) {
	for n > len(r.data) {
		n -= len(r.data)
		if !r.nextData() {
			return
		}
	}
	r.data = r.data[n:]
}

// number reads a number of n bytes.
func (r *reader) number(n int) uint32 {
	var x uint32
	for i := range n {
		if r.ended() {
			break
		}
		x |= uint32(r.data[0]) << (8 * i)
		r.data = r.data[1:]
	}
	return x
}

// text reads a text of BIFF8 whose length has lengthBytes bytes.
func (r *reader) text(lengthBytes int) string {
	n := int(r.number(lengthBytes))
	flags := r.number(1)
	runs, extra := 0, 0
	if flags&8 != 0 {
		runs = int(r.number(2))
	}
	if flags&4 != 0 {
		extra = int(r.number(4) & 0x7fffffff)
	}
	s := r.chars(n, flags&1 != 0)
	r.skip(4 * runs)
	r.skip(extra)
	return s
}

// chars reads n characters of two bytes, or of one byte if wide is false. If the text continues in
// the next record, that record begins with a flag that says the width there.
func (r *reader) chars(n int, wide bool) string {
	var units []uint16
	for n > 0 {
		if len(r.data) == 0 {
			if !r.nextData() || len(r.data) == 0 {
				break
			}
			wide, r.data = r.data[0]&1 != 0, r.data[1:]
			continue
		}
		if !wide {
			k := min(n, len(r.data))
			for _, c := range r.data[:k] {
				units = append(units, uint16(c))
			}
			n, r.data = n-k, r.data[k:]
			continue
		}
		k := min(n, len(r.data)/2)
		for i := range k {
			units = append(units, ole.U16(r.data, 2*i))
		}
		if n, r.data = n-k, r.data[2*k:]; k == 0 {
			r.data = nil // half of a character
		}
	}
	return string(utf16.Decode(units))
}

// text reads a text at an offset of a record, whose length has lengthBytes bytes. Before
// BIFF8 it is in the code page of the workbook.
func (w *book) text(r *record, at, lengthBytes int) string {
	in := r.reader()
	in.skip(at)
	if w.version >= 8 {
		return in.text(lengthBytes)
	}
	n := int(in.number(lengthBytes))
	return ole.Text(in.data[:min(n, len(in.data))], w.page)
}

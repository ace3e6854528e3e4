package ole

import (
	"bytes"
	"encoding/binary"
	"time"

	"infomall/store/document"
	"infomall/store/record"
)

// properties are the values of a property set by their identifiers: a string, an int64
// or a record.Time. Values of other types are left out.
type properties map[uint32]any

// The identifiers of the properties that are used.
const (
	propCodePage = 1

	propTitle    = 2
	propSubject  = 3
	propAuthor   = 4
	propKeywords = 5
	propComments = 6
	propCreated  = 12
	propSaved    = 13
	propPages    = 14
	propProgram  = 18

	propSlides = 7 // of the set DocumentSummaryInformation
)

const (
	summaryStream  = "\x05SummaryInformation"
	documentStream = "\x05DocumentSummaryInformation"
)

const (
	propertiesMax = 256      // properties of a set that are read
	stringMax     = 64 << 10 // bytes of a string that are read
)

// Describe sets the title, author, dates, program and page count of d from the property
// sets of the file.
func (f *File) Describe(d *document.Document) {
	p := readProperties(f.Stream(summaryStream))
	text := func(id uint32) string {
		s, _ := p[id].(string)
		return document.Clean(s)
	}
	when := func(id uint32) record.Time {
		if t, ok := p[id].(record.Time); ok {
			return t
		}
		return record.NoTime
	}
	d.Title, d.Author, d.Producer = text(propTitle), text(propAuthor), text(propProgram)
	d.Keywords = text(propKeywords)
	if d.Description = text(propComments); d.Description == "" {
		d.Description = text(propSubject)
	}
	d.Created, d.Modified = when(propCreated), when(propSaved)
	if n, ok := p[propPages].(int64); ok && n > 0 {
		d.Pages = n
	}
	if n, ok := readProperties(f.Stream(documentStream))[propSlides].(int64); ok && n > 0 {
		d.Pages = n
	}
}

// readProperties reads the first set of a property stream. It returns what it can read
// of a damaged one.
func readProperties(b []byte) properties {
	if len(b) < 48 || U16(b, 0) != 0xfffe {
		return nil
	}
	from := U32(b, 44)
	if uint64(from)+8 > uint64(len(b)) {
		return nil
	}
	set := b[from:]
	count := min(int64(U32(set, 4)), propertiesMax, int64(len(set)-8)/8)
	at := func(i int64) (id uint32, value []byte) {
		head := set[8+8*i:]
		if offset := U32(head, 4); uint64(offset)+8 <= uint64(len(set)) {
			value = set[offset:]
		}
		return U32(head, 0), value
	}
	page := 1252
	for i := range count {
		if id, v := at(i); id == propCodePage && v != nil {
			page = int(U16(v, 4))
		}
	}
	out := make(properties)
	for i := range count {
		if id, v := at(i); v != nil && id > propCodePage {
			if x := propertyValue(v, page); x != nil {
				out[id] = x
			}
		}
	}
	return out
}

// propertyValue returns the value at the start of v, which must have at least 8 bytes. page is the
// code page of texts. It returns nil if values of this type are not used.
func propertyValue(v []byte, page int) any {
	switch U16(v, 0) {
	case 2:
		return int64(int16(U16(v, 4)))
	case 3:
		return int64(int32(U32(v, 4)))
	case 30, 31:
		n := uint64(U32(v, 4))
		if U16(v, 0) == 31 {
			n, page = 2*n, unicodePage
		}
		return Text(cutZero(v[8:8+min(n, uint64(len(v)-8), stringMax)], page), page)
	case 64:
		if len(v) >= 12 {
			return FileTime(binary.LittleEndian.Uint64(v[4:]))
		}
	}
	return nil
}

// cutZero returns b up to its first zero character.
func cutZero(b []byte, page int) []byte {
	if page != unicodePage {
		b, _, _ = bytes.Cut(b, []byte{0})
		return b
	}
	for i := 0; i+1 < len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 {
			return b[:i]
		}
	}
	return b
}

// FileTime returns the time that is n units of 100 nanoseconds after the start of 1601. It returns
// NoTime if that time is not between 1980 and 2100, because programs write 0 and other marks if
// they do not know the time.
func FileTime(n uint64) record.Time {
	const before1970, perMilli = 11644473600_000, 10_000
	t := record.Time(n/perMilli) - before1970
	if t < record.At(time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)) || t > record.At(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)) {
		return record.NoTime
	}
	return t
}

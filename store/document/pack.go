package document

import (
	"encoding/binary"
	"errors"

	"infomall/store/packed"
	"infomall/store/record"
)

// Version is the version of the code that reads documents. It must be increased whenever a reader
// gives another result for any body. Stored readings with another Version are made again.
const Version = 7

// errDamaged is returned if a reading is damaged.
var errDamaged = errors.New("the reading of a document is damaged")

// errOther is returned for a reading that has another Version.
var errOther = errors.New("the document was read by another version of the program")

// Append appends the reading of d to dst. store/FORMAT.md describes the bytes.
func (d *Document) Append(dst []byte) []byte {
	dst = append(dst, Version)
	for _, s := range d.texts() {
		dst = packed.AppendSized(dst, *s)
	}
	for _, t := range d.times() {
		dst = binary.AppendVarint(dst, int64(*t))
	}
	for _, n := range d.numbers() {
		dst = binary.AppendVarint(dst, *n)
	}
	var flags byte
	if d.HasPrint {
		flags |= 1
	}
	if d.Scanned {
		flags |= 2
	}
	dst = append(dst, flags)
	dst = binary.LittleEndian.AppendUint64(dst, d.Print)
	dst = binary.AppendUvarint(dst, uint64(len(d.Sections)))
	for _, s := range d.Sections {
		dst = packed.AppendSized(append(dst, byte(s.Kind)), s.Name)
		dst = binary.AppendUvarint(dst, uint64(len(s.Parts)))
		for _, p := range s.Parts {
			dst = packed.AppendSized(append(dst, byte(p.Kind)), p.Text)
		}
	}
	dst = binary.AppendUvarint(dst, uint64(len(d.Links)))
	for _, l := range d.Links {
		dst = packed.AppendSized(packed.AppendSized(dst, l.Target), l.Anchor)
		dst = binary.AppendUvarint(dst, uint64(l.Section))
	}
	return dst
}

// Unpack returns the document of a reading that Append made. It returns errOther or
// errDamaged if it cannot.
func Unpack(reading []byte) (*Document, error) {
	r := packed.Reader{B: reading}
	if v := r.Byte(); v != Version {
		return nil, errOther
	}
	d := New()
	for _, s := range d.texts() {
		*s = r.Text()
	}
	for _, t := range d.times() {
		*t = record.Time(r.Varint())
	}
	for _, n := range d.numbers() {
		*n = r.Varint()
	}
	flags := r.Byte()
	d.HasPrint, d.Scanned = flags&1 != 0, flags&2 != 0
	if b := r.Take(8); b != nil {
		d.Print = binary.LittleEndian.Uint64(b)
	}
	d.Sections = make([]Section, r.Count())
	for i := range d.Sections {
		s := &d.Sections[i]
		kind := r.Byte()
		r.Bad = r.Bad || kind >= byte(sectionKinds)
		if r.Bad {
			return nil, errDamaged
		}
		s.Kind, s.Name = SectionKind(kind), r.Text()
		s.Parts = make([]Part, r.Count())
		for j := range s.Parts {
			kind := r.Byte()
			r.Bad = r.Bad || kind >= byte(partKinds)
			s.Parts[j] = Part{PartKind(kind), r.Text()}
		}
	}
	d.Links = make([]Link, r.Count())
	for i := range d.Links {
		l := &d.Links[i]
		l.Target, l.Anchor, l.Section = r.Text(), r.Text(), r.Number()
		r.Bad = r.Bad || l.Section > 0 && l.Section >= len(d.Sections)
	}
	if r.Bad || len(r.B) > 0 {
		return nil, errDamaged
	}
	return d, nil
}

// texts, times and numbers return the fields of one type in the order in which a
// reading has them.
func (d *Document) texts() []*string {
	return []*string{&d.Kind, &d.Format, &d.Title, &d.Author, &d.Producer, &d.Lang, &d.Description, &d.Keywords, &d.Place, &d.Reason}
}

func (d *Document) times() []*record.Time {
	return []*record.Time{&d.Created, &d.Modified, &d.Taken}
}

func (d *Document) numbers() []*int64 {
	return []*int64{&d.Pages, &d.Width, &d.Height, &d.Duration}
}

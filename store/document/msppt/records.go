package msppt

import "infomall/store/document/ole"

// The types of the records that are used.
const (
	typeDocument     = 0x03e8
	typeSlide        = 0x03ee
	typeNotes        = 0x03f0
	typeSlideAtom    = 0x03ef
	typeNotesAtom    = 0x03f1
	typePersist      = 0x03f3
	typeLinkList     = 0x0409
	typeLink         = 0x0fd7
	typeLinkAtom     = 0x0fd3
	typeSlideList    = 0x0ff0
	typeInteractive  = 0x0ff2
	typeInteractive1 = 0x0ff3
	typeLinkRange    = 0x0fdf
	typeEdit         = 0x0ff5
	typePersistDir   = 0x1772
	typeOutlineRef   = 0x0f9e
	typeTextHeader   = 0x0f9f
	typeTextChars    = 0x0fa0
	typeTextBytes    = 0x0fa8
	typeString       = 0x0fba
	typeMargins      = 0x0fd9
	typeSlideNumber  = 0x0fd8
	typeDateTime     = 0x0ff7
	typeDate         = 0x0ff8
	typeHeaderField  = 0x0ff9
	typeFooterField  = 0x0ffa
	typeOtherDate    = 0x1015
	typeComment      = 0x2ee0
	typeTags         = 0x1388
	typeTag          = 0x138a
	typeTagData      = 0x138b
	typePlaceholder  = 0x0bc3

	typeDrawing     = 0x040c
	typeDgContainer = 0xf002
	typeGroup       = 0xf003
	typeShape       = 0xf004
	typeClientData  = 0xf011
	typeTextbox     = 0xf00d
)

const recordHead = 8 // bytes before the data of a record

// record is one record.
type record struct {
	kind      uint16
	instance  int
	container bool // its data are records
	data      []byte
}

// at returns the record at an offset of data and the offset of the next one. ok is
// false at the end. A record that is cut has the data that are left.
func at(data []byte, offset int) (r record, next int, ok bool) {
	if offset < 0 || offset+recordHead > len(data) {
		return r, 0, false
	}
	head := ole.U16(data, offset)
	from := offset + recordHead
	next = int(min(int64(from)+int64(ole.U32(data, offset+4)), int64(len(data))))
	return record{ole.U16(data, offset+2), int(head >> 4), head&15 == 15, data[from:next]}, next, true
}

// children calls f with each record in data, until f returns false. It also stops when the limit on
// the records of a presentation is reached, because records of a damaged file may overlap.
func (s *show) children(data []byte, f func(r record) bool) {
	for offset := 0; s.records > 0; {
		r, next, ok := at(data, offset)
		if !ok {
			return
		}
		s.records--
		if !f(r) {
			return
		}
		offset = next
	}
}

// child returns the data of the first record of a type, or nil.
func (s *show) child(data []byte, kind uint16) []byte {
	var out []byte
	s.children(data, func(r record) bool {
		if r.kind == kind {
			out = r.data
		}
		return out == nil
	})
	return out
}

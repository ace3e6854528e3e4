package msppt

import (
	"strconv"

	"infomall/store/document"
	"infomall/store/document/ole"
)

// show is one presentation.
type show struct {
	b       *document.Builder
	stream  []byte
	places  map[uint32]uint32 // where the record of each reference is
	links   map[uint32]string // targets of hyperlinks by their number
	notes   map[uint32]uint32 // reference of the notes of each slide, by the number of the slide
	margins map[string]bool   // headers and footers that were added
	budget  int               // bytes of text that may be read
	records int               // records that may be read
}

// entry is the entry of one slide in the list of the document.
type entry struct {
	reference uint32
	number    uint32
	outline   []text
}

// tokenEncrypted is the mark of an encrypted presentation in the stream Current User.
const tokenEncrypted = 0xf3d1c4df

// read reads the slides. user is the stream Current User, which says where the last edit
// is.
func (s *show) read(user []byte) error {
	if ole.U32(user, 12) == tokenEncrypted {
		return errEncrypted
	}
	s.margins = make(map[string]bool)
	doc, encrypted := s.edits(ole.U32(user, 16))
	if encrypted {
		return errEncrypted
	}
	r, _, ok := at(s.stream, int(doc))
	if !ok || r.kind != typeDocument || s.places == nil {
		return s.inOrder()
	}
	var slides, notes []entry
	s.children(r.data, func(c record) bool {
		switch {
		case c.kind == typeLinkList:
			s.readLinks(c.data)
		case c.kind == typeSlideList && c.instance == 0:
			slides = s.entries(c.data)
		case c.kind == typeSlideList && c.instance == 2:
			notes = s.entries(c.data)
		}
		return true
	})
	s.notes = make(map[uint32]uint32)
	for _, n := range notes {
		if r, ok := s.record(n.reference, typeNotes); ok {
			s.notes[ole.U32(s.child(r.data, typeNotesAtom), 0)] = n.reference
		}
	}
	for i, e := range slides {
		if err := s.slide(i+1, e); err != nil {
			return err
		}
	}
	s.b.Doc.Pages = int64(len(slides))
	// The headers and footers of all slides, and of all notes.
	var err error
	s.children(r.data, func(c record) bool {
		if c.kind == typeMargins && len(slides) > 0 {
			err = s.addMargins(c.data)
		}
		return err == nil
	})
	if err == nil && s.full() {
		err = document.ErrLimit
	}
	return err
}

// full reports whether the limit of text or the limit of records of the presentation is reached.
func (s *show) full() bool { return s.budget == 0 || s.records == 0 }

// edits fills s.places from all edits (see the package comment). last is the offset of the newest
// edit; it has priority over older ones. doc is the offset of the record of the document.
func (s *show) edits(last uint32) (doc uint32, encrypted bool) {
	seen := make(map[uint32]bool)
	reference := uint32(0)
	for offset := last; !seen[offset]; {
		seen[offset] = true
		e, _, ok := at(s.stream, int(offset))
		if !ok || e.kind != typeEdit || len(e.data) < 20 {
			break
		}
		if s.places == nil {
			s.places = make(map[uint32]uint32)
			reference = ole.U32(e.data, 16)
			encrypted = len(e.data) >= 32 && ole.U32(e.data, 28) != 0
		}
		if d, _, ok := at(s.stream, int(ole.U32(e.data, 12))); ok && d.kind == typePersistDir {
			s.directory(d.data)
		}
		if offset = ole.U32(e.data, 8); offset == 0 {
			break
		}
	}
	doc, ok := s.places[reference]
	if !ok {
		doc = ^uint32(0)
	}
	return doc, encrypted
}

// directory reads where an edit put records: groups of a first reference and a number
// of places.
func (s *show) directory(d []byte) {
	for len(d) >= 4 && s.records > 0 {
		s.records--
		head := ole.U32(d, 0)
		first, n := head&0xfffff, int(head>>20)
		d = d[4:]
		for i := 0; i < n && len(d) >= 4 && s.records > 0; i++ {
			s.records--
			ref := first + uint32(i)
			if _, ok := s.places[ref]; !ok {
				s.places[ref] = ole.U32(d, 0)
			}
			d = d[4:]
		}
	}
}

// record returns the record of a reference if it has the given type.
func (s *show) record(reference uint32, kind uint16) (record, bool) {
	place, ok := s.places[reference]
	if !ok {
		return record{}, false
	}
	r, _, ok := at(s.stream, int(place))
	return r, ok && r.kind == kind
}

// entries reads a list of slides or notes with their outline.
func (s *show) entries(d []byte) []entry {
	var out []entry
	in := texts{show: s}
	flush := func() {
		if len(out) > 0 {
			out[len(out)-1].outline = in.list
		}
		in.list = nil
	}
	s.children(d, func(r record) bool {
		if r.kind == typePersist {
			flush()
			out = append(out, entry{reference: ole.U32(r.data, 0), number: ole.U32(r.data, 12)})
			return len(out) <= s.b.Limits().Pages
		}
		in.record(r)
		return true
	})
	flush()
	return out
}

// readLinks reads the targets of the hyperlinks.
func (s *show) readLinks(d []byte) {
	s.links = make(map[uint32]string)
	s.children(d, func(r record) bool {
		if r.kind != typeLink {
			return true
		}
		number, target, place := uint32(0), "", ""
		s.children(r.data, func(c record) bool {
			switch {
			case c.kind == typeLinkAtom:
				number = ole.U32(c.data, 0)
			case c.kind == typeString && c.instance == 1:
				target = ole.UTF16(c.data)
			case c.kind == typeString && c.instance == 3:
				place = ole.UTF16(c.data)
			}
			return true
		})
		// The place of a target in the presentation itself is no address.
		if target != "" {
			if place != "" {
				target += "#" + place
			}
			s.links[number] = target
		}
		return true
	})
}

// slide adds the section of a slide: its texts in the order of its shapes, texts of the
// outline that no shape refers to, comments, and the speaker's notes.
func (s *show) slide(n int, e entry) error {
	if n > s.b.Limits().Pages {
		return document.ErrLimit
	}
	if err := s.b.Begin(document.Slide, strconv.Itoa(n)); err != nil {
		return err
	}
	r, ok := s.record(e.reference, typeSlide)
	in := texts{show: s, outline: e.outline}
	if ok {
		in.slide(r.data)
	}
	for i, t := range in.outline {
		if i >= len(in.used) || !in.used[i] {
			in.list = append(in.list, t)
		}
	}
	if err := s.add(in.list, false); err != nil {
		return err
	}
	for _, c := range in.comments {
		if err := s.b.Add(document.Note, c); err != nil {
			return err
		}
	}
	for _, m := range in.margins {
		if err := s.addMargins(m); err != nil {
			return err
		}
	}
	if ref, ok := s.notes[e.number]; ok && e.number != 0 {
		if r, ok := s.record(ref, typeNotes); ok {
			notes := texts{show: s}
			notes.slide(r.data)
			return s.add(notes.list, true)
		}
	}
	return nil
}

// addMargins adds the header and footer of a slide, once each.
func (s *show) addMargins(d []byte) error {
	var err error
	s.children(d, func(r record) bool {
		if r.kind == typeString {
			if t := document.Clean(ole.UTF16(r.data)); t != "" && !s.margins[t] {
				s.margins[t] = true
				err = s.b.Add(document.Note, t)
			}
		}
		return err == nil
	})
	return err
}

// inOrder reads the slides of a presentation whose list of slides is lost, in the order
// of the stream.
func (s *show) inOrder() error {
	n := 0
	var err error
	s.children(s.stream, func(r record) bool {
		switch r.kind {
		case typeSlide, typeNotes:
			in := texts{show: s}
			in.slide(r.data)
			if r.kind == typeSlide {
				n++
				if err = s.b.Begin(document.Slide, strconv.Itoa(n)); err != nil {
					return false
				}
			}
			err = s.add(in.list, r.kind == typeNotes)
		case typeDocument:
			s.children(r.data, func(c record) bool {
				if c.kind == typeSlideList && c.instance == 0 {
					for _, e := range s.entries(c.data) {
						if err == nil {
							err = s.add(e.outline, false)
						}
					}
				}
				return err == nil
			})
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	return errLost
}

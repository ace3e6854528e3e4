package message

import "infomall/store/record"

// Moment holds the captures of one URL at one time that a Writer has written to a file. When the
// file is read, the archive distinguishes these captures by their status and body, and by whether
// they are responses, files or revisits. A file may lose the last distinction, for example when a
// revisit is written with its body. Two captures would then be read as one. The zero value is an
// empty moment.
type Moment struct {
	url     string
	time    record.Time
	written []Written
}

// Written is a capture of a Moment that was written to the file.
type Written struct {
	Revisit  bool   // it is a revisit record, without a body
	Declared string // digest that the record of the capture declared; or ""

	resource bool
	status   int
	digest   record.Digest
}

func writtenOf(s *Stored) Written {
	return Written{Declared: s.DeclaredDigest, resource: s.Via == record.ViaResource, status: s.Status, digest: s.Digest}
}

// Twin returns the capture already in the file that a reader of the file could not distinguish
// from s, or nil if there is none. Call Twin in the order of URL and time: if s has another URL or
// time than the captures in m, Twin first removes them from m.
func (m *Moment) Twin(s *Stored) *Written {
	if s.URL != m.url || s.Time != m.time {
		m.url, m.time, m.written = s.URL, s.Time, m.written[:0]
	}
	w := writtenOf(s)
	for i := range m.written {
		if o := &m.written[i]; o.resource == w.resource && o.status == w.status && o.digest == w.digest {
			return o
		}
	}
	return nil
}

// HasBody reports whether one of the captures of m was written with the body of s,
// and not as a revisit.
func (m *Moment) HasBody(s *Stored) bool {
	for i := range m.written {
		if o := &m.written[i]; o.digest == s.Digest && !o.Revisit {
			return true
		}
	}
	return false
}

// Add notes that s was written to the file, as a revisit record if revisit is set.
// Call Twin for s before. A capture whose body is not known has no twin, and must
// not be added.
func (m *Moment) Add(s *Stored, revisit bool) {
	w := writtenOf(s)
	w.Revisit = revisit
	m.written = append(m.written, w)
}

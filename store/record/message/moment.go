package message

import "infomall/store/record"

// Moment holds what a file has of one URL at one time, for a Writer of the file.
// The archive knows the captures of a moment by their status and body, and by
// whether they are responses, files or revisits. A file may lose that last
// difference, for example when a revisit is written with its body. Then two
// captures would come back as one. The zero value is an empty moment.
type Moment struct {
	url     string
	time    record.Time
	written []Written
}

// Written is a capture that a file has.
type Written struct {
	Revisit  bool   // it is a revisit record, without a body
	Declared string // digest that the capture came with

	resource bool
	status   int
	digest   record.Digest
}

func writtenOf(s *Stored) Written {
	return Written{Declared: s.DeclaredDigest, resource: s.Via == record.ViaResource, status: s.Status, digest: s.Digest}
}

// Twin returns the capture of the file that s would be taken for, or nil. Captures
// come in order of URL and time: the first of another moment empties m.
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

// HasBody reports whether the file has the body of s in a record of its moment.
func (m *Moment) HasBody(s *Stored) bool {
	for i := range m.written {
		if o := &m.written[i]; o.digest == s.Digest && !o.Revisit {
			return true
		}
	}
	return false
}

// Add notes that s, which Twin was asked about, was written. A capture whose body
// is not known has no twin, and is not added.
func (m *Moment) Add(s *Stored, revisit bool) {
	w := writtenOf(s)
	w.Revisit = revisit
	m.written = append(m.written, w)
}

package segment

// BodyAt says where the body of one entry of a run is.
type BodyAt struct {
	Form   BodyForm
	ID     ID     // of the body; zero for BodyNone
	Recipe Recipe // for BodyOwn
	// Same is the number of the first of the entries before it in the run that have the
	// same body and were read in the same way, or of the entry itself.
	Same uint32
}

// Bodies returns where the body of each entry of the run is, in order. It decodes
// nothing else.
func (m *Meta) Bodies() ([]BodyAt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.entryPlaces()
	if err != nil {
		return nil, m.fault(err)
	}
	out := make([]BodyAt, m.n)
	for i, at := range p.at {
		b := &out[i]
		b.Form, b.Same = BodyForm(m.flags[i]>>flagBody&3), uint32(at.like)
		if at.page >= 0 {
			d := m.digest(int(at.page))
			b.ID = ID(d[:len(ID{})])
		}
		if at.own >= 0 {
			b.Recipe = p.recipes[at.own]
		}
	}
	return out, nil
}

// Keys returns the keys of the run's URLs, in order, and how many entries each has.
// mimes is the media type of each entry.
func (m *Meta) Keys() (keys []string, counts []int64, mimes []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, err := m.front()
	if err != nil {
		return nil, nil, nil, m.fault(err)
	}
	return f.keys, f.counts, f.mime, nil
}

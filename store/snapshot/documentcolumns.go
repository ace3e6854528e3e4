package snapshot

import (
	"slices"

	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// colsDocument are the columns of a page that are those of the document if a capture is
// no page.
const colsDocument = record.ColTitle | record.ColLang

// title returns the title of the page or document of the entry at a place, which is stored
// with a body. m is what the db-file says of the entries of its run.
func (o *batcher) title(m *metaAt, at timeline.Place) (string, error) {
	if k := m.pages.TitleAt(int(at.N)); k >= 0 {
		if title := m.pages.Titles()[k]; title != "" || m.bodies == nil {
			return title, nil
		}
	}
	if m.bodies == nil {
		return "", nil
	}
	p := m.pages.Of(at.N)
	err := o.addDocument(&p, m, at, origin{})
	return p.Title, err
}

// addDocument sets the title and the language of p, the page of the entry at a place, to
// those of its document, if the body was not read as a page and is a document. m is what
// the db-file says of the entries of the run. from is the origin of the body of an entry
// that is stored without one.
func (o *batcher) addDocument(p *segment.Page, m *metaAt, at timeline.Place, from origin) error {
	if m.bodies == nil || p.BlockCount >= 0 {
		return nil
	}
	if m.bodies[at.N] == (record.Digest{}) { // it is stored without a body
		if at = from.from; at.Seg == nil {
			return nil
		}
	} else if !o.v.hasReading(segment.ID(m.bodies[at.N][:len(segment.ID{})])) {
		return nil
	}
	e, err := o.v.Runs.Entry(at)
	if err == nil {
		var where timeline.Place
		if e, where, err = o.v.Owner(o.ctx, at, e); err == nil && e != nil {
			if row, ok := o.v.documentOf(where, e); ok {
				p.Title, p.Lang = row.Title, row.Lang
			}
		}
	}
	if o.v.skips(err) {
		return nil
	}
	return err
}

// hasReading reports whether the archive may have a reading of a body.
func (v *Snapshot) hasReading(id segment.ID) bool {
	bodies := v.readBodies()
	i, _ := slices.BinarySearch(bodies, bodyNumber(id))
	return i < len(bodies) && bodies[i]&^bodyBits == bodyNumber(id)
}

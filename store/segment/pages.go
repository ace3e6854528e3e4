package segment

import (
	"slices"
	"strings"

	"infomall/store/record"
	"infomall/store/segment/column"
)

// Pages is what was read from the bodies of the entries of a run when they came in, such
// as their titles. It is immutable.
type Pages struct {
	at     []int32 // for each entry: index of its page in the columns; -1 if the entry has no body
	flags  []int64
	text   [colReadBytes - colTitle]column.Texts // the columns of texts: element 0 is colTitle
	counts [colRecipes - colReadBytes][]int64    // the columns of numbers: element 0 is colReadBytes
}

// pageColumns lists, for each column that a scan may want, the columns of the db-file to
// decode.
var pageColumns = []struct {
	of   record.Columns
	cols []int
}{
	{record.ColTitle, []int{colTitle}},
	{record.ColLang, []int{colLang}},
	{record.ColCharset, []int{colCharset, colDeclaredCharset, colCharsetSource, colUnread, colReadBytes}},
	{record.ColReason, []int{colReason}},
	{record.ColCounts, []int{colLinkCount, colBlockCount}},
}

// Pages returns what was read from the bodies of the entries, in order. It decodes only
// the columns that want asks for.
func (m *Meta) Pages(want record.Columns) (*Pages, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.decodePages(want)
	return p, m.fault(err)
}

func (m *Meta) decodePages(want record.Columns) (*Pages, error) {
	if err := m.need(groupPages); err != nil {
		return nil, err
	}
	p := &Pages{at: make([]int32, m.n), flags: m.flags}
	pages := 0
	for i, fl := range m.flags {
		switch {
		case BodyForm(fl>>flagBody&3) == BodyNone:
			p.at[i] = -1
		case fl>>flagSameID&1 != 0 && i > 0:
			p.at[i] = p.at[i-1]
		default:
			p.at[i] = int32(pages)
			pages++
		}
	}
	for i := range p.text {
		_ = p.text[i].Decode(nil, 0) // gives "" for every page
	}
	for _, c := range pageColumns {
		if want&c.of == 0 {
			continue
		}
		for _, col := range c.cols {
			var err error
			if col < colReadBytes {
				err = p.text[col-colTitle].Decode(m.cols[col], pages)
			} else {
				p.counts[col-colReadBytes], err = column.DecodeInts(nil, m.cols[col], pages)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// Of returns the Page of entry i of the run, or NoPage if the entry has no body. Fields
// that were not asked for are zero.
func (p *Pages) Of(i uint32) Page {
	n := p.at[i]
	if n < 0 {
		return NoPage
	}
	text := func(col int) string { return p.text[col-colTitle].Of(int(n)) }
	count := func(col int) int64 {
		if c := p.counts[col-colReadBytes]; c != nil {
			return c[n]
		}
		return 0
	}
	return Page{
		Title: text(colTitle), Lang: text(colLang), Charset: text(colCharset), Declared: text(colDeclaredCharset), Reason: text(colReason),
		Source: text(colCharsetSource), Unread: text(colUnread), ReadBytes: count(colReadBytes),
		NoArchive: p.flags[i]>>flagNoArchive&1 != 0, LinkCount: count(colLinkCount), BlockCount: count(colBlockCount),
	}
}

// AllRead reports whether all bodies of the run were read as pages or as plain text. The Pages
// must have been decoded with record.ColCounts.
func (p *Pages) AllRead() bool {
	return !slices.ContainsFunc(p.counts[colBlockCount-colReadBytes], func(n int64) bool { return n < 0 })
}

// Digests returns the digest of each entry's body, in order. It is zero for an
// entry with BodyNone.
func (m *Meta) Digests() ([]record.Digest, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out, err := m.decodeDigests()
	return out, m.fault(err)
}

func (m *Meta) decodeDigests() ([]record.Digest, error) {
	if err := m.need(groupIDs); err != nil {
		return nil, err
	}
	out := make([]record.Digest, m.n)
	b := m.cols[colDigests]
	for i, fl := range m.flags {
		switch {
		case BodyForm(fl>>flagBody&3) == BodyNone:
		case fl>>flagSameID&1 != 0 && i > 0:
			out[i] = out[i-1]
		case len(b) < len(record.Digest{}):
			return nil, column.ErrDamaged
		default:
			b = b[copy(out[i][:], b):]
		}
	}
	if len(b) != 0 {
		return nil, column.ErrDamaged
	}
	return out, nil
}

// lastKey returns the key of the last entry. The run must have one.
func (m *Meta) lastKey() (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, err := m.front(0)
	if err != nil {
		return "", m.fault(err)
	}
	return strings.Clone(f.keys[len(f.keys)-1]), nil
}

// BodyAt says where the body of one entry of a run is.
type BodyAt struct {
	Form   BodyForm
	ID     ID     // ID of the body; zero for BodyNone
	Recipe Recipe // for BodyOwn: the blocks that make up the body
	// Same is the number of the first entry in the run that has the same body and was read in
	// the same way. It is the number of this entry if no earlier one has.
	Same uint32
}

// Bodies returns where the body of each entry of the run is, in order. It decodes
// nothing else.
func (m *Meta) Bodies() ([]BodyAt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.entryPlaces()
	if err == nil {
		err = p.allRecipes()
	}
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

// AppendSame appends to dst the field Same of what Bodies returns for each entry.
func (m *Meta) AppendSame(dst []uint32) ([]uint32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.entryPlaces()
	if err != nil {
		return dst, m.fault(err)
	}
	for i := range p.at {
		dst = append(dst, uint32(p.at[i].like))
	}
	return dst, nil
}

// URLs returns the keys of the run's URLs, in order, and how many entries each has. It
// decodes nothing else.
func (m *Meta) URLs() (keys []string, counts []int64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.some != nil {
		return m.some.keys, m.some.counts, nil
	}
	p := &m.columns
	if p.n == 0 {
		return nil, nil, nil
	}
	if keys, err = p.keys(nil, new(column.Texts)); err == nil {
		counts, err = decodeCounts(nil, p.cols[colCounts], p.n, p.k)
	}
	if err != nil {
		return nil, nil, m.fault(err)
	}
	return keys, counts, nil
}

// Keys returns the keys of the run's URLs, in order, and how many entries each has.
// mimes is the media type of each entry.
func (m *Meta) Keys() (keys []string, counts []int64, mimes []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, err := m.front(wantPages)
	if err != nil {
		return nil, nil, nil, m.fault(err)
	}
	return f.keys, f.counts, f.mime, nil
}

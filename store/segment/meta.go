package segment

import (
	"iter"
	"sync"

	"infomall/store/disk"
	"infomall/store/packed"
	"infomall/store/record"
)

// Meta is the decoded meta frame of one run: everything about its entries except
// bodies and facts. A column is decoded when it is first asked for. For its users a
// Meta does not change, and several goroutines may use it.
type Meta struct {
	segment uint32
	number  uint32
	packed  bool
	front   *front
	cols    [backCols][]byte

	mu     sync.Mutex
	texts  [backCols][]string
	parts  *entryParts // created when an entry is first asked for
	stored []Stored
}

// decodeMeta decodes b, the decompressed meta frame of run number of a segment. It
// keeps a reference to b.
func decodeMeta(b []byte, segment, number uint32) (*Meta, error) {
	rest, isPacked, err := cutMetaHead(b)
	if err != nil {
		return nil, err
	}
	m := &Meta{segment: segment, number: number, packed: isPacked, front: new(front)}
	r := packed.Reader{B: rest}
	if err := m.front.decode(&r, wantAll); err != nil {
		return nil, err
	}
	for i := range m.cols {
		m.cols[i] = r.Sized()
	}
	if r.Bad || len(r.B) != 0 {
		return nil, errColumn
	}
	return m, nil
}

// Len returns the number of entries of the run.
func (m *Meta) Len() int { return m.front.n }

// Field is a column of text that only the db-file has, and not the index.
type Field int

// The values of Field, one for each column of text.
const (
	FieldIP       Field = colIP
	FieldOrigin   Field = colOrigin
	FieldAskedURL Field = colAskedURL
	FieldLocation Field = colLocation
	FieldSource   Field = colSource
	FieldRecordID Field = colRecordID
	FieldDeclared Field = colDeclared
	FieldHead     Field = colHead
	fieldFraming  Field = colFraming
	fieldExtra    Field = colExtra
)

// Texts returns the values of field f of all entries, in order. The caller must not
// change them.
func (m *Meta) Texts(f Field) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.texts[f] == nil {
		t, err := m.decodeField(f)
		if err != nil {
			return nil, err
		}
		m.texts[f] = t
	}
	return m.texts[f], nil
}

func (m *Meta) decodeField(f Field) ([]string, error) {
	if f == FieldRecordID {
		return decodeRecordIDs(m.cols[f], m.front.n)
	}
	t, err := decodeTexts(nil, m.cols[f], m.front.n)
	if err != nil {
		return nil, err
	}
	if f == FieldDeclared {
		for i, s := range t {
			t[i] = unpackDigest(s)
		}
	}
	return t, nil
}

// Digests returns the digest of each entry's body, in order. It is zero for an
// entry with BodyNone.
func (m *Meta) Digests() ([]record.Digest, error) {
	out := make([]record.Digest, m.front.n)
	b := m.cols[colDigests]
	for i, fl := range m.front.flags {
		switch {
		case BodyForm(fl>>flagBody&3) == BodyNone:
		case fl>>flagSameID&1 != 0 && i > 0:
			out[i] = out[i-1]
		case len(b) < len(record.Digest{}):
			return nil, errColumn
		default:
			b = b[copy(out[i][:], b):]
		}
	}
	if len(b) != 0 {
		return nil, errColumn
	}
	return out, nil
}

// Pages returns the Page of each entry, in order; NoPage for an entry without a
// body.
func (m *Meta) Pages() ([]Page, error) {
	n := 0
	for _, fl := range m.front.flags {
		if fl>>flagSameID&1 == 0 && BodyForm(fl>>flagBody&3) != BodyNone {
			n++
		}
	}
	var texts [colReason - colTitle + 1][]string
	for i := range texts {
		t, err := decodeTexts(nil, m.cols[colTitle+i], n)
		if err != nil {
			return nil, err
		}
		texts[i] = t
	}
	sources, err := decodeTexts(nil, m.cols[colCharsetSource], n)
	if err != nil {
		return nil, err
	}
	unread, err := decodeTexts(nil, m.cols[colUnread], n)
	if err != nil {
		return nil, err
	}
	readBytes, err := decodeInts(nil, m.cols[colReadBytes], n)
	if err != nil {
		return nil, err
	}
	links, err := decodeInts(nil, m.cols[colLinkCount], n)
	if err != nil {
		return nil, err
	}
	blocks, err := decodeInts(nil, m.cols[colBlockCount], n)
	if err != nil {
		return nil, err
	}
	out := make([]Page, m.front.n)
	next := 0
	for i, fl := range m.front.flags {
		switch {
		case BodyForm(fl>>flagBody&3) == BodyNone:
			out[i] = NoPage
		case fl>>flagSameID&1 != 0 && i > 0:
			out[i] = out[i-1]
		default:
			out[i] = Page{
				Title: texts[0][next], Lang: texts[1][next], Charset: texts[2][next], Declared: texts[3][next], Reason: texts[4][next],
				Source: sources[next], Unread: unread[next], ReadBytes: readBytes[next],
				NoArchive: fl>>flagNoArchive&1 != 0, LinkCount: links[next], BlockCount: blocks[next],
			}
			next++
		}
	}
	return out, nil
}

// BlockIDs returns the IDs of the run's blocks, in order. A packed run must be
// loaded: its IDs are computed from the blocks.
func (r *Run) BlockIDs() ([]ID, error) {
	if !r.Meta.packed {
		return r.Meta.blockIDs()
	}
	out := make([]ID, len(r.ends))
	for i := range out {
		b, err := r.Block(uint32(i))
		if err != nil {
			return nil, err
		}
		out[i] = BlockID(b)
	}
	return out, nil
}

// blockIDs returns the IDs of the run's blocks, in order, as the meta frame has
// them. The run must not be packed.
func (m *Meta) blockIDs() ([]ID, error) {
	ends, err := m.BlockEnds()
	if err != nil {
		return nil, err
	}
	own, err := m.ownBodies()
	if err != nil {
		return nil, err
	}
	out := make([]ID, len(ends))
	bodies := alone(own, m.segment, m.number, len(ends))
	b := m.cols[colBlockIDs]
	for i := range out {
		if bodies[i] != nil {
			out[i] = *bodies[i]
			continue
		}
		if len(b) < len(ID{}) {
			return nil, errColumn
		}
		b = b[copy(out[i][:], b):]
	}
	if len(b) != 0 {
		return nil, errColumn
	}
	return out, nil
}

// alone finds the blocks of a run that alone are a whole body. own yields the recipe
// of each entry with BodyOwn, and its ID. For each of the run's blocks, alone returns
// the ID of the entry whose body it is, or nil. That ID is also the block's ID and is
// not stored again. blocks is the number of blocks.
func alone(own iter.Seq2[*ID, Recipe], segment, number uint32, blocks int) []*ID {
	out := make([]*ID, blocks)
	for id, r := range own {
		if r.Layout > 0 || len(r.Spans) != 1 {
			continue
		}
		s := r.Spans[0]
		if s.Count == 1 && s.Segment == segment && s.Run == number && int(s.N) < blocks {
			out[s.N] = id
		}
	}
	return out
}

// ownBodies yields the ID and the recipe of each entry of a run with BodyOwn.
func ownBodies(entries []Stored) iter.Seq2[*ID, Recipe] {
	return func(yield func(*ID, Recipe) bool) {
		for i := range entries {
			if e := &entries[i]; e.Body == BodyOwn && !yield(&e.ID, e.Recipe) {
				return
			}
		}
	}
}

// ownBodies yields the ID and the recipe of each entry of the run with BodyOwn.
func (m *Meta) ownBodies() (iter.Seq2[*ID, Recipe], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stored != nil {
		return ownBodies(m.stored), nil
	}
	p, err := m.entryParts()
	if err != nil {
		return nil, err
	}
	return func(yield func(*ID, Recipe) bool) {
		for _, at := range p.at {
			if at.own < 0 || at.page < 0 {
				continue
			}
			d := m.digest(int(at.page))
			id := ID(d[:len(ID{})])
			if !yield(&id, p.recipes[at.own]) {
				return
			}
		}
	}, nil
}

// BlockEnds returns the offset in the decompressed content at which each block
// ends. The first block begins at 0.
func (m *Meta) BlockEnds() ([]int64, error) { return blockEnds(m.cols[colBlockLens]) }

func blockEnds(col []byte) ([]int64, error) {
	r := packed.Reader{B: col}
	n := r.Uvarint()
	if r.Bad || n > entriesMax {
		return nil, errColumn
	}
	lens, err := decodeInts(nil, r.B, int(n))
	if err != nil {
		return nil, err
	}
	end := int64(0)
	for i, l := range lens {
		if l < 0 {
			return nil, errColumn
		}
		end += l
		lens[i] = end
	}
	return lens, nil
}

func bytesOrNil(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// cutMetaHead checks the first bytes of b, a meta frame, and returns the bytes
// after them. packed reports whether the run is packed.
func cutMetaHead(b []byte) (rest []byte, packed bool, err error) {
	if len(b) < metaHeadBytes {
		return nil, false, errColumn
	}
	if err := disk.CheckByte(b[0], "run"); err != nil {
		return nil, false, err
	}
	if b[1] > metaPacked {
		return nil, false, errColumn
	}
	return b[metaHeadBytes:], b[1] == metaPacked, nil
}

// A meta frame begins with the format byte and then metaPlain or metaPacked. A
// packed frame is in a static pool. It leaves out the IDs of blocks, because they
// can be computed from the blocks, and stores recipes as columns.
const (
	metaPlain byte = iota
	metaPacked
	metaHeadBytes = 2
)

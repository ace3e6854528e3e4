package segment

import (
	"fmt"
	"iter"
	"sync"

	"github.com/klauspost/compress/zstd"

	"infomall/store/disk"
	"infomall/store/packed"
	"infomall/store/segment/column"
)

// Meta is what a run says of its entries and blocks: everything except bodies and facts.
// It decompresses a group of columns, and decodes a column, when a method first needs it.
// A lock guards this, so several goroutines may use a Meta. Its errors name the damaged
// file.
type Meta struct {
	States  bool // the entries are states, see Info.States; only set for a Meta of a Run
	segment uint32
	number  uint32
	file    string // the db-file and the offset of the run in it; "" if they are not known
	offset  int64
	packed  bool
	info    *Info // the Info of the segment, if it says when the captures were added; otherwise nil
	n       int
	columns frontParts
	flags   []int64

	mu      sync.Mutex
	mem     *RunMemory
	frames  [groups][]byte // the groups that are not decompressed yet
	cols    [backCols][]byte
	some    *front // the front columns; decoded when first needed
	decoded uint   // the columns that are decoded in some
	texts   [backCols][]string
	places  *entryPlaces
	parts   *entryParts // created when an entry is first asked for
	bodies  *bodyParts  // created when Body is first called
	stored  []Stored
}

// RunMemory is memory for a run and its Meta, which Reader.OpenIn and Reader.MetaIn use again for
// each run.
// The zero value is ready. It exists because an import reads earlier versions from nearly
// all runs of an archive of small pages: with one RunMemory, importing the 24th month
// takes a sixth less CPU time.
type RunMemory struct {
	again               bool // the memory serves several runs
	record, content     []byte
	groups              [groups][]byte // the decompressed groups of columns
	flags, counts, ends []int64
	numbers             recipeNumbers
	places              entryPlaces
	parts               *entryParts
	bodies              bodyParts
	facts               Facts
	front               *front // the front columns that were decoded last
	want                uint   // which of them
}

// contentOf returns an empty slice with room for the content of a run, of size bytes. m may be nil.
func (m *RunMemory) contentOf(size int) []byte {
	if m == nil {
		return make([]byte, 0, size)
	}
	if cap(m.content) < size {
		m.content = make([]byte, 0, size)
	}
	return m.content[:0]
}

// factsOf returns empty facts of the run r, in the memory of m if m serves several runs. m may be nil.
func (m *RunMemory) factsOf(r *Run) *Facts {
	if m == nil || !m.again {
		return &Facts{run: r}
	}
	m.facts.run, m.facts.long = r, nil
	return &m.facts
}

// frontOf returns memory for the front columns in the set want.
func (m *RunMemory) frontOf(want uint) *front {
	if !m.again {
		return new(front)
	}
	if m.front == nil || m.want != want { // columns that are not wanted must stay empty
		m.front, m.want = new(front), want
	}
	return m.front
}

// openMeta returns the Meta of a run. frames are the compressed groups of columns of the
// run; the Meta keeps references to them. segment and number identify the run. mem is the
// memory to use; nil stands for new memory.
func openMeta(frames [groups][]byte, segment, number uint32, mem *RunMemory) (*Meta, error) {
	if mem == nil {
		mem = new(RunMemory)
	}
	m := &Meta{segment: segment, number: number, frames: frames, mem: mem}
	plain, err := decoder().DecodeAll(frames[groupCaptures], mem.groups[groupCaptures][:0])
	if err != nil {
		return nil, err
	}
	mem.groups[groupCaptures] = plain
	m.frames[groupCaptures] = nil
	return m, m.open(plain)
}

// open decodes those columns of groupCaptures that all methods of Meta need. plain is the
// decompressed group.
func (m *Meta) open(plain []byte) error {
	rest, isPacked, err := cutMetaHead(plain)
	if err != nil {
		return err
	}
	m.packed = isPacked
	r := packed.Reader{B: rest}
	if m.columns, err = cutFront(&r); err != nil {
		return err
	}
	m.n = m.columns.n
	if m.flags, err = m.columns.flags(m.mem.flags); err != nil {
		return err
	}
	m.mem.flags = m.flags
	return cutGroup(&m.cols, groupCaptures, r.B)
}

// front returns the front columns, of which at least those in the set want are decoded. Columns
// that an earlier call decoded stay as they are, because a caller may be reading them. The caller
// holds m.mu.
func (m *Meta) front(want uint) (*front, error) {
	if m.some == nil || m.decoded&want != want {
		f := m.mem.frontOf(want)
		if err := f.decodeParts(&m.columns, want); err != nil {
			return nil, err
		}
		if m.info != nil && want == wantAll {
			m.info.setAdded(f.added)
		}
		m.some, m.decoded = f, want
	}
	return m.some, nil
}

// Len returns the number of entries of the run.
func (m *Meta) Len() int { return m.n }

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
	FieldRequest  Field = colRequest
)

// Texts returns the values of field f of all entries, in order. The caller must not
// change them.
func (m *Meta) Texts(f Field) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.texts[f] == nil {
		t, err := m.decodeField(f)
		if err != nil {
			return nil, m.fault(err)
		}
		m.texts[f] = t
	}
	return m.texts[f], nil
}

func (m *Meta) decodeField(f Field) ([]string, error) {
	group := groupResponse
	if int(f) >= groupColumns[groupNames].from {
		group = groupNames
	}
	if err := m.need(group); err != nil {
		return nil, err
	}
	if f == FieldRecordID {
		return column.DecodeRecordIDs(m.cols[f], m.n)
	}
	t, err := column.DecodeTexts(nil, m.cols[f], m.n)
	if err != nil {
		return nil, err
	}
	if f == FieldDeclared {
		for i, s := range t {
			t[i] = column.UnpackDigest(s)
		}
	}
	return t, nil
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

// blockIDs returns the IDs of the run's blocks, in order, as they are stored. The run
// must not be packed.
func (m *Meta) blockIDs() ([]ID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out, err := m.decodeBlockIDs()
	return out, m.fault(err)
}

func (m *Meta) decodeBlockIDs() ([]ID, error) {
	own, err := m.ownBodies()
	if err == nil {
		err = m.need(groupBlocks)
	}
	if err != nil {
		return nil, err
	}
	ends, err := blockEnds(nil, m.cols[colBlockLens])
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
			return nil, column.ErrDamaged
		}
		b = b[copy(out[i][:], b):]
	}
	if len(b) != 0 {
		return nil, column.ErrDamaged
	}
	return out, nil
}

// alone finds those blocks of a run that are each the whole body of an entry. Such a block
// has the ID of the body, so its ID is not stored again. own yields the ID and the recipe
// of each entry with BodyOwn. blocks is the number of blocks. The result has, for each
// block, the ID of the body that the block is, or nil.
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

// ownBodies yields the ID and the recipe of each entry of the run with BodyOwn. The
// caller holds m.mu.
func (m *Meta) ownBodies() (iter.Seq2[*ID, Recipe], error) {
	if m.stored != nil {
		return ownBodies(m.stored), nil
	}
	p, err := m.entryPlaces()
	if err == nil {
		err = p.allRecipes()
	}
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
func (m *Meta) BlockEnds() ([]int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.need(groupBlocks)
	if err == nil {
		var ends []int64
		if ends, err = blockEnds(nil, m.cols[colBlockLens]); err == nil {
			return ends, nil
		}
	}
	return nil, m.fault(err)
}

// blockEnds decodes col, a column of the lengths of blocks. It returns the offset at which each
// block ends, in the memory of dst if that is large enough.
func blockEnds(dst []int64, col []byte) ([]int64, error) {
	r := packed.Reader{B: col}
	n := r.Uvarint()
	if r.Bad || n > entriesMax {
		return nil, column.ErrDamaged
	}
	lens, err := column.DecodeInts(dst, r.B, int(n))
	if err != nil {
		return nil, err
	}
	end := int64(0)
	for i, l := range lens {
		if l < 0 {
			return nil, column.ErrDamaged
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

// cutMetaHead checks the first bytes of b, the meta of a run, and returns the bytes
// after them. packed reports whether the run is packed.
func cutMetaHead(b []byte) (rest []byte, packed bool, err error) {
	if len(b) < metaHeadBytes {
		return nil, false, column.ErrDamaged
	}
	if err := disk.CheckByte(b[0], "run"); err != nil {
		return nil, false, err
	}
	if b[1] > metaPacked {
		return nil, false, column.ErrDamaged
	}
	return b[metaHeadBytes:], b[1] == metaPacked, nil
}

// The meta of a run begins with the format byte and then metaPlain or metaPacked. A
// packed run is in a static pool. It leaves out the IDs of blocks, because they
// can be computed from the blocks, and stores recipes as columns.
const (
	metaPlain byte = iota
	metaPacked
	metaHeadBytes = 2
)

// The columns that follow the front columns in the meta of a run, in the order in
// which they are stored. The columns of a group follow each other.
const (
	colHolders   = iota // this column and the next two are for entries with BodyHeld or BodyElsewhere
	colHolderRun        // the number of the run, plus 1; 0 if it is not known
	colHolderN
	colHolderKey // for entries with BodyElsewhere

	colDigests  // 32 bytes for each entry with a body and without flagSameID
	colContents // 8 bytes for each entry with flagContent and without flagSameID

	colTitle // this and the other columns of its group: for each entry with a body and without flagSameID
	colLang
	colCharset
	colDeclaredCharset
	colReason
	colCharsetSource
	colUnread
	colReadBytes
	colLinkCount
	colBlockCount

	colRecipes // for entries with BodyOwn
	colBlockLens
	colBlockIDs // 16 bytes for each block that is not a whole body

	colIP
	colOrigin
	colAskedURL
	colLocation
	colSource
	colRefersURL
	colRefersTime
	colHead
	colFraming
	colExtra
	colRequest // missing if no entry of the run has one

	colRecordID
	colDeclared
	backCols
)

// The groups of columns of the meta of a run, in the order in which they are stored.
// Each group is compressed by itself, so a reader decompresses only the groups that it
// needs.
const (
	groupCaptures = iota // format, layout and front; which segment has a body
	groupIDs             // what the bodies are
	groupPages           // what was read from the bodies
	groupBlocks          // of which blocks the bodies consist
	groupResponse        // what the servers said, and where the captures come from
	groupNames           // names of records and declared digests, which hardly compress
	groups
)

// columnsOf is a range of columns of the meta: from <= column < to.
type columnsOf struct{ from, to int }

// groupColumns has the range of columns of each group.
var groupColumns = [groups]columnsOf{
	{colHolders, colDigests}, {colDigests, colTitle}, {colTitle, colRecipes}, {colRecipes, colIP}, {colIP, colRecordID}, {colRecordID, backCols},
}

// cutGroup cuts plain, the columns of a group, into cols. They share plain's memory. A
// group whose columns are all empty has no bytes. The last column of groupResponse,
// colRequest, is missing if all its texts are empty.
func cutGroup(cols *[backCols][]byte, group int, plain []byte) error {
	if len(plain) == 0 {
		return nil
	}
	r := packed.Reader{B: plain}
	of := groupColumns[group]
	for i := of.from; i < of.to; i++ {
		if i == colRequest && len(r.B) == 0 {
			cols[i] = noTexts
			break
		}
		cols[i] = r.Sized()
	}
	if r.Bad || len(r.B) != 0 {
		return column.ErrDamaged
	}
	return nil
}

// noTexts is a column of texts that are all empty.
var noTexts = []byte{column.TextsConst}

// frames cuts data, the data of a run, into the compressed groups of columns and the
// compressed content. All share data's memory.
func (h *recordHead) frames(data []byte) (meta [groups][]byte, content []byte, err error) {
	if len(h.metaLengths) != groups {
		return meta, nil, errLengths
	}
	for i, n := range h.metaLengths {
		if n > len(data) {
			return meta, nil, errLengths
		}
		meta[i], data = data[:n], data[n:]
	}
	return meta, data, nil
}

// metaSize returns the size of the frames of a run's meta when they are decompressed.
func metaSize(frames [groups][]byte) (size int, err error) {
	for _, f := range frames {
		if len(f) == 0 {
			continue
		}
		var h zstd.Header
		if err := h.Decode(f); err != nil {
			return 0, err
		}
		n := h.FrameContentSize
		if !h.HasFCS { // The encoder leaves the size of some small frames out.
			plain, err := decoder().DecodeAll(f, nil)
			if err != nil {
				return 0, err
			}
			n = uint64(len(plain))
		}
		if n > runUnzipMax {
			return 0, errLengths
		}
		size += int(n)
	}
	return size, nil
}

// need decompresses the given groups, except those that are decompressed already. The
// caller holds m.mu.
func (m *Meta) need(groups ...int) error {
	for _, g := range groups {
		if len(m.frames[g]) == 0 {
			continue
		}
		plain, err := decoder().DecodeAll(m.frames[g], m.mem.groups[g][:0])
		if err == nil {
			m.mem.groups[g] = plain
			err = cutGroup(&m.cols, g, plain)
		}
		if err != nil {
			return err
		}
		m.frames[g] = nil
	}
	return nil
}

// fault returns err with the file and offset of the run added. It returns err unchanged if
// err is nil or the position is not known.
func (m *Meta) fault(err error) error {
	if err == nil || m.file == "" {
		return err
	}
	return &Error{File: m.file, Offset: m.offset, Err: fmt.Errorf("run %d: %w", m.number, err)}
}

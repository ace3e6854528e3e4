package segment

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"infomall/store/disk"
	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// BlockRef refers to block number N of a run of a segment.
type BlockRef struct {
	Segment uint32
	Run     uint32
	N       uint32
}

// Span is Count consecutive blocks of a run; BlockRef is the first.
type Span struct {
	BlockRef
	Count uint32
}

// Recipe says how a body is put together. If Layout is 0, the body is its blocks in
// order. Otherwise the first Layout blocks together are the layout, and the others
// are the leaves that go into its gaps.
type Recipe struct {
	Layout uint32
	Spans  []Span
}

// run is a run that is being written.
type run struct {
	entries []Stored
	blocks  [][]byte
	ids     []ID     // one for each block
	facts   [][]byte // one for each block
	bytes   int
	packed  bool    // in the form of static pools
	pack    *Packer // nil if the segment is not packed
	short   Form    // turns facts of blocks into their short form; or nil
	// weight is how many bytes of the run's pages are, or were, in other runs.
	weight map[RunRef]int64
	// key and time are what the head of a run without entries names: those of the
	// capture whose body continues in the run.
	key  string
	time record.Time
	mem  *runMemory // working memory; created if nil
	// front and flags are the encoded front columns, set by encode.
	front []byte
	flags []int64
}

// runMemory is working memory in which runs are gathered and encoded, one after the
// other. It is used again because an import writes many segments with few runs.
type runMemory struct {
	entries              []Stored
	blocks, facts        [][]byte
	ids                  []ID
	front                frontWriter
	texts                [backCols][]string
	cols                 [backCols][]byte
	meta, content, frame []byte
	record               []byte
	parts                []Part // of a body, and these two
	at                   []Placed
	named                []bool
}

// runMemories are the ones that are not in use.
var runMemories = sync.Pool{New: func() any { return new(runMemory) }}

// newRun returns an empty run.
func newRun() run {
	m := runMemories.Get().(*runMemory)
	return run{weight: make(map[RunRef]int64), mem: m, entries: m.entries, blocks: m.blocks, ids: m.ids, facts: m.facts}
}

// free makes the memory of r available to other runs. r must be empty.
func (r *run) free() {
	m := r.mem
	m.entries, m.blocks, m.ids, m.facts = r.entries, r.blocks, r.ids, r.facts
	runMemories.Put(m)
	*r = run{}
}

// addBytes appends b to a column of texts. It reuses the last text if that is
// equal, which is common.
func (m *runMemory) addBytes(col int, b []byte) {
	if n := len(m.texts[col]); n > 0 && m.texts[col][n-1] == string(b) {
		m.texts[col] = append(m.texts[col], m.texts[col][n-1])
		return
	}
	m.texts[col] = append(m.texts[col], string(b))
}

// The columns of a run's meta frame that follow the front, in file order.
const (
	colDigests   = iota // 32 bytes for each entry with a body and without flagSameID
	colContents         // 8 bytes for each entry with flagContent and without flagSameID
	colHolders          // of entries with BodyHeld or BodyElsewhere
	colHolderKey        // of entries with BodyElsewhere
	colRecipes          // of entries with BodyOwn
	colBlockLens
	colBlockIDs // 16 bytes for each block that is not alone a body
	colIP
	colOrigin
	colAskedURL
	colLocation
	colSource
	colRecordID
	colDeclared
	colRefersURL
	colRefersTime
	colTitle // this and the next, for each entry with a body and without flagSameID
	colLang
	colCharset
	colDeclaredCharset
	colReason
	colLinkCount
	colBlockCount
	colHead
	colFraming
	colExtra
	colCharsetSource // this and the next two, as colTitle
	colUnread
	colReadBytes
	backCols
)

// A meta frame begins with the format and one of these two bytes. A packed frame,
// of a static pool, leaves out the IDs of blocks, because they can be computed from
// the blocks, and stores recipes as columns.
const (
	metaPlain byte = iota
	metaPacked
	metaHeadBytes = 2
)

// cutMetaHead checks the first bytes of a meta frame and returns the rest.
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

// encodeMeta returns the meta frame of r before compression.
func (r *run) encodeMeta(segment, number uint32) []byte {
	layout := metaPlain
	if r.packed {
		layout = metaPacked
	}
	m := r.mem
	dst, flags := m.front.append(append(m.meta[:0], disk.FormatByte, layout), r.entries)
	r.front, r.flags = dst[metaHeadBytes:], flags
	text, cols := &m.texts, &m.cols
	for i := range text {
		clear(text[i])
		text[i], cols[i] = text[i][:0], cols[i][:0]
	}
	var holders, refersTime, linkCounts, blockCounts, readBytes []int64
	var recipes []Recipe
	add := func(col int, s string) { text[col] = append(text[col], s) }
	for i := range r.entries {
		e := &r.entries[i]
		if e.Body != BodyNone && flags[i]>>flagSameID&1 == 0 {
			cols[colDigests] = append(cols[colDigests], e.Digest[:]...)
			if e.Content != 0 {
				cols[colContents] = binary.LittleEndian.AppendUint64(cols[colContents], e.Content)
			}
			add(colTitle, e.Page.Title)
			add(colLang, e.Page.Lang)
			add(colCharset, e.Page.Charset)
			add(colDeclaredCharset, e.Page.Declared)
			add(colReason, e.Page.Reason)
			add(colCharsetSource, e.Page.Source)
			add(colUnread, e.Page.Unread)
			readBytes = append(readBytes, e.Page.ReadBytes)
			linkCounts = append(linkCounts, e.Page.LinkCount)
			blockCounts = append(blockCounts, e.Page.BlockCount)
		}
		switch e.Body {
		case BodyOwn:
			recipes = append(recipes, e.Recipe)
		case BodyElsewhere:
			add(colHolderKey, e.HolderKey)
			holders = append(holders, int64(e.Holder))
		case BodyHeld:
			holders = append(holders, int64(e.Holder))
		}
		add(colIP, e.IP)
		add(colOrigin, e.Origin)
		add(colAskedURL, e.AskedURL)
		add(colLocation, e.Location)
		add(colSource, e.Source)
		add(colRecordID, e.RecordID)
		add(colDeclared, packDigest(e.DeclaredDigest))
		if e.Via == record.ViaRevisit || e.Via == record.ViaNotModified {
			add(colRefersURL, e.RefersURL)
			refersTime = append(refersTime, int64(e.RefersTime))
		}
		m.addBytes(colHead, e.Head)
		m.addBytes(colFraming, e.Framing)
		m.addBytes(colExtra, e.Extra)
	}
	lens := make([]int64, len(r.blocks))
	for i, b := range r.blocks {
		lens[i] = int64(len(b))
	}
	cols[colLinkCount] = appendInts(cols[colLinkCount], linkCounts)
	cols[colBlockCount] = appendInts(cols[colBlockCount], blockCounts)
	cols[colReadBytes] = appendInts(cols[colReadBytes], readBytes)
	cols[colHolders] = appendInts(cols[colHolders], holders)
	cols[colRefersTime] = appendInts(cols[colRefersTime], refersTime)
	cols[colBlockLens] = appendInts(binary.AppendUvarint(cols[colBlockLens], uint64(len(lens))), lens)
	if r.packed {
		cols[colRecipes] = packRecipes(recipes, segment)
	} else {
		for _, recipe := range recipes {
			cols[colRecipes] = appendRecipe(cols[colRecipes], recipe, segment)
		}
		for i, body := range alone(r.entries, segment, number, len(r.blocks)) {
			if body == nil {
				cols[colBlockIDs] = append(cols[colBlockIDs], r.ids[i][:]...)
			}
		}
	}
	for c := range cols {
		if c == colRecordID {
			cols[c] = appendRecordIDs(cols[c], text[c])
		} else {
			cols[c] = appendTexts(cols[c], text[c])
		}
		dst = packed.AppendSized(dst, cols[c])
	}
	m.meta = dst
	return dst
}

// Meta is the decoded meta frame of one run. Columns are decoded when first asked
// for. It does not change for its users, and several goroutines may use it.
type Meta struct {
	segment uint32
	number  uint32
	packed  bool
	front   *front
	cols    [backCols][]byte

	mu     sync.Mutex
	texts  [backCols][]string
	stored []Stored
}

// decodeMeta decodes the meta frame of a run. It keeps a reference to b.
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

// Len returns the number of entries.
func (m *Meta) Len() int { return m.front.n }

// Field is a column of text that only the db-file has.
type Field int

// The fields.
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

// Texts returns one field of all entries, in order. The caller must not change the
// result.
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

// Digests returns the digests of all entries' bodies, in order; zero for an entry
// with BodyNone.
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

// BlockIDs returns the IDs of the run's blocks, in order.
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

// blockIDs returns the IDs of the run's blocks from the meta frame, which must not
// be of a packed run.
func (m *Meta) blockIDs() ([]ID, error) {
	ends, err := m.BlockEnds()
	if err != nil {
		return nil, err
	}
	entries, err := m.Entries()
	if err != nil {
		return nil, err
	}
	out := make([]ID, len(ends))
	bodies := alone(entries, m.segment, m.number, len(ends))
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

// alone returns, for each block of a run, the ID of the entry whose whole body is
// that block, or nil. The block's own ID is equal to it and is not stored.
func alone(entries []Stored, segment, number uint32, blocks int) []*ID {
	out := make([]*ID, blocks)
	for i := range entries {
		e := &entries[i]
		if e.Body != BodyOwn || e.Recipe.Layout > 0 || len(e.Recipe.Spans) != 1 {
			continue
		}
		s := e.Recipe.Spans[0]
		if s.Count == 1 && s.Segment == segment && s.Run == number && int(s.N) < blocks {
			out[s.N] = &e.ID
		}
	}
	return out
}

// Entries returns all entries of the run, complete. The caller must not change
// them.
func (m *Meta) Entries() ([]Stored, error) {
	m.mu.Lock()
	out := m.stored
	m.mu.Unlock()
	if out != nil {
		return out, nil
	}
	out, err := m.decodeEntries()
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stored = out
	return out, nil
}

func (m *Meta) decodeEntries() ([]Stored, error) {
	plain := m.front.appendEntries(nil)
	out := make([]Stored, len(plain))
	digests, err := m.Digests()
	if err != nil {
		return nil, err
	}
	pages, err := m.Pages()
	if err != nil {
		return nil, err
	}
	contents := m.cols[colContents]
	held, elsewhere, revisits := 0, 0, 0
	for i := range plain {
		e, flags := &out[i], m.front.flags[i]
		e.Entry, e.Digest, e.Page = plain[i], digests[i], pages[i]
		copy(e.ID[:], digests[i][:])
		switch {
		case flags>>flagContent&1 == 0:
		case flags>>flagSameID&1 != 0 && i > 0:
			e.Content = out[i-1].Content
		case len(contents) < 8:
			return nil, errColumn
		default:
			e.Content, contents = binary.LittleEndian.Uint64(contents), contents[8:]
		}
		switch e.Body {
		case BodyElsewhere:
			elsewhere++
			held++
		case BodyHeld:
			held++
		}
		if v := out[i].Via; v == record.ViaRevisit || v == record.ViaNotModified {
			revisits++
		}
	}
	holders, err := decodeInts(nil, m.cols[colHolders], held)
	if err != nil {
		return nil, err
	}
	holderKeys, err := decodeTexts(nil, m.cols[colHolderKey], elsewhere)
	if err != nil {
		return nil, err
	}
	refersURL, err := decodeTexts(nil, m.cols[colRefersURL], revisits)
	if err != nil {
		return nil, err
	}
	refersTime, err := decodeInts(nil, m.cols[colRefersTime], revisits)
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		field Field
		set   func(e *Stored, s string)
	}{
		{FieldIP, func(e *Stored, s string) { e.IP = s }},
		{FieldOrigin, func(e *Stored, s string) { e.Origin = s }},
		{FieldAskedURL, func(e *Stored, s string) { e.AskedURL = s }},
		{FieldLocation, func(e *Stored, s string) { e.Location = s }},
		{FieldSource, func(e *Stored, s string) { e.Source = s }},
		{FieldRecordID, func(e *Stored, s string) { e.RecordID = s }},
		{FieldDeclared, func(e *Stored, s string) { e.DeclaredDigest = s }},
		{FieldHead, func(e *Stored, s string) { e.Head = bytesOrNil(s) }},
		{fieldFraming, func(e *Stored, s string) { e.Framing = bytesOrNil(s) }},
		{fieldExtra, func(e *Stored, s string) { e.Extra = bytesOrNil(s) }},
	} {
		texts, err := m.Texts(c.field)
		if err != nil {
			return nil, err
		}
		for i := range out {
			c.set(&out[i], texts[i])
		}
	}
	recipes := recipeReader{own: m.segment, plain: packed.Reader{B: m.cols[colRecipes]}}
	if m.packed {
		if err := recipes.unpack(); err != nil {
			return nil, err
		}
	}
	for i := range out {
		e := &out[i]
		switch e.Body {
		case BodyOwn:
			if e.Recipe, err = recipes.next(); err != nil {
				return nil, err
			}
		case BodyHeld:
			e.Holder, holders = uint32(holders[0]), holders[1:]
		case BodyElsewhere:
			e.Holder, holders = uint32(holders[0]), holders[1:]
			e.HolderKey, holderKeys = holderKeys[0], holderKeys[1:]
		case BodyNone:
			e.ID = StandInID(e.DeclaredDigest, e.RefersURL)
		}
		if e.Via == record.ViaRevisit || e.Via == record.ViaNotModified {
			e.RefersURL, refersURL = refersURL[0], refersURL[1:]
			e.RefersTime, refersTime = record.Time(refersTime[0]), refersTime[1:]
			if e.Body == BodyNone {
				e.ID = StandInID(e.DeclaredDigest, e.RefersURL)
			}
		}
	}
	return out, nil
}

// BlockEnds returns the offset in the content frame at which each block ends. The
// first block begins at 0.
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

// uuidForm begins the record names that most WARC writers make. Such a name is
// packed into 17 bytes: one that says whether it was in angle brackets, and the 16
// of the UUID.
const (
	uuidForm      = "urn:uuid:"
	markBracketed = "\x01"
	markBare      = "\x02"
	packedID      = 17
)

// BlockID returns the ID of a block: the first half of its sha256.
func BlockID(b []byte) ID {
	sum := sha256.Sum256(b)
	return ID(sum[:16])
}

// packID shortens a record's name of the usual form to 17 bytes. Any other name is
// returned after a zero byte; "" stays "".
func packID(s string) string {
	if s == "" {
		return ""
	}
	if _, hexes, ok := strings.Cut(s, uuidForm); ok {
		raw, err := hex.DecodeString(strings.TrimSuffix(strings.ReplaceAll(hexes, "-", ""), ">"))
		for _, first := range []string{markBracketed, markBare} {
			if packed := first + string(raw); err == nil && len(packed) == packedID && unpackID(packed) == s {
				return packed
			}
		}
	}
	return "\x00" + s
}

func unpackID(s string) string {
	if len(s) != packedID || s[0] == 0 {
		return trimMark(s)
	}
	h := hex.EncodeToString([]byte(s[1:]))
	id := uuidForm + h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
	if s[:1] == markBracketed {
		return "<" + id + ">"
	}
	return id
}

// The forms of a column of record names.
const (
	namesTexts = 0 // a column of texts, packed one by one
	namesUUIDs = 1 // all are UUIDs of one version: the mark, the version, and the rest of each
)

// Of the 16 bytes of a UUID the upper four bits of one tell the version, and the
// upper two of another are the same in all that RFC 9562 defines: the ten other
// bits of these are kept as a byte and two bits.
const (
	uuidVersionAt, uuidVersionMask            = 6, 0xf0
	uuidVariantAt, uuidVariantMask, uuidKnown = 8, 0xc0, 0x80
)

// appendRecordIDs appends record names as a column.
func appendRecordIDs(dst []byte, names []string) []byte {
	if len(names) == 0 {
		return dst
	}
	texts := make([]string, len(names))
	for i, s := range names {
		texts[i] = packID(s)
	}
	like := func(s string) bool {
		return len(s) == packedID && s[0] == texts[0][0] && s[1+uuidVariantAt]&uuidVariantMask == uuidKnown &&
			(s[1+uuidVersionAt]^texts[0][1+uuidVersionAt])&uuidVersionMask == 0
	}
	if len(texts[0]) != packedID || texts[0][0] == 0 || slices.ContainsFunc(texts, func(s string) bool { return !like(s) }) {
		return appendTexts(append(dst, namesTexts), texts)
	}
	dst = append(dst, namesUUIDs, texts[0][0], texts[0][1+uuidVersionAt]&uuidVersionMask)
	for _, s := range texts {
		u := s[1:]
		dst = append(dst, u[:uuidVersionAt]...)
		dst = append(dst, u[uuidVersionAt+1:uuidVariantAt]...)
		dst = append(dst, u[uuidVariantAt+1:]...)
		dst = append(dst, u[uuidVersionAt]<<4|u[uuidVariantAt]&0x0f)
	}
	return appendPacked(dst, len(texts), 2, func(i int) uint64 { return uint64(texts[i][1+uuidVariantAt] >> 4 & 3) })
}

// decodeRecordIDs decodes a column of n record names, which must fill src.
func decodeRecordIDs(src []byte, n int) ([]string, error) {
	if n == 0 {
		return nil, nil
	}
	if len(src) == 0 {
		return nil, errColumn
	}
	if src[0] == namesTexts {
		names, err := decodeTexts(nil, src[1:], n)
		for i, s := range names {
			names[i] = unpackID(s)
		}
		return names, err
	}
	const head, each = 3, len(ID{}) - 1
	if src[0] != namesUUIDs || len(src) != head+n*each+packedLen(n, 2) || src[1] == 0 || src[2]&^uuidVersionMask != 0 {
		return nil, errColumn
	}
	high := make([]int64, n)
	unpack(high, src[head+n*each:], 2)
	names := make([]string, n)
	name := make([]byte, packedID)
	name[0] = src[1]
	for i := range names {
		b, u := src[head+i*each:][:each], name[1:]
		copy(u[:uuidVersionAt], b)
		u[uuidVersionAt] = src[2] | b[each-1]>>4
		copy(u[uuidVersionAt+1:uuidVariantAt], b[uuidVersionAt:])
		u[uuidVariantAt] = uuidKnown | byte(high[i])<<4 | b[each-1]&0x0f
		copy(u[uuidVariantAt+1:], b[uuidVariantAt-1:each-1])
		names[i] = unpackID(string(name))
	}
	return names, nil
}

// packDigest shortens a declared digest "sha1:" in base32, the usual form, to 21
// bytes. Any other digest is returned after a zero byte; "" stays "".
func packDigest(s string) string {
	if s == "" {
		return ""
	}
	if len(s) == 37 && s[:5] == "sha1:" {
		if raw, err := base32.StdEncoding.DecodeString(s[5:]); err == nil {
			return "\x01" + string(raw)
		}
	}
	return "\x00" + s
}

func unpackDigest(s string) string {
	if len(s) != 21 || s[0] != 1 {
		return trimMark(s)
	}
	return "sha1:" + base32.StdEncoding.EncodeToString([]byte(s[1:]))
}

func trimMark(s string) string {
	if s == "" {
		return ""
	}
	return s[1:]
}

// castagnoli is the polynomial table of all CRCs in an archive.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The kinds of records in a db-file.
const (
	kindRun = "run"
	kindEnd = "end"
)

// recordHead is the head of a record of a db-file: its lines of text.
type recordHead struct {
	kind        string
	pool        string
	segment     uint32
	run         uint32
	url         string
	date        record.Time
	entries     int
	lastURL     string
	lastDate    record.Time
	metaLength  int      // size of the meta frame, which comes first
	factsLength int      // size of the facts, which end the content frame, decompressed
	behind      []RunRef // that the content frame goes on from
	factsFrom   int      // bytes of the content frame ahead of the facts' blocks; 0 if that is not known or there are none
	unzip       int      // size of both frames, decompressed
	length      int      // size of the data
	crc         uint32
}

// append appends the record's head with its blank line to dst. The crc covers data
// and the head, except for the line with the crc.
func (h *recordHead) append(dst, data []byte) []byte {
	start := len(dst)
	dst = append(dst, "version: 2.0\nurl: "...)
	dst = append(dst, h.url...)
	dst = append(dst, "\ndate: "...)
	dst = append(dst, httpDate(h.date)...)
	dst = fmt.Appendf(dst, "\nkind: %s\npool: %s\nsegment: %d\nrun: %d\ncaptures: %d\nlast-url: %s\nlast-date: %s\nmeta-length: %d\n",
		h.kind, h.pool, h.segment, h.run, h.entries, h.lastURL, httpDate(h.lastDate), h.metaLength)
	if h.factsLength > 0 {
		dst = fmt.Appendf(dst, "facts-length: %d\n", h.factsLength)
	}
	if len(h.behind) > 0 {
		dst = fmt.Appendf(dst, "behind: %s\n", joinRefs(h.behind))
	}
	if h.factsFrom > 0 {
		dst = fmt.Appendf(dst, "facts-from: %d\n", h.factsFrom)
	}
	tail := fmt.Appendf(nil, "unzip-length: %d\nlength: %d\n", h.unzip, h.length)
	crc := crc32.Update(0, castagnoli, dst[start:])
	crc = crc32.Update(crc, castagnoli, tail)
	crc = crc32.Update(crc, castagnoli, data)
	dst = fmt.Appendf(dst, "crc32c: %08x\n", crc)
	return append(append(dst, tail...), '\n')
}

func httpDate(t record.Time) string { return t.Std().Format(dateLayout) }

// parseHead parses the record that fills b, and checks its crc.
func parseHead(b []byte) (h recordHead, data []byte, err error) {
	end := bytes.Index(b, []byte("\n\n"))
	if end < 0 {
		return h, nil, errors.New("no record begins here")
	}
	h, crcLine, err := parseLines(b[:end+1])
	if err != nil {
		return h, nil, err
	}
	data = b[end+2:]
	if h.length < 0 || len(data) != h.length+1 || data[h.length] != '\n' || crcLine == nil || h.metaLength > h.length || h.unzip > runUnzipMax ||
		h.factsLength < 0 || h.factsLength > h.unzip {
		return h, nil, errLengths
	}
	data = data[:h.length]
	before, after, _ := bytes.Cut(b[:end+1], crcLine)
	sum := crc32.Update(0, castagnoli, before)
	sum = crc32.Update(sum, castagnoli, after)
	if sum = crc32.Update(sum, castagnoli, data); !SumIs(sum, h.crc) {
		return h, nil, fmt.Errorf("crc32c is %08x, the head says %08x: the record is damaged", sum, h.crc)
	}
	return h, data, nil
}

// errLengths is returned if the lengths in a record's head contradict each other.
var errLengths = errors.New("the record's lengths do not fit together")

// runUnzipMax is more bytes than any run has. A head that says more is damaged.
const runUnzipMax = 256 << 20

// parseLines parses the lines of a record's head. crcLine is the line with the crc,
// which the crc does not cover.
func parseLines(lines []byte) (h recordHead, crcLine []byte, err error) {
	if !bytes.HasPrefix(lines, []byte("version: 2.0\n")) {
		return h, nil, errors.New("no record of version 2.0 begins here")
	}
	for line := range bytes.Lines(lines) {
		name, value, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(": "))
		if !ok {
			return h, nil, fmt.Errorf("head line %q has no colon", line)
		}
		v := string(value)
		number := func(base, bits int) uint64 {
			n, e := strconv.ParseUint(v, base, bits)
			if e != nil {
				err = e
			}
			return n
		}
		switch string(name) {
		case "url":
			h.url = v
		case "date":
			h.date, err = parseHTTPDate(v)
		case "kind":
			h.kind = v
		case "pool":
			h.pool = v
		case "segment":
			h.segment = uint32(number(10, 32))
		case "run":
			h.run = uint32(number(10, 32))
		case "captures":
			h.entries = int(number(10, 31))
		case "last-url":
			h.lastURL = v
		case "last-date":
			h.lastDate, err = parseHTTPDate(v)
		case "meta-length":
			h.metaLength = int(number(10, 31))
		case "behind":
			h.behind, err = parseRefs(v)
		case "facts-from":
			h.factsFrom = int(number(10, 31))
		case "facts-length":
			h.factsLength = int(number(10, 31))
		case "crc32c":
			crcLine, h.crc = line, uint32(number(16, 32))
			if err == nil && v != fmt.Sprintf("%08x", h.crc) {
				err = errors.New("not eight lower-case hex digits")
			}
		case "unzip-length":
			h.unzip = int(number(10, 31))
		case "length":
			h.length = int(number(10, 31))
		}
		if err != nil {
			return h, nil, fmt.Errorf("head property %s: %w", name, err)
		}
	}
	return h, crcLine, nil
}

const dateLayout = "Mon, 02 Jan 2006 15:04:05 GMT"

// parseHTTPDate parses what httpDate wrote. That includes years with more than four
// digits or before the year 0, which time.Parse does not accept.
func parseHTTPDate(s string) (record.Time, error) {
	t, err := time.Parse(dateLayout, s)
	if err == nil {
		return record.At(t), nil
	}
	words := strings.Fields(s)
	if len(words) != 6 {
		return 0, err
	}
	year, e := strconv.ParseInt(words[3], 10, 29) // in milliseconds, such a year fits in 64 bits
	if e != nil {
		return 0, err
	}
	words[3] = "2000"
	if t, e = time.Parse(dateLayout, strings.Join(words, " ")); e != nil {
		return 0, err
	}
	return record.At(time.Date(int(year), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)), nil
}

// encode returns the complete record of the run, and the offset at which its meta
// frame ends. A packed run builds on the runs refs, whose blocks are ahead. The
// result is valid until another run is encoded in the same memory.
func (r *run) encode(enc *zstd.Encoder, pool string, segment, number uint32, refs []RunRef, ahead []byte) (rec []byte, metaEnd int) {
	if r.mem == nil {
		r.mem = new(runMemory)
	}
	meta := r.encodeMeta(segment, number)
	content := r.mem.content[:0]
	for _, b := range r.blocks {
		content = append(content, b...)
	}
	blocks := len(content)
	content = r.appendFacts(content)
	data := enc.EncodeAll(meta, r.mem.frame[:0])
	h := recordHead{kind: kindRun, pool: pool, segment: segment, run: number, entries: len(r.entries), metaLength: len(data), factsLength: len(content) - blocks, unzip: len(meta) + len(content)}
	switch {
	case len(content) > 0 && r.pack != nil:
		h.behind = refs
		data, h.factsFrom = r.pack.appendFrame(data, content[:blocks], content[blocks:], ahead)
	case len(content) > 0:
		data = enc.EncodeAll(content, data)
	}
	h.length = len(data)
	h.url, h.date = urlkey.URL(r.key), r.time
	h.lastURL, h.lastDate = h.url, h.date
	if n := len(r.entries); n > 0 {
		first, last := &r.entries[0], &r.entries[n-1]
		h.url, h.date = urlkey.URL(first.Key), first.Time
		h.lastURL, h.lastDate = urlkey.URL(last.Key), last.Time
	}
	rec = h.append(r.mem.record[:0], data)
	metaEnd = len(rec) + h.metaLength
	rec = append(append(rec, data...), '\n')
	r.mem.content, r.mem.frame, r.mem.record = content, data, rec
	return rec, metaEnd
}

// encodeEnd returns the record that ends a db-file. It repeats what the catalogue
// says of the segment, for a reader who has only the file.
func encodeEnd(enc *zstd.Encoder, i *Info, last *Stored) []byte {
	text := endText(i)
	data := enc.EncodeAll(text, nil)
	h := recordHead{kind: kindEnd, pool: i.Pool, segment: i.ID, run: uint32(i.Runs), metaLength: len(data), unzip: len(text), length: len(data)}
	h.url, h.date = urlkey.URL(last.Key), last.Time
	h.lastURL, h.lastDate = h.url, h.date
	return append(append(h.append(nil, data), data...), '\n')
}

// fits reports whether an end record agrees with i. i may depend on more pools than
// the record says, because bodies may have moved to other pools since the record
// was written.
func (i *Info) fits(endRecord []byte) bool {
	_, depends, ok := strings.Cut(string(endRecord), "\ndepends: ")
	then := *i
	then.Depends = strings.Fields(depends)
	known := slices.DeleteFunc(slices.Clone(then.Depends), func(p string) bool { return !slices.Contains(i.Depends, p) })
	return ok && len(known) == len(then.Depends) && bytes.Equal(endRecord, endText(&then))
}

// endText returns the data of the end record, uncompressed.
func endText(i *Info) []byte {
	return fmt.Appendf(nil, "pool: %s\nsegment: %d\nruns: %d\ncaptures: %d\nversions: %d\nurls: %d\nbody-bytes: %d\ndepends: %s\n",
		i.Pool, i.ID, i.Runs, i.Captures, i.Versions, i.URLs, i.BodyBytes, strings.Join(i.Depends, " "))
}

package segment

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"infomall/store/disk"
	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/segment/column"
	"infomall/store/urlkey"
)

// BlockRef refers to a block (a stored piece of a body): block number N of a run of
// a segment. A run is neighbouring captures that are compressed together.
type BlockRef struct {
	Segment uint32
	Run     uint32
	N       uint32
}

// Span refers to Count consecutive blocks of a run. The embedded BlockRef is the
// first of them.
type Span struct {
	BlockRef
	Count uint32
}

// Recipe says how a body is put together from stored blocks. If Layout is 0, the
// body is these blocks in order. Otherwise the first Layout blocks together are the
// layout (the body with gaps), and the other blocks are the leaves, which fill the
// gaps.
type Recipe struct {
	Layout uint32
	Spans  []Span
}

// run is a run (neighbouring captures and the blocks they bring) that is being
// written.
type run struct {
	entries []Stored
	blocks  [][]byte
	ids     []ID     // the ID of each block
	facts   [][]byte // the facts of each block
	bytes   int
	packed  bool         // the run is written in the form of static pools
	states  bool         // the entries are states, see Info.States
	pack    *Packer      // nil if the segment is not packed
	short   ConvertFacts // turns facts of blocks into their short form; or nil
	// weight says how much of this run's pages is stored in each other run, or was before it was
	// stored again here. The unit is a byte, or a block if Writer.Repeat fills the run.
	weight map[RunRef]int64
	// key and time are written to the head of a run that has no entries. If the run has a
	// part of a large body, they are the key and the time of the capture with that body.
	key  string
	time record.Time
	mem  *runMemory // working memory; created if nil
	// front and flags are the encoded front columns, set by encode.
	front []byte
	flags []int64
}

// runMemory is working memory in which one run after the other is collected and encoded.
// It is reused because an import writes many segments with few runs.
type runMemory struct {
	entries              []Stored
	blocks, facts        [][]byte
	ids                  []ID
	front                frontWriter
	texts                [backCols][]string
	cols                 [backCols][]byte
	meta, content, frame []byte
	record               []byte
	parts                []BodyBlock // parts, at and named describe the body that is being stored
	at                   []Placed
	named                []bool
}

// runMemories holds working memory that is not in use.
var runMemories = sync.Pool{New: func() any { return new(runMemory) }}

// newRun returns an empty run with working memory from runMemories. free gives the
// memory back.
func newRun() run {
	m := runMemories.Get().(*runMemory)
	return run{weight: make(map[RunRef]int64), mem: m, entries: m.entries, blocks: m.blocks, ids: m.ids, facts: m.facts}
}

// free gives the working memory of r back to runMemories and clears r. r must be
// empty.
func (r *run) free() {
	m := r.mem
	m.entries, m.blocks, m.ids, m.facts = r.entries, r.blocks, r.ids, r.facts
	runMemories.Put(m)
	*r = run{}
}

// addBytes appends b as a string to column col of m.texts. It reuses the last
// string of the column if that is equal, which is common.
func (m *runMemory) addBytes(col int, b []byte) {
	if n := len(m.texts[col]); n > 0 && m.texts[col][n-1] == string(b) {
		m.texts[col] = append(m.texts[col], m.texts[col][n-1])
		return
	}
	m.texts[col] = append(m.texts[col], string(b))
}

// encodeMeta returns the meta of r (front columns and all other columns of its
// entries) before compression, and the offset at which each group of columns ends.
// number is the number of the run in the segment. The result is valid until another
// run is encoded in the same memory.
func (r *run) encodeMeta(segment, number uint32) (meta []byte, ends [groups]int) {
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
	var holders, holderRuns, holderNs, refersTime, linkCounts, blockCounts, readBytes []int64
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
			fallthrough
		case BodyHeld:
			run, n := int64(0), int64(0)
			if e.Holder.Placed {
				run, n = int64(e.Holder.Run)+1, int64(e.Holder.N)
			}
			holders, holderRuns, holderNs = append(holders, int64(e.Holder.Segment)), append(holderRuns, run), append(holderNs, n)
		}
		add(colIP, e.IP)
		add(colOrigin, e.Origin)
		add(colAskedURL, e.AskedURL)
		add(colLocation, e.Location)
		add(colSource, e.Source)
		add(colRecordID, e.RecordID)
		add(colDeclared, column.PackDigest(e.DeclaredDigest))
		if e.Via == record.ViaRevisit || e.Via == record.ViaNotModified {
			add(colRefersURL, e.RefersURL)
			refersTime = append(refersTime, int64(e.RefersTime))
		}
		m.addBytes(colHead, e.Head)
		m.addBytes(colFraming, e.Framing)
		m.addBytes(colExtra, e.Extra)
		m.addBytes(colRequest, e.Request)
	}
	lens := make([]int64, len(r.blocks))
	for i, b := range r.blocks {
		lens[i] = int64(len(b))
	}
	cols[colLinkCount] = column.AppendInts(cols[colLinkCount], linkCounts)
	cols[colBlockCount] = column.AppendInts(cols[colBlockCount], blockCounts)
	cols[colReadBytes] = column.AppendInts(cols[colReadBytes], readBytes)
	cols[colHolders] = column.AppendInts(cols[colHolders], holders)
	cols[colHolderRun] = column.AppendInts(cols[colHolderRun], holderRuns)
	cols[colHolderN] = column.AppendInts(cols[colHolderN], holderNs)
	cols[colRefersTime] = column.AppendInts(cols[colRefersTime], refersTime)
	cols[colBlockLens] = column.AppendInts(binary.AppendUvarint(cols[colBlockLens], uint64(len(lens))), lens)
	if r.packed {
		cols[colRecipes] = packRecipes(recipes, segment)
	} else {
		for _, recipe := range recipes {
			cols[colRecipes] = appendRecipe(cols[colRecipes], recipe, segment)
		}
		for i, body := range alone(ownBodies(r.entries), segment, number, len(r.blocks)) {
			if body == nil {
				cols[colBlockIDs] = append(cols[colBlockIDs], r.ids[i][:]...)
			}
		}
	}
	for c := range cols {
		if c == colRecordID {
			cols[c] = column.AppendRecordIDs(cols[c], text[c])
		} else {
			cols[c] = column.AppendTexts(cols[c], text[c])
		}
	}
	for g, of := range groupColumns {
		if g == groupCaptures || slices.ContainsFunc(cols[of.from:of.to], func(col []byte) bool { return len(col) > 0 }) {
			for c := of.from; c < of.to; c++ {
				if c != colRequest || !bytes.Equal(cols[c], noTexts) {
					dst = packed.AppendSized(dst, cols[c])
				}
			}
		}
		ends[g] = len(dst)
	}
	m.meta = dst
	return dst, ends
}

// BlockID returns the ID of a block: the first half of its sha256.
func BlockID(b []byte) ID {
	sum := sha256.Sum256(b)
	return ID(sum[:16])
}

// kind returns the kind of record as which r is written.
func (r *run) kind() string {
	if r.states {
		return kindStates
	}
	return kindRun
}

// encode returns the complete record of the run, and the offset in it at which the
// meta ends. A run that is not packed is compressed with enc. A packed run builds on the runs refs, whose blocks are ahead:
// ahead is the dictionary for its content. The result is valid until another run is
// encoded in the same memory.
func (r *run) encode(enc *zstd.Encoder, pool string, segment, number uint32, refs []RunRef, ahead []byte) (rec []byte, metaEnd int) {
	if r.mem == nil {
		r.mem = new(runMemory)
	}
	meta, ends := r.encodeMeta(segment, number)
	content := r.mem.content[:0]
	for _, b := range r.blocks {
		content = append(content, b...)
	}
	blocks := len(content)
	content = r.appendFacts(content)
	h := recordHead{kind: r.kind(), pool: pool, segment: segment, run: number, entries: len(r.entries), factsLength: len(content) - blocks, unzip: len(meta) + len(content)}
	compress := enc.EncodeAll
	if r.pack != nil {
		compress, h.metaSummed = r.pack.compress, true
	}
	data, from := r.mem.frame[:0], 0
	for _, end := range ends {
		before := len(data)
		if end > from {
			data = compress(meta[from:end], data)
		}
		h.metaLengths = append(h.metaLengths, len(data)-before)
		from = end
	}
	switch {
	case len(content) > 0 && r.pack != nil:
		h.behind = refs
		data, h.factsFrom = r.pack.appendFrame(data, content[:blocks], content[blocks:], ahead)
	case len(content) > 0:
		data = enc.EncodeAll(content, data)
	}
	h.length = len(data)
	h.url, h.date = urlkey.URL(r.key), r.time
	if n := len(r.entries); n > 0 {
		h.url, h.date = urlkey.URL(r.entries[0].Key), r.entries[0].Time
		h.lastURL = urlkey.URL(r.entries[n-1].Key)
	}
	rec = h.append(r.mem.record[:0], data)
	metaEnd = len(rec) + h.metaLength()
	rec = append(append(rec, data...), '\n')
	r.mem.content, r.mem.frame, r.mem.record = content, data, rec
	return rec, metaEnd
}

// encodeEnd returns the record that ends a db-file, compressed with enc. last is
// the last entry of the segment. The record repeats what the catalogue says of the
// segment, for a reader who has only the db-file.
func encodeEnd(enc *zstd.Encoder, i *Info, last *Stored) []byte {
	text := endText(i)
	data := enc.EncodeAll(text, nil)
	h := recordHead{kind: kindEnd, pool: i.Pool, segment: i.ID, run: uint32(i.Runs), metaLengths: []int{len(data)}, unzip: len(text), length: len(data)}
	h.url, h.date = urlkey.URL(last.Key), last.Time
	return append(append(h.append(nil, data), data...), '\n')
}

// fits reports whether endRecord, the decompressed text of an end record, agrees
// with i. i may depend on more pools than the record says, because bodies may have
// moved to other pools since the record was written.
func (i *Info) fits(endRecord []byte) bool {
	_, depends, ok := strings.Cut(string(endRecord), "\ndepends: ")
	then := *i
	then.Depends = strings.Fields(depends)
	known := slices.DeleteFunc(slices.Clone(then.Depends), func(p string) bool { return !slices.Contains(i.Depends, p) })
	return ok && len(known) == len(then.Depends) && bytes.Equal(endRecord, endText(&then))
}

// endText returns the data of the end record for i, before compression: lines such
// as "runs: 12".
func endText(i *Info) []byte {
	return fmt.Appendf(nil, "pool: %s\nsegment: %d\nruns: %d\ncaptures: %d\nversions: %d\nurls: %d\nbody-bytes: %d\ndepends: %s\n",
		i.Pool, i.ID, i.Runs, i.Captures, i.Versions, i.URLs, i.BodyBytes, strings.Join(i.Depends, " "))
}

// Contents gives access to some blocks of a run (neighbouring captures compressed
// together), without its entries. It decompresses nothing before that is needed.
// Only one goroutine at a time may use it.
type Contents struct {
	Stored  int    // number of bytes that were read from the db-file
	record  []byte // the record of the run; the frames are parts of it
	head    recordHead
	lengths []byte // compressed columns, among them the lengths of the blocks
	frame   []byte // compressed content frame
	bytes   int    // size of all blocks together, decompressed
	content []byte // the decompressed content if it was in memory already, or nil
	ends    []int64
}

// Contents reads and checks the record of run n, and returns its Contents. The
// record is read into the memory of room if that is large enough.
func (s *Reader) Contents(n uint32, room []byte) (*Contents, error) {
	rec, from, err := s.recordIn(n, room)
	if err != nil {
		return nil, err
	}
	c, err := openContents(rec)
	if err != nil {
		return nil, Damage(s.Info.File, from, err)
	}
	c.head.segment = s.Info.ID
	return c, nil
}

// openContents parses b, the record of a run. The Contents keeps a reference to b.
func openContents(b []byte) (*Contents, error) {
	h, data, err := parseHead(b)
	if err != nil {
		return nil, err
	}
	if !h.isRun() {
		return nil, errLengths
	}
	frames, content, err := h.frames(data)
	if err != nil {
		return nil, err
	}
	size, err := metaSize(frames)
	if err != nil {
		return nil, err
	}
	c := &Contents{Stored: len(b), record: b, head: h, lengths: frames[groupBlocks], frame: content}
	c.bytes = h.unzip - size - h.factsLength
	if c.bytes < 0 || c.bytes > h.unzip || h.factsFrom > len(c.frame) {
		return nil, errLengths
	}
	return c, nil
}

// Contents returns the Contents of r, a run that is already open. If the blocks of
// r are in memory, it uses these.
func (r *Run) Contents() *Contents {
	c := &Contents{head: r.head, bytes: r.blockBytes(), ends: r.ends}
	c.content, c.frame = r.part()
	return c
}

// Unpacked returns the size in bytes of the whole run, decompressed.
func (c *Contents) Unpacked() int { return c.head.unzip }

// blockEnds returns the offset in the decompressed content at which each block
// ends.
func (c *Contents) blockEnds() ([]int64, error) {
	if c.ends != nil {
		return c.ends, nil
	}
	plain, err := decoder().DecodeAll(c.lengths, nil)
	if err != nil {
		return nil, err
	}
	var cols [backCols][]byte
	if err := cutGroup(&cols, groupBlocks, plain); err != nil {
		return nil, err
	}
	c.ends, err = blockEnds(nil, cols[colBlockLens])
	return c.ends, err
}

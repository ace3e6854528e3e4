package segment

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"

	"github.com/bits-and-blooms/bloom/v3"
	"github.com/klauspost/compress/zstd"

	"infomall/store/record"
)

const (
	// runBytes closes a run: larger ones compress better and make reading a
	// single page dearer. TIANWANG.md has the measurements.
	runBytes = 256 << 10
	// packedRunBytes closes a run of a packed segment: several are read for a page,
	// and what is small here is found in what it goes on from.
	packedRunBytes = 192 << 10
	// runEntries closes a run of many small captures, so that its index chunk
	// stays cheap to decode for one look-up.
	runEntries = 1024
	// A body above bodyWhole is stored in pieces of pieceBytes, a run each: no
	// reader has to hold more than that of it.
	bodyWhole  = 8 << 20
	pieceBytes = 4 << 20
	// bloomRate is the share of absent URLs that the filter lets through: to look
	// for one costs as much as a hundred questions to the filter, which takes 1.8
	// bytes a URL for it, .6 more than for ten times the rate.
	bloomRate = 0.001
)

// Writer writes a segment. Entries come sorted; Finish ends it. A Writer is
// used by one goroutine.
type Writer struct {
	w      io.Writer
	enc    *zstd.Encoder
	quick  *zstd.Encoder // of runs of small captures; or nil
	info   Info
	run    run
	blocks *Blocks
	bodies map[ID]Recipe // bodies put together in this segment
	bloom  *bloom.BloomFilter
	census censusTaker
	pools  map[string]bool
	uses   map[uint32]bool // other segments whose blocks it names
	last   *Stored         // last entry added
	dict   func(RunRef) *Dict

	chunks   []pair // of the index, unless that is written at once
	index    *indexBucket
	runNeeds [][]Need // of a packed segment: what has to be read for each run, itself included
	runEnds  []int64
	metaEnds []int64
}

// bodiesRoom is for how many bodies a Writer makes room at once, at most.
const bodiesRoom = 1 << 15

// noCapture is the key that records of a segment name which has blocks for others
// and no captures.
const noCapture = "about:blank"

// pair is an entry of the index.
type pair struct{ key, value []byte }

// NewWriter returns a Writer of segment id of a pool. It writes the db-file to
// w, which the caller syncs and closes. urls is how many URLs are to come, as
// near as is known. blocks has the blocks that need not be stored again, and
// takes those that are; the segment must be among its valid ones.
func NewWriter(w io.Writer, enc *zstd.Encoder, pool string, id uint32, urls int, blocks *Blocks) *Writer {
	return &Writer{
		w: w, enc: enc,
		info:   Info{ID: id, Pool: pool, First: record.MaxTime, Last: record.MinTime},
		run:    newRun(),
		blocks: blocks,
		bodies: make(map[ID]Recipe, min(urls, bodiesRoom)),
		bloom:  bloom.NewWithEstimates(uint(max(urls, 1)), bloomRate),
		pools:  make(map[string]bool),
		uses:   make(map[uint32]bool),
	}
}

// Form gives the facts of a block in another form, by its bytes.
type Form func(block, facts []byte) []byte

// Pack lets the segment be written in the form of static pools: small, and
// slower to add to. It comes before the first entry. dict gives a run of another
// segment to go on from; nil if that may change. short gives facts of blocks in
// the form in which they are kept, of which Reader.Long makes them again. p
// compresses in place of the Writer's encoder.
func (w *Writer) Pack(p *Packer, dict func(RunRef) *Dict, short Form) {
	w.run.packed, w.run.pack, w.run.short, w.dict = true, p, short, dict
	w.enc = p.Encoder()
}

// Quick has runs of small captures compressed by enc, which is to be faster than
// the Writer's encoder: they have little in common that is worth a long search.
func (w *Writer) Quick(enc *zstd.Encoder) { w.quick = enc }

// smallCaptures is how many of them a run has at least: bodies of 512 bytes.
const smallCaptures = runEntries / 2

// Index lets the segment's part of the index be written while the segment is, and
// not be held in memory until IndexBuilder.AddSegment, which ends it, and has to
// be told of the segment before x is of another. It comes before the first entry.
func (w *Writer) Index(x *IndexBuilder) (err error) {
	w.index, err = x.bucket(w.info.Bucket())
	return err
}

// Content is the body that an entry brings, in one of three forms: whole, on
// disk, or divided into a layout and leaves, from which it is joined again.
type Content struct {
	Body   []byte
	Spool  *record.Spool
	Layout []byte   // nil unless the body is divided
	Leaves [][]byte // in order
	IDs    []ID     // of the leaves; nil where they are not known
	// Facts is what is to be kept of each leaf, or of a body that is one block,
	// beside it where it is stored; nil, or an entry of nil, for nothing. It
	// depends on nothing but the leaf's bytes.
	Facts [][]byte
}

// fact is the facts of part i.
func (c *Content) fact(i int) []byte {
	if i < 0 || i >= len(c.Facts) {
		return nil
	}
	return c.Facts[i]
}

// Add appends an entry. For BodyOwn the body comes with it; the entry's recipe
// is filled in. The entry and what it points to must
// not change until Finish. It tells how many bytes were new.
func (w *Writer) Add(e Stored, c Content) (newBytes int64, err error) {
	if e.Body == BodyOwn {
		if newBytes, err = w.store(&e, c); err != nil {
			return 0, err
		}
	}
	return newBytes, w.entry(e)
}

// Move appends an entry of another segment, whose body is put together from
// parts: the first layout of them are its layout, or it is not divided. It tells
// the recipe that the entry has here: a block a part, in order.
func (w *Writer) Move(e Stored, layout uint32, parts []Part) (Recipe, error) {
	e.Recipe = Recipe{Layout: layout}
	if layout == 0 && len(parts) > 1 {
		if err := w.pieces(&e, parts); err != nil {
			return Recipe{}, err
		}
	} else if _, err := w.assemble(&e, parts); err != nil {
		return Recipe{}, err
	}
	return e.Recipe, w.entry(e)
}

// pieces makes the recipe of a large body.
func (w *Writer) pieces(e *Stored, parts []Part) error {
	for i := range parts {
		p := &parts[i]
		at := p.At
		if q, ok := w.blocks.find(p.ID, w.info.Pool); ok {
			at = q.BlockRef
		}
		if at.Segment == 0 {
			b, _, err := p.bytes()
			if err != nil {
				return err
			}
			if err := w.piece(e, b); err != nil {
				return err
			}
			continue
		}
		e.Recipe.Add(at)
		if at.Segment != w.info.ID {
			w.uses[at.Segment] = true
		}
	}
	return nil
}

// Keep stores a block that no entry of this segment needs, but another segment
// does, and tells where.
func (w *Writer) Keep(p Part) (BlockRef, error) {
	b, facts, err := p.bytes()
	if err != nil {
		return BlockRef{}, err
	}
	at := w.block(p.ID, b, facts)
	if len(w.run.entries) == 0 {
		w.run.key, w.run.time = noCapture, 0
		if w.last != nil {
			w.run.key, w.run.time = w.last.Key, w.last.Time
		}
	}
	if w.run.bytes >= w.runBytes() {
		err = w.closeRun()
	}
	return at.BlockRef, err
}

// entry appends an entry whose body is dealt with.
func (w *Writer) entry(e Stored) error {
	if w.last != nil && (e.Key < w.last.Key || e.Key == w.last.Key && e.Time < w.last.Time) {
		panic(fmt.Sprintf("segment: %q at %d added after %q at %d", e.Key, e.Time, w.last.Key, w.last.Time))
	}
	if w.last == nil || w.last.Key != e.Key {
		w.bloom.AddString(e.Key)
		w.info.URLs++
	}
	w.info.count(&e.Entry)
	w.census.add(&e.Entry)
	w.run.entries = append(w.run.entries, e)
	w.run.bytes += len(e.Head) + len(e.Extra) + len(e.Framing)
	w.last = &w.run.entries[len(w.run.entries)-1]
	if w.run.bytes >= w.runBytes() || len(w.run.entries) >= runEntries {
		return w.closeRun()
	}
	return nil
}

// Bytes is how large the db-file is so far, with the run at hand as it is before
// compression; Captures how many entries were added.
func (w *Writer) Bytes() int64    { return w.info.Bytes + int64(w.run.bytes) }
func (w *Writer) Captures() int64 { return w.info.Captures }

// Depend notes that the segment uses bodies of another pool.
func (w *Writer) Depend(pool string) {
	if pool != w.info.Pool {
		w.pools[pool] = true
	}
}

// Uses gives the other segments whose blocks this one names so far, sorted.
func (w *Writer) Uses() []uint32 { return slices.Sorted(maps.Keys(w.uses)) }

// store puts a body into the segment, and its recipe into the entry.
func (w *Writer) store(e *Stored, c Content) (newBytes int64, err error) {
	if recipe, ok := w.bodies[e.ID]; ok {
		e.Recipe = recipe
		return 0, nil
	}
	switch {
	case c.Layout != nil:
		if newBytes, err = w.join(e, c); err != nil {
			return 0, err
		}
	case c.Spool != nil:
		for off := int64(0); off < c.Spool.Size; off += pieceBytes {
			piece := make([]byte, min(pieceBytes, c.Spool.Size-off))
			if _, err := c.Spool.File.ReadAt(piece, off); err != nil {
				return 0, fmt.Errorf("read a large body back: %w", err)
			}
			if err := w.piece(e, piece); err != nil {
				return 0, err
			}
		}
		newBytes = c.Spool.Size
	case len(c.Body) > bodyWhole:
		for piece := range slices.Chunk(c.Body, pieceBytes) {
			if err := w.piece(e, piece); err != nil {
				return 0, err
			}
		}
		newBytes = int64(len(c.Body))
	default:
		e.Recipe.Add(w.block(e.ID, c.Body, c.fact(0)).BlockRef)
		newBytes = int64(len(c.Body))
	}
	w.bodies[e.ID] = e.Recipe
	return newBytes, nil
}

// Add puts a block at the recipe's end.
func (r *Recipe) Add(b BlockRef) {
	if n := len(r.Spans); n > 0 {
		s := &r.Spans[n-1]
		if s.Segment == b.Segment && s.Run == b.Run && s.N+s.Count == b.N {
			s.Count++
			return
		}
	}
	r.Spans = append(r.Spans, Span{b, 1})
}

// piece stores a part of a body in a run of its own.
func (w *Writer) piece(e *Stored, piece []byte) error {
	if len(w.run.entries) > 0 || len(w.run.blocks) > 0 {
		if err := w.closeRun(); err != nil {
			return err
		}
	}
	e.Recipe.Add(w.block(BlockID(piece), piece, nil).BlockRef)
	w.run.key, w.run.time = e.Key, e.Time
	return w.closeRun()
}

// block appends a block to the run, with its facts.
func (w *Writer) block(id ID, b, facts []byte) Placed {
	p := Placed{BlockRef{w.info.ID, uint32(len(w.runEnds)), uint32(len(w.run.blocks))}, int32(len(b))}
	w.run.blocks = append(w.run.blocks, b)
	w.run.ids = append(w.run.ids, id)
	w.run.facts = append(w.run.facts, facts)
	w.run.bytes += len(b)
	w.blocks.Remember(id, p)
	return p
}

// closeRun writes the run and begins the next.
func (w *Writer) closeRun() error {
	number := uint32(len(w.runEnds))
	refs, ahead, needs := w.chooseBehind()
	enc := w.enc
	if w.quick != nil && len(w.run.entries) >= smallCaptures {
		enc = w.quick
	}
	rec, metaEnd := w.run.encode(enc, w.info.Pool, w.info.ID, number, refs, ahead)
	if len(w.run.entries) > 0 {
		last := w.run.entries[len(w.run.entries)-1]
		if err := w.chunk(pair{chunkKey(&last, number), appendChunkOf(nil, number, w.run.entries, w.run.front, w.run.flags)}); err != nil {
			return err
		}
		w.last = &Stored{Entry: last.Entry}
	}
	w.info.Blocks += int64(len(w.run.blocks))
	w.metaEnds = append(w.metaEnds, w.info.Bytes+int64(metaEnd))
	if err := w.write(rec); err != nil {
		return err
	}
	w.runEnds = append(w.runEnds, w.info.Bytes)
	if w.run.packed {
		var all []Need
		for ref, bytes := range needs {
			all = append(all, Need{ref, bytes})
		}
		w.runNeeds = append(w.runNeeds, append(all, Need{RunRef{w.info.ID, number}, w.run.blockBytes()}))
	}
	w.run.reset()
	return nil
}

// chunk adds a chunk to the index.
func (w *Writer) chunk(p pair) error {
	if w.index != nil {
		return w.index.x.failed(w.index.put(p.key, p.value))
	}
	w.chunks = append(w.chunks, p)
	return nil
}

// runBytes is the size that closes a run.
func (w *Writer) runBytes() int {
	if w.run.packed {
		return packedRunBytes
	}
	return runBytes
}

// blockBytes is how many bytes the run's blocks have.
func (r *run) blockBytes() (n int) {
	for _, b := range r.blocks {
		n += len(b)
	}
	return n
}

// reset empties the run, and keeps what memory it has.
func (r *run) reset() {
	clear(r.entries)
	clear(r.blocks)
	clear(r.facts)
	clear(r.weight)
	*r = run{packed: r.packed, pack: r.pack, short: r.short, weight: r.weight, mem: r.mem, entries: r.entries[:0], blocks: r.blocks[:0], ids: r.ids[:0], facts: r.facts[:0]}
}

func (w *Writer) write(rec []byte) error {
	if _, err := w.w.Write(rec); err != nil {
		return err
	}
	w.info.Bytes += int64(len(rec))
	w.info.CRC = crc32.Update(w.info.CRC, castagnoli, rec)
	return nil
}

// Finish writes what is left and the record that ends the db-file. The Info
// lacks what only the publisher knows: Born, Seen and the file names.
func (w *Writer) Finish() (Info, error) {
	if len(w.run.entries) > 0 || len(w.run.blocks) > 0 {
		if err := w.closeRun(); err != nil {
			return Info{}, err
		}
	}
	w.info.Runs = len(w.runEnds)
	w.info.Depends, w.info.Uses = slices.Sorted(maps.Keys(w.pools)), w.Uses()
	if w.last == nil {
		w.last = &Stored{Entry: Entry{Key: noCapture}}
	}
	if err := w.write(encodeEnd(w.enc, &w.info, w.last)); err != nil {
		return Info{}, err
	}
	w.run.free()
	return w.info, nil
}

// The keys of the index that are not chunks. No URL's key begins with a zero
// byte.
var (
	keyBloom  = []byte("\x00bloom")
	keyCensus = []byte("\x00census") // not in every one
	keyRuns   = []byte("\x00runs")
)

// pairs gives the bucket's content, sorted by key, or what is not yet in it.
func (w *Writer) pairs() []pair {
	return append(finalPairs(w.bloom, w.census.census(), w.runEnds, w.metaEnds), w.chunks...)
}

// finalPairs are those that are known when all runs are, sorted by key.
func finalPairs(filter *bloom.BloomFilter, census *Census, runEnds, metaEnds []int64) []pair {
	// The form of bits-and-blooms: m and k, length in words, words, big-endian.
	b, err := filter.MarshalBinary()
	if err != nil {
		panic(fmt.Sprintf("segment: marshal a filter in memory: %v", err))
	}
	pairs := []pair{{keyBloom, withCRC(b)}}
	if census != nil {
		pairs = append(pairs, pair{keyCensus, withCRC(census.encode())})
	}
	return append(pairs, pair{keyRuns, withCRC(encodeTable(runEnds, metaEnds))})
}

// withCRC puts a crc32c ahead of b.
func withCRC(b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, crc32.Checksum(b, castagnoli)), b...)
}

// checkCRC takes it off again.
func checkCRC(b []byte) ([]byte, error) {
	if len(b) < 4 || !SumIs(crc32.Checksum(b[4:], castagnoli), binary.LittleEndian.Uint32(b)) {
		return nil, errColumn
	}
	return b[4:], nil
}

package segment

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/bits-and-blooms/bloom/v3"
	"github.com/klauspost/compress/zstd"

	"infomall/store/crc32c"
	"infomall/store/record"
	"infomall/store/segment/indexfile"
)

const (
	// runBytes is the size at which a run is closed. Larger runs compress better,
	// but make reading a single page slower. FORMAT.md, "Why so", has the measurements.
	runBytes = 256 << 10
	// packedRunBytes is the size at which a run of a packed segment is closed. It
	// is smaller because a page needs several such runs, and what a small run lacks
	// is found in the runs it builds on.
	packedRunBytes = 192 << 10
	// runEntries is the number of captures at which a run is closed, if the
	// captures are small. One look-up can then decode the run's index chunk
	// quickly.
	runEntries = 1024
	// bodyWhole is the size above which a body is stored in pieces of pieceBytes,
	// each in a run of its own. No reader then has to hold more than one piece.
	bodyWhole  = 8 << 20
	pieceBytes = 4 << 20
	// bloomRate is the share of absent URLs for which the Bloom filter wrongly answers "maybe".
	// A search for such a URL costs as much as a hundred look-ups in the filter, and in a
	// bucket a request more. This rate takes 2.4 bytes for each URL, 0.6 more than a rate of
	// 0.001.
	bloomRate = 0.0001
)

// Writer writes the db-file and the index pairs of one segment. Entries must be
// added in the order of Entry.Compare; Finish completes the segment. Only one
// goroutine may use it.
type Writer struct {
	w      io.Writer
	enc    *zstd.Encoder
	quick  *zstd.Encoder // for runs of small captures; or nil
	info   Info
	run    run
	blocks *Blocks
	bodies map[ID]Recipe // recipes of the bodies in this segment
	bloom  *bloom.BloomFilter
	census censusTaker
	sample sampleTaker
	pools  map[string]bool
	uses   map[uint32]bool // other segments whose blocks this one uses
	last   *Stored         // the last entry that was added
	dict   func(RunRef) *Dict

	chunks   []pair // the chunks for the index that are not in it yet; only the last one if index is set
	index    *indexfile.Bucket
	runNeeds [][]Need // after Pack: for each run, the runs that must be read for it, itself last
	table    runTable
	starts   startsWriter
}

// bodiesRoom is the largest number of bodies for which a new Writer allocates its
// table of bodies.
const bodiesRoom = 1 << 15

// noCapture stands in place of a key in the records of a segment without captures. A
// segment without captures has only blocks that other segments use.
const noCapture = "about:blank"

// pair is a key of the index of a segment and its value.
type pair struct{ key, value []byte }

// NewWriter returns a Writer of segment id of a pool. It writes the db-file to w, which the
// caller syncs and closes. It compresses with enc. urls is an estimate of how many URLs will be
// added. The argument blocks has the blocks that are stored already: the Writer refers to them,
// and adds each block that it stores. Segment id must be among the segments that Blocks.Valid was
// called with.
func NewWriter(w io.Writer, enc *zstd.Encoder, pool string, id uint32, urls int, blocks *Blocks) *Writer {
	return &Writer{
		w: w, enc: enc,
		info:   Info{ID: id, Pool: pool, First: record.MaxTime, Last: record.MinTime, AddedFirst: record.MaxTime, AddedLast: record.MinTime},
		run:    newRun(),
		blocks: blocks,
		sample: sampleTaker{entries: make([]Entry, 0, min(urls, sampleURLs+1))},
		bodies: make(map[ID]Recipe, min(urls, bodiesRoom)),
		bloom:  bloom.NewWithEstimates(uint(max(urls, 1)), bloomRate),
		pools:  make(map[string]bool),
		uses:   make(map[uint32]bool),
	}
}

// ConvertFacts converts the facts of a block (what was computed from it when it was
// imported) to another form. It gets the block and the facts, and returns the
// converted facts.
type ConvertFacts func(block, facts []byte) []byte

// Pack makes the Writer write the packed form of static pools, which is smaller but
// slower to write. Call it before the first entry. The function dict returns a run
// of another segment to build on, or nil if that run may change. The function short
// converts facts of blocks to the form in which they are stored; Reader.Long
// reverses it. The Writer compresses with p.
func (w *Writer) Pack(p *Packer, dict func(RunRef) *Dict, short ConvertFacts) {
	w.run.packed, w.run.pack, w.run.short, w.dict = true, p, short, dict
}

// Quick makes the Writer compress runs of small captures (see smallCaptures) with
// enc, which should be faster than the Writer's own encoder. Such captures have
// little in common, so a long search for matches gains little.
func (w *Writer) Quick(enc *zstd.Encoder) { w.quick = enc }

// smallCaptures is the least number of captures of a run that is compressed with the encoder of
// Writer.Quick. A run with that many captures has at most about 512 bytes for each of them.
const smallCaptures = runEntries / 2

// Index makes the Writer write its index pairs to x at once, instead of holding them in memory
// until AddTo. AddTo must be called for this segment before another segment writes to x. Call
// Index before the first entry.
func (w *Writer) Index(x *indexfile.Builder) (err error) {
	w.index, err = x.Bucket(w.info.Bucket())
	return err
}

// AddTo adds the index of the segment that w wrote to x, and sets i.IndexBytes to the size in
// bytes of its pairs. If the Writer wrote pairs to x itself (see Index), AddTo adds only the
// remaining ones. After an error only x.Abandon may be called.
func (w *Writer) AddTo(x *indexfile.Builder, i *Info) (err error) {
	b := w.index
	if b == nil {
		if b, err = x.Bucket(i.Bucket()); err != nil {
			return err
		}
	}
	for _, p := range w.pairs() {
		if err := b.Put(p.key, p.value); err != nil {
			return err
		}
	}
	i.IndexBytes, err = b.Done()
	return err
}

// Content is the body of an entry, in one of three forms: whole in Body, on disk in
// Spool, or divided into Layout and Leaves.
type Content struct {
	Body   []byte
	Spool  *record.Spool
	Layout []byte   // nil if the body is not divided
	Leaves [][]byte // the leaves in order
	IDs    []ID     // IDs of the leaves; nil if they are not known
	// Facts are the facts to store beside each leaf, or beside a body that is one
	// block; nil means none. They must depend only on the bytes of the leaf.
	Facts [][]byte
}

// fact returns element i of c.Facts, or nil if there is none.
func (c *Content) fact(i int) []byte {
	if i < 0 || i >= len(c.Facts) {
		return nil
	}
	return c.Facts[i]
}

// Add appends the entry e to the segment. For BodyOwn it stores the body c, unless
// the segment has it already, and sets the entry's recipe. The entry and everything
// it refers to must not change until Finish. newBytes is how many bytes of the body
// had to be stored.
func (w *Writer) Add(e Stored, c Content) (newBytes int64, err error) {
	if e.Body == BodyOwn {
		if newBytes, err = w.store(&e, c); err != nil {
			return 0, err
		}
	}
	return newBytes, w.entry(e)
}

// Move appends the entry e of another segment, whose body is made of parts. If the argument
// layout is not 0, the body's layout is that many of the parts, from the first on. Move returns
// the entry's new recipe: one block for each part, in order.
func (w *Writer) Move(e Stored, layout uint32, parts []BodyBlock) (Recipe, error) {
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

// State appends a state: the body that a capture of the segment had from a time on (see
// Info.States). If e has a body, the body is made of parts, as for Move, and State returns its
// recipe. States come after all entries and kept blocks, in the order of their captures.
func (w *Writer) State(e Stored, layout uint32, parts []BodyBlock) (Recipe, error) {
	if !w.run.states {
		if len(w.run.entries) > 0 || len(w.run.blocks) > 0 {
			if err := w.closeRun(); err != nil {
				return Recipe{}, err
			}
		}
		w.run.states = true
	}
	e.Recipe = Recipe{Layout: layout}
	var err error
	if layout == 0 && len(parts) > 1 {
		err = w.pieces(&e, parts)
	} else if len(parts) > 0 {
		_, err = w.assemble(&e, parts)
	}
	if err != nil {
		return Recipe{}, err
	}
	w.run.entries = append(w.run.entries, e)
	w.run.bytes += len(e.Head) + len(e.Extra) + len(e.Framing)
	if w.run.bytes >= w.runBytes() || len(w.run.entries) >= runEntries {
		return e.Recipe, w.closeRun()
	}
	return e.Recipe, nil
}

// pieces stores the parts of a large body, each in a run of its own unless it is
// stored already, and sets the recipe of e.
func (w *Writer) pieces(e *Stored, parts []BodyBlock) error {
	if _, err := describe(parts); err != nil {
		return err
	}
	for i := range parts {
		p := &parts[i]
		at := p.At
		if q, ok := w.blocks.find(p.ID, w.info.Pool); ok {
			at = q.BlockRef
		}
		if at.Segment == 0 {
			b, _, err := w.bytes(p)
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

// Keep stores the block p, which only other segments use, and returns its place.
func (w *Writer) Keep(p BodyBlock) (BlockRef, error) {
	b, facts, err := w.bytes(&p)
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

// entry appends the entry e, whose body is already stored, to the current run. It
// closes the run if the run is large enough.
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
	w.sample.add(&e.Entry)
	w.run.entries = append(w.run.entries, e)
	w.run.bytes += len(e.Head) + len(e.Extra) + len(e.Framing) + len(e.Request)
	w.last = &w.run.entries[len(w.run.entries)-1]
	if w.run.bytes >= w.runBytes() || len(w.run.entries) >= runEntries {
		return w.closeRun()
	}
	return nil
}

// Bytes returns the size of the db-file so far, with the current run counted
// uncompressed. Captures returns how many entries were added.
func (w *Writer) Bytes() int64    { return w.info.Bytes + int64(w.run.bytes) }
func (w *Writer) Captures() int64 { return w.info.Captures }

// Depend records that the segment uses bodies of the given pool. It does nothing
// for the segment's own pool.
func (w *Writer) Depend(pool string) {
	if pool != w.info.Pool {
		w.pools[pool] = true
	}
}

// Uses returns the other segments whose blocks this one uses so far, sorted.
func (w *Writer) Uses() []uint32 { return slices.Sorted(maps.Keys(w.uses)) }

// store stores the body c in the segment, unless the segment has it already, and
// sets the recipe of e. newBytes is how many bytes it stored.
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

// Add appends the block b to the recipe. It lengthens the last span if b follows it
// directly.
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

// piece stores a piece of the body of e in a run of its own, and appends it to the
// recipe of e.
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

// block appends the block b and its facts to the current run, and remembers it in
// w.blocks under its ID. It returns the place of the block.
func (w *Writer) block(id ID, b, facts []byte) Placed {
	p := Placed{BlockRef{w.info.ID, uint32(len(w.table.ends)), uint32(len(w.run.blocks))}, int32(len(b))}
	w.run.blocks = append(w.run.blocks, b)
	w.run.ids = append(w.run.ids, id)
	w.run.facts = append(w.run.facts, facts)
	w.run.bytes += len(b)
	w.blocks.Remember(id, p)
	return p
}

// closeRun writes the current run to the db-file, adds its chunk to the index, and
// begins the next run.
func (w *Writer) closeRun() error {
	number := uint32(len(w.table.ends))
	refs, ahead := w.chooseBehind()
	enc := w.enc
	if w.quick != nil && len(w.run.entries) >= smallCaptures {
		enc = w.quick
	}
	rec, metaEnd := w.run.encode(enc, w.info.Pool, w.info.ID, number, refs, ahead)
	if w.run.states {
		w.info.States++
	} else if len(w.run.entries) > 0 {
		last := w.run.entries[len(w.run.entries)-1]
		key := chunkKey(&last, number)
		if err := w.chunk(number, pair{key, appendChunkOf(w.starts.link(key), number, w.run.entries, w.run.front, w.run.flags)}); err != nil {
			return err
		}
		w.last = &Stored{Entry: last.Entry}
	}
	w.info.Blocks += int64(len(w.run.blocks))
	begin := w.info.Bytes
	if err := w.write(rec); err != nil {
		return err
	}
	w.table.add(w.info.Bytes, begin+int64(metaEnd), refs)
	w.noteNeeds(refs, w.run.blockBytes())
	w.run.reset()
	return nil
}

// chunk adds p, the chunk of a run with a link, to w.chunks. If the index is written at once, it
// writes the chunk before to the index. The last chunk waits, because its link says that it is the
// last one.
func (w *Writer) chunk(run uint32, p pair) error {
	w.starts.add(run, p.key)
	w.chunks = append(w.chunks, p)
	if w.index == nil || len(w.chunks) == 1 {
		return nil
	}
	p, w.chunks[0] = w.chunks[0], p
	w.chunks = w.chunks[:1]
	p.seal(w.info.ID)
	return w.index.Put(p.key, p.value)
}

// runBytes returns the size in bytes at which this Writer closes a run.
func (w *Writer) runBytes() int {
	if w.run.packed {
		return packedRunBytes
	}
	return runBytes
}

// blockBytes returns the size of all blocks of the run together.
func (r *run) blockBytes() (n int) {
	for _, b := range r.blocks {
		n += len(b)
	}
	return n
}

// reset empties the run and keeps its memory and its settings.
func (r *run) reset() {
	clear(r.entries)
	clear(r.blocks)
	clear(r.facts)
	clear(r.weight)
	*r = run{packed: r.packed, states: r.states, pack: r.pack, short: r.short, weight: r.weight, mem: r.mem, entries: r.entries[:0], blocks: r.blocks[:0], ids: r.ids[:0], facts: r.facts[:0]}
}

func (w *Writer) write(rec []byte) error {
	if _, err := w.w.Write(rec); err != nil {
		return err
	}
	w.info.Bytes += int64(len(rec))
	w.info.CRC = crc32c.Add(w.info.CRC, rec)
	return nil
}

// Finish writes the last run and the end record, and returns the Info of the
// segment. The Info lacks what only the publisher knows: Born, Seen and the file
// names.
func (w *Writer) Finish() (Info, error) {
	if len(w.run.entries) > 0 || len(w.run.blocks) > 0 {
		if err := w.closeRun(); err != nil {
			return Info{}, err
		}
	}
	w.info.Runs = len(w.table.ends)
	w.info.Depends, w.info.Uses = slices.Sorted(maps.Keys(w.pools)), w.Uses()
	if w.last == nil {
		w.last = &Stored{Entry: Entry{Key: noCapture}}
	}
	if err := w.write(encodeEnd(w.enc, &w.info, w.last)); err != nil {
		return Info{}, err
	}
	w.run.free()
	w.info.Brief = newBrief(w.bloom, w.table.encode(w.info.ID))
	return w.info, nil
}

// The keys of the index values that are not chunks. No URL's key begins with a zero
// byte, so these keys differ from all keys of chunks.
var (
	keyBloom  = []byte("\x00bloom")
	keyCensus = []byte("\x00census") // not every index has one
	keyRuns   = []byte("\x00runs")
	keySample = []byte("\x00sample") // not every index has one
	keyStarts = []byte("\x00starts") // not every index has them
)

// pairs returns the index pairs that were not written yet: first the result of
// finalPairs, then the chunks.
func (w *Writer) pairs() []pair {
	if n := len(w.chunks); n > 0 {
		w.chunks[n-1].seal(w.info.ID, linkLast)
		for _, p := range w.chunks[:n-1] {
			p.seal(w.info.ID)
		}
	}
	return append(finalPairs(w.info.ID, w.bloom, w.census.census(), w.table.encode(w.info.ID), w.sample.encode(), w.starts.encode()), w.chunks...)
}

// finalPairs returns the index pairs of a segment that are known only after the last run, sorted
// by key: the Bloom filter, the census if it is not nil, the table of runs, and the sample and
// the starts of the chunks if they are not nil.
func finalPairs(segment uint32, filter *bloom.BloomFilter, census *Census, table, sample, starts []byte) []pair {
	pairs := []pair{{keyBloom, marshal(filter)}}
	if census != nil {
		pairs = append(pairs, pair{keyCensus, census.encode()})
	}
	pairs = append(pairs, pair{keyRuns, table})
	if sample != nil {
		pairs = append(pairs, pair{keySample, sample})
	}
	if starts != nil {
		pairs = append(pairs, pair{keyStarts, starts})
	}
	for i := range pairs {
		p := &pairs[i]
		p.value = append(make([]byte, sumBytes, sumBytes+len(p.value)), p.value...)
		p.seal(segment)
	}
	return pairs
}

// marshal returns filter in the form of package bits-and-blooms, all numbers big-endian with 8
// bytes: the number of bits m, the number of hashes k, m again, and the bits.
func marshal(filter *bloom.BloomFilter) []byte {
	b, err := filter.MarshalBinary()
	if err != nil {
		panic(fmt.Sprintf("segment: marshal a filter in memory: %v", err))
	}
	return b
}

// newBrief returns the Brief of a segment with this Bloom filter and this table of runs. It
// returns nil if the filter is larger than filterMost.
func newBrief(filter *bloom.BloomFilter, table []byte) *Brief {
	if filter.Cap() > 8*filterMost {
		return nil
	}
	return &Brief{marshal(filter), table}
}

// sumBytes is the size in bytes of the checksum at the beginning of each value of the index.
const sumBytes = 4

// pairSum returns the checksum of a pair of the index of a segment. It covers the number of the
// segment, the key, and the value after the checksum.
func pairSum(segment uint32, key, value []byte) uint32 {
	sum := crc32c.Sum(binary.LittleEndian.AppendUint32(make([]byte, 0, 4), segment))
	return crc32c.Add(crc32c.Add(sum, key), value[sumBytes:])
}

// seal writes the checksum of p into the first bytes of its value. If p is a chunk, it first sets
// the flags of its link.
func (p pair) seal(segment uint32, flags ...byte) {
	for _, f := range flags {
		p.value[sumBytes] |= f
	}
	binary.LittleEndian.PutUint32(p.value, pairSum(segment, p.key, p.value))
}

// unseal checks the checksum of the pair of key and value, and returns the value after it. The
// error is indexfile.ErrDamaged if key, value or segment differ from those of pair.seal. A value
// that is missing counts as damaged.
func unseal(segment uint32, key, value []byte) ([]byte, error) {
	if len(value) < sumBytes || !SumIs(pairSum(segment, key, value), binary.LittleEndian.Uint32(value)) {
		return nil, indexfile.ErrDamaged
	}
	return value[sumBytes:], nil
}

// unsealed returns a function that calls unseal with the value of key in the index of the segment.
func (i *Info) unsealed(key []byte) func(value []byte) ([]byte, error) {
	return func(value []byte) ([]byte, error) { return unseal(i.ID, key, value) }
}

// NewEncoder returns an encoder of runs of the default, fast level.
func NewEncoder() *zstd.Encoder { return encoderOf(zstd.SpeedDefault) }

// NewQuickEncoder returns an encoder of the fastest level; see Writer.Quick.
func NewQuickEncoder() *zstd.Encoder { return encoderOf(zstd.SpeedFastest) }

func encoderOf(level zstd.EncoderLevel) *zstd.Encoder {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(4<<20), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(fmt.Sprintf("segment: options of the zstd encoder: %v", err))
	}
	return enc
}

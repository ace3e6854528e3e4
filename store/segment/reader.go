package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/bits-and-blooms/bloom/v3"
	"github.com/klauspost/compress/zstd"

	"infomall/store/crc32c"
	"infomall/store/disk"
	"infomall/store/segment/column"
	"infomall/store/segment/indexfile"
)

// decoder returns the decoder for all compressed frames. It has no state between
// calls, and several goroutines may use it. Its memory limit is above the size of
// any run.
func decoder() *zstd.Decoder {
	if unchecked.Load() {
		return uncheckedDecoder()
	}
	return checkedDecoder()
}

var (
	checkedDecoder   = sync.OnceValue(func() *zstd.Decoder { return newDecoder() })
	uncheckedDecoder = sync.OnceValue(func() *zstd.Decoder { return newDecoder(zstd.IgnoreChecksum(true)) })
)

func newDecoder(o ...zstd.DOption) *zstd.Decoder {
	d, err := zstd.NewReader(nil, append(o, zstd.WithDecoderMaxMemory(256<<20), zstd.WithDecoderConcurrency(0))...)
	if err != nil {
		panic(fmt.Sprintf("segment: options of the zstd decoder: %v", err))
	}
	return d
}

// Reader reads one segment. Several goroutines may use it. It opens the db-file
// when it first needs it; Close closes the db-file. The index file belongs to the
// caller, who closes it.
type Reader struct {
	Info *Info
	// Others returns the run that ref names. A run of this segment builds on it, and it
	// may be in any segment. Load need not have been called for it. Set Others before
	// the first use of the Reader.
	Others func(RunRef) (*Run, error)
	// Long converts facts of a block from short to long form; nil leaves them as
	// they are. Set it before the first use.
	Long  ConvertFacts
	disk  disk.FS
	index *indexfile.File // nil if it could not be opened
	// warn is called once if the index is damaged and reading continues from the
	// db-file; nil if nobody wants to know.
	warn func(error)

	mu          sync.Mutex
	file        disk.Source
	bloom       atomic.Pointer[bloom.BloomFilter] // nil if it is not known yet, or is damaged
	runs        runTable                          // empty if it is not known yet
	runKeys     []runKey                          // the runs with their last keys, read from the db-file if the index is bad
	noTable     error                             // why neither index nor db-file says where the runs end
	census      *Census
	counted     bool // the census was read from the index
	sampleLevel int
	sampled     bool // sampleLevel was read from the index
	starts      []chunkStart
	started     bool // starts was read from the index
	badIndex    bool
}

// runKey is the number and the last key of a run with entries. For a damaged run, damage
// is its error, and lastKey is the last key of the next run.
type runKey struct {
	lastKey string
	number  uint32
	damage  error
}

// NewReader returns a Reader of the segment info. d reads the files of the archive by
// their names, see disk.Inside.
// If index is nil, the Reader reads everything from the db-file. The function warn,
// if not nil, is called if the index is damaged.
func NewReader(d disk.FS, info *Info, index *indexfile.File, warn func(error)) *Reader {
	return &Reader{Info: info, disk: d, index: index, badIndex: index == nil, warn: warn}
}

// Close closes the db-file.
func (s *Reader) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

// Learn gives s the parts of the segment's index that the catalogue repeats in b, so that
// s need not read them from the index. It ignores a damaged part of b, and a nil b. Call
// it before the first use of s.
func (s *Reader) Learn(b *Brief) {
	const head = 24 // m, k and the number of words, which says how much memory is taken
	if b == nil {
		return
	}
	if len(b.Filter) >= head && binary.BigEndian.Uint64(b.Filter[16:]) <= uint64(len(b.Filter)-head)*8 {
		if f := new(bloom.BloomFilter); f.UnmarshalBinary(b.Filter) == nil {
			s.bloom.Store(f)
		}
	}
	if t, err := decodeRunTable(b.Runs, s.Info); err == nil { // if it is damaged, the index is read
		s.runs = t
	}
}

// Lacks reports whether it is certain, without reading anything, that the segment has no captures of
// the URL with this key.
func (s *Reader) Lacks(key string) bool {
	f := s.bloom.Load()
	return key < s.Info.FirstKey || key > s.Info.LastKey || f != nil && !f.TestString(key)
}

// Brief returns the Brief of the segment, see Info.Brief. It is nil if the segment is not small or
// the index is damaged.
func (s *Reader) Brief() *Brief {
	if s.Info.URLs > 8*filterMost {
		return nil // a filter has more than one bit for each URL
	}
	s.MayHave(s.Info.FirstKey)
	table, ok := s.tableInIndex()
	f := s.bloom.Load()
	if f == nil || !ok || table.ends == nil {
		return nil
	}
	return newBrief(f, table.encode(s.Info.ID))
}

// MayHave reports whether the segment may have captures of the URL with this key.
// If it reports false, the segment certainly has none.
func (s *Reader) MayHave(key string) bool {
	var p Probe
	p.Reset(key)
	return s.May(&p)
}

// Probe is the key of a URL to look up in many segments. The key is hashed once for
// all their Bloom filters. Only one goroutine may use a Probe.
type Probe struct {
	key string
	at  []uint64 // result of bloom.Locations; nil before it is needed
}

// hashesMax is a number of hash functions that no undamaged Bloom filter exceeds.
const hashesMax = 64

// Reset sets the key that p looks up, and drops the hashes of the last key.
func (p *Probe) Reset(key string) { p.key, p.at = key, nil }

// in reports whether the key of p is in the Bloom filter f. The result true may be wrong; false is
// always right.
func (p *Probe) in(f *bloom.BloomFilter) bool {
	switch k := f.K(); {
	case k > hashesMax:
		return f.TestString(p.key)
	case uint(len(p.at)) != k: // all filters of this program have the same number
		p.at = bloom.Locations([]byte(p.key), k)
	}
	return f.TestLocations(p.at)
}

// May reports whether the segment may have captures of the URL with the key of p.
// If it reports false, the segment certainly has none.
func (s *Reader) May(p *Probe) bool {
	if f := s.bloom.Load(); f != nil {
		return p.in(f) && s.spans(p.key) // the filter takes less time, and mostly says no
	}
	if !s.spans(p.key) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.badIndex {
		return true
	}
	f := new(bloom.BloomFilter)
	if err := s.indexValue(keyBloom, f.UnmarshalBinary); err != nil {
		s.giveUpIndex(err)
		return true
	}
	s.bloom.Store(f)
	return p.in(f)
}

// spans reports whether key lies between the first and the last key of the segment.
func (s *Reader) spans(key string) bool { return key >= s.Info.FirstKey && key <= s.Info.LastKey }

// Census returns the census of the segment (the numbers of its captures by host and
// by trait), or nil if the index has none or is damaged.
func (s *Reader) Census() *Census {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.badIndex || s.counted {
		return s.census
	}
	c, err := s.index.Cursor(s.Info.Bucket())
	if err == nil {
		defer c.Close()
		err = s.index.Guard(func() error {
			b, err := c.Find(keyCensus, s.Info.unsealed(keyCensus))
			if err == nil && b != nil {
				s.census, err = decodeCensus(b)
			}
			return err
		})
	}
	if err == nil && !s.census.counts(s.Info.Captures) {
		err = column.ErrDamaged
	}
	if err != nil {
		s.census = nil
		s.giveUpIndex(err)
	}
	s.counted = true
	return s.census
}

// indexValue calls use with the value that key has in the segment's bucket of the
// index, and returns the error of use. The caller holds s.mu.
func (s *Reader) indexValue(key []byte, use func([]byte) error) error {
	c, err := s.index.Cursor(s.Info.Bucket())
	if err != nil {
		return err
	}
	defer c.Close()
	v, err := c.Get(key, s.Info.unsealed(key))
	if err != nil {
		return err
	}
	return use(v)
}

// giveUpIndex marks the index as bad because of err, and warns at the first call.
// From then on the db-file is read instead. The caller holds s.mu.
func (s *Reader) giveUpIndex(err error) {
	if !s.badIndex && s.warn != nil {
		s.warn(&Error{File: s.Info.Index, Offset: -1, Err: fmt.Errorf("segment %d: %w; %s is read instead", s.Info.ID, err, s.Info.File)})
	}
	s.badIndex = true
	s.bloom.Store(nil)
}

// lostIndex does what giveUpIndex does, for a caller that does not hold s.mu.
func (s *Reader) lostIndex(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveUpIndex(err)
}

// directory returns the number and last key of each run with entries, and of each
// damaged run, read from the db-file. It replaces a bad index.
func (s *Reader) directory() ([]runKey, error) {
	s.mu.Lock()
	done := s.runKeys
	s.mu.Unlock()
	if done != nil {
		return done, nil
	}
	table, err := s.table()
	if err != nil {
		return nil, err
	}
	runs := []runKey{}
	for n := range min(len(table.ends), s.Info.Runs-s.Info.States) { // a state is no capture
		m, _, err := s.Meta(uint32(n))
		key := ""
		if err == nil && m.Len() == 0 {
			continue
		}
		if err == nil {
			key, err = m.lastKey()
		}
		if disk.MayPass(err) {
			return nil, err
		}
		if err != nil {
			key = s.Info.LastKey
		}
		runs = append(runs, runKey{key, uint32(n), err})
	}
	for i := len(runs) - 2; i >= 0; i-- {
		if runs[i].damage != nil {
			runs[i].lastKey = runs[i+1].lastKey
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runKeys = runs
	return runs, nil
}

// handle returns the db-file, which it opens at the first call. If the file is
// missing, the error is an *Error.
func (s *Reader) handle() (disk.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		f, err := s.disk.Open(s.Info.File)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &Error{File: s.Info.File, Offset: -1, Err: syscall.ENOENT}
		}
		if err != nil {
			return nil, err
		}
		s.file = f
	}
	return s.file, nil
}

// table returns the table of runs: where each run ends in the db-file. It opens the
// db-file only if the index does not have the table.
func (s *Reader) table() (runTable, error) {
	if t, ok := s.tableInIndex(); ok {
		return t, nil
	}
	f, err := s.handle()
	if err != nil {
		return runTable{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs.ends != nil || s.noTable != nil {
		return s.runs, s.noTable
	}
	err = s.scanTable(f)
	if !disk.MayPass(err) {
		s.noTable = err
	}
	return s.runs, err
}

// tableInIndex returns the table of runs if it is in memory or in the index. ok is false
// if it is in neither.
func (s *Reader) tableInIndex() (t runTable, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs.ends == nil && !s.badIndex {
		err := s.indexValue(keyRuns, func(b []byte) (err error) {
			if t, err = decodeRunTable(b, s.Info); err == nil {
				s.runs = t
			}
			return err
		})
		if err != nil {
			s.giveUpIndex(err)
		}
	}
	return s.runs, s.runs.ends != nil || !s.badIndex
}

// headBytesMax is a size in bytes that no head of a record exceeds. A head has two URLs
// and a dozen short lines.
const headBytesMax = 64 << 10

// scanTable finds the runs by reading the heads of all records of the db-file f,
// and sets s.runs. The caller holds s.mu.
func (s *Reader) scanTable(f disk.Source) error {
	var t runTable
	buf := make([]byte, headBytesMax)
	for at := int64(0); at < s.Info.Bytes; {
		n, err := f.ReadAt(buf[:min(headBytesMax, s.Info.Bytes-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		h, size, err := peekHead(buf[:n])
		if err != nil {
			return Damage(s.Info.File, at, err)
		}
		if h.kind == kindEnd {
			break
		}
		end := at + int64(size+h.length+1)
		if end > s.Info.Bytes {
			return &Error{File: s.Info.File, Offset: at, Err: errors.New("the record is longer than the file")}
		}
		t.add(end, at+int64(size+h.metaLength()), h.behind)
		at = end
	}
	s.runs = t
	return nil
}

// Run is a run (neighbouring captures and the blocks they bring). Its blocks and facts are
// empty until Load. Otherwise it is immutable, and several goroutines may use it.
type Run struct {
	Meta   *Meta
	Stored int // number of bytes that were read from the db-file for it
	ends   []int64
	long   ConvertFacts
	head   recordHead
	mem    *RunMemory
	size   int // decompressed size of the content, with the facts

	mu            sync.Mutex // guards the fields below
	frame         []byte     // compressed content frame; nil if the facts are loaded
	blocks, whole bool       // the blocks are loaded; the facts are loaded too
	content       []byte
	facts         []byte // the encoded facts of the run
	lacks         error  // why there is no content; set before the run is shared, see Salvage.Run
	fault         error  // why there is no content: it is damaged

	once    sync.Once
	decoded *Facts
	bad     error
}

// Dictionary returns the runs that the content of r builds on: they must be
// decompressed before it.
func (r *Run) Dictionary() []RunRef { return r.head.behind }

// blockBytes returns the decompressed size of all blocks of the run together.
func (r *Run) blockBytes() int { return r.size - r.head.factsLength }

// Content returns the blocks of the run, concatenated. Load must have been called
// before. For a run of a Salvage, the error says which run that r builds on is missing.
func (r *Run) Content() ([]byte, error) { return r.content, r.lacks }

// BlockCount returns the number of blocks of the run.
func (r *Run) BlockCount() int { return len(r.ends) }

// Block returns block n of the run. Load must have been called before. The block
// shares the run's memory.
func (r *Run) Block(n uint32) ([]byte, error) {
	if r.lacks != nil {
		return nil, r.lacks
	}
	if uint64(n) >= uint64(len(r.ends)) {
		return nil, fmt.Errorf("the run has no block %d, of %d", n, len(r.ends))
	}
	from := int64(0)
	if n > 0 {
		from = r.ends[n-1]
	}
	if r.ends[n] > int64(len(r.content)) {
		return nil, column.ErrDamaged
	}
	return r.content[from:r.ends[n]:r.ends[n]], nil
}

// Packed reports whether the run is in the form of static pools, in which the IDs of
// blocks are not stored.
func (r *Run) Packed() bool { return r.Meta.packed }

// Packed reports whether the run of m is in the form of static pools.
func (m *Meta) Packed() bool { return m.packed }

// Bytes returns an estimate of the memory in bytes that the run takes after everything in
// it has been used.
func (r *Run) Bytes() int64 {
	const blob = 24 // size of a slice header
	n := int64(r.head.unzip+r.Stored) + 3*int64(r.head.factsLength) + entryMemory*int64(r.Meta.n) + blob*int64(2*r.Meta.n+2*len(r.ends))
	if r.Meta.packed {
		n += int64(r.size) / 8 // facts of blocks in their long form
	}
	return n
}

// Unpacked returns the size of the run in bytes when all of it is decompressed.
func (r *Run) Unpacked() int { return r.head.unzip }

// Open reads and checks run n of the segment. It does not decompress the run's blocks
// and facts.
func (s *Reader) Open(n uint32) (*Run, error) { return s.OpenIn(n, nil) }

// OpenIn does what Open does, in the memory m; nil stands for new memory. The run is valid
// until the next call of OpenIn with m, and only one goroutine may use it.
func (s *Reader) OpenIn(n uint32, m *RunMemory) (*Run, error) {
	var room []byte
	if m != nil {
		m.again, room = true, m.record
	}
	rec, from, err := s.recordIn(n, room)
	if err != nil {
		return nil, err
	}
	if m != nil {
		m.record = rec
	}
	r, err := openRun(rec, s.Info.ID, n, m)
	if err != nil {
		return nil, Damage(s.Info.File, from, err)
	}
	r.long, r.Meta.info, r.Meta.file, r.Meta.offset = s.Long, s.addedIn(n), s.Info.File, from
	return r, nil
}

// Load decompresses the blocks of r, a run of this segment. If whole is set, it
// also decompresses the facts of r. What an earlier call decompressed is kept. A
// caller that only uses entries need not call Load, and does not need the runs that
// r builds on.
func (s *Reader) Load(r *Run, whole bool) error {
	if err := r.load(s.Others, whole); err != nil {
		return Damage(s.Info.File, -1, err)
	}
	return nil
}

// Run reads and checks run n of the segment, and decompresses its blocks and facts.
func (s *Reader) Run(n uint32) (*Run, error) {
	r, err := s.Open(n)
	if err == nil {
		err = s.Load(r, true)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Meta reads the meta of run n: what the run says of its entries and blocks. It reads nothing else
// of the run, because the meta has checksums of its own, or the head has one of it. stored is how many bytes it read from the
// db-file.
func (s *Reader) Meta(n uint32) (m *Meta, stored int, err error) { return s.MetaIn(n, nil) }

// MetaIn does what Meta does, in the memory mem; nil stands for new memory. The Meta is valid until
// the next call of MetaIn with mem, and only one goroutine may use it.
func (s *Reader) MetaIn(n uint32, mem *RunMemory) (m *Meta, stored int, err error) {
	f, err := s.handle()
	if err != nil {
		return nil, 0, err
	}
	table, err := s.table()
	if err != nil {
		return nil, 0, err
	}
	from, _, err := span(table.ends, n)
	if err != nil {
		return nil, 0, Damage(s.Info.File, -1, err)
	}
	var b []byte
	if size := int(table.metaEnds[n] - from); mem == nil {
		b = make([]byte, size)
	} else {
		b = slices.Grow(mem.record[:0], size)[:size]
		mem.again, mem.record = true, b
	}
	if err := readAt(f, b, from); err != nil {
		return nil, 0, Damage(s.Info.File, from, err)
	}
	m, err = func() (*Meta, error) {
		h, size, err := peekHead(b)
		if err != nil {
			return nil, err
		}
		frames, _, err := h.frames(b[size:])
		if err != nil {
			return nil, err
		}
		if sum := crc32c.Sum(b[size:][:h.metaLength()]); h.metaSummed && !SumIs(sum, h.metaCRC) {
			return nil, fmt.Errorf("crc32c of the meta is %08x, the head says %08x: the record is damaged", sum, h.metaCRC)
		}
		return openMeta(frames, s.Info.ID, n, mem)
	}()
	if err != nil {
		return nil, 0, Damage(s.Info.File, from, err)
	}
	m.info, m.file, m.offset = s.addedIn(n), s.Info.File, from
	return m, len(b), nil
}

// addedIn returns the Info that has the time at which the entries of run n were added. It
// returns nil for a run of states, whose entries each have their own time.
func (s *Reader) addedIn(n uint32) *Info {
	if int(n) >= s.Info.Runs-s.Info.States {
		return nil
	}
	return s.Info
}

// errShort is returned if the db-file ends within a run.
var errShort = errors.New("the file is shorter than the catalogue says")

// readAt fills b with the bytes of f that begin at offset from. It returns errShort
// if f ends before.
func readAt(f disk.Source, b []byte, from int64) error {
	_, err := f.ReadAt(b, from)
	if errors.Is(err, io.EOF) {
		return errShort
	}
	return err
}

func span(ends []int64, n uint32) (from, end int64, err error) {
	if uint64(n) >= uint64(len(ends)) {
		return 0, 0, fmt.Errorf("the segment has %d runs, but no run %d", len(ends), n)
	}
	if n > 0 {
		from = ends[n-1]
	}
	return from, ends[n], nil
}

// decodeRun decodes b, the record of run number of a segment, with its blocks and
// facts. The function others returns the runs on which this run builds; it may be
// nil if there are none.
func decodeRun(b []byte, segment, number uint32, others func(RunRef) (*Run, error)) (*Run, error) {
	r, err := openRun(b, segment, number, nil)
	if err == nil {
		err = r.load(others, true)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// openRun decodes b, the record of run number of a segment, without the run's
// blocks and facts, into the memory mem; nil stands for new memory. It keeps a
// reference to b.
func openRun(b []byte, segment, number uint32, mem *RunMemory) (*Run, error) {
	h, data, err := parseHead(b)
	if err != nil {
		return nil, err
	}
	if !h.isRun() {
		return nil, fmt.Errorf("found a record of kind %q where a run should be", h.kind)
	}
	h.segment = segment
	frames, content, err := h.frames(data)
	if err != nil {
		return nil, err
	}
	size, err := metaSize(frames)
	if err != nil {
		return nil, err
	}
	m, err := openMeta(frames, segment, number, mem)
	if err != nil {
		return nil, err
	}
	m.States = h.kind == kindStates
	r := &Run{Meta: m, Stored: len(b), head: h, frame: content, mem: mem, size: h.unzip - size}
	if r.size < h.factsLength || r.size > 0 && len(r.frame) == 0 || r.head.factsFrom > len(r.frame) {
		return nil, errLengths
	}
	if err = m.need(groupBlocks); err != nil {
		return nil, m.fault(err)
	}
	if r.ends, err = blockEnds(m.mem.ends, m.cols[colBlockLens]); err != nil {
		return nil, m.fault(err)
	}
	m.mem.ends = r.ends
	return r, nil
}

// entryMemory estimates the bytes of memory that one entry takes in the decoded columns
// from which Meta.Entry makes it, without its texts.
const entryMemory = 220

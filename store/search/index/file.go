package index

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"

	"infomall/store/crc32c"
	"infomall/store/disk"
	"infomall/store/memo"
	"infomall/store/packed"
	"infomall/store/segment"
	"infomall/store/urlkey"
)

// ErrOther is returned by Open if the index was made by another version of the program.
var ErrOther = errors.New("the index of words was made by another version of the program")

// errDamaged is returned for an index file whose bytes are damaged.
var errDamaged = errors.New("the index of words is damaged")

const (
	// memoryBytes is the largest size in bytes of a file that Open reads into memory as a
	// whole.
	memoryBytes = 1 << 20
	// frameMax is the most bytes that a block or the table may have after decompression. A
	// block has more than blockBytes only if a single term or a single run has.
	frameMax = 1 << 30
	tailSize = 8
)

// File is an index file that is open for reading. Several goroutines may use it.
type File struct {
	Segments []Segment // in the order in which they were added
	Runs     []Run     // the runs of all segments, one segment after the other
	Readings []Reading
	Others   []Other // segments outside the index that store leaves of the pages

	name   string // for error messages, and for the keys in kept
	kept   *memo.Cache
	in     io.ReaderAt
	close  func() error
	size   int64
	table  block
	docs   int // number of documents
	parts  [][]termBlock
	shapes []runBlock
	pages  []runBlock
	users  []UsersBlock
	// targets are the blocks of targets. Blocks of the same runs follow each other, sorted by
	// the keys of the targets.
	targets []targetBlock
}

// Run is what the table of the index says of one run. File.Runs has it in memory, so no
// block is read for it.
type Run struct {
	Lost     bool // the run could not be read when the index was made
	Neutral  bool // all documents are neutral
	Blocks   int  // number of blocks of the run
	Readings []int
	Pages    int       // number of captures of the run
	Special  []Special // the captures that are PageUnknown or PageNone, in order

	first int     // number of the first document that is new in this run
	docs  int     // number of documents that are new in this run
	alias []int32 // documents of earlier runs whose texts this run has too, sorted
}

// Segment is one segment that the index covers.
type Segment struct {
	Name
	First uint32 // index of its first run in File.Runs
	Runs  uint32 // number of its runs
}

// Other is a segment outside the index that stores leaves of pages in the index.
type Other struct {
	Segment uint32
	// Number is the number of the segment's db-file if the index of that segment skips none of
	// these leaves. Otherwise it is 0: that index may then find nothing although such a leaf
	// has the word.
	Number uint32
}

// Special is a capture whose words cannot be known from the leaves in the index.
type Special struct {
	N      uint32 // number of the capture in its run
	NoText bool   // the capture is PageNone; if not set, it is PageUnknown
}

// Seen returns the number of the db-file that stores the leaves of n, or 0 if its index may find
// nothing although such a leaf has the word; see Other.Number.
func (f *File) Seen(n Named) uint32 { return f.Others[n.other].Number }

func (n Named) compare(o Named) int {
	return cmp.Or(cmp.Compare(n.Segment, o.Segment), cmp.Compare(n.Run, o.Run), cmp.Compare(n.Reading, o.Reading))
}

// block is the position, size and checksum of one block of the file.
type block struct {
	at   int64
	size int
	crc  uint32
}

type termBlock struct {
	last            string // the last term in the block
	terms, postings block
}

// runBlock is a block that describes consecutive runs. They end before the run with index
// end, and begin where the runs of the block before it end.
type runBlock struct {
	end int
	block
}

// Open opens the index file with this name. d reads the files of the archive by
// their names, see disk.Inside. The caller closes the File. Decoded blocks of the file are kept in the
// cache kept, which may be nil. The error is ErrOther if another version of the program
// made the index, an error of package os if there is no such file, or a *segment.Error if
// the file is damaged.
func Open(d disk.FS, name string, kept *memo.Cache) (*File, error) {
	in, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	f, err := open(in, name, kept)
	if err != nil || f.in != io.ReaderAt(in) {
		err = errors.Join(err, in.Close())
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

func open(in disk.Source, name string, kept *memo.Cache) (*File, error) {
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > memoryBytes {
		return newFile(name, in, info.Size(), in.Close, kept)
	}
	b := make([]byte, info.Size())
	if _, err := in.ReadAt(b, 0); err != nil {
		return nil, err
	}
	return newFile(name, memory(b), info.Size(), func() error { return nil }, kept)
}

// newFile returns a File for the index in the first size bytes of in. File.Close calls
// close. Decoded blocks are kept in the cache kept.
func newFile(name string, in io.ReaderAt, size int64, close func() error, kept *memo.Cache) (*File, error) {
	f := &File{name: name, in: in, size: size, close: close, kept: kept}
	if err := f.readTable(); errors.Is(err, ErrOther) {
		return nil, err
	} else if err != nil {
		return nil, f.fault(err)
	}
	return f, nil
}

// memory is the content of a file that Open read as a whole.
type memory []byte

// ReadAt implements io.ReaderAt.
func (m memory) ReadAt(p []byte, at int64) (int, error) {
	if at > int64(len(m)) || copy(p, m[at:]) < len(p) {
		return 0, io.ErrUnexpectedEOF
	}
	return len(p), nil
}

// Close closes the file.
func (f *File) Close() error { return f.close() }

// Name returns the name that was passed to Open.
func (f *File) Name() string { return f.name }

// Memory returns the number of bytes of the file that are in memory. It is 0 if the file
// was not read as a whole.
func (f *File) Memory() int64 {
	if m, ok := f.in.(memory); ok {
		return int64(len(m))
	}
	return 0
}

// fault returns err with the name of the file added. If err may pass (see disk.MayPass), it returns
// err.
func (f *File) fault(err error) error {
	var fault *segment.Error
	if errors.As(err, &fault) || disk.MayPass(err) {
		return err
	}
	return &segment.Error{File: f.name, Offset: -1, Err: fmt.Errorf("%w: REINDEX SEARCH makes it again", err)}
}

// decoder returns the decompressor that all Files share.
var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(frameMax), zstd.WithDecoderConcurrency(0))
	if err != nil {
		panic(fmt.Sprintf("index: make a decoder: %v", err)) // the options are constant
	}
	return d
})

// read reads block b from the file, compares its checksum, and returns it decompressed.
func (f *File) read(b block) ([]byte, error) {
	if b.at < 0 || b.size < 0 || b.at > f.size || int64(b.size) > f.size-b.at {
		return nil, f.fault(errDamaged)
	}
	var frame []byte
	if m, ok := f.in.(memory); ok {
		frame = m[b.at:][:b.size]
	} else {
		frame = make([]byte, b.size)
		if _, err := f.in.ReadAt(frame, b.at); err != nil {
			return nil, f.fault(err)
		}
	}
	if crc32c.Sum(frame) != b.crc {
		return nil, f.fault(errDamaged)
	}
	out, err := decoder().DecodeAll(frame, nil)
	if err != nil {
		return nil, f.fault(err)
	}
	return out, nil
}

// blockKey is the key in the cache File.kept for a decoded form of a block. The field of
// says which form. The key contains the table of the file, which has the checksums of all
// blocks, because a new index may have the same file name.
type blockKey struct {
	name  string
	table block
	at    int64
	of    kind
}

// kind is a decoded form of a block in the cache File.kept.
type kind uint8

const (
	keptBytes kind = iota // its bytes, decompressed
	keptShapes
	keptUsers
	keptPages
	keptTerms
	keptTable // the table of a file that is not in memory: a *File without in and close
)

// keep returns the form of block b that the parameter of names. If the cache f.kept does
// not have it, keep reads the block, decodes it with decode, and puts the result into the
// cache. decode also returns the size of the result in memory, in bytes.
func keep[T any](f *File, b block, of kind, decode func(content []byte) (T, int64, error)) (T, error) {
	key := blockKey{f.name, f.table, b.at, of}
	if t, ok := memo.Get[T](f.kept, key); ok {
		return t, nil
	}
	var t T
	content, err := f.read(b)
	if err != nil {
		return t, err
	}
	t, bytes, err := decode(content)
	if err == nil {
		f.kept.Put(key, t, bytes)
	}
	return t, err
}

// content returns the decompressed bytes of block b. The caller must not change them.
func (f *File) content(b block) ([]byte, error) {
	return keep(f, b, keptBytes, func(content []byte) ([]byte, int64, error) { return content, int64(cap(content)), nil })
}

// tableBytes is an estimate of the memory that a decoded table takes, in bytes for each of its
// bytes.
const tableBytes = 8

// readTable reads the tail and the table of the file. It keeps the decoded table of a file that is
// not in memory, because such a file is opened for each statement: to read the tables took 13 % of
// the CPU time of a count of a rare word in a million captures.
func (f *File) readTable() error {
	if f.size < 1+tailSize {
		return errDamaged
	}
	var first [1]byte
	if _, err := f.in.ReadAt(first[:], 0); err != nil {
		return err
	}
	if disk.CheckByte(first[0], "index of words") != nil {
		return ErrOther
	}
	var tail [tailSize]byte
	if _, err := f.in.ReadAt(tail[:], f.size-tailSize); err != nil {
		return err
	}
	size := int64(binary.LittleEndian.Uint32(tail[:]))
	f.table = block{f.size - tailSize - size, int(size), binary.LittleEndian.Uint32(tail[4:])}
	key := blockKey{f.name, f.table, f.table.at, keptTable}
	if known, ok := memo.Get[*File](f.kept, key); ok {
		in, close := f.in, f.close
		*f = *known
		f.in, f.close = in, close
		return nil
	}
	b, err := f.read(f.table)
	if disk.MayPass(err) {
		return err
	}
	if err != nil {
		return errDamaged
	}
	r := packed.Reader{B: b}
	if r.Byte() != Version {
		return ErrOther
	}
	runs := uint32(0)
	for range r.Count() {
		g := Segment{Name: Name{Number: uint32(r.Number()), Bytes: int64(r.Uvarint())}, First: runs}
		if crc := r.Take(4); crc != nil {
			g.CRC = binary.LittleEndian.Uint32(crc)
		}
		g.Runs = uint32(r.Number())
		runs += g.Runs
		f.Segments = append(f.Segments, g)
	}
	for range r.Count() {
		f.Readings = append(f.Readings, Reading{r.Text(), r.Byte() != 0})
	}
	for range r.Count() {
		f.Others = append(f.Others, Other{uint32(r.Number()), uint32(r.Number())})
	}
	f.readBlocks(&r)
	f.readRuns(&r)
	if r.Bad || len(r.B) != 0 || int(runs) != len(f.Runs) || !f.countUsers() || !f.targetsFit() {
		return errDamaged
	}
	if f.Memory() == 0 {
		known := *f
		known.in, known.close = nil, nil
		f.kept.Put(key, &known, int64(len(b))*tableBytes)
	}
	return nil
}

// readBlocks reads from the table the positions of all blocks.
func (f *File) readBlocks(r *packed.Reader) {
	place := func(t *packed.Reader) block {
		b := block{at: int64(t.Uvarint()), size: t.Number()}
		if crc := t.Take(4); crc != nil {
			b.crc = binary.LittleEndian.Uint32(crc)
		}
		return b
	}
	var of [kinds]packed.Reader
	for kind := range of {
		r.Number()
		of[kind].B = r.Sized()
	}
	terms, postings := &of[kindTerms], &of[kindPostings]
	var part []termBlock
	for len(terms.B) > 0 {
		last := terms.Text()
		if last == "" {
			f.parts, part = append(f.parts, part), nil
			continue
		}
		part = append(part, termBlock{last, place(terms), place(postings)})
	}
	for kind, to := range map[int]*[]runBlock{kindShapes: &f.shapes, kindPages: &f.pages} {
		for t := &of[kind]; len(t.B) > 0; {
			*to = append(*to, runBlock{t.Number(), place(t)})
		}
	}
	for t := &of[kindUsers]; len(t.B) > 0; {
		f.users = append(f.users, f.readUsersBlock(t, place))
	}
	for t := &of[kindTargets]; len(t.B) > 0; {
		f.targets = append(f.targets, f.readTargetBlock(t, place))
	}
	for kind := range of {
		r.Bad = r.Bad || of[kind].Bad
	}
	r.Bad = r.Bad || len(part) > 0
}

// readUsersBlock reads the entry of the next block of users from the table t. It calls
// place to read the position of the block.
func (f *File) readUsersBlock(t *packed.Reader, place func(*packed.Reader) block) UsersBlock {
	b := UsersBlock{End: t.Number()}
	b.Named = make([]Named, t.Count())
	for k := range b.Named {
		n := Named{other: t.Number()}
		n.Run, n.Reading = uint32(t.Number()), t.Number()
		if n.other >= len(f.Others) || n.Reading >= len(f.Readings) {
			t.Bad = true
			break
		}
		n.Segment = f.Others[n.other].Segment
		b.Named[k] = n
	}
	b.block = place(t)
	return b
}

// countUsers sets the fields First and Captures of the blocks of users. It returns false if
// the runs of a block are not runs of the index, which means damage.
func (f *File) countUsers() bool {
	first := 0
	for i := range f.users {
		b := &f.users[i]
		if b.First = first; b.End < first || b.End > len(f.Runs) {
			return false
		}
		for _, u := range f.Runs[first:b.End] {
			b.Captures += u.Pages
		}
		first = b.End
	}
	return true
}

// readRuns reads the entry of each run from the table.
func (f *File) readRuns(r *packed.Reader) {
	f.Runs = make([]Run, r.Count())
	first := 0
	defer func() { f.docs = first }()
	for i := range f.Runs {
		flags := r.Byte()
		u := &f.Runs[i]
		u.Lost, u.Neutral = flags&runLost != 0, flags&runNeutral != 0
		u.Blocks, u.docs, u.first = r.Number(), r.Number(), first
		if first += u.docs; first > documentsMax || u.Blocks > documentsMax {
			r.Bad = true
			break
		}
		doc := 0
		for range r.Count() {
			doc += r.Number()
			u.alias = append(u.alias, int32(doc))
			r.Bad = r.Bad || doc >= u.first
		}
		for range r.Count() {
			u.Readings = append(u.Readings, r.Number())
		}
		if u.Pages = r.Number(); u.Pages > 1<<20 {
			r.Bad = true
			break
		}
		u.Special = make([]Special, r.Count())
		before := 0
		for k := range u.Special {
			x := r.Number()
			before += x >> 1
			u.Special[k] = Special{uint32(before), x&1 != 0}
			r.Bad = r.Bad || before >= u.Pages
		}
		for _, k := range u.Readings {
			r.Bad = r.Bad || k >= len(f.Readings)
		}
		if r.Bad {
			f.Runs = nil
			return
		}
	}
}

// group returns the block in blocks that describes run n, and the first run that this
// block describes. ok is false if no block describes run n.
func group(blocks []runBlock, n int) (b runBlock, first int, ok bool) {
	i := sort.Search(len(blocks), func(i int) bool { return blocks[i].end > n })
	if i == len(blocks) {
		return b, 0, false
	}
	if i > 0 {
		first = blocks[i-1].end
	}
	return blocks[i], first, true
}

// PagesOf returns the pages of run n. The result also has the pages of the neighbouring
// runs that are in the same block of the file. first is the index in f.Runs of the first
// run in the result.
func (f *File) PagesOf(n uint32) (pages *Pages, first uint32, err error) {
	b, from, ok := group(f.pages, int(n))
	if !ok || b.end > len(f.Runs) || from >= b.end {
		return nil, 0, f.fault(errDamaged)
	}
	pages, err = keep(f, b.block, keptPages, func(content []byte) (*Pages, int64, error) {
		pages, err := f.decodePages(content, b.end-from)
		if err != nil {
			return nil, 0, f.fault(err)
		}
		return pages, pages.bytes(), nil
	})
	return pages, uint32(from), err
}

// Check reads the whole file. It returns an error that says what is damaged, or the error
// of a ctx that has ended.
func (f *File) Check(ctx context.Context) error {
	for _, part := range f.parts {
		for _, b := range part {
			if err := ctx.Err(); err != nil {
				return err
			}
			if _, err := f.read(b.postings); err != nil {
				return err
			}
			if _, err := f.termsOf(b); err != nil {
				return err
			}
		}
	}
	if err := f.Linking(ctx, []urlkey.Range{{}}, func(uint32, uint32) {}); err != nil {
		return err
	}
	for i := range f.users {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := f.ReadUsers(&f.users[i]); err != nil {
			return err
		}
	}
	for n := range f.Runs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, first, ok := group(f.shapes, n); !ok || first == n {
			if _, err := f.shapesOf(n); err != nil {
				return err
			}
		}
		if _, first, ok := group(f.pages, n); !ok || first == n {
			if _, _, err := f.PagesOf(uint32(n)); err != nil {
				return err
			}
		}
	}
	return nil
}

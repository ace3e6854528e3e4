package segment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/bits-and-blooms/bloom/v3"

	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment/indexfile"
)

// Fault is one fault that Check found in a segment.
type Fault struct {
	Index  bool  // the fault is in the index, and no data is lost
	Offset int64 // where the fault is in the db-file, in bytes; -1 if it is at no single offset
	Err    error
	Lost   *Entry // the capture that cannot be read because of the fault, if it is a single one
	Run, N uint32 // the run of the capture Lost, and its number in that run
}

// recordBytesMax is more bytes than any record of a db-file has. A record whose
// head claims more is damaged.
const recordBytesMax = 64 << 20

// recordStart is the text with which every record of a db-file begins, after the
// newline that ends the record before.
var recordStart = []byte("\nversion: 2.0\nurl: ")

// checker is the state of one call of Reader.Check.
type checker struct {
	s     *Reader
	found func(Fault) error
	use   func(n uint32, r *Run) error

	index *indexfile.Cursor // nil if there is no index to compare with
	k, v  []byte            // the current pair, valid while index is open
	bloom bloom.BloomFilter

	sum     Info // the counts of the entries that were read so far
	census  censusTaker
	sample  sampleTaker
	table   runTable
	starts  startsWriter
	last    Entry
	entries bool // last was set to an entry
	damaged bool
	number  uint32 // number of the next run
}

// Check reads the db-file of the segment from start to end, and compares it with the index and
// the catalogue. It trusts neither. It calls found with each fault, and use with each undamaged
// run and its number. If found or use returns an error, Check stops and returns that error.
// Check holds one run in memory. After a damaged record, it continues at the next place that
// looks like the beginning of a record.
func (s *Reader) Check(ctx context.Context, found func(Fault) error, use func(n uint32, r *Run) error) error {
	c := &checker{s: s, found: found, use: use, sum: Info{First: record.MaxTime, Last: record.MinTime, AddedFirst: record.MaxTime, AddedLast: record.MinTime}}
	defer func() {
		if c.index != nil {
			c.index.Close()
		}
	}()
	if err := c.openIndex(); err != nil {
		return err
	}
	f, err := s.handle()
	if err == nil {
		err = c.file(ctx, f)
	} else {
		var missing *Error
		if errors.As(err, &missing) {
			err = missing.Err
		}
		err = c.fault(-1, err)
	}
	if err != nil {
		return err
	}
	if err := c.chunksBefore(uint32(s.Info.Runs)); err != nil {
		return err
	}
	if c.damaged {
		return nil
	}
	return c.totals()
}

// fault reports err to c.found as damage of the db-file at an offset in bytes. The
// offset -1 means that the damage is at no single offset. fault returns the error of
// c.found. If err may pass (see disk.MayPass), it returns err.
func (c *checker) fault(offset int64, err error) error {
	if disk.MayPass(err) {
		return err
	}
	c.damaged = true
	return c.found(Fault{Offset: offset, Err: err})
}

// indexFault reports err as a fault of the index. It returns the error of c.found. If err may pass
// (see disk.MayPass), it returns err.
func (c *checker) indexFault(err error) error {
	if disk.MayPass(err) {
		return err
	}
	return c.found(Fault{Index: true, Offset: -1, Err: fmt.Errorf("segment %d: %w", c.s.Info.ID, err)})
}

func (c *checker) openIndex() error {
	c.s.mu.Lock()
	bad := c.s.badIndex
	c.s.mu.Unlock()
	if bad {
		return nil
	}
	index, err := c.s.index.Cursor(c.s.Info.Bucket())
	if err != nil {
		return c.indexFault(err)
	}
	c.index = index
	if b, err := index.Get(keyBloom, c.s.Info.unsealed(keyBloom)); err != nil {
		return c.dropIndex(fmt.Errorf("the Bloom filter: %w", err))
	} else if err := c.bloom.UnmarshalBinary(b); err != nil {
		return c.dropIndex(fmt.Errorf("the Bloom filter: %w", err))
	}
	if c.k, c.v, err = index.Seek([]byte{1}); err != nil {
		return c.dropIndex(err)
	}
	return nil
}

// dropIndex reports err as a fault of the index, and ends the comparison with the
// index. It returns the error of c.found.
func (c *checker) dropIndex(err error) error {
	c.index.Close()
	c.index, c.k, c.v = nil, nil, nil
	return c.indexFault(err)
}

// file reads and checks all records of f, the db-file.
func (c *checker) file(ctx context.Context, f disk.Source) error {
	end := c.s.Info.Bytes
	for at := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if at >= end {
			if c.damaged {
				return nil
			}
			return c.fault(end, errors.New("the db-file ends without its end record"))
		}
		rec, h, err := readRecord(f, at, end)
		if err == nil && h.kind == kindEnd {
			return c.endRecord(rec, at, end)
		}
		var r *Run
		if err == nil {
			r, err = decodeRun(rec, c.s.Info.ID, h.run, c.s.Others)
		}
		if err != nil {
			if err := c.fault(at, err); err != nil {
				return err
			}
			if at, err = nextRecord(ctx, f, at+1, end); err != nil {
				return err
			}
			continue
		}
		if err := c.run(&h, r, at, at+int64(len(rec))); err != nil {
			return err
		}
		at += int64(len(rec))
	}
}

// readRecord reads and checks the record at offset at of f, which has end bytes. It
// returns the record and its head. h may be set even if there is an error.
func readRecord(f io.ReaderAt, at, end int64) (rec []byte, h recordHead, err error) {
	buf := make([]byte, min(headBytesMax, end-at))
	if n, err := f.ReadAt(buf, at); err != nil && n == 0 {
		return nil, h, err
	} else {
		buf = buf[:n]
	}
	h, size, err := peekHead(buf)
	if err != nil {
		return nil, h, err
	}
	all := int64(size) + int64(h.length) + 1
	if all > recordBytesMax || at+all > end {
		return nil, h, errors.New("the record is longer than the file")
	}
	rec = make([]byte, all)
	if _, err := f.ReadAt(rec, at); err != nil {
		return nil, h, err
	}
	h, _, err = parseHead(rec)
	return rec, h, err
}

// nextRecord returns the offset of the next record of f that begins after from. It
// returns end, the size of f, if there is none. It looks for the text with which a
// record begins. It passes over bytes that cannot be read.
func nextRecord(ctx context.Context, f io.ReaderAt, from, end int64) (int64, error) {
	buf := make([]byte, 1<<20)
	pass := int64(unreadableLeast)
	for at := from; at < end; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := f.ReadAt(buf[:min(int64(len(buf)), end-at)], at)
		if i := bytes.Index(buf[:n], recordStart); i >= 0 {
			return at + int64(i) + 1, nil
		}
		switch {
		case err == nil:
			at += int64(len(buf) - len(recordStart))
			pass = unreadableLeast
		case errors.Is(err, io.EOF):
			return end, nil
		case disk.MayPass(err):
			return 0, err
		default:
			at += int64(n) + pass
			pass = min(2*pass, int64(len(buf)))
		}
	}
	return end, nil
}

// unreadableLeast is how many bytes nextRecord and readPart pass over where a file cannot be read,
// before they read again. If that fails too, they pass over twice as many, and so on.
const unreadableLeast = 4 << 10

// run checks r, a run whose checksum is correct: its head against the catalogue,
// its blocks, facts and order of entries, and the index's chunk for it. h is its
// head; at and end are the offsets of its record.
func (c *checker) run(h *recordHead, r *Run, at, end int64) error {
	bad := func(format string, args ...any) error { return c.fault(at, fmt.Errorf(format, args...)) }
	info := c.s.Info
	if h.pool != info.Pool || h.segment != info.ID {
		return bad("the run says that it is of segment %d of pool %s", h.segment, h.pool)
	}
	if h.run < c.number || h.run > c.number && !c.damaged {
		return bad("found run %d where run %d should be", h.run, c.number)
	}
	if err := c.chunksBefore(h.run); err != nil {
		return err
	}
	c.number = h.run + 1
	entries, err := r.Meta.Entries()
	if err != nil {
		return bad("run %d: %w", h.run, err)
	}
	if len(entries) != h.entries {
		return bad("the number of captures of run %d is %d, its head says %d", h.run, len(entries), h.entries)
	}
	ids, err := r.BlockIDs()
	if err != nil {
		return bad("run %d: %w", h.run, err)
	}
	for i, id := range ids {
		if b, err := r.Block(uint32(i)); err != nil || BlockID(b) != id {
			if err := bad("run %d: block %d does not match its ID", h.run, i); err != nil {
				return err
			}
		}
	}
	if facts, err := r.Facts(); err != nil || !facts.fit(len(entries), len(ids)) {
		if err := bad("run %d: its facts do not fit its captures and blocks", h.run); err != nil {
			return err
		}
	}
	c.table.add(end, end-1-int64(h.length-h.metaLength()), h.behind)
	if h.kind == kindStates {
		c.sum.States++
		return c.use(h.run, r)
	}
	for i := range entries {
		if err := c.entry(&entries[i].Entry, at); err != nil {
			return err
		}
	}
	if err := c.chunk(h.run, entries); err != nil {
		return err
	}
	return c.use(h.run, r)
}

// entry counts the entry e of the record at offset at. It checks that entries are
// in order and that the Bloom filter has the key of e.
func (c *checker) entry(e *Entry, at int64) error {
	sum := &c.sum
	if c.entries && e.Less(&c.last) {
		if err := c.fault(at, fmt.Errorf("%q comes after %q", e.Key, c.last.Key)); err != nil {
			return err
		}
	}
	if !c.entries || c.last.Key != e.Key {
		sum.URLs++
		if c.index != nil && !c.bloom.TestString(e.Key) {
			if err := c.indexFault(fmt.Errorf("the Bloom filter lacks %q", e.Key)); err != nil {
				return err
			}
		}
	}
	sum.count(e)
	c.census.add(e)
	c.sample.add(e)
	c.last, c.entries = *e, true
	return nil
}

// chunk compares the index's chunk for run number with the run's entries.
func (c *checker) chunk(number uint32, entries []Stored) error {
	if c.index == nil || len(entries) == 0 {
		return nil
	}
	key := chunkKey(&entries[len(entries)-1], number)
	before := c.starts.key
	c.starts.add(number, key)
	if !bytes.Equal(c.k, key) {
		return c.dropIndex(fmt.Errorf("the chunk of run %d is missing", number))
	}
	v := c.v
	l, b, err := openLink(c.s.Info.ID, c.k, v)
	if err := c.nextChunk(); err != nil || c.index == nil {
		return err
	}
	defer c.index.Passed(v)
	if err != nil || l.compare(before) != 0 || (l.flags == linkLast) != (c.k == nil) || !holds(b, number, entries) {
		return c.indexFault(fmt.Errorf("the chunk of run %d differs from the db-file", number))
	}
	return nil
}

// holds reports whether b is an undamaged chunk of run number with exactly these
// entries and their bounds.
func holds(b []byte, number uint32, entries []Stored) bool {
	var chunk Chunk
	if err := chunk.decode(b, wantAll); err != nil || chunk.Run != number || chunk.bounds != boundsOf(entries) {
		return false
	}
	return slices.EqualFunc(chunk.AppendEntries(nil), entries, func(a Entry, b Stored) bool { return a == b.Entry })
}

func (c *checker) nextChunk() (err error) {
	if c.k, c.v, err = c.index.Next(); err != nil {
		return c.dropIndex(err)
	}
	return nil
}

// chunksBefore reads the index's chunks (one for each run, with its entries) of all
// runs before number that were not compared yet. These runs are damaged, and
// chunksBefore reports each of their captures as lost.
func (c *checker) chunksBefore(number uint32) error {
	for c.index != nil && c.k != nil {
		var chunk Chunk
		_, b, err := openLink(c.s.Info.ID, c.k, c.v)
		if err == nil {
			err = chunk.decode(b, wantAll)
		}
		if err != nil {
			return c.dropIndex(err)
		}
		if chunk.Run >= number {
			return nil
		}
		if !c.damaged {
			return c.dropIndex(fmt.Errorf("a chunk of run %d, which the db-file does not have", chunk.Run))
		}
		for i, e := range chunk.AppendEntries(nil) {
			f := Fault{Offset: -1, Err: fmt.Errorf("the capture was in run %d, which is damaged", chunk.Run), Lost: &e, Run: chunk.Run, N: uint32(i)}
			if err := c.found(f); err != nil {
				return err
			}
		}
		c.index.Passed(c.v)
		if err := c.nextChunk(); err != nil {
			return err
		}
	}
	return nil
}

// endRecord compares rec, the end record at offset at of the db-file, with the
// catalogue. end is the size of the file; no bytes may follow the record.
func (c *checker) endRecord(rec []byte, at, end int64) error {
	h, data, err := parseHead(rec)
	if err != nil {
		return c.fault(at, err)
	}
	text, err := decoder().DecodeAll(data, nil)
	if err != nil {
		return c.fault(at, err)
	}
	if want := endText(c.s.Info); !c.s.Info.fits(text) || h.segment != c.s.Info.ID || h.pool != c.s.Info.Pool {
		return c.fault(at, fmt.Errorf("the end record says %q, the catalogue %q", text, want))
	}
	if at+int64(len(rec)) != end {
		return c.fault(at+int64(len(rec)), errors.New("there are bytes after the end record"))
	}
	return nil
}

// totals compares the counts of all entries that were read with the counts in the
// catalogue. It also compares the values in the index that cover the whole segment, such
// as the table of runs and the census, with those made from the db-file. It reports
// differences to c.found, and returns the error of c.found.
func (c *checker) totals() error {
	info, sum := c.s.Info, &c.sum
	if int(c.number) != info.Runs || sum.States != info.States || sum.Captures != info.Captures || sum.Versions != info.Versions || sum.URLs != info.URLs ||
		sum.BodyBytes != info.BodyBytes || sum.First != info.First || sum.Last != info.Last || sum.FirstKey != info.FirstKey || sum.LastKey != info.LastKey ||
		info.AddedFirst != info.AddedLast && (sum.AddedFirst != info.AddedFirst || sum.AddedLast != info.AddedLast) {
		return c.fault(-1, fmt.Errorf("the catalogue is wrong about segment %d: its runs are %d, captures %d, versions %d, URLs %d, bytes of bodies %d",
			info.ID, c.number, sum.Captures, sum.Versions, sum.URLs, sum.BodyBytes))
	}
	if c.index == nil {
		return nil
	}
	if c.k != nil {
		return c.indexFault(errors.New("it has chunks of runs that the db-file does not have"))
	}
	table, err := c.index.Get(keyRuns, info.unsealed(keyRuns))
	if err != nil {
		return c.indexFault(fmt.Errorf("the table of runs: %w", err))
	}
	if !slices.Equal(table, c.table.encode(info.ID)) {
		return c.indexFault(errors.New("the table of runs differs from the db-file"))
	}
	var census []byte
	if made := c.census.census(); made != nil {
		census = made.encode()
	}
	if err := c.checkValue("census", keyCensus, census); err != nil {
		return err
	}
	if err := c.checkValue("sample", keySample, c.sample.encode()); err != nil {
		return err
	}
	return c.checkValue("starts of the chunks", keyStarts, c.starts.encode())
}

// checkValue compares the value of key in the index, called name in errors, with the value
// want that was made from the db-file. If want is nil, the index must have no value.
func (c *checker) checkValue(name string, key, want []byte) error {
	b, err := c.index.Find(key, c.s.Info.unsealed(key))
	if err != nil {
		return c.indexFault(fmt.Errorf("the %s: %w", name, err))
	}
	if !bytes.Equal(b, want) {
		return c.indexFault(fmt.Errorf("the %s differs from the db-file", name))
	}
	return nil
}

// unchecked is set while the comparison of checksums is off.
var unchecked atomic.Bool

// SetUnchecked switches the comparison of all checksums off or, if off is false, on
// again. It exists to test the tests: tests that damage files must fail while it is
// off.
func SetUnchecked(off bool) { unchecked.Store(off) }

// SumIs reports whether the checksum got equals want. It always returns true while
// SetUnchecked has switched comparison off.
func SumIs(got, want uint32) bool { return got == want || unchecked.Load() }

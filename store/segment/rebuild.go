package segment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/bits-and-blooms/bloom/v3"

	"infomall/store/crc32c"
	"infomall/store/record"
)

// Rebuild makes the index of a db-file again. It reads f, a db-file of size bytes,
// from start to end, and calls put with the key-value pairs of the index. It returns
// the Info of the segment. The fields Born and Seen and the names and sizes of files are not set,
// because the db-file does not have them. Rebuild reads no other file, and holds one run in memory.
// name is the file's name in errors. If any record is damaged, the error is an *Error.
//
// The pairs are equal to the pairs that the Writer of the file made. They come in the
// order of their keys, but the pairs of the Bloom filter, the census, the table of
// runs, the sample and the starts of the chunks come last.
func Rebuild(ctx context.Context, name string, f io.ReaderAt, size int64, put func(key, value []byte) error) (*Info, error) {
	b := &rebuilder{name: name, f: f, put: put, pools: make(map[string]bool), uses: make(map[uint32]bool)}
	b.info = Info{Bytes: size, First: record.MaxTime, Last: record.MinTime, AddedFirst: record.MaxTime, AddedLast: record.MinTime}
	if err := b.end(ctx); err != nil {
		return nil, err
	}
	for at := int64(0); at < b.endAt; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rec, _, err := readRecord(f, at, b.endAt)
		if err == nil {
			err = b.run(rec, at)
		}
		if err != nil {
			return nil, Damage(name, at, err)
		}
		at += int64(len(rec))
	}
	return b.finish()
}

// rebuilder is the state of one call of Rebuild.
type rebuilder struct {
	name string
	f    io.ReaderAt
	put  func(key, value []byte) error

	info    Info
	bloom   *bloom.BloomFilter
	census  censusTaker
	sample  sampleTaker
	endAt   int64  // where the end record begins
	endRec  []byte // the end record
	endText []byte
	pools   map[string]bool
	uses    map[uint32]bool
	last    Entry
	table   runTable
	starts  startsWriter
	chunk   pair // the last chunk, which is not put yet, because its link says that it is the last one
}

// end reads and checks the end record of the db-file. It creates the Info, and the Bloom
// filter for the number of URLs in the record.
func (b *rebuilder) end(ctx context.Context) error {
	tail := make([]byte, min(headBytesMax, b.info.Bytes))
	from := b.info.Bytes - int64(len(tail))
	if _, err := b.f.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
		return Damage(b.name, from, err)
	}
	at := from // for a file without runs
	if i := bytes.LastIndex(tail, recordStart); i >= 0 {
		at += int64(i) + 1
	}
	rec, h, err := readRecord(b.f, at, b.info.Bytes)
	if err != nil || h.kind != kindEnd || at+int64(len(rec)) != b.info.Bytes {
		return &Error{File: b.name, Offset: at, Err: errors.New("the db-file does not end with an undamaged end record")}
	}
	_, data, err := parseHead(rec)
	if err == nil {
		b.endText, err = decoder().DecodeAll(data, nil)
	}
	if err != nil {
		return Damage(b.name, at, err)
	}
	urls := int64(0)
	for line := range strings.Lines(string(b.endText)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "urls":
			_, err = fmt.Sscan(value, &urls)
		case "depends":
			for _, p := range strings.Fields(value) {
				b.pools[p] = true
			}
		}
	}
	if err != nil || urls < 0 || urls > b.info.Bytes {
		return &Error{File: b.name, Offset: at, Err: fmt.Errorf("the end record says %q", b.endText)}
	}
	b.endAt, b.endRec = at, rec
	b.info.ID, b.info.Pool = h.segment, h.pool
	b.bloom = bloom.NewWithEstimates(uint(max(urls, 1)), bloomRate)
	return ctx.Err()
}

// run adds a run to the index. rec is the record of the run, and the parameter at its
// offset in the db-file.
func (b *rebuilder) run(rec []byte, at int64) error {
	h, _, err := parseHead(rec)
	if err != nil {
		return err
	}
	number := uint32(len(b.table.ends))
	if !h.isRun() || h.segment != b.info.ID || h.pool != b.info.Pool || h.run != number {
		return fmt.Errorf("found a record of kind %s, run %d, of segment %d of pool %s where run %d of segment %d of pool %s should be",
			h.kind, h.run, h.segment, h.pool, number, b.info.ID, b.info.Pool)
	}
	r, err := openRun(rec, h.segment, h.run, nil)
	if err != nil {
		return err
	}
	entries, err := r.Meta.Entries()
	if err != nil {
		return err
	}
	b.info.CRC = crc32c.Add(b.info.CRC, rec)
	b.table.add(at+int64(len(rec)), at+int64(len(rec)-1-(h.length-h.metaLength())), h.behind)
	b.info.Packed = r.Meta.packed
	b.info.Blocks += int64(len(r.ends))
	for _, d := range h.behind {
		b.uses[d.Segment] = true
	}
	if h.kind == kindStates {
		b.info.States++
		for i := range entries {
			b.use(&entries[i])
		}
		return nil
	}
	for i := range entries {
		e := &entries[i]
		if b.info.Captures > 0 && e.Less(&b.last) {
			return fmt.Errorf("%q comes after %q", e.Key, b.last.Key)
		}
		b.entry(e)
	}
	if len(entries) == 0 {
		return nil
	}
	key := chunkKey(&entries[len(entries)-1], number)
	last := b.chunk
	b.chunk = pair{key, appendChunk(b.starts.link(key), number, entries)}
	b.starts.add(number, key)
	if last.key == nil {
		return nil
	}
	last.seal(b.info.ID)
	return b.put(last.key, last.value)
}

// entry adds the entry e to the Info, the Bloom filter, the census and the sample that b makes.
func (b *rebuilder) entry(e *Stored) {
	if b.info.Captures == 0 || b.last.Key != e.Key {
		b.bloom.AddString(e.Key)
		b.info.URLs++
	}
	b.info.count(&e.Entry)
	b.census.add(&e.Entry)
	b.sample.add(&e.Entry)
	b.use(e)
	b.last = e.Entry
}

// use records the other segments that store blocks of the body of e, for Info.Uses.
func (b *rebuilder) use(e *Stored) {
	for _, s := range e.Recipe.Spans {
		if s.Segment != b.info.ID {
			b.uses[s.Segment] = true
		}
	}
}

// count adds the entry e to the counts and bounds of i, except for i.URLs. Entries
// must come in order.
func (i *Info) count(e *Entry) {
	if i.Captures == 0 {
		i.FirstKey = e.Key
	}
	i.LastKey = e.Key
	i.Captures++
	i.First, i.Last = min(i.First, e.Time), max(i.Last, e.Time)
	i.AddedFirst, i.AddedLast = min(i.AddedFirst, e.Added), max(i.AddedLast, e.Added)
	if e.Change != record.ChangeSame {
		i.Versions++
		i.BodyBytes += max(e.Bytes, 0)
	}
}

// finish completes the Info and compares it with the end record. It puts the pairs
// of the Bloom filter, the census, the table of runs, the sample and the starts of the chunks.
func (b *rebuilder) finish() (*Info, error) {
	b.info.CRC = crc32c.Add(b.info.CRC, b.endRec)
	b.info.Runs = len(b.table.ends)
	b.info.Depends, b.info.Uses = slices.Sorted(maps.Keys(b.pools)), slices.Sorted(maps.Keys(b.uses))
	if want := endText(&b.info); !bytes.Equal(b.endText, want) {
		return nil, &Error{File: b.name, Offset: b.endAt, Err: fmt.Errorf("the end record says %q, but the file has %q", b.endText, want)}
	}
	if b.chunk.key != nil {
		b.chunk.seal(b.info.ID, linkLast)
		if err := b.put(b.chunk.key, b.chunk.value); err != nil {
			return nil, err
		}
	}
	for _, p := range finalPairs(b.info.ID, b.bloom, b.census.census(), b.table.encode(b.info.ID), b.sample.encode(), b.starts.encode()) {
		if err := b.put(p.key, p.value); err != nil {
			return nil, err
		}
	}
	b.info.Brief = newBrief(b.bloom, b.table.encode(b.info.ID))
	return &b.info, nil
}

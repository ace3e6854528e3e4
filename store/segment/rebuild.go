package segment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/bits-and-blooms/bloom/v3"

	"infomall/store/record"
)

// Rebuild reads a db-file of size bytes from start to end. It calls put with the
// key-value pairs of its index, and returns what a catalogue says of the segment,
// except for Born, Seen and the names and sizes of files. It needs only this file,
// and holds one run in memory. If any record is damaged, the error is an *Error.
//
// The pairs are equal to those of the Writer that wrote the file. They come in the
// order of their keys, except for those of the Bloom filter, the census and the
// table of runs, which come last.
func Rebuild(ctx context.Context, name string, f io.ReaderAt, size int64, put func(key, value []byte) error) (*Info, error) {
	b := &rebuilder{name: name, f: f, put: put, pools: make(map[string]bool), uses: make(map[uint32]bool)}
	b.info = Info{Bytes: size, First: record.MaxTime, Last: record.MinTime}
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
			return nil, &Error{File: name, Offset: at, Err: err}
		}
		at += int64(len(rec))
	}
	return b.finish()
}

// rebuilder is the state of one Rebuild.
type rebuilder struct {
	name string
	f    io.ReaderAt
	put  func(key, value []byte) error

	info     Info
	bloom    *bloom.BloomFilter
	census   censusTaker
	endAt    int64  // where the end record begins
	endRec   []byte // the end record
	endText  []byte
	pools    map[string]bool
	uses     map[uint32]bool
	last     Entry
	runEnds  []int64
	metaEnds []int64
}

// end reads the record that ends the file. It says for how many URLs the Bloom
// filter is made.
func (b *rebuilder) end(ctx context.Context) error {
	tail := make([]byte, min(headBytesMax, b.info.Bytes))
	from := b.info.Bytes - int64(len(tail))
	if _, err := b.f.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
		return &Error{File: b.name, Offset: from, Err: err}
	}
	at := from // for a file without runs
	if i := bytes.LastIndex(tail, recordStart); i >= 0 {
		at += int64(i) + 1
	}
	rec, h, err := readRecord(b.f, at, b.info.Bytes)
	if err != nil || h.kind != kindEnd || at+int64(len(rec)) != b.info.Bytes {
		return &Error{File: b.name, Offset: at, Err: errors.New("the db-file does not end with a sound end record")}
	}
	_, data, err := parseHead(rec)
	if err == nil {
		b.endText, err = decoder().DecodeAll(data, nil)
	}
	if err != nil {
		return &Error{File: b.name, Offset: at, Err: err}
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

// run indexes one run.
func (b *rebuilder) run(rec []byte, at int64) error {
	h, _, err := parseHead(rec)
	if err != nil {
		return err
	}
	number := uint32(len(b.runEnds))
	if h.kind != kindRun || h.segment != b.info.ID || h.pool != b.info.Pool || h.run != number {
		return fmt.Errorf("a record of kind %s, run %d, of segment %d of pool %s stands where run %d of segment %d of pool %s should",
			h.kind, h.run, h.segment, h.pool, number, b.info.ID, b.info.Pool)
	}
	r, err := openRun(rec, h.segment, h.run)
	if err != nil {
		return err
	}
	entries, err := r.Meta.Entries()
	if err != nil {
		return err
	}
	b.info.CRC = crc32.Update(b.info.CRC, castagnoli, rec)
	b.runEnds = append(b.runEnds, at+int64(len(rec)))
	b.metaEnds = append(b.metaEnds, at+int64(len(rec)-1-(h.length-h.metaLength)))
	b.info.Packed = r.Meta.packed
	b.info.Blocks += int64(len(r.ends))
	for _, d := range h.behind {
		b.uses[d.Segment] = true
	}
	for i := range entries {
		e := &entries[i]
		if b.info.Captures > 0 && e.Less(&b.last) {
			return fmt.Errorf("%q stands behind %q", e.Key, b.last.Key)
		}
		b.entry(e)
	}
	if len(entries) == 0 {
		return nil
	}
	return b.put(chunkKey(&entries[len(entries)-1], number), appendChunk(nil, number, entries))
}

// entry counts an entry for the Info, the Bloom filter and the census.
func (b *rebuilder) entry(e *Stored) {
	if b.info.Captures == 0 || b.last.Key != e.Key {
		b.bloom.AddString(e.Key)
		b.info.URLs++
	}
	b.info.count(&e.Entry)
	b.census.add(&e.Entry)
	for _, s := range e.Recipe.Spans {
		if s.Segment != b.info.ID {
			b.uses[s.Segment] = true
		}
	}
	b.last = e.Entry
}

// count adds an entry to the segment's Info, except for its URL. Entries arrive in
// order.
func (i *Info) count(e *Entry) {
	if i.Captures == 0 {
		i.FirstKey = e.Key
	}
	i.LastKey = e.Key
	i.Captures++
	i.First, i.Last = min(i.First, e.Time), max(i.Last, e.Time)
	if e.Change != record.ChangeSame {
		i.Versions++
		i.BodyBytes += max(e.Bytes, 0)
	}
}

// finish compares the counts with the end record.
func (b *rebuilder) finish() (*Info, error) {
	b.info.CRC = crc32.Update(b.info.CRC, castagnoli, b.endRec)
	b.info.Runs = len(b.runEnds)
	b.info.Depends, b.info.Uses = slices.Sorted(maps.Keys(b.pools)), slices.Sorted(maps.Keys(b.uses))
	if want := endText(&b.info); !bytes.Equal(b.endText, want) {
		return nil, &Error{File: b.name, Offset: b.endAt, Err: fmt.Errorf("the end record says %q, and it is %q", b.endText, want)}
	}
	for _, p := range finalPairs(b.bloom, b.census.census(), b.runEnds, b.metaEnds) {
		if err := b.put(p.key, p.value); err != nil {
			return nil, err
		}
	}
	return &b.info, nil
}

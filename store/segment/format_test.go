package segment

import (
	"bytes"
	"errors"
	"testing"

	"infomall/store/disk"
)

// TestOtherFormat gives the parts of binary files another format. Each is refused
// with an error that says so.
func TestOtherFormat(t *testing.T) {
	entries := testEntries(12)
	r := run{entries: entries, blocks: [][]byte{[]byte("a")}, ids: []ID{{1}}, facts: [][]byte{[]byte("f")}, mem: new(runMemory)}
	meta, ends := r.encodeMeta(1, 0)
	for _, c := range []struct {
		part string
		b    []byte
		at   int // of the format
		read func(b []byte) error
	}{
		{"meta", bytes.Clone(meta[:ends[groupCaptures]]), 0, func(b []byte) error { return (&Meta{mem: new(RunMemory)}).open(b) }},
		{"facts", r.appendFacts(nil), 0, new(Facts).decode},
		{"names", (&Names{Segment: 1}).encode(), 0, func(b []byte) error { _, err := decodeNames(b, 1); return err }},
		{"census", (&Census{}).encode(), 0, func(b []byte) error { _, err := decodeCensus(b); return err }},
		{"chunk", appendChunk(nil, 0, entries), 0, func(b []byte) error { return new(Chunk).decode(b, wantAll) }},
		{"chunk, one URL", appendChunk(nil, 0, entries), 0, func(b []byte) error {
			_, err := decodeOnly(new(Chunk), b, entries[0].Key)
			return err
		}},
		{"chunk, tallied", appendChunk(nil, 0, entries), 0, func(b []byte) error { return decodeTally(new(Tally), b, WantAll) }},
	} {
		if err := c.read(bytes.Clone(c.b)); err != nil {
			t.Errorf("%s in the format in force: %v", c.part, err)
		}
		for _, format := range []byte{0, 1, 2, 7, 10, disk.FormatByte - 1, disk.FormatByte + 1} {
			b := bytes.Clone(c.b)
			b[c.at] = format
			if other := new(disk.FormatError); !errors.As(c.read(b), &other) {
				t.Errorf("%s with format byte %#x: got %v, want a FormatError", c.part, format, c.read(b))
			}
		}
	}
}

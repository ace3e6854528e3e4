package segment

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/segment/column"
)

// sizedGroups returns the groups of columns of a run with these entries, each after its
// length in bytes.
func sizedGroups(entries []Stored) (out []byte) {
	r := run{entries: entries, blocks: [][]byte{[]byte("a")}, ids: []ID{{1}}, mem: new(runMemory)}
	meta, ends := r.encodeMeta(7, 0)
	from := 0
	for _, end := range ends {
		out = packed.AppendSized(out, meta[from:end])
		from = end
	}
	return out
}

// metaOf returns the Meta with the groups of columns in b, as sizedGroups made them. It
// returns nil if they cannot be opened.
func metaOf(b []byte) *Meta {
	m, r := &Meta{segment: 7, mem: new(RunMemory)}, packed.Reader{B: b}
	if m.open(r.Sized()) != nil {
		return nil
	}
	for g := groupIDs; g < groups; g++ {
		if cutGroup(&m.cols, g, r.Sized()) != nil {
			return nil
		}
	}
	return m
}

// TestGroups decodes the groups of columns that sizedGroups and metaOf handle, so that
// FuzzDecode begins with what decodes.
func TestGroups(t *testing.T) {
	want := testEntries(5)
	m := metaOf(sizedGroups(want))
	if m == nil {
		t.Fatal("the groups cannot be opened")
	}
	got, err := m.Entries()
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d entries, %v, want %d", len(got), err, len(want))
	}
}

// FuzzDecode feeds the decoders what no encoder wrote. They must fail or give
// what they were asked for, without asking for memory out of proportion.
func FuzzDecode(f *testing.F) {
	f.Add(column.AppendInts(nil, []int64{1, 2, 3}), uint16(3))
	f.Add(column.AppendTexts(nil, []string{"a", "bb", "a"}), uint16(3))
	f.Add([]byte("\x00\x0dcn,edu,pku,)/\x0d\x01a"), uint16(2)) // the stems of two keys
	f.Add(appendChunk(nil, 3, testEntries(5)), uint16(5))
	f.Add(sizedGroups(testEntries(5)), uint16(5))
	f.Fuzz(func(t *testing.T, b []byte, n uint16) {
		if v, err := column.DecodeInts(nil, b, int(n)); err == nil && len(v) != int(n) {
			t.Errorf("ints: %d values, want %d", len(v), n)
		}
		if v, err := column.DecodeTexts(nil, b, int(n)); err == nil && len(v) != int(n) {
			t.Errorf("texts: %d values, want %d", len(v), n)
		}
		if v, err := column.DecodeKeys(nil, b, int(n), &column.Texts{List: []string{""}}); err == nil && len(v) != int(n) {
			t.Errorf("keys: %d values, want %d", len(v), n)
		}
		_, _ = decodeStarts(b, int(n))
		var c Chunk
		if err := c.decode(b, wantAll); err == nil {
			c.AppendEntries(nil)
		}
		for _, key := range append([]string{"cn,edu,pku,)/"}, c.front.keys...) {
			var one Chunk
			if found, err := decodeOnly(&one, b, key); err == nil && found {
				one.AppendEntries(nil)
			}
		}
		var tally Tally
		if err := decodeTally(&tally, b, WantAll|WantHosts); err == nil && c.front.n != tally.N {
			t.Errorf("%d entries to be counted of %d", tally.N, c.front.n)
		}
		if m := metaOf(b); m != nil {
			_, _ = m.Pages(record.ColPage)
			_, _ = m.Digests()
			_, _ = m.blockIDs()
			_, _ = m.Entry(0)
			_, _ = m.Entries()
		}
		_, _ = decodeRun(b, 7, 0, nil)
	})
}

// TestTightKeys writes and reads keys with endings of all kinds, and finds each,
// and none that is not there.
func TestTightKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", "b", "/", "-", ".", ".html", ".htm", ".1", ".toolong", " ", " http", " https", " http user"})
		key := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(part, 0, 5).Draw(t, "parts"), "") })
		keys := rapid.SliceOfNDistinct(key, 1, 30, rapid.ID).Draw(t, "keys")
		slices.Sort(keys)
		p := frontParts{n: len(keys), k: len(keys)}
		p.cols[colKeys] = column.AppendTightKeys(nil, keys, make([]string, len(keys)))
		var ends column.Texts
		got, err := p.keys(nil, &ends)
		if err != nil || !slices.Equal(got, keys) {
			t.Fatalf("got %q, %v, want %q", got, err, keys)
		}
		for _, want := range append(rapid.SliceOf(key).Draw(t, "others"), keys...) {
			at, there := slices.BinarySearch(keys, want)
			if i, found, err := p.find(want); err != nil || found != there || there && i != at {
				t.Fatalf("%q of %q is found at %d, %v, %v; want %d, %v", want, keys, i, found, err, at, there)
			}
		}
	})
}

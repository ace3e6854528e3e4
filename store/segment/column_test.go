package segment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/packed"
	"infomall/store/record"
)

// TestIntsRoundTrip encodes and decodes columns of every shape that has a form
// of its own, and the extremes of the type.
func TestIntsRoundTrip(t *testing.T) {
	ramp := make([]int64, 1000)
	for i := range ramp {
		ramp[i] = int64(i)*1000 + 1_200_000_000_000
	}
	for name, v := range map[string][]int64{
		"none":        {},
		"one":         {-7},
		"constant":    slices.Repeat([]int64{200}, 300),
		"few":         {200, 404, 200, 200, 301, 200, 404},
		"ramp":        ramp,
		"extremes":    {math.MinInt64, math.MaxInt64, 0, -1, 1},
		"wide":        {0, 1 << 57, 3, 1<<62 + 1},
		"common step": {0, 86400000, 3 * 86400000, 40 * 86400000},
	} {
		b := appendInts(nil, v)
		got, err := decodeInts(nil, b, len(v))
		if err != nil || !slices.Equal(got, v) {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, v)
		}
	}
}

// TestIntsSmall holds the forms to what they are for.
func TestIntsSmall(t *testing.T) {
	for _, c := range []struct {
		name string
		v    []int64
		max  int
	}{
		{"a thousand equal", slices.Repeat([]int64{1_200_000_000_000}, 1000), 10},
		{"two values in a thousand", slices.Repeat([]int64{200, 1 << 40}, 500), 140},
		{"seconds of a month", func() []int64 {
			r := rand.New(rand.NewPCG(1, 2))
			v := make([]int64, 1000)
			for i := range v {
				v[i] = 1_214_870_400_000 + r.Int64N(31*86400)*1000
			}
			return v
		}(), 2800},
	} {
		if n := len(appendInts(nil, c.v)); n > c.max {
			t.Errorf("%s: %d bytes, want %d at most", c.name, n, c.max)
		}
	}
}

func TestColumnsRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOf(rapid.OneOf(rapid.Int64(), rapid.Int64Range(0, 5), rapid.Int64Range(1e12, 1e12+1e6))).Draw(t, "ints")
		if got, err := decodeInts(nil, appendInts(nil, v), len(v)); err != nil || !slices.Equal(got, v) {
			t.Fatalf("ints: got %v, %v, want %v", got, err, v)
		}
		s := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "text/html", "image/gif"}))).Draw(t, "texts")
		if got, err := decodeTexts(nil, appendTexts(nil, s), len(s)); err != nil || !slices.Equal(got, s) {
			t.Fatalf("texts: got %q, %v, want %q", got, err, s)
		}
		slices.Sort(s)
		if got, err := decodeKeys(nil, appendKeys(nil, s), len(s), &texts{list: []string{""}}); err != nil || !slices.Equal(got, s) {
			t.Fatalf("keys: got %q, %v, want %q", got, err, s)
		}
	})
}

func TestPackedIDs(t *testing.T) {
	for _, s := range []string{
		"", "<urn:uuid:92283950-ef2f-4d72-b224-f54c6ec90bb0>", "<urn:uuid:92283950-EF2F-4d72-b224-f54c6ec90bb0>",
		"urn:uuid:92283950-ef2f-4d72-b224-f54c6ec90bb0", "urn:uuid:92283950-ef2f-4d72-b224-f54c6ec90bb0>", "urn:uuid:", "<urn:uuid:92283950xef2f-4d72-b224-f54c6ec90bb0>", "x", "\x01", strings.Repeat("a", 47),
	} {
		if got := unpackID(packID(s)); got != s {
			t.Errorf("name of a record: got %q, want %q", got, s)
		}
	}
	for _, s := range []string{"", "sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A", "sha1:b2ltwwpuoyah7uipq7zupq4vmbsvc36a", "md5:x", "sha1:2jmj7l5rw3yvfvm5fzv6vyvkmbsvc36", "\x01"} {
		if got := unpackDigest(packDigest(s)); got != s {
			t.Errorf("digest: got %q, want %q", got, s)
		}
	}
	if n := max(len(packID("<urn:uuid:92283950-ef2f-4d72-b224-f54c6ec90bb0>")), len(packID("urn:uuid:92283950-ef2f-4d72-b224-f54c6ec90bb0"))); n != 17 {
		t.Errorf("a usual name takes %d bytes, want 17", n)
	}
}

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
	m, r := &Meta{segment: 7}, packed.Reader{B: b}
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
	f.Add(appendInts(nil, []int64{1, 2, 3}), uint16(3))
	f.Add(appendTexts(nil, []string{"a", "bb", "a"}), uint16(3))
	f.Add(appendKeys(nil, []string{"cn,edu,pku,)/", "cn,edu,pku,)/a"}), uint16(2))
	f.Add(appendChunk(nil, 3, testEntries(5)), uint16(5))
	f.Add(sizedGroups(testEntries(5)), uint16(5))
	f.Fuzz(func(t *testing.T, b []byte, n uint16) {
		if v, err := decodeInts(nil, b, int(n)); err == nil && len(v) != int(n) {
			t.Errorf("ints: %d values, want %d", len(v), n)
		}
		if v, err := decodeTexts(nil, b, int(n)); err == nil && len(v) != int(n) {
			t.Errorf("texts: %d values, want %d", len(v), n)
		}
		if v, err := decodeKeys(nil, b, int(n), &texts{list: []string{""}}); err == nil && len(v) != int(n) {
			t.Errorf("keys: %d values, want %d", len(v), n)
		}
		var c Chunk
		if err := c.decode(withCRC(b), wantAll); err == nil {
			c.AppendEntries(nil)
		}
		for _, key := range append([]string{"cn,edu,pku,)/"}, c.front.keys...) {
			var one Chunk
			if found, err := one.decodeOnly(withCRC(b), wantAll, key); err == nil && found {
				one.AppendEntries(nil)
			}
		}
		var tally Tally
		if err := tally.decode(withCRC(b), WantAll|WantHosts); err == nil && c.front.n != tally.N {
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

// TestRecordIDs writes and reads columns of names of records: of UUIDs of one
// version, in brackets or not, and of any mixture.
func TestRecordIDs(t *testing.T) {
	uuid := func(forms ...string) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			b := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "bytes")
			form := rapid.SampledFrom(forms).Draw(t, "form")
			if form[0] != '?' {
				b[6], b[8] = b[6]&0x0f|(form[0]-'0')<<4, b[8]&0x3f|0x80
			}
			return fmt.Sprintf(form[1:], b[:4], b[4:6], b[6:8], b[8:10], b[10:])
		})
	}
	const bare, bracketed = "urn:uuid:%x-%x-%x-%x-%x", "<urn:uuid:%x-%x-%x-%x-%x>"
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		one := []*rapid.Generator[string]{
			uuid("4" + bracketed), uuid("5" + bare), uuid("4"+bracketed, "5"+bracketed), uuid("4"+bracketed, "4"+bare),
			rapid.OneOf(uuid("4"+bracketed, "?"+bare), rapid.String(), rapid.Just("")),
		}[kind]
		names := rapid.SliceOfN(one, 1, 20).Draw(t, "names")
		b := appendRecordIDs(nil, names)
		if got, err := decodeRecordIDs(b, len(names)); err != nil || !slices.Equal(got, names) {
			t.Fatalf("got %q, %v, want %q", got, err, names)
		}
		if most := 3 + 15*len(names) + (len(names)+3)/4; kind < 2 && len(b) != most {
			t.Fatalf("%d names take %d bytes, want %d", len(names), len(b), most)
		}
		if _, err := decodeRecordIDs(b, len(names)+1); err == nil && b[0] == namesUUIDs {
			t.Fatal("one name more is read than is there")
		}
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
		p.cols[colKeys] = appendTightKeys(nil, keys, make([]string, len(keys)))
		var ends texts
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

package column

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestIntsRoundTrip encodes and decodes columns of every shape that has a form
// Of its own, and the extremes of the type.
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
		b := AppendInts(nil, v)
		got, err := DecodeInts(nil, b, len(v))
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
		if n := len(AppendInts(nil, c.v)); n > c.max {
			t.Errorf("%s: %d bytes, want %d at most", c.name, n, c.max)
		}
	}
}

func TestColumnsRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOf(rapid.OneOf(rapid.Int64(), rapid.Int64Range(0, 5), rapid.Int64Range(1e12, 1e12+1e6))).Draw(t, "ints")
		if got, err := DecodeInts(nil, AppendInts(nil, v), len(v)); err != nil || !slices.Equal(got, v) {
			t.Fatalf("ints: got %v, %v, want %v", got, err, v)
		}
		s := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "text/html", "image/gif"}))).Draw(t, "texts")
		if got, err := DecodeTexts(nil, AppendTexts(nil, s), len(s)); err != nil || !slices.Equal(got, s) {
			t.Fatalf("texts: got %q, %v, want %q", got, err, s)
		}
		slices.Sort(s)
		at := rapid.SliceOfDistinct(rapid.IntRange(0, len(s)), rapid.ID).Draw(t, "picked")
		at = slices.DeleteFunc(slices.Sorted(slices.Values(at)), func(i int) bool { return i == len(s) })
		var picked []string
		for _, i := range at {
			picked = append(picked, s[i])
		}
		if got, err := PickKeys(nil, appendKeys(nil, s), &Texts{List: []string{""}}, at); err != nil || !slices.Equal(got, picked) {
			t.Fatalf("picked %q, %v", got, err)
		}
		if got, err := DecodeKeys(nil, appendKeys(nil, s), len(s), &Texts{List: []string{""}}); err != nil || !slices.Equal(got, s) {
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
	for _, s := range []string{"", "sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A", "sha1:b2ltwwpuoyah7uipq7zupq4vmbsvc36a", "md5:x", "sha1:2jmj7l5rw3yvfvm5fzv6vyvkmbsvc36", "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAA======", "\x01"} {
		if got := UnpackDigest(PackDigest(s)); got != s {
			t.Errorf("digest: got %q, want %q", got, s)
		}
	}
	if n := max(len(packID("<urn:uuid:92283950-ef2f-4d72-b224-f54c6ec90bb0>")), len(packID("urn:uuid:92283950-ef2f-4d72-b224-f54c6ec90bb0"))); n != 17 {
		t.Errorf("a usual name takes %d bytes, want 17", n)
	}
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
	var again RecordNames // reads one column after another, of one form and the other
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		one := []*rapid.Generator[string]{
			uuid("4" + bracketed), uuid("5" + bare), uuid("4"+bracketed, "5"+bracketed), uuid("4"+bracketed, "4"+bare),
			rapid.OneOf(uuid("4"+bracketed, "?"+bare), rapid.String(), rapid.Just("")),
		}[kind]
		names := rapid.SliceOfN(one, 1, 20).Draw(t, "names")
		b := AppendRecordIDs(nil, names)
		if got, err := DecodeRecordIDs(b, len(names)); err != nil || !slices.Equal(got, names) {
			t.Fatalf("got %q, %v, want %q", got, err, names)
		}
		if err := again.Decode(b, len(names)); err != nil {
			t.Fatal(err)
		}
		for i, want := range names {
			if got := again.Of(i); got != want {
				t.Fatalf("after another column, name %d is %q, want %q", i, got, want)
			}
		}
		if most := 3 + 15*len(names) + (len(names)+3)/4; kind < 2 && len(b) != most {
			t.Fatalf("%d names take %d bytes, want %d", len(names), len(b), most)
		}
		if _, err := DecodeRecordIDs(b, len(names)+1); err == nil && b[0] == namesUUIDs {
			t.Fatal("one name more is read than is there")
		}
	})
}

package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/record"
)

// checkSizes draws a scan that needs only captures with bodies of some sizes, and may
// leave others out. It must yield the same captures of these sizes as a scan of all.
func checkSizes(rt *rapid.T, a *Archive) {
	v, err := a.Snapshot(context.Background())
	if err != nil {
		rt.Fatal(err)
	}
	defer v.Close()
	s := drawTally(rt).Scan
	s.Columns |= record.ColBytes
	from := int64(rapid.IntRange(-1, 2000).Draw(rt, "least size"))
	to := from + int64(rapid.IntRange(0, 2000).Draw(rt, "sizes"))
	want, _ := ofSizes(rt, v, s, from, to)
	s.Sizes = func(least, greatest int64) bool { return greatest >= from && least <= to }
	if got, _ := ofSizes(rt, v, s, from, to); !slices.Equal(got, want) {
		rt.Fatalf("captures of %d to %d bytes:\ngot\n%s\nwant\n%s", from, to, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// ofSizes returns the captures of the scan s whose bodies have between from and to bytes,
// as texts, and how many captures the scan yielded in all.
func ofSizes(t rapid.TB, v *Snapshot, s record.Scan, from, to int64) (list []string, all int) {
	for b, err := range v.Scan(context.Background(), s) {
		if err != nil {
			t.Fatal(err)
		}
		all += b.N
		for i := range b.N {
			if b.Bytes[i] >= from && b.Bytes[i] <= to {
				list = append(list, fmt.Sprint(b.URLs()[i], b.Time[i], b.Bytes[i]))
			}
		}
	}
	return list, all
}

// TestSizes holds that a scan which needs only the largest bodies reads few of the others,
// and that it may find out while it reads which these are. A scan of a short time reads
// few captures of other times.
func TestSizes(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	r := rand.New(rand.NewPCG(7, 8))
	var visits []*visit
	for i := range 20000 {
		host := i / 1000
		visits = append(visits, &visit{
			url: fmt.Sprintf("http://h%02d.example/%d", host, i), time: day0 + record.Time(host*dayMillis+i), status: 200,
			body: strings.Repeat("x", r.IntN(200)+200*(host%5)),
		})
	}
	put(t, a, visits)
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	s := record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColBytes}
	want, _ := ofSizes(t, v, s, 990, 1000)
	s.Sizes = func(_, greatest int64) bool { return greatest >= 990 }
	if got, all := ofSizes(t, v, s, 990, 1000); len(want) == 0 || !slices.Equal(got, want) || all > 8000 {
		t.Errorf("bodies of 990 bytes or more: %d of %d captures read, want %d of at most 8000", len(got), all, len(want))
	}
	var largest atomic.Int64
	s.Sizes = func(_, greatest int64) bool { return greatest > largest.Load() }
	all := 0
	for b, err := range v.Scan(t.Context(), s) {
		if err != nil {
			t.Fatal(err)
		}
		all += b.N
		for _, n := range b.Bytes[:b.N] {
			largest.Store(max(largest.Load(), n))
		}
	}
	if largest.Load() != 999 || all > 10000 {
		t.Errorf("the largest body has %d bytes, want 999; %d captures were read, want at most 10000", largest.Load(), all)
	}
	s = record.Scan{From: day0 + 3*dayMillis, To: day0 + 5*dayMillis, Columns: record.ColBytes}
	before := v.Stats().Chunks
	if got, all := ofSizes(t, v, s, 0, 1000); len(got) != 2000 || all != 2000 {
		t.Errorf("two days have %d captures, want 2000", len(got))
	}
	if n := v.Stats().Chunks - before; n == 0 || n > 5 {
		t.Errorf("of two days %d chunks were read, want at most 5 of 20", n)
	}
}

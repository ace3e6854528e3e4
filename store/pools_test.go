package store

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/catalog"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
)

// checkPools compares what the archive says of each pool with what a scan counts in
// it, and returns for how many pools the catalogue was enough to say it.
func checkPools(t rapid.TB, a *Archive) (enough int) {
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for _, name := range v.Pin.PoolNames() {
		segments := v.Pin.PoolSegments(name)
		before := v.Stats().Chunks
		got, err := v.Pool(ctx, segments)
		if err != nil {
			t.Fatal(err)
		}
		if v.Stats().Chunks == before {
			enough++
		}
		want := countPool(t, v, name)
		if got.URLs != want.URLs || got.Captures != want.Captures || got.Versions != want.Versions || got.Bytes != want.Bytes {
			t.Fatalf("pool %s has %d URLs, %d captures, %d versions of %d bytes; counted are %d, %d, %d of %d",
				name, got.URLs, got.Captures, got.Versions, got.Bytes, want.URLs, want.Captures, want.Versions, want.Bytes)
		}
	}
	return enough
}

// countPool counts the captures of a pool that a scan returns.
func countPool(t rapid.TB, v *Snapshot, pool string) (p record.Pool) {
	pools := make(map[uint32]string)
	for _, s := range v.Pin.Segments {
		pools[s.ID] = s.Pool
	}
	from, to := catalog.Month(pool)
	urls := make(map[string]bool)
	for b, err := range v.Scan(context.Background(), record.Scan{From: from, To: to, Columns: record.ColBytes | record.ColChange}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			if pools[b.Ref[i].Segment] != pool {
				continue
			}
			urls[b.URLs()[i]] = true
			p.Captures++
			if b.Change[i] != record.ChangeSame {
				p.Versions++
				p.Bytes += max(b.Bytes[i], 0)
			}
		}
	}
	p.URLs = int64(len(urls))
	return p
}

// TestPoolsSummed brings captures to a pool in parts that overlap in URLs and
// times. The catalogue is enough while later captures stay versions: each part comes after
// what was there of its URL, or before it with other content. The pool is counted if a capture
// came that has the content of the version after it, or if captures were deleted, until all is
// merged.
func TestPoolsSummed(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	check := func(when string, want int) {
		t.Helper()
		if got := checkPools(t, a); got != want {
			t.Errorf("%s: the catalogue is enough for %d pools, want %d", when, got, want)
		}
	}
	at := func(url, hour int, body string) *visit {
		return &visit{url: fmt.Sprintf("http://a.example/%d", url), time: day0 + record.Time(hour*3_600_000), status: 200, body: body}
	}
	merge := func() {
		t.Helper()
		if _, err := a.Merge(t.Context(), task.MergeOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for part := range 7 {
		var visits []*visit
		for url := range 10 {
			visits = append(visits, at(part+url, 24*((part+url)%5)+part, fmt.Sprint(part/2)))
		}
		put(t, a, visits)
		check(fmt.Sprint("part ", part), 1)
	}
	last := onlyOnce(func(c *catalog.Catalog) []*segment.Info { return c.PoolSegments("200806")[4:7] })
	if err := a.merger.Some(t.Context(), "200806", 0, last); err != nil {
		t.Fatal(err)
	}
	check("the last ones merged", 1)
	put(t, a, []*visit{at(3, 700, "last"), at(50, 1, "new")})
	check("more", 1)
	put(t, a, []*visit{at(3, 0, "earlier")})
	check("one before others, with other content", 1)
	merge()
	put(t, a, []*visit{at(3, 699, "last")})
	check("one before others, with the content of the next", 0)
	merge()
	check("merged", 1)
	if _, err := deleteWhere(a, func(u string, _ record.Time) bool { return u == "http://a.example/50" }); err != nil {
		t.Fatal(err)
	}
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	pools, err := v.Pools(t.Context())
	if err != nil || len(pools) != 1 || pools[0].URLs != 16 {
		t.Errorf("got %+v, %v; want a pool of 16 URLs", pools, err)
	}
	merge()
	check("merged without what was deleted", 1)
}

// onlyOnce returns a function that chooses as choose does at its first call, and no segments
// later.
func onlyOnce(choose func(*catalog.Catalog) []*segment.Info) func(*catalog.Catalog) []*segment.Info {
	return func(c *catalog.Catalog) []*segment.Info {
		if choose == nil {
			return nil
		}
		now := choose
		choose = nil
		return now(c)
	}
}

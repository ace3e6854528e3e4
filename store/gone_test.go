package store

import (
	"context"
	"slices"
	"strings"
	"testing"

	"infomall/store/record"
	"infomall/store/record/task"
)

// TestDeletedGone deletes a page, and merges its pool: neither its content nor
// its address is in any file then. Of one whose body another capture has, in the
// same pool and in another, the body stays.
func TestDeletedGone(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	const secret, shared = "what nobody is to know", "what others say too"
	put(t, a, []*visit{
		{url: "http://a.example/secret", time: day0, status: 200, body: secret},
		{url: "http://b.example/", time: day0, status: 200, body: shared},
		{url: "http://c.example/", time: day0, status: 200, body: "something else"},
	})
	put(t, a, []*visit{
		{url: "http://b.example/", time: day0 + dayMillis, status: 200, body: shared},
	})
	res, err := deleteWhere(a, func(url string, at record.Time) bool { return url != "http://c.example/" && at == day0 })
	if err != nil || res.Left != 1 {
		t.Fatalf("%d captures are left that have a deleted body, with error %v; want 1", res.Left, err)
	}
	if !contains(t, a, secret) || !contains(t, a, ")/secret") {
		t.Error("what is hidden is not in the files any more")
	}
	if got, want := askedToSkip(t, a), []string{"http://b.example/", "http://c.example/"}; !slices.Equal(got, want) {
		t.Errorf("a scan asks whether to skip %q, want %q", got, want)
	}
	if _, err := a.Merge(context.Background(), task.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	swept := mustSweep(t, a)
	for text, want := range map[string]bool{secret: false, "secret": false, shared: true, "something else": true} {
		if got := contains(t, a, text); got != want && (swept || !got) {
			t.Errorf("%q is in the files: %v, want %v", text, got, want)
		}
	}
	v, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	list, err := v.Tombstones(context.Background())
	if err != nil || len(list) != 1 || list[0].Hidden || list[0].Captures != 2 || list[0].Reason != "because" {
		t.Errorf("tombstones %+v, error %v; want one of 2 captures that are gone", list, err)
	}
	if got := readRows(t, a, record.MinTime, record.MaxTime); len(got) != 2 || got[0].body != shared {
		t.Errorf("left is %+v", got)
	}
}

// askedToSkip lists the URLs that a scan tells of.
func askedToSkip(t *testing.T, a *Archive) (urls []string) {
	t.Helper()
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	skip := func(_, url string) bool {
		urls = append(urls, url)
		return true
	}
	for _, err := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime, Skip: skip}) {
		t.Errorf("a scan that skips everything yields rows, or error %v", err)
	}
	return urls
}

// contains reports whether a text stands in the archive: in any file as it is,
// or in what the db-files in force hold compressed.
func contains(t *testing.T, a *Archive, text string) bool {
	t.Helper()
	v, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	found := false
	for _, info := range v.Pin.Segments {
		s := v.Runs.Reader(info)
		for n := range uint32(info.Runs) {
			r, err := v.Runs.Run(s, n)
			if err != nil {
				t.Fatal(err)
			}
			entries, err := r.Meta.Entries()
			if err != nil {
				t.Fatal(err)
			}
			for i := range entries {
				found = found || strings.Contains(entries[i].Key, text)
			}
			ends, err := r.Meta.BlockEnds()
			if err != nil {
				t.Fatal(err)
			}
			for i := range ends {
				b, err := r.Block(uint32(i))
				if err != nil {
					t.Fatal(err)
				}
				found = found || strings.Contains(string(b), text)
			}
		}
	}
	for _, path := range filesIn(a.Local()) {
		b, err := readFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found = found || strings.Contains(string(b), text)
	}
	return found
}

// TestDeletedHolder deletes a page and a later capture with the same body, which
// is in another pool, and merges the first pool: that the later one, which is
// hidden still, has no body any more is no damage.
func TestDeletedHolder(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	threeMonths(t, a)
	put(t, a, []*visit{{url: "http://c.example/", time: day0, status: 200, body: "another of June"}})
	if _, err := deleteWhere(a, func(url string, _ record.Time) bool { return url == "http://a.example/" }); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Merge(context.Background(), task.MergeOptions{Pools: []string{"200806"}}); err != nil {
		t.Fatal(err)
	}
	if got := verify(t, a.Local(), task.VerifyOptions{}); len(got) > 0 {
		t.Errorf("VERIFY finds %+v", got)
	}
}

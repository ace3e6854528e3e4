package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/commit"
	"infomall/store/record"
	"infomall/store/record/task"
)

// pages makes captures of n URLs of one month, each with a body of its own.
func pages(n int, time record.Time) (out []*visit) {
	for i := range n {
		body := fmt.Sprintf("<html><body><h1>page %d</h1>", i)
		for j := range 20 {
			body += fmt.Sprintf("<p>a paragraph of page %d that says %x</p>", i, sha256.Sum256(fmt.Append(nil, i, j)))
		}
		out = append(out, &visit{url: fmt.Sprintf("http://www.example.com/%03d", i), time: time, status: 200, body: body})
	}
	return out
}

// TestSplit splits a pool that is too large: its parts have no URL in common,
// what comes in later goes to the right one, and none is dropped while a later
// pool needs it.
func TestSplit(t *testing.T) {
	ctx := context.Background()
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	june, july := pages(40, day0), pages(40, day0+40*dayMillis)
	put(t, a, june)
	put(t, a, july) // of the bodies of June
	const limit = 30_000
	res, err := a.Merge(ctx, task.MergeOptions{Pools: []string{"200806"}, PoolLimit: limit})
	if err != nil {
		t.Fatal(err)
	}
	if len(res) != 1 || len(res[0].Parts) < 3 || res[0].Parts[1] != "200806A" {
		t.Fatalf("merged %+v, want three parts or more", res)
	}
	late := pages(40, day0+dayMillis)
	put(t, a, late)
	want := historyOf(slices.Concat(june, late, july))
	if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, want) {
		t.Fatalf("history:\n%s", diffRows(got, want))
	}
	c, err := a.folder.InForce()
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for _, pool := range res[0].Parts {
		first := c.PoolSegments(pool)[0].FirstKey
		for _, s := range c.PoolSegments(pool) {
			if s.FirstKey <= last || s.FirstKey < first || !c.Takes(pool, s.FirstKey) || !c.Takes(pool, s.LastKey) {
				t.Errorf("%s has keys from %q to %q, behind %q", pool, s.FirstKey, s.LastKey, last)
			}
		}
		for _, s := range c.PoolSegments(pool) {
			last = max(last, s.LastKey)
		}
		if n := len(c.PoolSegments(pool)); n != 2 {
			t.Errorf("%s has %d segments, want what it was split to and what came late", pool, n)
		}
	}
	for _, pool := range res[0].Parts {
		var depends *task.DependsError
		if _, err := a.Drop(ctx, task.DropOptions{Pool: pool}); !errors.As(err, &depends) {
			t.Errorf("dropping %s, which July needs: %v, want a DependsError", pool, err)
		}
	}
	if got := verify(t, a.Local(), task.VerifyOptions{}); len(got) > 0 {
		t.Errorf("VERIFY finds %+v", got)
	}
	// In the other order all can be dropped.
	for _, pool := range append([]string{"200807"}, res[0].Parts[1:]...) {
		if _, err := a.Drop(ctx, task.DropOptions{Pool: pool}); err != nil {
			t.Errorf("drop %s: %v", pool, err)
		}
	}
	if got := verify(t, a.Local(), task.VerifyOptions{}); len(got) > 0 {
		t.Errorf("after the parts were dropped VERIFY finds %+v", got)
	}
}

// TestSplitByItself imports into a pool until it is too large: it is split with
// no statement.
func TestSplitByItself(t *testing.T) {
	ctx := context.Background()
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	g, err := a.intake.NewImporter(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	g.PoolLimit = 80_000
	var visits []*visit
	for i := range 6 {
		more := pages(30, day0+record.Time(i)*dayMillis)
		visits = append(visits, more...)
		for _, v := range more {
			v.body += fmt.Sprint(i)
			var res task.ImportResult
			if err := g.Add(ctx, v.capture(), &res); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if got := poolNames(t, a); len(got) < 2 || got[1] != "200806A" {
		t.Errorf("pools %v, want 200806 in parts", got)
	}
	if got, want := readRows(t, a, record.MinTime, record.MaxTime), historyOf(visits); !equalRows(got, want) {
		t.Errorf("history:\n%s", diffRows(got, want))
	}
}

// TestSplitHistories imports histories in parts and in any order, splitting and
// sealing pools between, and loses the catalogue at the end: the answers are the
// same, and VERIFY finds nothing.
func TestSplitHistories(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	drawFewer(t, 30)
	rapid.Check(t, func(rt *rapid.T) {
		visits := rapid.Permutation(drawHistory(rt)).Draw(rt, "order")
		a := openAt(t.TempDir(), Options{})
		defer a.Close()
		drawBounds(rt, a)
		for rest := visits; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "part")
			put(t, a, rest[:n])
			rest = rest[n:]
			for _, p := range poolNames(rt, a) {
				var static *task.StaticError
				o := task.MergeOptions{Pools: []string{p}, PoolLimit: drawLimit(rt), Seal: rapid.IntRange(0, 5).Draw(rt, "seal") == 0}
				if _, err := a.Merge(context.Background(), o); err != nil && !errors.As(err, &static) {
					rt.Fatal(err)
				}
			}
		}
		want := historyOf(visits)
		if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, want) {
			rt.Fatalf("history:\n%s", diffRows(got, want))
		}
		if got := verify(t, a.Local(), task.VerifyOptions{}); len(got) > 0 {
			rt.Fatalf("VERIFY finds %+v", got)
		}
		if err := removeFile(filepath.Join(a.Local(), commit.FileCurrent)); err != nil {
			rt.Fatal(err)
		}
		b := openAt(a.Local(), Options{})
		defer b.Close()
		if _, err := b.Reindex(context.Background(), task.ReindexOptions{}); err != nil {
			rt.Fatal(err)
		}
		if got := readRows(t, b, record.MinTime, record.MaxTime); !equalRows(got, want) {
			rt.Fatalf("history after REINDEX:\n%s", diffRows(got, want))
		}
	})
}

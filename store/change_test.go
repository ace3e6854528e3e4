package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/record"
	"infomall/store/segment"
)

// current loads the catalogue in force.
func current(t testing.TB, a *Archive) *catalog.Catalog {
	t.Helper()
	c, err := a.folder.InForce()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// publishOnce puts a change in force with a writer of its own.
func publishOnce(a *Archive, ch catalog.Change) error {
	ctx := context.Background()
	w, err := a.folder.NewWriter(ctx)
	if err != nil {
		return err
	}
	return errors.Join(w.Publish(ctx, commit.Publication{Change: ch}), w.Close())
}

// TestTakeOut takes a pool out of force. A snapshot from before still has it,
// and its files go when the last such is closed and somebody writes.
func TestTakeOut(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	visits := threeMonths(t, a)
	before, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	gone := current(t, a).Segments[2:]
	if err := publishOnce(a, catalog.Change{Out: gone}); err != nil {
		t.Fatal(err)
	}
	if got, want := readRows(t, a, record.MinTime, record.MaxTime), historyOf(visits[:2]); !equalRows(got, want) {
		t.Errorf("after taking out:\n%s", diffRows(got, want))
	}
	there := func() bool {
		return exists(filepath.Join(a.Local(), gone[0].File)) == nil
	}
	n := 0
	for b, err := range before.Scan(context.Background(), record.Scan{From: record.MinTime, To: record.MaxTime}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			if _, err := before.Payload(context.Background(), b.Ref[i]); err != nil {
				t.Error(err)
			}
			n++
		}
	}
	if n != len(visits) || !there() {
		t.Errorf("the snapshot from before has %d captures, want %d; its file is there: %v", n, len(visits), there())
	}
	before.Close()
	put(t, a, []*visit{{url: "http://c.example/", time: day0, status: 200, body: "c"}})
	if err := noLeftovers(a); err != nil {
		t.Error(err)
	}
	if mustSweep(t, a) && there() {
		t.Errorf("%s is there although nobody has it", gone[0].File)
	}
}

// TestStale publishes what was planned on a state that is no more.
func TestStale(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	threeMonths(t, a)
	segments := current(t, a).Segments
	if err := publishOnce(a, catalog.Change{Out: segments[2:]}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		out  []*segment.Info
	}{
		{"out what is not in force", segments[2:]},
		{"out what July depends on", segments[:1]},
	} {
		if err := publishOnce(a, catalog.Change{Out: c.out}); !errors.Is(err, catalog.ErrStale) {
			t.Errorf("taking %s: %v, want errStale", c.what, err)
		}
	}
	if got := len(current(t, a).Segments); got != 2 {
		t.Errorf("%d segments are in force, want 2", got)
	}
}

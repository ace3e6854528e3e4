package merge_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"infomall/store"
	"infomall/store/body"
	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/merge"
	"infomall/store/record"
	"infomall/store/snapshot"
)

// TestMergeHolds merges many small captures, which lie in many segments that hold
// the same URLs, within bounds that are a small part of them: it holds no more
// than they say, merges in rounds, and keeps all.
func TestMergeHolds(t *testing.T) {
	ctx := context.Background()
	a := store.Open(t.TempDir(), store.Options{})
	defer a.Close()
	const segments, captures = 7, 1100
	random := rand.New(rand.NewPCG(1, 2))
	june := record.At(time.Date(2008, 6, 1, 0, 0, 0, 0, time.UTC))
	for s := range segments {
		sink, err := a.NewSink(ctx, "test", 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range captures {
			c := &record.Capture{
				AskedURL: fmt.Sprintf("http://h%d.example/%d/%d", i%10, i, s), Time: june, Status: 200,
				Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"), Body: fmt.Appendf(nil, "%x", random.Uint64()),
			}
			if err := sink.Put(ctx, c); err != nil {
				t.Fatal(err)
			}
		}
		if err := sink.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	warn := func(err error) { t.Errorf("it warns of %v", err) }
	f := commit.Open(a.Path(), disk.OS)
	files := body.NewFiles(f, 256<<20, warn)
	defer files.Close()
	m := merge.New(f, snapshot.NewSource(files), warn, 0)
	const runs, places = 5 << 20, 20 << 10
	m.Bounds = merge.Bounds{Ways: 3, Runs: runs, Places: places}
	for _, seal := range []bool{false, true} {
		rounds, err := m.Rounds(ctx, "200806", seal, func(bytes int64) {
			if bytes > places+2000*merge.PlaceBytes {
				t.Fatalf("places take %d bytes, of %d", bytes, places)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{false: 3, true: 1}[seal]; rounds != want {
			t.Errorf("it took %d rounds, want %d", rounds, want)
		}
		if got := count(t, a); got != segments*captures {
			t.Errorf("%d captures are left of %d", got, segments*captures)
		}
	}
}

// count counts the captures of an archive.
func count(t *testing.T, a *store.Archive) (n int) {
	v, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for b, err := range v.Scan(context.Background(), record.Scan{From: record.MinTime, To: record.MaxTime}) {
		if err != nil {
			t.Fatal(err)
		}
		n += b.N
	}
	return n
}

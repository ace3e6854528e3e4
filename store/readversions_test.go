package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/body"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/snapshot"
	"infomall/store/timeline"
)

// versionsIn returns all captures with which a version begins.
func versionsIn(t rapid.TB, v *Snapshot) (captures []*timeline.Capture) {
	for _, info := range v.Pin.Segments {
		s := v.Runs.Reader(info)
		for n := range uint32(info.Runs) {
			m, err := v.Runs.Meta(s, n)
			if err != nil {
				t.Fatal(err)
			}
			entries, err := m.Entries()
			if err != nil {
				t.Fatal(err)
			}
			for i := range entries {
				if entries[i].Change != record.ChangeSame {
					captures = append(captures, &timeline.Capture{Entry: entries[i].Entry, Place: timeline.Place{Seg: s, Run: n, N: uint32(i)}})
				}
			}
		}
	}
	return captures
}

// TestReadVersions reads the versions of drawn histories together, in any order. What
// is read is what the reading of each version by itself gives.
func TestReadVersions(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	drawFewer(t, 40)
	divided := 0
	rapid.Check(t, func(rt *rapid.T) {
		a := openAt(t.TempDir(), Options{})
		defer a.Close()
		visits := drawHistory(rt)
		for rest := rapid.Permutation(visits).Draw(rt, "order"); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "part")
			put(t, a, rest[:n])
			rest = rest[n:]
			if rapid.Bool().Draw(rt, "merge") {
				mergeAny(rt, a)
			}
		}
		v, err := a.Snapshot(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		defer v.Close()
		captures := versionsIn(rt, v)
		if len(captures) > 1 {
			captures = rapid.Permutation(captures).Draw(rt, "captures")
		}
		got, err := v.ReadVersions(t.Context(), captures)
		if err != nil {
			rt.Fatal(err)
		}
		one := v.Versions()
		for i, c := range captures {
			fold, err := one.StoredFold(c.Place)
			if err != nil {
				rt.Fatal(err)
			}
			b, ok, err := one.VersionBody(t.Context(), &timeline.Capture{Place: c.Place})
			if err != nil {
				rt.Fatal(err)
			}
			g := &got[i]
			if !g.Read {
				continue
			}
			if !bytes.Equal(g.Fold, fold) || g.HasBody != ok || g.HasBody && (!bytes.Equal(g.Body, b.Body) || g.Digest != b.Digest || fmt.Sprint(g.As) != fmt.Sprint(b.As)) {
				rt.Fatalf("version %d: %+v, and by itself fold %q, %v, %+v", i, g, fold, ok, b)
			}
			divided += len(g.Blocks.IDs)
			checkBlocks(rt, v, &g.Blocks)
		}
	})
	if divided == 0 {
		t.Error("no version was read with its blocks")
	}
}

// checkBlocks compares the IDs and sizes of blocks with the blocks themselves.
func checkBlocks(t rapid.TB, v *Snapshot, b *body.Blocks) {
	i := 0
	for _, s := range b.Spans {
		run, err := v.Runs.WithBlocks(s.Segment, s.Run)
		if err != nil {
			t.Fatal(err)
		}
		for n := s.N; n < s.N+s.Count; n++ {
			block, err := run.Block(n)
			if err != nil || segment.BlockID(block) != b.IDs[i] || len(block) != int(b.Sizes[i]) {
				t.Fatalf("block %d of run %d of segment %d: error %v, ID or size differs", n, s.Run, s.Segment, err)
			}
			i++
		}
	}
	if i != len(b.IDs) || i != len(b.Sizes) {
		t.Fatalf("%d blocks, %d IDs, %d sizes", i, len(b.IDs), len(b.Sizes))
	}
}

// TestReadVersionsOnce holds that versions of several months whose blocks are in runs
// of all these months are read with each run once, although only one run is kept in
// memory.
func TestReadVersionsOnce(t *testing.T) {
	const pages, months = 40, 6
	r := rand.New(rand.NewPCG(3, 4))
	text := func() string {
		words := make([]string, 200)
		for i := range words {
			words[i] = fmt.Sprintf("%x", r.Uint64())
		}
		return "<p>" + strings.Join(words, " ") + "</p>"
	}
	parts := make([][]string, pages)
	for i := range parts {
		for range months {
			parts[i] = append(parts[i], text())
		}
	}
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	for m := range months {
		var visits []*visit
		for i := range parts {
			parts[i][m] = text() // the other parts stay where they are
			visits = append(visits, &visit{url: fmt.Sprintf("http://a.example/%02d", i), time: day0 + record.Time(m*31*dayMillis+i*1000), status: 200, body: "<html><body>" + strings.Join(parts[i], "\n") + "</body></html>"})
		}
		put(t, a, visits)
	}
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	runs := 0
	for _, s := range v.Pin.Segments {
		runs += s.Runs
	}
	captures := versionsIn(t, v)
	slices.SortFunc(captures, func(p, q *timeline.Capture) int { return int(p.N) - int(q.N) })
	v.Runs.Shelve(1, 1)
	before := int(v.Stats().Runs)
	got, err := v.ReadVersions(t.Context(), captures)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if !got[i].Read || !got[i].HasBody {
			t.Fatalf("version %d was not read", i)
		}
	}
	if n := int(v.Stats().Runs) - before; len(got) != pages*months || runs < months+2 || n != runs {
		t.Errorf("%d versions read %d runs; there are %d", len(got), n, runs)
	}
}

// TestReadVersionsMemory reads one version of each month. The runs of all months are read into the same
// memory, so the second call allocates a small part of the size of the runs.
func TestReadVersionsMemory(t *testing.T) {
	const pages, months = 100, 20
	r := rand.New(rand.NewPCG(5, 6))
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	for m := range months {
		var visits []*visit
		for i := range pages {
			body := make([]byte, 500)
			for n := range body {
				body[n] = 'a' + byte(r.IntN(26))
			}
			visits = append(visits, &visit{url: fmt.Sprintf("http://a.example/%03d", i), time: day0 + record.Time(m*31*dayMillis+i*1000), status: 200, body: "<html><body><h1>Page</h1><p>" + string(body[:250]) + "</p><p>" + string(body[250:]) + "</p></body></html>"})
		}
		put(t, a, visits)
	}
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	v.Runs.Shelve(1, 1)
	captures := slices.DeleteFunc(versionsIn(t, v), func(c *timeline.Capture) bool { return c.N != 50 })
	var got []snapshot.EarlierVersion
	read := func() (allocated, decoded int64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		stats := v.Stats()
		if got, err = v.ReadVersions(t.Context(), captures); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return int64(after.TotalAlloc - before.TotalAlloc), v.Stats().Decoded - stats.Decoded
	}
	read() // opens the files
	allocated, decoded := read()
	for i := range got {
		if !got[i].Read || !got[i].HasBody {
			t.Fatalf("version %d was not read", i)
		}
	}
	if len(captures) != months || decoded < months*pages*500 || allocated > decoded/4 {
		t.Errorf("%d versions: %d bytes were decoded, %d allocated", len(captures), decoded, allocated)
	}
}

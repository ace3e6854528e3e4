package store

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// TestHiding hides some captures of drawn histories, which came in several imports and
// were merged now and then. A snapshot must answer as if these captures were deleted:
// rows with what each capture is to the one before it, counts, URLs, look-ups and pools.
func TestHiding(t *testing.T) {
	if testing.Short() {
		t.Skip("builds some eighty archives; not with -short")
	}
	drawFewer(t, 40)
	rapid.Check(t, func(rt *rapid.T) {
		visits := drawHistory(rt)
		dir, err := os.MkdirTemp(t.TempDir(), "hiding")
		if err != nil {
			rt.Fatal(err)
		}
		hides := drawHiding(rt)
		a := openAt(dir+"/hidden", Options{})
		defer a.Close()
		b := openAt(dir+"/deleted", Options{})
		defer b.Close()
		for rest := visits; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "import")
			var res task.ImportResult
			if err := putErr(a, rest[:n], &res); err != nil {
				rt.Fatal(err)
			}
			rest = rest[n:]
			if rapid.Bool().Draw(rt, "merge") {
				mergeAny(rt, a)
			}
		}
		if err := copyFiles(dir+"/deleted", dir+"/hidden"); err != nil {
			rt.Fatal(err)
		}
		if _, err := deleteWhere(b, func(url string, at record.Time) bool { return hides.Hides(urlkey.Key(url), at) }); err != nil {
			rt.Fatal(err)
		}
		from := record.MinTime
		if rapid.Bool().Draw(rt, "bounded rows") {
			from = day0 + record.Time(rapid.IntRange(0, 90).Draw(rt, "rows from")*dayMillis)
		}
		want, err := tellRows(b, from, record.MaxTime)
		if err != nil {
			rt.Fatal(err)
		}
		v, err := a.Snapshot(context.Background())
		if err != nil {
			rt.Fatal(err)
		}
		defer v.Close()
		plain := v.State()
		v.Hide(hides)
		if v.State() == plain {
			rt.Fatal("the state of a snapshot that hides captures is that of one that hides none")
		}
		got, err := rowsIn(v, from, record.MaxTime)
		if err != nil {
			rt.Fatal(err)
		}
		if !equalRows(got, want) {
			rt.Fatalf("hidden, the rows differ from those of an archive where they are deleted:\n%s", diffRows(got, want))
		}
		checkTallyIn(rt, a, v)
		pools, err := v.Pools(context.Background())
		if err != nil {
			rt.Fatal(err)
		}
		wanted := make(map[string]record.Pool)
		w, err := b.Snapshot(context.Background())
		if err != nil {
			rt.Fatal(err)
		}
		defer w.Close()
		list, err := w.Pools(context.Background())
		if err != nil {
			rt.Fatal(err)
		}
		for _, p := range list {
			wanted[p.Name] = p
		}
		for _, p := range pools {
			o := wanted[p.Name]
			if g, w := fmt.Sprint(p.Captures, p.Versions, p.URLs, p.First, p.Last, p.Bytes), fmt.Sprint(o.Captures, o.Versions, o.URLs, o.First, o.Last, o.Bytes); g != w {
				rt.Fatalf("pool %s has %s, want %s", p.Name, g, w)
			}
		}
	})
}

// drawHiding draws what is hidden: some URLs, whole or at some times.
func drawHiding(rt *rapid.T) *record.Hiding {
	from := make(map[string]record.Time)
	h := &record.Hiding{Name: "test"}
	for i := range 4 {
		key := urlkey.Key(fmt.Sprintf("http://www.example.com/%d", i))
		if !rapid.Bool().Draw(rt, "hide") {
			continue
		}
		h.Ranges = append(h.Ranges, urlkey.Range{From: key, To: key + "\x00"})
		from[key] = record.MinTime
		if rapid.Bool().Draw(rt, "hide a part") {
			from[key] = day0 + record.Time(rapid.IntRange(0, 85).Draw(rt, "hide from")*dayMillis)
		}
	}
	slices.SortFunc(h.Ranges, func(a, b urlkey.Range) int { return strings.Compare(a.From, b.From) })
	inside := rapid.Bool().Draw(rt, "hide the earlier ones")
	h.Hides = func(key string, t record.Time) bool {
		f, ok := from[key]
		return ok && (t >= f) != (inside && f > record.MinTime)
	}
	return h
}

package firstseen

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/spill"
	"infomall/store/record"
	"infomall/store/record/task"
)

// page is one page of a random archive.
type page struct {
	host, url int
	time      record.Time
	added     []uint64
	asked     []uint64
}

// drawPages draws pages sorted by URL and time.
func drawPages(t *rapid.T) []page {
	text := rapid.SliceOfN(rapid.Uint64Range(1, 9), 0, 4)
	pages := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) page {
		n := rapid.IntRange(0, 5).Draw(t, "url")
		return page{n / 3, n, record.Time(rapid.IntRange(-3, 3).Draw(t, "time")), text.Draw(t, "added"), text.Draw(t, "asked")}
	}), 1, 20).Draw(t, "pages")
	slices.SortStableFunc(pages, func(a, b page) int { return cmp.Or(a.url-b.url, cmp.Compare(a.time, b.time)) })
	return pages
}

// model returns whether page p has text x for the first time, by looking at each other page.
func model(pages []page, p *page, x uint64) Answer {
	a := IsNew
	for _, o := range pages {
		if o.host != p.host || !slices.Contains(o.added, x) && !slices.Contains(o.asked, x) {
			continue
		}
		switch {
		case o.url != p.url && (o.time < p.time || o.time == p.time && o.url < p.url):
			return OnOtherURL
		case o.url == p.url && o.time < p.time:
			a = OnSameURL
		}
	}
	return a
}

// check gives the pages that some function chooses to a Finder, and compares its answers with
// those of the model for all pages.
func check(t *rapid.T, pages []page, choose func(*page) bool, known *Known) {
	m := spill.Memory{Bytes: rapid.SampledFrom([]int64{1 << 10, 1 << 20}).Draw(t, "memory")}
	f := New(context.Background(), &m, 1, known)
	defer f.Close()
	var questions []int
	for i := range pages {
		p := &pages[i]
		if !choose(p) {
			continue
		}
		if err := f.Page(fmt.Sprint(p.host), fmt.Sprint(p.url), p.time); err != nil {
			t.Fatal(err)
		}
		for _, x := range p.asked {
			q, err := f.Ask(x)
			if err != nil {
				t.Fatal(err)
			}
			questions = append(questions, q)
		}
		for _, x := range p.added {
			if err := f.Add(x); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Solve(); err != nil {
		t.Fatal(err)
	}
	for i := range pages {
		p := &pages[i]
		if !choose(p) {
			continue
		}
		for _, x := range p.asked {
			if got, want := f.Answer(questions[0]), model(pages, p, x); got != want {
				t.Fatalf("text %d of %+v: got %d, want %d", x, *p, got, want)
			}
			questions = questions[1:]
		}
	}
}

// TestAnswers compares the answers for random pages with those of the model, with little memory
// and with much.
func TestAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		check(t, drawPages(t), func(*page) bool { return true }, nil)
	})
}

// TestKnown gives random pages to several Finders, one after the other by time. The answers must
// be the same as the answers of one Finder that gets all pages. Each Finder stores the texts
// that it has seen for the next one.
func TestKnown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := drawPages(t)
		m := spill.Memory{Bytes: rapid.SampledFrom([]int64{1 << 10, 1 << 20}).Draw(t, "known memory")}
		known := NewKnown(&m)
		defer func() { known.Close() }()
		var parts []iter.Seq2[task.ResultRow, error]
		for from := record.Time(-3); from <= 3; {
			to := from + record.Time(rapid.IntRange(1, 4).Draw(t, "times"))
			check(t, pages, func(p *page) bool { return p.time >= from && p.time < to }, known)
			known.Added = to
			rows := known.Changes()
			if rapid.Bool().Draw(t, "whole") {
				parts, rows = nil, known.Rows()
			}
			parts = append(parts, stored(rows))
			loaded, err := Load(&m, parts...)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := all(t, loaded.list), all(t, known.list); !slices.Equal(got, want) || loaded.Until != known.Until || loaded.Added != known.Added {
				t.Fatalf("stored: got %v of %+v, want %v of %+v", got, loaded, want, known)
			}
			known.Close()
			known, from = loaded, to
		}
		f := New(context.Background(), &spill.Memory{}, 1, known)
		if err := f.Page("1", "1", known.Until); err != ErrEarlier {
			t.Errorf("a page that is not later: got %v, want %v", err, ErrEarlier)
		}
	})
}

// all returns the texts of a list.
func all(t *rapid.T, list *texts) (all []seen) {
	r, err := list.reader()
	for ; err == nil && r.ok; err = r.next() {
		all = append(all, r.at)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestKnownMemory gives Finders and a Known of little memory 500,000 texts, and then some of them
// again. The Known, and one that is loaded from its rows, hold a small part of the texts in memory.
func TestKnownMemory(t *testing.T) {
	const count = 500_000
	m := spill.Memory{Bytes: 1 << 20}
	held := func() int64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	before := held()
	known := NewKnown(&m)
	defer known.Close()
	for day := range record.Time(2) {
		f := New(t.Context(), &m, 1, known)
		if err := f.Page("host", "url", day); err != nil {
			t.Fatal(err)
		}
		for x := uint64(0); x < count; x += 1 + 9*uint64(day) {
			if err := f.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Solve(); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	loaded, err := Load(&m, known.Rows(), known.Changes())
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	if known.Len() != count || loaded.Len() != count {
		t.Errorf("got %d and %d texts, want %d", known.Len(), loaded.Len(), count)
	}
	if more := held() - before; more > 2*m.Bytes {
		t.Errorf("the texts of both take %d bytes of memory, want at most %d", more, 2*m.Bytes)
	}
}

// stored returns copies of rows.
func stored(rows iter.Seq2[task.ResultRow, error]) iter.Seq2[task.ResultRow, error] {
	var list []task.ResultRow
	for row, err := range rows {
		if err != nil {
			panic(err)
		}
		list = append(list, task.ResultRow{Key: slices.Clone(row.Key), Value: slices.Clone(row.Value)})
	}
	return func(yield func(task.ResultRow, error) bool) {
		for _, row := range list {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// TestDamagedRows shows that damaged rows are an error, and no panic.
func TestDamagedRows(t *testing.T) {
	rows := []task.ResultRow{{Key: []byte{0, 0, 0, 0}, Value: []byte{2, 4, 1}}, {Key: []byte{0, 0, 0, 1}, Value: make([]byte, 12)}}
	load := func(rows ...task.ResultRow) error {
		_, err := Load(&spill.Memory{}, func(yield func(task.ResultRow, error) bool) {
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
		})
		return err
	}
	if err := load(rows...); err != nil {
		t.Fatal(err)
	}
	for i, bad := range [][]task.ResultRow{
		nil, rows[1:], {rows[0], rows[0]}, {{Key: rows[0].Key}}, {{Key: rows[0].Key, Value: []byte{2, 4}}}, {{Key: rows[0].Key, Value: []byte{2, 4, 1, 0}}}, {{Key: rows[0].Key[1:], Value: rows[0].Value}},
		{rows[0], {Key: rows[1].Key, Value: make([]byte, 11)}}, {rows[0], {Key: rows[1].Key, Value: make([]byte, 24)}},
	} {
		if err := load(bad...); err == nil {
			t.Errorf("case %d is no error", i)
		}
	}
}

// TestHash shows which texts are the same.
func TestHash(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"The Games: day 1", "the games day 1", true},
		{"Straße ÉTÉ", "straße, été!", true},
		{"国家体育场，开幕", "国家体育场开幕", true},
		{"国家体育场", "国家体育馆", false},
		{"day 1", "day 2", false},
	} {
		a, ok := Hash(c.a)
		b, too := Hash(c.b)
		if !ok || !too || (a == b) != c.same {
			t.Errorf("%q and %q: the hashes are %x and %x", c.a, c.b, a, b)
		}
	}
	if _, ok := Hash(" – !"); ok {
		t.Error("a text without letters has a hash")
	}
}

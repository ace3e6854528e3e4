package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// memory holds the files of watches in memory. It fails at the operation fault, if
// that is more than 0: a save then stores nothing.
type memory struct {
	files []task.Result
	rows  map[string][]task.ResultRow
	saved int
	fault int // counts down
}

var errFault = errors.New("made to fail")

func (m *memory) fails() bool {
	m.fault--
	return m.fault == 0
}

func (m *memory) NamedResults(ctx context.Context, kind, name string) ([]task.Result, error) {
	return slices.Clone(m.files), nil
}

func (m *memory) Results(ctx context.Context, kind string) ([]task.Result, error) {
	return slices.Clone(m.files), nil
}

func (m *memory) SaveResult(ctx context.Context, r task.Result, rows iter.Seq2[task.ResultRow, error]) (task.Result, error) {
	var list []task.ResultRow
	for row, err := range rows {
		if err != nil {
			return r, err
		}
		if n := len(list); n > 0 && bytes.Compare(list[n-1].Key, row.Key) >= 0 {
			return r, fmt.Errorf("key %q after %q", row.Key, list[n-1].Key)
		}
		list = append(list, task.ResultRow{Key: bytes.Clone(row.Key), Value: bytes.Clone(row.Value)})
	}
	if m.fails() {
		return r, errFault
	}
	m.saved++
	r.File = fmt.Sprint(m.saved)
	m.files = append(m.files, r)
	m.rows[r.File] = list
	if m.fails() {
		return r, errFault // killed after it was stored
	}
	return r, nil
}

func (m *memory) RemoveResult(ctx context.Context, r task.Result) error {
	if m.fails() {
		return errFault
	}
	m.files = slices.DeleteFunc(m.files, func(o task.Result) bool { return o.File == r.File })
	delete(m.rows, r.File)
	return nil
}

func (m *memory) ResultRows(ctx context.Context, r task.Result, ranges []urlkey.Range) iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		for _, row := range m.rows[r.File] {
			in := ranges == nil || slices.ContainsFunc(ranges, func(x urlkey.Range) bool { return x.Contains(string(row.Key)) })
			if in && !yield(row, nil) {
				return
			}
		}
	}
}

// runner returns a Runner whose files are in m.
func runner(m *memory) *Runner {
	return &Runner{Files: m, Rows: m, Name: "w", Created: 7, Memory: spill.Memory{Bytes: 1 << 20}}
}

var testColumns = []value.Column{{Name: "url", Type: value.URL}, {Name: "n", Type: value.Int}}

// found returns what a query found: a row for each number, with a URL made of it.
func found(seen record.Time, numbers ...int) *Found {
	return &Found{Seen: seen, Columns: testColumns, Key: []int{0}, Rows: func(yield func(*value.Batch, error) bool) {
		b := value.NewBatch(testColumns)
		for i, n := range numbers {
			b.Cols[0].AppendValue(value.OfURL(testURL(n)))
			b.Cols[1].AppendValue(value.OfInt(int64(i)))
			b.N++
		}
		yield(b, nil)
	}}
}

func testURL(n int) string { return fmt.Sprintf("http://a.example/%d", n) }

// listed returns a text for each row of the watch: batch, time and URL.
func listed(t *testing.T, m *memory) (list []string) {
	t.Helper()
	for row, err := range All(t.Context(), m, "w", 7, 1, math.MaxInt64) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprint(row.Batch, " ", row.Seen, " ", row.URL()))
	}
	return list
}

// once does what a run of a watch does.
func once(t *testing.T, w *Runner, f *Found) (int64, error) {
	t.Helper()
	s, err := w.State(t.Context())
	if err == nil {
		s, err = w.Tidy(t.Context(), s, f.Seen)
	}
	if err != nil {
		return 0, err
	}
	return w.Take(t.Context(), s, f)
}

// TestRuns runs a watch some hundred times with random rows, and fails at random
// operations. It compares the rows with a model. Some URLs are deleted. In the end the
// watch has few files.
func TestRuns(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	m := &memory{rows: map[string][]task.ResultRow{}}
	w := runner(m)
	batches, seen, deleted := 0, map[int]bool{}, map[int]bool{}
	var want []string
	const runs = 600
	for run := 1; run <= runs; run++ {
		now := record.Time(run * 10)
		var numbers, fresh []int
		for range r.IntN(4) {
			n := r.IntN(runs)
			if !seen[n] && !slices.Contains(fresh, n) {
				fresh = append(fresh, n)
			}
			numbers = append(numbers, n)
		}
		m.fault = r.IntN(20) // often none
		n, err := once(t, w, found(now, numbers...))
		m.fault = 0
		if err != nil && !errors.Is(err, errFault) {
			t.Fatal(err)
		}
		// If it failed, the batch is there or not.
		s, e := w.State(t.Context())
		if e != nil {
			t.Fatal(e)
		}
		if s.Last > int64(batches) {
			batches++
			for _, n := range fresh {
				want = append(want, fmt.Sprint(batches, " ", int64(now), " ", testURL(n)))
				seen[n] = true
			}
		}
		if err == nil && int(n) != len(fresh) {
			t.Fatalf("run %d took %d rows, want %d", run, n, len(fresh))
		}
		if r.IntN(10) == 0 {
			gone := r.IntN(runs)
			mark, err := w.Delete(t.Context(), func(yield func(string, error) bool) { yield(urlkey.Key(testURL(gone)), nil) }, now)
			if err == nil && r.IntN(2) == 0 {
				err = w.Repeat(t.Context(), mark, now+1)
			}
			if err != nil {
				t.Fatal(err)
			}
			deleted[gone] = deleted[gone] || seen[gone] // otherwise its row may come later
			want = slices.DeleteFunc(want, func(row string) bool { return strings.HasSuffix(row, " "+testURL(gone)) })
		}
		if got := listed(t, m); !slices.Equal(got, want) {
			t.Fatalf("after run %d there are\n%q\nwant\n%q", run, got, want)
		}
	}
	if _, err := once(t, w, found(runs*10+10)); err != nil {
		t.Fatal(err)
	}
	levels := 1
	for n := batches; n >= mergeParts; n /= mergeParts {
		levels++
	}
	if len(m.files) > levels*(mergeParts-1)+1 || batches < 100 || len(deleted) < 20 {
		t.Errorf("%d files of %d batches, %d URLs deleted", len(m.files), batches, len(deleted))
	}
	// What was deleted is gone from the files.
	for _, rows := range m.rows {
		for _, row := range rows {
			for n, gone := range deleted {
				if gone && row.Key[0] == keyRow && bytes.HasSuffix(row.Value[:len(row.Value)-2], []byte(testURL(n))) {
					t.Errorf("a file has a row of %s", testURL(n))
				}
			}
		}
	}
}

// TestIncomplete removes each file of a watch in turn, except those that are not
// needed. The state cannot be read then.
func TestIncomplete(t *testing.T) {
	m := &memory{rows: map[string][]task.ResultRow{}}
	w := runner(m)
	for run := 1; run <= 20; run++ {
		if _, err := once(t, w, found(record.Time(run), run)); err != nil {
			t.Fatal(err)
		}
	}
	all := slices.Clone(m.files)
	for i := range all[:len(all)-1] {
		m.files = slices.Delete(slices.Clone(all), i, i+1)
		if _, err := w.State(t.Context()); !errors.Is(err, ErrIncomplete) {
			t.Errorf("without file %d the error is %v", i, err)
		}
	}
}

// TestDrop hides rows as DROP POOL does. A row is hidden if no capture of its URL stays, if it is
// older than the first capture that stays, or if its column time is in the pool.
// Repeat hides rows that a run has stored meanwhile. The next run removes all from the files.
func TestDrop(t *testing.T) {
	m := &memory{rows: map[string][]task.ResultRow{}}
	w := runner(m)
	columns := []value.Column{{Name: "url", Type: value.URL}, {Name: "time", Type: value.Time}}
	visits := func(seen record.Time, rows ...[2]int) *Found {
		return &Found{Seen: seen, Columns: columns, Rows: func(yield func(*value.Batch, error) bool) {
			b := value.NewBatch(columns)
			for _, r := range rows {
				b.Cols[0].AppendValue(value.OfURL(testURL(r[0])))
				b.Cols[1].AppendValue(value.OfTime(record.Time(r[1])))
				b.N++
			}
			yield(b, nil)
		}}
	}
	for _, f := range []*Found{visits(100, [2]int{1, 10}, [2]int{2, 20}, [2]int{3, 9}, [2]int{3, 10}, [2]int{3, 15}, [2]int{3, 21}), visits(200, [2]int{1, 11}, [2]int{2, 22}, [2]int{4, 12})} {
		if _, err := once(t, w, f); err != nil {
			t.Fatal(err)
		}
	}
	gone := func(yield func(Gone, error) bool) {
		_ = yield(Gone{urlkey.Key(testURL(1)), record.MaxTime, 10, 10}, nil) && // nothing stays
			yield(Gone{urlkey.Key(testURL(2)), 150, 5, 6}, nil) && // the first row is older than what stays
			yield(Gone{urlkey.Key(testURL(3)), 50, 10, 20}, nil) // rows of times in the pool
	}
	mark, err := w.Drop(t.Context(), gone, 200)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1 100 " + testURL(3), "1 100 " + testURL(3), "2 200 " + testURL(2), "2 200 " + testURL(4)}
	if got := listed(t, m); !slices.Equal(got, want) {
		t.Errorf("after Drop the rows are %q, want %q", got, want)
	}
	if s, err := w.State(t.Context()); err != nil {
		t.Fatal(err)
	} else if _, err := w.Take(t.Context(), s, visits(300, [2]int{1, 13}, [2]int{2, 23})); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, m); !slices.Contains(got, "3 300 "+testURL(1)) {
		t.Errorf("a run after Drop is hidden: %q", got)
	}
	if err := w.Repeat(t.Context(), mark, 300); err != nil {
		t.Fatal(err)
	}
	want = append(want, "3 300 "+testURL(2))
	if got := listed(t, m); !slices.Equal(got, want) {
		t.Errorf("after Repeat the rows are %q, want %q", got, want)
	}
	if _, err := once(t, w, visits(400)); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, m); !slices.Equal(got, want) {
		t.Errorf("after a run the rows are %q, want %q", got, want)
	}
	if s, err := w.State(t.Context()); err != nil || len(s.deletions) > 0 {
		t.Errorf("after a run there are %d deletions (%v), want none", len(s.deletions), err)
	}
}

// TestFill shows that the first run makes batch 1 even without rows, and that THEN
// counts as done for it.
func TestFill(t *testing.T) {
	m := &memory{rows: map[string][]task.ResultRow{}}
	w := runner(m)
	for run, f := range []*Found{found(1), found(2, 5), found(3, 5), found(4, 5, 6)} {
		f.Fill = true
		if _, err := once(t, w, f); err != nil {
			t.Fatal(err)
		}
		s, err := w.State(t.Context())
		if want := []int64{1, 2, 2, 3}[run]; err != nil || s.Last != want || s.Done != 1 {
			t.Errorf("after run %d there are %d batches, done %d, error %v; want %d, done 1", run, s.Last, s.Done, err, want)
		}
	}
	if err := w.Mark(t.Context(), 3, 9); err != nil {
		t.Fatal(err)
	}
	if s, err := w.State(t.Context()); err != nil || s.Done != 3 {
		t.Errorf("done %d, error %v; want 3", s.Done, err)
	}
}

// TestValues writes values of all types and reads them. A value that is cut is an
// error.
func TestValues(t *testing.T) {
	p := &Part{}
	var values []value.Value
	for _, v := range []value.Value{{}, value.OfBool(true), value.OfBool(false), value.OfInt(-3), value.OfFloat(2.5), value.OfText("正文\x00"), value.OfURL("http://a.cn/"), value.OfTime(5), value.OfDuration(-1)} {
		values = append(values, v)
		p.Columns = append(p.Columns, value.Column{Name: fmt.Sprint("c", len(values)), Type: v.Type})
	}
	b := appendRow(nil, 77, values)
	row, err := parseRow(p, b)
	if err != nil || row.Seen != 77 || !slices.Equal(row.Values, values) {
		t.Errorf("read %v, error %v; want %v", row, err, values)
	}
	for i := range b {
		if _, err := parseRow(p, b[:i]); err == nil {
			t.Errorf("cut at byte %d it is read", i)
		}
	}
	if got := parseColumns(formatColumns(p.Columns)); !slices.Equal(got, p.Columns) {
		t.Errorf("columns %v, want %v", got, p.Columns)
	}
}

package store

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/catalog"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/urlkey"
)

// checkTally draws a tally and compares it with a scan of the same captures
// that is counted by hand.
func checkTally(rt *rapid.T, a *Archive) {
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		rt.Fatal(err)
	}
	defer v.Close()
	checkTallyIn(rt, a, v)
}

// checkScans reads the same captures by three scans, which must yield the same. The first settles all
// captures. The second takes from the columns of the index what it can. The third gets its ranges from
// record.Scan.More, a few at a time.
func checkScans(rt *rapid.T, a *Archive) {
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		rt.Fatal(err)
	}
	defer v.Close()
	s := record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColChange}
	if rapid.Bool().Draw(rt, "some days") {
		s.From = day0 + record.Time(rapid.IntRange(0, 90).Draw(rt, "from")*dayMillis)
		s.To = s.From + record.Time(rapid.IntRange(0, 90).Draw(rt, "days")*dayMillis)
	}
	var keys []string
	rows := func(s record.Scan) (out []string) {
		for b, err := range v.Scan(ctx, s) {
			if err != nil {
				rt.Fatal(err)
			}
			keys = append(keys, b.Key...)
			for i := range b.N {
				out = append(out, fmt.Sprint(b.Key[i], b.Time[i], b.Ref[i], b.Change[i]))
			}
		}
		return out
	}
	settled := s
	settled.Columns |= record.ColSense
	want := rows(settled)
	keys = slices.Compact(keys)
	if got := rows(s); !slices.Equal(got, want) {
		rt.Fatalf("changes without settling:\n%q, want\n%q", got, want)
	}
	keys = slices.Compact(slices.Sorted(slices.Values(keys)))
	rest, seen := keys, keys
	keys = nil // from now on, those of the last scan
	s.More = func() (ranges []urlkey.Range) {
		if given := seen[:len(seen)-len(rest)]; !slices.Equal(slices.Compact(slices.Clone(keys)), given) {
			rt.Fatalf("the scan asks for more after it has yielded the keys %q, want %q", keys, given)
		}
		n := min(len(rest), rapid.IntRange(1, 3).Draw(rt, "ranges"))
		for _, k := range rest[:n] {
			ranges = append(ranges, urlkey.Range{From: k, To: k + "\x00"})
		}
		rest = rest[n:]
		return ranges
	}
	if s.Ranges = s.More(); len(s.Ranges) == 0 {
		return
	}
	if got := rows(s); !slices.Equal(got, want) {
		rt.Fatalf("bit by bit:\n%q, want\n%q", got, want)
	}
}

// checkTallyIn is checkTally of a snapshot of a.
func checkTallyIn(rt *rapid.T, a *Archive, v *Snapshot) {
	ctx := context.Background()
	q := drawTally(rt)
	if keep := q.Keep; keep != nil {
		// Some runs have bodies only: the index of words finds no capture in them.
		first := make(map[segment.RunRef]bool) // the runs that have a capture with number 0
		for b, err := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime}) {
			if err != nil {
				rt.Fatal(err)
			}
			for _, ref := range b.Ref[:b.N] {
				if ref.N == 0 {
					first[segment.RunRef{Segment: ref.Segment, Run: ref.Run}] = true
				}
			}
		}
		q.Keep = func(id, run uint32) *record.Kept {
			if !first[segment.RunRef{Segment: id, Run: run}] {
				return nil
			}
			return keep(id, run)
		}
	}
	shared := a.snapshots.SharedCaptures
	defer func() { a.snapshots.SharedCaptures = shared }()
	a.snapshots.Goroutines, a.snapshots.SharedCaptures = rapid.IntRange(1, 3).Draw(rt, "goroutines"), 0
	want := make(map[string]int64)
	s := q.Scan
	if q.Versions {
		s.Columns |= record.ColChange | record.ColSense // with ColSense, a scan settles all captures
	}
	for b, err := range v.Scan(ctx, s) {
		if err != nil {
			rt.Fatal(err)
		}
		for i := range b.N {
			b.Count = append(b.Count[:i], 1)
			b.Host = append(b.Host[:i], urlkey.Host(b.URLs()[i]))
			if q.Period != nil {
				b.Time[i], _ = q.Period(b.Time[i])
			}
			if q.Versions && b.Change[i] == record.ChangeSame {
				continue
			}
			if q.Keep != nil {
				if ok, _ := q.Keep(b.Ref[i].Segment, b.Ref[i].Run).Keeps(b.Ref[i].N); !ok {
					continue
				}
			}
			want[tallyText(q, b, i)]++
		}
	}
	got := make(map[string]int64)
	for b, err := range v.Tally(ctx, q) {
		if err != nil {
			rt.Fatal(err)
		}
		for i := range b.N {
			got[tallyText(q, b, i)] += b.Count[i]
		}
	}
	if !maps.Equal(got, want) {
		rt.Fatalf("tally of %+v:\ngot  %v\nwant %v", q, got, want)
	}
	checkOnce(rt, v, q.Scan)
	checkSeek(rt, v, q.Scan)
	q.Time, q.Period = true, nil
	checkEnds(rt, v, q)
}

// checkOnce compares the URLs of a scan that yields each once with those of a scan that
// yields all captures.
func checkOnce(rt *rapid.T, v *Snapshot, s record.Scan) {
	urls := func(s record.Scan) (list []string) {
		for b, err := range v.Scan(context.Background(), s) {
			if err != nil {
				rt.Fatal(err)
			}
			list = append(list, b.URLs()[:b.N]...)
		}
		return list
	}
	want := slices.Compact(urls(s))
	s.Columns, s.Once = 0, true
	if got := urls(s); !slices.Equal(got, want) {
		rt.Fatalf("each URL of %+v once:\ngot  %q\nwant %q", s, got, want)
	}
}

// checkSeek looks for URLs by what their captures say, and for those that come first in an
// order. It must find all of which a scan has such captures.
func checkSeek(rt *rapid.T, v *Snapshot, s record.Scan) {
	ctx := context.Background()
	q := record.Seek{Scan: s, Timed: rapid.Bool().Draw(rt, "timed"), KeysMax: rapid.SampledFrom([]int{0, 1, 1000}).Draw(rt, "most keys")}
	q.Columns = rapid.SampledFrom([]record.Columns{0, record.ColStatus, record.ColKind | record.ColMime, record.ColBytes, record.ColTitle, record.SeekColumns}).Draw(rt, "sought columns")
	least := day0 + record.Time(rapid.IntRange(0, 60).Draw(rt, "least time")*dayMillis)
	matches := func(b *record.Batch, i int) bool {
		return (!q.Timed || b.Time[i] >= least) && (b.Status == nil || b.Status[i] == 200) && (b.Kind == nil || b.Kind[i] == record.KindPage) &&
			(b.Mime == nil || b.Mime[i] != "") && (b.Bytes == nil || b.Bytes[i] > 3) && (b.Title == nil || b.Title[i] != "")
	}
	if q.Columns != 0 || q.Timed {
		q.Match = func(b *record.Batch) (sel []int32, err error) {
			for i := range b.N {
				if matches(b, i) {
					sel = append(sel, int32(i))
				}
			}
			return sel, nil
		}
	}
	if q.Match == nil || rapid.Bool().Draw(rt, "in order") {
		q.First, q.Desc = rapid.IntRange(1, 4).Draw(rt, "first"), rapid.Bool().Draw(rt, "desc")
		q.By = rapid.SampledFrom([]record.Columns{0, record.ColBytes}).Draw(rt, "by")
	}
	keys, ok, err := v.Seek(ctx, q)
	if err != nil {
		rt.Fatal(err)
	}
	if !ok {
		return
	}
	if !slices.IsSorted(keys) || len(slices.Compact(slices.Clone(keys))) != len(keys) {
		rt.Fatalf("keys %q are not sorted, or come twice", keys)
	}
	type row struct {
		value int64
		key   string
	}
	var want []row
	s.Columns = q.Columns | q.By
	for b, err := range v.Scan(ctx, s) {
		if err != nil {
			rt.Fatal(err)
		}
		for i := range b.N {
			said := *b
			if q.Columns&record.ColBytes == 0 {
				said.Bytes = nil
			}
			if q.Match != nil && !matches(&said, i) {
				continue
			}
			r := row{0, b.Key[i]}
			switch {
			case q.First > 0 && q.By == 0:
				r.value = int64(b.Time[i])
			case q.First > 0 && b.Bytes[i] < 0:
				r.value = math.MaxInt64 // last, whatever the order
			case q.First > 0:
				r.value = b.Bytes[i]
			}
			if q.Desc && r.value != math.MaxInt64 {
				r.value = -r.value
			}
			want = append(want, r)
		}
	}
	slices.SortFunc(want, func(a, b row) int { return cmp.Or(cmp.Compare(a.value, b.value), strings.Compare(a.key, b.key)) })
	if q.First > 0 {
		want = want[:min(q.First, len(want))]
	}
	for _, r := range want {
		if _, found := slices.BinarySearch(keys, r.key); !found {
			rt.Fatalf("%+v of segments finds %q, not %q; want %+v", q, keys, r.key, want)
		}
	}
}

// TestOnce reads the URLs of many segments with many chunks each, all of them and some
// ranges.
func TestOnce(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	a.snapshots.SharedCaptures = 0
	r := rand.New(rand.NewPCG(20, 26))
	for month := range 7 {
		var visits []*visit
		for range 3000 {
			n := r.IntN(5000)
			visits = append(visits, &visit{url: fmt.Sprintf("http://h%d.example/%d", n%11, n), time: day0 + record.Time(month*31+r.IntN(28))*dayMillis, status: 200 + n%2*204, body: []string{"", "x", "<title></title>", "<title>one</title>", "<title>one</title> and more"}[n%5]})
		}
		put(t, a, visits)
	}
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	rapid.Check(t, func(rt *rapid.T) {
		s := record.Scan{From: record.MinTime, To: record.MaxTime}
		if rapid.Bool().Draw(rt, "bounded") {
			s.From = day0 + record.Time(rapid.IntRange(0, 200).Draw(rt, "from")*dayMillis)
			s.To = s.From + record.Time(rapid.IntRange(0, 200).Draw(rt, "days")*dayMillis)
		}
		if rapid.Bool().Draw(rt, "ranged") {
			s.Ranges = []urlkey.Range{}
			for _, host := range slices.Compact(slices.Sorted(slices.Values(rapid.SliceOfN(rapid.IntRange(0, 12), 0, 4).Draw(rt, "hosts")))) {
				key := urlkey.Key(fmt.Sprintf("http://h%d.example/%d", host, rapid.IntRange(0, 9).Draw(rt, "page")))
				s.Ranges = append(s.Ranges, urlkey.Range{From: key, To: key[:len(key)-len(" http")] + "~"})
			}
			slices.SortFunc(s.Ranges, func(a, b urlkey.Range) int { return strings.Compare(a.From, b.From) })
		}
		checkOnce(rt, v, s)
		checkSeek(rt, v, s)
	})
}

// checkEnds compares the first and last times of a tally with those of all.
func checkEnds(rt *rapid.T, v *Snapshot, q record.Tally) {
	type ends struct {
		first, last record.Time
		n           int64
	}
	count := func(q record.Tally) map[string]ends {
		all := make(map[string]ends)
		for b, err := range v.Tally(context.Background(), q) {
			if err != nil {
				rt.Fatal(err)
			}
			for i := range b.N {
				rest := q
				rest.Time = false
				key := tallyText(rest, b, i)
				e, ok := all[key]
				if !ok {
					e = ends{b.Time[i], b.Time[i], 0}
				}
				all[key] = ends{min(e.first, b.Time[i]), max(e.last, b.Time[i]), e.n + b.Count[i]}
			}
		}
		return all
	}
	want := count(q)
	q.Ends = true
	if got := count(q); !maps.Equal(got, want) {
		rt.Fatalf("ends of %+v:\ngot  %v\nwant %v", q, got, want)
	}
}

func drawTally(rt *rapid.T) record.Tally {
	q := record.Tally{Scan: record.Scan{From: record.MinTime, To: record.MaxTime}}
	if rapid.Bool().Draw(rt, "bounded") {
		q.From = day0 + record.Time(rapid.IntRange(0, 90).Draw(rt, "from")*dayMillis)
		q.To = q.From + record.Time(rapid.IntRange(0, 90).Draw(rt, "days")*dayMillis)
	}
	for _, c := range []record.Columns{
		record.ColStatus, record.ColKind, record.ColMime, record.ColBytes, record.ColPool, record.ColVia, record.ColTruncated, record.ColJob, record.ColAdded, record.ColDigest,
	} {
		if rapid.IntRange(0, 3).Draw(rt, "column") == 0 {
			q.Columns |= c
		}
	}
	q.Versions = rapid.Bool().Draw(rt, "versions")
	q.Host, q.Time = rapid.Bool().Draw(rt, "host"), rapid.Bool().Draw(rt, "time")
	if n := rapid.SampledFrom([]int{0, 1, 7, 400}).Draw(rt, "period"); n > 0 && q.Time {
		length := record.Time(n * dayMillis)
		q.Period = func(t record.Time) (from, to record.Time) { from = t - t%length; return from, from + length }
	}
	if rapid.Bool().Draw(rt, "ranged") {
		q.Ranges = []urlkey.Range{}
		for i := range 4 {
			if key := urlkey.Key(fmt.Sprintf("http://www.example.com/%d", i)); rapid.Bool().Draw(rt, "in") {
				q.Ranges = append(q.Ranges, urlkey.Range{From: key, To: key + "\x00"})
			}
		}
	}
	if rapid.IntRange(0, 3).Draw(rt, "skips") == 0 {
		q.Skip = func(_, url string) bool { return url == "http://www.example.com/1" }
	}
	keeps := rapid.SampledFrom([]string{"", "", "", "some", "any", "only some"}).Draw(rt, "keeps")
	if keeps == "only some" { // and all that tallier.found wants
		q.Scan = record.Scan{From: record.MinTime, To: record.MaxTime}
		q.Host, q.Time, q.Period = false, false, nil
	}
	if keeps != "" {
		asks := keeps != "only some" && rapid.Bool().Draw(rt, "keep asks")
		q.Keep = func(segment, run uint32) *record.Kept {
			kept := &record.Kept{Any: keeps == "any" && (segment+run)%3 == 1}
			if (segment+run)%3 == 0 {
				return nil
			}
			if !kept.Any {
				kept.Some = onlyFirst{}
			}
			if asks {
				kept.Has = func(n uint32) (bool, error) { return n%3 != 1, nil }
			}
			return kept
		}
	}
	return q
}

// onlyFirst is the set of the number 0.
type onlyFirst struct{}

func (onlyFirst) Len() int              { return 1 }
func (onlyFirst) Has(n uint32) bool     { return n == 0 }
func (onlyFirst) All() iter.Seq[uint32] { return slices.Values([]uint32{0}) }

// tallyText is what q asks for of row i, as text.
func tallyText(q record.Tally, b *record.Batch, i int) string {
	var s string
	if q.Host {
		s += b.Host[i] + " "
	}
	if q.Time {
		s += fmt.Sprint(b.Time[i], " ")
	}
	for _, c := range []struct {
		col   record.Columns
		value func() any
	}{
		{record.ColStatus, func() any { return b.Status[i] }},
		{record.ColKind, func() any { return b.Kind[i] }},
		{record.ColMime, func() any { return b.Mime[i] }},
		{record.ColBytes, func() any { return b.Bytes[i] }},
		{record.ColPool, func() any { return b.Pool[i] }},
		{record.ColVia, func() any { return b.Via[i] }},
		{record.ColTruncated, func() any { return b.Truncated[i] }},
		{record.ColJob, func() any { return b.Job[i] }},
		{record.ColAdded, func() any { return b.Added[i] }},
		{record.ColDigest, func() any { return b.Digest[i] }},
	} {
		if q.Columns&c.col != 0 {
			s += fmt.Sprint(c.value(), " ")
		}
	}
	return s
}

// TestTallyOfLateOriginal counts a revisit that came in before its original,
// where the revisit's segment is read beside another and the original's is not.
func TestTallyOfLateOriginal(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	page, other := "http://a.example/", "http://b.example/"
	put(t, a, []*visit{{url: page, time: day0 + 40*dayMillis, status: 200, body: "four", as: "digest"}, {url: other, time: day0 + 42*dayMillis, status: 200, body: "b"}})
	put(t, a, []*visit{{url: page, time: day0, status: 200, body: "four"}})
	put(t, a, []*visit{{url: page, time: day0 + 41*dayMillis, status: 200, body: "longer"}, {url: other, time: day0 + 43*dayMillis, status: 200, body: "c"}})
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	got := map[int64]int64{}
	for b, err := range v.Tally(t.Context(), record.Tally{Scan: record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColBytes}}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			got[b.Bytes[i]] += b.Count[i]
		}
	}
	if want := map[int64]int64{4: 2, 6: 1, 1: 2}; !maps.Equal(got, want) {
		t.Errorf("captures by bytes: got %v, want %v", got, want)
	}
}

// TestTallyHosts counts the captures of hosts whose keys are alike.
func TestTallyHosts(t *testing.T) {
	var visits []*visit
	want := map[string]int64{}
	for i, url := range []string{
		"http://a.example/", "https://a.example/", "http://a.example:8080/", "http://a.example:8080/x", "http://b.a.example/", "http://a.example.net/",
		"dns:a.example", "dns:a.example2", "foo://user)@h1/", "foo://user)@h2/", "http://[::1]/", "http://10.0.0.1/", "http://10.0.0.11/",
	} {
		visits = append(visits, &visit{url: url, time: day0 + record.Time(i), status: 200, body: "x"})
		want[urlkey.Host(url)]++
	}
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	put(t, a, visits)
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	got := map[string]int64{}
	for b, err := range v.Tally(t.Context(), record.Tally{Scan: record.Scan{From: record.MinTime, To: record.MaxTime}, Host: true}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			got[b.Host[i]] += b.Count[i]
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestTallyKeep counts captures of one run of a segment that has several, for each of its runs.
func TestTallyKeep(t *testing.T) {
	dir, _ := manyRuns(t)
	a := openAt(dir, Options{})
	defer a.Close()
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	want := map[uint32]int64{}
	for b, err := range v.Scan(t.Context(), record.Scan{From: record.MinTime, To: record.MaxTime}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			want[b.Ref[i].Run]++
		}
	}
	if len(want) < 3 {
		t.Fatalf("the segment has %d runs, want several", len(want))
	}
	for only, n := range want {
		q := record.Tally{Scan: record.Scan{From: record.MinTime, To: record.MaxTime}, Keep: func(_, run uint32) *record.Kept {
			if run != only {
				return nil
			}
			return &record.Kept{Any: true}
		}}
		got := int64(0)
		for b, err := range v.Tally(t.Context(), q) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.N {
				got += b.Count[i]
			}
		}
		if got != n {
			t.Errorf("run %d: counted %d captures, want %d", only, got, n)
		}
	}
}

// TestTallyStops takes the first row only, and then cancels.
func TestTallyStops(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	put(t, a, []*visit{{url: "http://a.example/", time: day0, status: 200, body: "x"}, {url: "http://a.example/", time: day0 + 40*dayMillis, status: 404, body: "y"}})
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	q := record.Tally{Scan: record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColStatus}}
	for _, err := range v.Tally(t.Context(), q) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var errs []error
	for _, err := range v.Tally(ctx, q) {
		errs = append(errs, err)
	}
	if !slices.Equal(errs, []error{context.Canceled}) {
		t.Errorf("got errors %v, want one, %v", errs, context.Canceled)
	}
}

// meanwhile is a disk on which something else happens when the first db-file is
// written.
type meanwhile struct {
	disk.FS
	once sync.Once
	do   func()
}

func (m *meanwhile) OpenFile(name string, flag int, perm fs.FileMode) (disk.File, error) {
	if strings.HasSuffix(name, ".raw") && flag&os.O_CREATE != 0 {
		m.once.Do(m.do)
	}
	return m.FS.OpenFile(name, flag, perm)
}

// TestTallyOfTwins counts captures that two writers imported at the same time, so that
// neither knew the captures of the other. It counts before and after these captures are
// merged with earlier and later captures, in several ways.
func TestTallyOfTwins(t *testing.T) {
	dir := t.TempDir()
	a := openAt(dir, Options{})
	defer a.Close()
	visits := func(from, to int) (list []*visit) {
		for i := from; i < to; i++ {
			list = append(list, &visit{url: fmt.Sprintf("http://a.example/%d", i%7), time: day0 + record.Time(i), status: 200, body: fmt.Sprint(i % 3)})
		}
		return list
	}
	urls := int64(0)
	check := func(when string) {
		t.Helper()
		v, err := a.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		got, want := int64(0), int64(0)
		all := record.Scan{From: record.MinTime, To: record.MaxTime}
		for b, err := range v.Tally(t.Context(), record.Tally{Scan: all, Host: true}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range b.Count {
				got += n
			}
		}
		for b, err := range v.Scan(t.Context(), all) {
			if err != nil {
				t.Fatal(err)
			}
			want += int64(b.N)
		}
		checkPools(t, a)
		if got != want || want != urls {
			t.Errorf("%s: counted %d captures, a scan has %d, %d came in", when, got, want, urls)
		}
	}
	add := func(a *Archive, from, to int) {
		put(t, a, visits(from, to))
		urls = max(urls, int64(to))
	}
	merge := func() {
		t.Helper()
		if _, err := a.Merge(t.Context(), task.MergeOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	add(a, 0, 20)
	during := func(do func()) func(disk.FS) disk.FS {
		return func(under disk.FS) disk.FS { return &meanwhile{FS: under, do: do} }
	}
	slow := openOver(dir, Options{}, during(func() { add(a, 10, 40) }))
	defer slow.Close()
	add(slow, 15, 50)
	check("twins")
	two := onlyOnce(func(c *catalog.Catalog) []*segment.Info { return c.PoolSegments("200806")[:2] })
	if err := a.merger.Some(t.Context(), "200806", 0, two); err != nil {
		t.Fatal(err)
	}
	check("one of the twins merged")
	add(a, 30, 60)
	check("and more")
	merge()
	check("merged")
	late := openOver(dir, Options{}, during(func() { add(a, 50, 80); merge() }))
	defer late.Close()
	add(late, 55, 90)
	check("merged while others come")
	add(a, 0, 100)
	check("all again")
	merge()
	check("all merged")
}

// TestVersionsOfLateImports imports histories in parts that lie before, between and after each
// other, and compares which captures begin a version with what the whole history says: as a
// tally counts them, and as a scan that takes changes from the index has them.
func TestVersionsOfLateImports(t *testing.T) {
	for seed := range uint64(15) {
		r := rand.New(rand.NewPCG(seed, 0))
		a := Open(t.TempDir(), Options{})
		var all []*visit
		for range 2 + r.IntN(5) {
			var list []*visit
			from := day0 + record.Time(r.IntN(90)*dayMillis)
			for i := range 40 {
				list = append(list, &visit{url: fmt.Sprintf("http://www.example.com/%d", r.IntN(12)), time: from + record.Time(r.IntN(20)*dayMillis+1000*len(all)+i), status: 200, body: fmt.Sprint("page ", r.IntN(3))})
			}
			put(t, a, list)
			all = append(all, list...)
			if r.IntN(4) == 0 {
				if _, err := a.Merge(t.Context(), task.MergeOptions{}); err != nil {
					t.Fatal(err)
				}
			}
		}
		checkVersions(t, seed, a, all)
		a.Close()
	}
}

// checkVersions compares the captures of a with which versions begin with those of all its visits.
func checkVersions(t *testing.T, seed uint64, a *Archive, all []*visit) {
	t.Helper()
	slices.SortFunc(all, func(a, b *visit) int { return cmp.Or(strings.Compare(a.url, b.url), cmp.Compare(a.time, b.time)) })
	want := map[record.Time]int64{}
	for i, c := range all {
		if i == 0 || all[i-1].url != c.url || all[i-1].body != c.body {
			want[c.time]++
		}
	}
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	s := record.Scan{From: record.MinTime, To: record.MaxTime}
	counted, scanned := map[record.Time]int64{}, map[record.Time]int64{}
	for b, err := range v.Tally(t.Context(), record.Tally{Scan: s, Time: true, Versions: true}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			counted[b.Time[i]] += b.Count[i]
		}
	}
	s.Columns = record.ColChange
	for b, err := range v.Scan(t.Context(), s) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			if b.Change[i] != record.ChangeSame {
				scanned[b.Time[i]]++
			}
		}
	}
	if !maps.Equal(counted, want) || !maps.Equal(scanned, want) {
		t.Errorf("seed %d: %d versions counted, %d scanned, the history has %d", seed, len(counted), len(scanned), len(want))
	}
}

// TestVersionsOfCopy imports captures of one URL from the latest month to the earliest, and
// copies the archive without the month between. The capture of the latest month then has the
// content of the capture before it, and begins no version.
func TestVersionsOfCopy(t *testing.T) {
	a := Open(t.TempDir(), Options{})
	defer a.Close()
	at := func(month int, body string) *visit {
		return &visit{url: "http://a.example/", time: day0 + record.Time(31*month)*dayMillis, status: 200, body: body}
	}
	for _, v := range []*visit{at(2, "one"), at(1, "two"), at(0, "one")} {
		put(t, a, []*visit{v})
	}
	dir := t.TempDir()
	copyTo(t, a, dir, at(0, "").time.Pool(), at(2, "").time.Pool())
	c := Open(dir, Options{})
	defer c.Close()
	checkVersions(t, 0, c, []*visit{at(0, "one"), at(2, "one")})
}

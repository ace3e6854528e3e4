package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/record"
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
	q := drawTally(rt)
	shared := a.sharedCaptures
	defer func() { a.sharedCaptures = shared }()
	a.goroutines, a.sharedCaptures = rapid.IntRange(1, 3).Draw(rt, "goroutines"), 0
	want := make(map[string]int64)
	for b, err := range v.Scan(ctx, q.Scan) {
		if err != nil {
			rt.Fatal(err)
		}
		for i := range b.N {
			b.Count = append(b.Count[:i], 1)
			b.Host = append(b.Host[:i], urlkey.Host(b.URL[i]))
			if q.Period != nil {
				b.Time[i], _ = q.Period(b.Time[i])
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
}

func drawTally(rt *rapid.T) record.Tally {
	q := record.Tally{Scan: record.Scan{From: record.MinTime, To: record.MaxTime}}
	if rapid.Bool().Draw(rt, "bounded") {
		q.From = day0 + record.Time(rapid.IntRange(0, 90).Draw(rt, "from")*dayMillis)
		q.To = q.From + record.Time(rapid.IntRange(0, 90).Draw(rt, "days")*dayMillis)
	}
	for _, c := range []record.Columns{
		record.ColStatus, record.ColKind, record.ColMime, record.ColBytes, record.ColPool, record.ColVia, record.ColTruncated, record.ColJob, record.ColAdded,
	} {
		if rapid.IntRange(0, 3).Draw(rt, "column") == 0 {
			q.Columns |= c
		}
	}
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
	return q
}

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
	a := Open(t.TempDir(), Options{})
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
	a := Open(t.TempDir(), Options{})
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

// TestTallyStops takes the first row only, and then cancels.
func TestTallyStops(t *testing.T) {
	a := Open(t.TempDir(), Options{})
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

package store

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/urlkey"
)

// TestSampled lets captures of drawn histories come in in any order, and deletes, merges,
// reindexes and hides now and then. A scan of a level, which reads samples where segments
// have them, must yield what a scan of everything yields of the URLs of that level. Some of
// the segments must have samples.
func TestSampled(t *testing.T) {
	drawFewer(t, 40)
	sampled := false
	rapid.Check(t, func(rt *rapid.T) { sampled = checkSampled(t, rt) || sampled })
	if !sampled {
		t.Error("no archive had samples")
	}
}

// drawFewer lets rapid.Check draw count examples in this test, if the flag -rapid.checks does
// not say how many. Each run draws other examples. It is for properties of whole archives,
// of which an example takes from a tenth to half a second.
func drawFewer(t *testing.T, count int) {
	t.Helper()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if given {
		return
	}
	checks := flag.Lookup("rapid.checks").Value
	was := checks.String()
	if err := checks.Set(strconv.Itoa(count)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { checks.Set(was) })
}

// checkSampled checks one archive, and reports whether it has samples.
func checkSampled(t *testing.T, rt *rapid.T) bool {
	defer segment.SetSampling(rapid.IntRange(1, 2).Draw(rt, "URLs of a sample"), 1)()
	ctx := context.Background()
	dir, err := os.MkdirTemp(t.TempDir(), "sampled")
	if err != nil {
		rt.Fatal(err)
	}
	a := openAt(dir, Options{})
	defer a.Close()
	// The drawn URLs have the levels 0, 1, 2 and 4.
	level := map[string]int{}
	visits := drawHistory(rt)
	for _, v := range visits {
		level[v.url] = urlkey.Level(urlkey.Key(v.url))
	}
	for rest := rapid.Permutation(visits).Draw(rt, "arrivals"); len(rest) > 0; {
		n := rapid.IntRange(1, len(rest)).Draw(rt, "import")
		var res task.ImportResult
		if err := putErr(a, rest[:n], &res); err != nil {
			rt.Fatal(err)
		}
		rest = rest[n:]
		switch rapid.IntRange(0, 4).Draw(rt, "then") {
		case 0:
			mergeAny(rt, a)
		case 1:
			h := drawHiding(rt)
			if _, err := deleteWhere(a, func(url string, at record.Time) bool { return h.Hides(keyOf(url), at) }); err != nil {
				rt.Fatal(err)
			}
		}
	}
	v, err := a.Snapshot(ctx)
	if err != nil {
		rt.Fatal(err)
	}
	defer v.Close()
	if rapid.Bool().Draw(rt, "hide") {
		v.Hide(drawHiding(rt))
	}
	least, greatest, err := v.SampleLevels(ctx, 1)
	if err != nil || least > greatest {
		rt.Fatalf("levels from %d to %d, %v", least, greatest, err)
	}
	from, to := record.MinTime, record.MaxTime
	if rapid.Bool().Draw(rt, "bounded") {
		from = day0 + record.Time(rapid.IntRange(0, 90).Draw(rt, "from")*dayMillis)
		to = from + record.Time(rapid.IntRange(1, 90).Draw(rt, "days")*dayMillis)
	}
	all := sampledRows(rt, v, from, to, 0)
	for n := 1; n <= 5; n++ {
		var want []sampledRow
		for _, r := range all {
			if level[r.url] >= n {
				want = append(want, r)
			}
		}
		got := sampledRows(rt, v, from, to, n)
		for i := range min(len(got), len(want)) {
			// One of the scans may have opened more segments, and so know more.
			if got[i].sense == record.SenseUnknown || want[i].sense == record.SenseUnknown {
				got[i].sense, want[i].sense = record.SenseUnknown, record.SenseUnknown
			}
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("level %d, with samples from level %d:\n%v, want\n%v", n, least, got, want)
		}
	}
	return least > 0
}

// sampledRow is one row of a scan: its URL, its sense, and its other columns as text.
type sampledRow struct {
	url, text string
	sense     record.Sense
}

// sampledRows returns the rows of a scan of a level with the columns of the index.
func sampledRows(rt *rapid.T, v *Snapshot, from, to record.Time, level int) (out []sampledRow) {
	s := record.Scan{From: from, To: to, Level: level,
		Columns: record.ColKind | record.ColChange | record.ColSense | record.ColPrevious | record.ColVersionTime | record.ColBytes | record.ColStatus}
	for b, err := range v.Scan(context.Background(), s) {
		if err != nil {
			rt.Fatal(err)
		}
		for i := range b.N {
			out = append(out, sampledRow{b.URLs()[i], fmt.Sprint(b.URLs()[i], b.Time[i], b.Kind[i], b.Change[i], b.Previous[i], b.PreviousVersion[i], b.VersionTime[i], b.Bytes[i], b.Status[i]), b.Sense[i]})
		}
	}
	return out
}

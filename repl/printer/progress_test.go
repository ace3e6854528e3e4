package printer

import (
	"strings"
	"testing"
	"time"

	"infomall/exec/session"
	"infomall/store/record"
)

// TestProgress runs a statement on a clock of its own. Nothing is shown in the
// first second, then progress appears at most eight times a second, and nothing
// stays on the screen.
func TestProgress(t *testing.T) {
	var out strings.Builder
	now := time.Date(2008, 7, 1, 0, 0, 0, 0, time.UTC)
	p := &Progress{w: &out, width: func() int { return 40 }, now: func() time.Time { return now }}
	p.Begin()
	for ms := range 1500 {
		p.Update(session.Progress{What: "import k.warc.gz", Done: int64(ms) << 10, Total: 4000 << 10, Unit: "bytes"})
		now = now.Add(time.Millisecond)
	}
	if got := strings.Count(out.String(), "\r"); got != 4 {
		t.Errorf("drawn %d times in half a second, want 4", got)
	}
	first, _, _ := strings.Cut(out.String(), "\x1b[K")
	if want := "\rimport k.warc.gz  25 % · 1000.0 KB of …"; first != want {
		t.Errorf("first drawn %q, want %q", first, want)
	}
	p.End()
	if !strings.HasSuffix(out.String(), "\r\x1b[K") {
		t.Errorf("after the end the row still has %q", out.String())
	}
	n := out.Len()
	now = now.Add(time.Second)
	p.Update(session.Progress{Done: 1, Unit: "rows"})
	p.End()
	if out.Len() != n {
		t.Errorf("shown after the end: %q", out.String()[n:])
	}
}

// TestProgressParts reports two works of one statement. The time left of the second follows
// from when it began, and not from the beginning of the statement.
func TestProgressParts(t *testing.T) {
	var out strings.Builder
	now := time.Unix(1000, 0)
	p := &Progress{w: &out, width: func() int { return 80 }, now: func() time.Time { return now }}
	p.Begin()
	for _, e := range []session.Progress{
		{What: "merge pool 200806", Done: 50, Total: 100, Unit: "captures"},
		{What: "merge pool 200807", Done: 0, Total: 100, Unit: "captures"},
		{What: "merge pool 200807", Done: 50, Total: 100, Unit: "captures"},
	} {
		now = now.Add(20 * time.Second)
		p.Update(e)
	}
	if !strings.HasSuffix(out.String(), "50 captures of 100 captures · about 20 s left\x1b[K") || strings.Count(out.String(), "about 20 s left") != 2 {
		t.Errorf("shown: %q", out.String())
	}
}

// TestProgressQuick shows that a quick statement leaves no trace.
func TestProgressQuick(t *testing.T) {
	var out strings.Builder
	now := time.Unix(1000, 0)
	p := &Progress{w: &out, width: func() int { return 0 }, now: func() time.Time { return now }}
	p.Begin()
	now = now.Add(progressAfter - 1)
	p.Update(session.Progress{What: "import", Done: 1, Unit: "rows"})
	p.End()
	if out.Len() != 0 {
		t.Errorf("shown: %q", out.String())
	}
}

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		e       session.Progress
		elapsed time.Duration
		want    string
	}{
		{session.Progress{What: "import a.raw", Done: 10 << 20, Total: 40 << 20, Unit: "bytes"}, 2 * time.Second,
			"import a.raw  25 % · 10.0 MB of 40.0 MB · about 6 s left"},
		{session.Progress{What: "merge pool 200806", Done: 1, Total: 1000, Unit: "captures"}, 2 * time.Second,
			"merge pool 200806  0 % · 1 capture of 1000 captures · about 33 min left"},
		{session.Progress{What: "pagerank", Done: 10, Total: 57, Unit: "rounds"}, time.Hour, "pagerank  17 % · 10 rounds of 57 rounds · about 5 h left"},
		{session.Progress{What: "select", Done: 5000, Unit: "rows"}, 500 * time.Millisecond, "select  5000 rows"},
		{session.Progress{What: "select", Total: 7, Unit: "rows"}, time.Second, "select  0 % · 0 rows of 7 rows"},
		{session.Progress{What: "over", Done: 9, Total: 7, Unit: "bytes"}, time.Second, "over  100 % · 7 B of 7 B"},
		{session.Progress{What: "late", Done: 999, Total: 1000, Unit: "bytes"}, time.Second, "late  99 % · 999 B of 1000 B · about 1 s left"},
		{session.Progress{What: "a\x1b[2Jb", Unit: "rows"}, 0, `a\x1b[2Jb  0 rows`},
	} {
		if got := progressLine(c.e, c.elapsed); got != c.want {
			t.Errorf("progressLine(%+v, %s)\n got %q\nwant %q", c.e, c.elapsed, got, c.want)
		}
	}
}

// TestTiming shows the text that .timer prints.
func TestTiming(t *testing.T) {
	for _, c := range []struct {
		read record.ReadStats
		want string
	}{
		{record.ReadStats{}, "1.500 s, rows: 7"},
		{record.ReadStats{Segments: 3, Chunks: 12}, "1.500 s, rows: 7, read: 3 segments, 12 index chunks, 0 B"},
		{record.ReadStats{Segments: 1, Chunks: 1, Bytes: 3 << 19, CacheHits: 4, CacheMisses: 1}, "1.500 s, rows: 7, read: 1 segment, 1 index chunk, 1.5 MB, from the cache: 4 of 5"},
	} {
		if got := Timing(1500*time.Millisecond, 7, &c.read); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

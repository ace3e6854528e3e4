package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// BenchmarkBody reads single bodies of the archive that INFOMALL_ARCHIVE names, which
// should be the sealed history of a site. It reads each body through a handle of its
// own, whose cache is empty. It reports the median and the 95th percentile of the
// time in ms, and how many runs a body took. FORMAT.md, "Why so", has results, and
// what was tried.
func BenchmarkBody(b *testing.B) {
	dir := os.Getenv("INFOMALL_ARCHIVE")
	if dir == "" {
		b.Skip("INFOMALL_ARCHIVE names no archive")
	}
	ctx := context.Background()
	refs := bodiesOf(b, dir)
	var took []time.Duration
	runs := int64(0)
	for b.Loop() {
		a := openAt(dir, Options{})
		v, err := a.Snapshot(ctx)
		if err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		// A prime step goes all over the archive.
		if _, err := v.Payload(ctx, refs[len(took)*7919%len(refs)]); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
		runs += v.Stats().Runs
		if err := v.Close(); err != nil {
			b.Fatal(err)
		}
		if err := a.Close(); err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(took)
	ms := func(percent int) float64 { return took[len(took)*percent/100].Seconds() * 1000 }
	b.ReportMetric(ms(50), "p50-ms")
	b.ReportMetric(ms(95), "p95-ms")
	b.ReportMetric(float64(runs)/float64(len(took)), "runs/op")
}

// bodiesOf lists the captures of an archive that have a body.
func bodiesOf(b testing.TB, dir string) (refs []record.Ref) {
	a := openAt(dir, Options{})
	defer a.Close()
	v, err := a.Snapshot(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	defer v.Close()
	for _, s := range v.Pin.Segments {
		err := v.EveryEntry(context.Background(), s, func(at timeline.Place, e *segment.Stored) error {
			if e.Body != segment.BodyNone {
				refs = append(refs, record.Ref{Segment: s.ID, Run: at.Run, N: at.N})
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return refs
}

// changingPagesCount is how many pages changingPages has.
const changingPagesCount = 3

// changingPage returns the URL of page n of changingPages.
func changingPage(n int) string { return fmt.Sprintf("http://a.example/page%d", n) }

// changingPages returns the visits of some months to a few pages. Each month, each page gets a new
// paragraph, and one that resembles a paragraph of any of the pages.
func changingPages(months int) (all [][]*visit) {
	r := rand.New(rand.NewPCG(1, 2))
	words := func() string { return madeVisit(r, "", 0).body[:600] }
	var pages [changingPagesCount][24]string
	for n := range pages {
		for i := range pages[n] {
			pages[n][i] = words()
		}
	}
	for month := range months {
		var visits []*visit
		for n := range pages {
			page := &pages[n]
			from := &pages[r.IntN(len(pages))]
			page[month%len(page)] = words()
			page[r.IntN(len(page))] = from[r.IntN(len(from))][:400] + words()[:200]
			visits = append(visits, &visit{url: changingPage(n), time: day0 + record.Time(month*31)*dayMillis, status: 200,
				body: "<html><head><title>a page</title></head><body><p>" + strings.Join(page[:], "</p>\n<p>") + "</p></body></html>"})
		}
		all = append(all, visits)
	}
	return all
}

// needs returns how many runs must be read for one run besides it (those on which it builds, and those
// on which these build), and how many for one body. They are the greatest numbers of the archive.
func needs(t *testing.T, a *Archive) (ofRun, ofBody int) {
	t.Helper()
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	// addNeeds adds a run, and those it builds on, to all.
	var addNeeds func(all map[segment.RunRef]bool, run segment.RunRef)
	addNeeds = func(all map[segment.RunRef]bool, run segment.RunRef) {
		behind, err := v.Runs.Segment(run.Segment).Dictionary(run.Run)
		if err != nil {
			t.Fatal(err)
		}
		all[run] = true
		for _, r := range behind {
			addNeeds(all, r)
		}
	}
	for _, s := range v.Pin.Segments {
		for n := range uint32(s.Runs) {
			all := make(map[segment.RunRef]bool)
			addNeeds(all, segment.RunRef{Segment: s.ID, Run: n})
			ofRun = max(ofRun, len(all)-1)
		}
		err := v.EveryEntry(t.Context(), s, func(_ timeline.Place, e *segment.Stored) error {
			spans, err := v.Runs.Spans(e.Recipe)
			all := make(map[segment.RunRef]bool)
			for _, s := range spans {
				addNeeds(all, segment.RunRef{Segment: s.Segment, Run: s.Run})
			}
			ofBody = max(ofBody, len(all))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return ofRun, ofBody
}

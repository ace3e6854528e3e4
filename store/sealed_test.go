package store

import (
	"context"
	"os"
	"slices"
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

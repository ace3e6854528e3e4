package store

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"infomall/store/record"
	"infomall/store/segment"
)

// BenchmarkBody reads single bodies of the archive that INFOMALL_ARCHIVE names,
// a sealed one of some site's history, each through a handle of its own whose
// cache is empty. It tells the median and the time within which 95 of 100 are
// read, in ms, and how many runs each took.
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
		a := Open(dir, Options{})
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
func bodiesOf(b *testing.B, dir string) (refs []record.Ref) {
	a := Open(dir, Options{})
	defer a.Close()
	v, err := a.Snapshot(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	defer v.Close()
	for _, s := range v.pin.segments {
		err := v.everyEntry(context.Background(), s, func(at place, e *segment.Stored) error {
			if e.Body != segment.BodyNone {
				refs = append(refs, record.Ref{Segment: s.ID, Run: at.run, N: at.n})
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return refs
}

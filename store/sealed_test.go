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

// BenchmarkBody reads single bodies of the archive that INFOMALL_ARCHIVE names,
// a sealed one of some site's history, each through a handle of its own whose
// cache is empty. It tells the median and the time within which 95 of 100 are
// read, in ms, and how many runs each took.
//
// Of 104 months of one site, and of 50 months of another whose pages are one line,
// the bar being 5 ms (p95), the mean and the p95 in ms with other work on both
// cores, and the size in MB:
//
//	one   16.3  36.1  4.44   other 18.0  32.8  6.00   each dictionary joined and copied, 16 runs of 256 KB
//	one   12.6  24.5  4.36   other 13.1  25.0  5.96   runs that go on from each other, spliced: no copies
//	one    7.4  14.0  4.36   other  9.0  14.1  5.96   the newest run first, the others come out with it
//	one    6.3  11.3  4.54   other  7.3  11.7  6.32   20 runs of 128 KB
//	one    6.5  11.7  4.75   other  9.1  15.4  6.70   28 runs of 64 KB
//	one    6.5  11.9  4.54   other  5.9   9.7  6.35   2.5 MB in runs of 128 KB
//	one    6.5  11.8  4.44   other  6.0   9.1  6.13   2.5 MB in runs of 192 KB; it is 2.75 MB now
//	one     -     -   4.63   other   -     -   6.39   2 MB in runs of 128 KB
//	one     -     -   4.78   other   -     -          10 runs of 256 KB; 12: 4.51; 8: 5.9
//
// That decompressed 1.5 MB of blocks for a mean page of the one, 2.9 MB (123,000
// sequences in 27 runs) for one of the p95, and 2.7 and 3.1 MB for the other. Of the
// CPU time 40 per cent was Zstandard, 22 to copy blocks that are at hand ahead of
// others and out of the room they were decompressed in, 22 to open runs, and 8 to
// read the recipes of all entries beside the one that is asked for. Now the frames
// are taken apart side by side, and what the page is made of is put together alone;
// runs that only have blocks are opened without their entries. On one machine, which
// was half as fast that day:
//
//	one   11.2  20.2  4.44   other  8.6  14.9  6.11   as before
//	one    7.5  12.7  4.44   other  4.8   6.6  6.11   now
//
// Then all that is done with a run is done side by side, not only to take its frame
// apart; which sequence gives a byte is counted with a bit for each byte, and only
// the sequences that are needed are looked at. The best of six reads of each body,
// in turns, on a machine that had one core to spare at most, where wall and CPU
// time are the same:
//
//	one    3.5   7.3          other  3.1   4.5         as before
//	one    3.1   6.4          other  2.7   4.0         now
//
// Each byte followed to its literal with nothing noted was slower, the other site
// twice: there are too many small pieces.
//
// To choose among the last offsets without branches took 23 ns a sequence and not
// 20. Of what is left a third of the CPU time is to take frames apart (15 to 20 ns a
// sequence), a quarter to see what is needed of them and to copy it, a sixth to open
// runs, a tenth for the entry. What was tried to read less, in MB of that site:
//
//	 4.82   2 MB at most and not 2.75; the other site 6.18
//	12.2    1 MB: a run and what it goes on from have .9; the other site 6.52
//	 4.99   1.5 MB in runs of 64 KB that go on from 256 KB: 1.6 MB at p95
//	 5.06   1.5 MB in runs of 128 KB that go on from 384 KB
//	 4.94   by the size of the page, 1 MB and 8 times that, 128 KB and 512 KB: 1.9 MB at p95
//	 5.66   768 KB and 8 times the size, 96 KB and 384 KB: 1.8 MB
//	17.2    no runs but those that the page's own goes on from, 1 MB: one frame a page
//
// Recipes compressed behind those of the 8 runs before would take 188 KB and not
// 545, and 358 in groups of 8 runs, but have to be read from the first of them on;
// behind those of the runs that theirs goes on from it is 547. A lower level of
// Zstandard for runs that others go on from, whose frames have fewer sequences, was
// 4.59 MB.
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
func bodiesOf(b testing.TB, dir string) (refs []record.Ref) {
	a := Open(dir, Options{})
	defer a.Close()
	v, err := a.Snapshot(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	defer v.Close()
	for _, s := range v.pin.Segments {
		err := v.everyEntry(context.Background(), s, func(at timeline.Place, e *segment.Stored) error {
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

//go:build unix

package store

import (
	"os"
	"syscall"
	"testing"
	"time"

	"infomall/store/record/task"
)

// BenchmarkImport imports the file that INFOMALL_IMPORT names into a new archive.
// It tells megabytes of payload and captures a second of CPU, and what of the
// process was in memory at most.
//
// Kafka's 188 MB of payload take 6.0 CPU seconds where they took 7.7 before what
// is first in the list below (both measured in turns, on two processors that others
// used): 31 MB a second where 40 are wanted. Where the time goes, in per cent:
// reading gzip and WARC 15, of which inflating 12; page trees 6, what they show and
// division 12; leaves, their digests, links, texts and fingerprints 8; labels and
// facts of pages 5; contents and languages 5; comparing with the version before 11,
// telling what changed 7 and keeping histories 3; writing segments 14, of which zstd
// 5; digests of bodies, as they are stored and as they are declared, 5; garbage and
// allocation 13. No part is large any more. What is left is done once for each page
// and each node of it: only a tree that goes on from that of the version before
// would do less, and such a tree takes more memory than the page.
//
// What was tried, and what it gave:
//
//   - parts of a page that were seen, in whatever page, divide as they did, and
//     their leaves are known by the part: of 786,000 leaves 620,000 are not hashed
//     and looked for one by one. Reading pages from 3.3 to 2.0 seconds, with labels
//     for the blocks only that keep them, which was .3 of it;
//   - a URL's history waits as what its leaves are, which it shares with other
//     URLs, not as a body packed with s2: .57 seconds to .12, 1.68 to 1.56 GB
//     allocated;
//   - memory of comparing used again, layouts made once, words of leaves kept with
//     them, as three of four that differ were asked for before: 1.56 to 1.2 GB
//     allocated, .4 seconds;
//   - a decoder of deflate of our own: .84 seconds to .42, a fifteenth of the import;
//     it is not what this program is about, and the library's stayed;
//   - digests of contents sorted by their first bits into buckets: 36 to 12
//     microseconds a page, .08 seconds;
//   - topics and words of changed blocks remembered by their bytes: not built, as
//     27 of the 31 MB that are asked for are new;
//   - the last versions of URLs packed in memory (s2), not read again from the
//     archive: 1.3 to .5 seconds, 2.8 to 1.9 GB allocated;
//   - blocks that the memory still has are not looked for in the archive: .3
//     seconds to none, and 7.5 to 7.1 MB stored;
//   - contents' digests sorted as numbers, words hashed as they are folded: no
//     difference beyond the noise, which is a tenth;
//   - zstd's fastest level: kafka took 8.1 MB stored, not 7.5, and zstd is 3 per
//     cent of its time; for small captures see below;
//   - garbage collected at 200 per cent, not 100: 3 per cent less CPU time, 302 MB
//     in memory and not 216; at 400: 10 per cent less and 515 MB; at 400 with a
//     limit of 250 MB: 4 per cent less and 259 MB;
//   - memory of runs, of a body's parts, of contents and of comparing versions made
//     once, equal blocks found without a map, zero bytes looked for once a page:
//     1.22 to .87 GB allocated, 4.07 and 4.18 CPU seconds to 3.78 and 4.06, in turns
//     on another machine than the figures above;
//   - profile-guided optimisation, by profiles of three imports: in seven turns no
//     difference beyond the noise, and all of the standard library is compiled again;
//   - garbage collected at 400 per cent with that limit once more, 150 without: in
//     four turns no difference beyond the noise;
//   - pairs of blocks counted without a map, texts of blocks without a function
//     for each, lives in a list and not in slices: 3.55 to 2.30 million
//     allocations, .1 GB less, no difference in CPU seconds beyond the noise.
//
// Of the 165 MB that are divided 74 are pages of which the version before has nine
// tenths or more, in one piece at each end, 34 other versions, and 58 first ones;
// but of all leaves' bytes 94 per cent were seen before, and of those of parts at
// level 2 two thirds. Another 23 MB are bodies that came before, and cost their
// digest.
//
// Of a million captures of 300 bytes the time goes, in per cent: writing segments
// 29, of which zstd 14; reading what the texts say 22; reading Tianwang 10; telling
// which URLs are new 11; the rest is digests, sorting and garbage. They are 28
// batches of 36,000, which are not merged before there are 32. What was tried, and
// what it gave, in CPU seconds for the million on a processor that others used:
//
//   - runs of small captures compressed at zstd's fastest level as they come in:
//     6.5 to 5.8 seconds for 200,000; when they are merged too: no difference beyond
//     the noise;
//   - a URL hashed once for the filters of all segments, which are asked without a
//     lock: 45 to 40 for the million;
//   - small segments merged when there are 32, not 8: 8 to 6.5 for 200,000;
//   - facts of a text that is one leaf kept in the short form, so that neither its
//     words nor its fingerprint are read; filters that let .1 per cent through, not
//     1: a look-up of what is not there cost .1 of the import; captures that planning
//     leaves as they came not copied, analyses of small texts shared, room made once:
//     a capture takes 1,200 bytes on its way in and not 2,900, so that a batch has
//     29,000 of them and not 15,000. Together 56 to 37, 296 to 249 MB resident;
//   - batches of 40 MB, not 32: 37 to 26, as nothing is merged any more, 260 MB
//     resident; the pages of kafka take 9 MB more;
//   - dates and checksums' lines of Tianwang looked at once, phrases of missing pages
//     not looked for in no title: 1.5 of 26, within the noise;
//   - records handed over by 256 and not by 64, memory of a URL's captures and room
//     for a segment's bodies made once: .15 of 5 for 200,000, within the noise.
func BenchmarkImport(b *testing.B) {
	name := os.Getenv("INFOMALL_IMPORT")
	if name == "" {
		b.Skip("INFOMALL_IMPORT names no file of captures")
	}
	b.ReportAllocs()
	var done task.ImportResult
	before := cpuSeconds()
	for b.Loop() {
		a := Open(b.TempDir(), Options{})
		results, err := a.Import(b.Context(), task.ImportOptions{Patterns: []string{name}})
		if err != nil {
			b.Fatal(err)
		}
		if err := a.Close(); err != nil {
			b.Fatal(err)
		}
		done.Bytes += results[0].Bytes
		done.Records += results[0].Records
	}
	cpu := cpuSeconds() - before
	b.ReportMetric(float64(done.Bytes)/1e6/cpu, "MB/cpu-s")
	b.ReportMetric(float64(done.Records)/cpu, "captures/cpu-s")
	b.ReportMetric(cpu/float64(b.N), "cpu-s/op")
	b.ReportMetric(residentMax()/1e6, "MB-resident")
}

// cpuSeconds is the CPU time that the process has used.
func cpuSeconds() float64 {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// residentMax is how many bytes of the process were in memory at most.
func residentMax() float64 { return float64(usage().Maxrss) * 1024 }

func usage() (u syscall.Rusage) {
	// Unreachable: it is asked of this process, into memory of its own.
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u
}

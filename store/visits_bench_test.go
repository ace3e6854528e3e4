package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"infomall/store/record"
)

// BenchmarkVisits imports the file that INFOMALL_VISITS names into a new archive
// and seals all pools; and once more without those visits that found what the one
// before at their URL had. It tells how many bytes such a visit takes, in all and
// in index and db-files. Time is not what it measures.
//
// Of httpd's 3,195 captures of 2022 (site-history --full), 2,940 are such visits,
// and a visit takes 62 bytes as WARC, 45 of them in the db-file, and 41 as Tianwang,
// 23 of them there. Each column compressed by itself, they are:
//
//	record's name 17.0   16 are random, of a UUID, and have to come out again
//	digest of the body 8.3, declared digest 5.6, content 2.1: of the first visit to
//	             a URL in a pool, 800 of the 2,940, as the body is in an earlier one
//	title 3.0, other properties of the page 1.0, of the same visits
//	place in the source 2.9, URL 1.9, head 1.3, bytes 0.9, times and hints 0.9
//	index: URL 5.2, ID of the body 4.4, place in the source 2.9, content 2.0,
//	             bytes 1.4, times, flags and the like 0.8, pages of the database 0.7
//
// So 24 bytes are not to be had while each segment tells by itself which captures
// it has, of which bodies: 16 for the name and 5.8 for the two times that the place
// in the source is kept leave 2. What was tried on the columns of these pools, and
// what it came to, in bytes a visit:
//
//   - meta frames of sealed pools compressed behind those of the pool before, as
//     contents are: 22 in the db-file, not 45, and as Tianwang some 20 in all. It
//     is not done, as then one damaged run would take captures of all later pools
//     with it, and not only bodies: only columns that say what a body is, which is
//     lost with that run anyway, could stand in a frame of that kind;
//   - sizes kept of those only that differ from the one before in their body: .7
//     less in the index, .3 in the db-file;
//   - keys that share their end with the one before as well, which is the scheme: 2.4
//     less in the index;
//   - columns of the index compressed with zstd: 4.0 less; to look up one URL would
//     take twice as long;
//   - the six bits left out that are the same in all random UUIDs: .7.
func BenchmarkVisits(b *testing.B) {
	name := os.Getenv("INFOMALL_VISITS")
	if name == "" {
		b.Skip("INFOMALL_VISITS names no file of captures")
	}
	for b.Loop() {
		all, visits := sealedWith(b, name, func(again bool) bool { return true })
		less, _ := sealedWith(b, name, func(again bool) bool { return !again })
		if visits == 0 {
			b.Fatalf("%s has no visits that found nothing new", name)
		}
		each := func(kind string) float64 { return float64(all[kind]-less[kind]) / float64(visits) }
		b.ReportMetric(each(".idx"), "index-B/visit")
		b.ReportMetric(each(".raw"), "db-B/visit")
		b.ReportMetric(each(""), "B/visit")
		b.ReportMetric(float64(visits), "visits")
	}
}

// sealedWith imports those captures of a file that want wants, which is told
// whether one is as that before at its URL, and seals all pools. It gives the bytes
// of the archive by the endings of its files, "" for all, and how many captures
// were as the one before.
func sealedWith(b *testing.B, name string, want func(again bool) bool) (bytes map[string]int64, visits int64) {
	b.Helper()
	ctx := b.Context()
	a := Open(b.TempDir(), Options{})
	defer a.Close()
	src, err := openSource(&input{name: name}, record.ImportOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer src.close()
	g, err := a.newIngest(ctx, "bench")
	if err != nil {
		b.Fatal(err)
	}
	defer g.close()
	var res record.ImportResult
	last := make(map[string]string) // body of each URL
	for it, err := range src.items(ctx) {
		if err != nil {
			b.Fatal(err)
		}
		if c := it.Capture; c != nil {
			before, ok := last[c.AskedURL]
			again := ok && before == string(c.Body)
			if last[c.AskedURL] = string(c.Body); again {
				visits++
			}
			if !want(again) {
				c.Close()
				continue
			}
		}
		if err := g.take(ctx, it, &res); err != nil {
			b.Fatal(err)
		}
	}
	if err := g.flush(ctx); err != nil {
		b.Fatal(err)
	}
	if _, err := a.Merge(ctx, record.MergeOptions{Seal: true}); err != nil {
		b.Fatal(err)
	}
	bytes = make(map[string]int64)
	err = filepath.WalkDir(a.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		bytes[""] += info.Size()
		bytes[filepath.Ext(path)] += info.Size()
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return bytes, visits
}

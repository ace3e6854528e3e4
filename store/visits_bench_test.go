package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"infomall/store/formats"
	"infomall/store/record/task"
)

// BenchmarkVisits imports the file that INFOMALL_VISITS names into a new archive
// and seals all pools; and once more without those visits that found what the one
// before at their URL had. It tells how many bytes such a visit takes, in all and
// in index and db-files. Time is not what it measures.
//
// Of httpd's 3,195 captures of 2022 (site-history --full), 2,940 are such visits,
// and a visit takes 56 bytes as WARC, 43 of them in the db-file, and 36 as Tianwang,
// 22 of them there. Each column compressed by itself, they are:
//
//	record's name 15.3, random, of a UUID, which has to come out again
//	digest of the body 8.3, declared digest 5.6, content 2.1: of the first visit to
//	             a URL in a pool, 800 of the 2,940, as the body is in an earlier one
//	title 3.0, other properties of the page 1.0, of the same visits
//	place in the source 2.9, URL 1.8, head 1.3, bytes 0.5, times and hints 0.9
//	index: URL 2.4, ID of the body 4.4, place in the source 2.9, content 2.0,
//	             bytes 0.7, times, flags and the like 0.8, pages of the database 0.4
//
// It was 62 and 41 while names were 17 bytes each, keys stood whole, which was 2.8
// more in the index, and every entry's bytes, 1.0.
//
// So 24 bytes are not to be had while each segment tells by itself which captures
// it has, of which bodies: 15 for the name and 5.8 for the two times that the place
// in the source is kept leave 3. What was tried on the columns of these pools, and
// what it came to, in bytes a visit:
//
//   - meta frames of sealed pools compressed behind those of the pool before, as
//     contents are: 22 in the db-file, not 45, and as Tianwang some 20 in all. It
//     is not done, as then one damaged run would take captures of all later pools
//     with it, and not only bodies;
//   - only the columns that say what a body is in a frame of that kind, with the ID
//     and content left where they are, as the index is made anew from a db-file alone
//     and must not depend on others: reckoned from the columns, some 12 less as WARC
//     and 7 as Tianwang, 44 and 29. With ID and content in it too it is 38 and 23, and
//     a run that is lost takes from captures of later pools what tells their
//     versions, until it is mended;
//   - the place in the source not in the index, but read from the db-file where two
//     captures of a URL have the same time: reckoned, 2.9 less; to import a file again
//     would read the meta frame of every run;
//   - columns of the index compressed with zstd: 4.0 less; to look up one URL would
//     take twice as long.
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
	src, err := formats.Open(&formats.Input{Name: name}, task.ImportOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	g, err := a.newIngest(ctx, "bench")
	if err != nil {
		b.Fatal(err)
	}
	defer g.close()
	var res task.ImportResult
	last := make(map[string]string) // body of each URL
	for it, err := range src.Items(ctx) {
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
	if _, err := a.Merge(ctx, task.MergeOptions{Seal: true}); err != nil {
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

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
// and seals all pools. It does the same without those visits that found what the
// visit before at their URL had found. It reports how many bytes such a visit takes:
// in all, in the index and in db-files. It does not measure time. FORMAT.md, "Why
// so", has results, and what was tried.
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
	g, err := a.intake.NewImporter(ctx, "bench")
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	var res task.ImportResult
	last := make(map[string]string) // body of each URL
	for it, err := range src.Items(ctx) {
		if err != nil {
			b.Fatal(err)
		}
		c := it.Capture
		if c == nil {
			continue // skipped, or damaged
		}
		before, ok := last[c.AskedURL]
		again := ok && before == string(c.Body)
		if last[c.AskedURL] = string(c.Body); again {
			visits++
		}
		if !want(again) {
			c.Close()
			continue
		}
		if err := g.Add(ctx, c, &res); err != nil {
			b.Fatal(err)
		}
	}
	if err := g.Flush(ctx); err != nil {
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

//go:build unix

package store

import (
	"os"
	"path/filepath"
	"testing"

	"infomall/store/finder"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/search"
)

// BenchmarkMakeWords makes the index of words of the archive in the folder that
// INFOMALL_WORDS names, as REINDEX SEARCH does. It works on a copy. It reports how many
// megabytes of text of leaves it indexes in a second of CPU time: each leaf once for each
// reading, however many pages have it.
//
// A site of 5,082 captures has 6.0 MB of such text, and a million small captures in 20 pools
// 76.1 MB.
func BenchmarkMakeWords(b *testing.B) {
	name := os.Getenv("INFOMALL_WORDS")
	if name == "" {
		b.Skip("INFOMALL_WORDS names no archive")
	}
	dir := filepath.Join(b.TempDir(), "archive")
	if err := os.CopyFS(dir, os.DirFS(name)); err != nil {
		b.Fatal(err)
	}
	a := Open(dir, Options{})
	defer a.Close()
	text := leafText(b, a)
	before := cpuSeconds()
	for b.Loop() {
		if _, err := a.Reindex(b.Context(), task.ReindexOptions{Words: true}); err != nil {
			b.Fatal(err)
		}
	}
	cpu := (cpuSeconds() - before) / float64(b.N)
	b.ReportMetric(cpu, "cpu-s/op")
	b.ReportMetric(float64(text)/1e6, "text-MB")
	b.ReportMetric(float64(text)/1e6/cpu, "text-MB/cpu-s")
}

// leafText returns the bytes of text of all leaves of a.
func leafText(b *testing.B, a *Archive) (bytes int) {
	v, err := a.Snapshot(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer v.Close()
	type read struct {
		search.LeafRef
		as search.Reading
	}
	seen := make(map[read]bool)
	var leaves []search.LeafRef
	eachCapture(b, v.Finder, func(ref record.Ref) {
		list, as, ok, err := v.Leaves(b.Context(), leaves[:0], ref)
		if leaves = list; err != nil {
			b.Fatal(err)
		}
		for _, l := range list {
			if !ok || seen[read{l, as}] {
				continue
			}
			seen[read{l, as}] = true
			text, err := v.LeafText(l, as)
			if err != nil {
				b.Fatal(err)
			}
			bytes += len(text)
		}
	})
	return bytes
}

// eachCapture calls the function do for each capture of v.
func eachCapture(b *testing.B, v *finder.Finder, do func(record.Ref)) {
	for _, s := range v.Pin.Segments {
		r := v.Runs.Reader(s)
		for n := range uint32(s.Runs) {
			meta, err := v.Runs.Meta(r, n)
			if err != nil {
				b.Fatal(err)
			}
			for i := range uint32(meta.Len()) {
				do(record.Ref{Segment: s.ID, Run: n, N: i})
			}
		}
	}
}

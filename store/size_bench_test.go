package store

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// BenchmarkSize imports the file of captures that INFOMALL_IMPORT names and seals
// every pool. It reports the size of the archive in MB, with all its files. For
// comparison it reports, as far as these programs are installed: the size of the file
// itself; of its content by gzip -9 and by zstd -12 with a window of 128 MB; and of a
// git bundle of the bodies, with one commit for each month. FORMAT.md, "Why so", has
// results.
func BenchmarkSize(b *testing.B) {
	name := os.Getenv("INFOMALL_IMPORT")
	if name == "" {
		b.Skip("INFOMALL_IMPORT names no file of captures")
	}
	dir := filepath.Join(b.TempDir(), "archive")
	a := Open(dir, Options{})
	defer a.Close()
	for b.Loop() {
		if _, err := a.Import(b.Context(), task.ImportOptions{Patterns: []string{name}}); err != nil {
			b.Fatal(err)
		}
		if _, err := a.Merge(b.Context(), task.MergeOptions{Seal: true}); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(megabytes(b, dir), "MB")
	b.ReportMetric(megabytes(b, name), "file-MB")
	plain := `if gzip -t "$1" 2>/dev/null; then gzip -dc "$1"; else cat "$1"; fi | `
	for tool, command := range map[string]string{"gzip": "gzip -9", "zstd": "zstd -qc -12 --long=27"} {
		if _, err := exec.LookPath(tool); err != nil {
			continue
		}
		out := filepath.Join(b.TempDir(), tool)
		if text, err := exec.Command("sh", "-c", plain+command+` > "$2"`, "sh", name, out).CombinedOutput(); err != nil {
			b.Fatalf("%s: %v: %s", tool, err, text)
		}
		b.ReportMetric(megabytes(b, out), tool+"-MB")
	}
	if _, err := exec.LookPath("git"); err == nil {
		b.ReportMetric(megabytes(b, gitBundle(b, a)), "git-MB")
	}
}

// megabytes is the size of a file, or of all files of a folder.
func megabytes(b *testing.B, name string) float64 {
	total := int64(0)
	err := filepath.WalkDir(name, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return float64(total) / 1e6
}

// gitBundle makes a bundle of the bodies of an archive, and tells its name.
func gitBundle(b *testing.B, a *Archive) string {
	dir := b.TempDir()
	git := func(args ...string) *exec.Cmd { return exec.Command("git", append([]string{"-C", dir}, args...)...) }
	run := func(cmd *exec.Cmd) {
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %v: %s", cmd.Args, err, out)
		}
	}
	run(git("init", "-q", "--bare"))
	take := git("fast-import", "--quiet")
	in, err := take.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := take.Start(); err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(in)
	if err := errors.Join(commitBodies(b, w, a), w.Flush(), in.Close(), take.Wait()); err != nil {
		b.Fatal(err)
	}
	run(git("repack", "-adfq", "--window=50", "--depth=50"))
	bundle := filepath.Join(dir, "bodies.bundle")
	run(git("bundle", "create", "-q", bundle, "--all"))
	return bundle
}

// commitBodies writes the bodies of each segment as a commit, for git fast-import.
func commitBodies(b *testing.B, w *bufio.Writer, a *Archive) error {
	v, err := a.Snapshot(b.Context())
	if err != nil {
		return err
	}
	defer v.Close()
	for i, s := range v.Pin.Segments {
		fmt.Fprintf(w, "commit refs/heads/main\ncommitter bench <> %d +0000\ndata 0\n", i)
		err := v.EveryEntry(b.Context(), s, func(at timeline.Place, e *segment.Stored) error {
			if e.Body != segment.BodyOwn {
				return nil // it is there
			}
			p, err := v.Payload(b.Context(), record.Ref{Segment: s.ID, Run: at.Run, N: at.N})
			if err != nil || p.Large != nil {
				return err
			}
			_, err = fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", url.PathEscape(e.Key), len(p.Body), p.Body)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

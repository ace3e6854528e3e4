package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/record/task"
)

// TestLostCatalogue takes away or damages CURRENT and the catalogue that it
// names. Whoever writes next must take no db-file for a leftover, and once the
// file is back the answers are as they were.
func TestLostCatalogue(t *testing.T) {
	visits := []*visit{
		{url: "http://www.example.com/1", time: day0, status: 200, body: "a"},
		{url: "http://www.example.com/1", time: day0 + 40*dayMillis, status: 200, body: "b"},
	}
	catalog := func(dir string) string {
		f := commit.Open(dir, disk.OS)
		c, err := f.InForce()
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, f.CatalogFile(c.Generation))
	}
	current := func(dir string) string { return filepath.Join(dir, commit.FileCurrent) }
	remove := func(name string) error { return os.Remove(name) }
	for _, c := range []struct {
		name   string
		file   func(dir string) string
		damage func(name string) error
		want   string // in the error of reading and of writing
	}{
		{"CURRENT gone", current, remove, "CURRENT: the file is missing, but there are 2 db-files"},
		{"CURRENT not a number", current, func(name string) error { return os.WriteFile(name, []byte("00000x\n"), 0o644) }, `holds "00000x`},
		{"CURRENT cut", current, func(name string) error { return os.WriteFile(name, []byte("00001"), 0o644) }, `holds "00001": write the number of the newest file in catalog into it, which is 000002`},
		{"CURRENT names an older one", current, func(name string) error {
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			return os.WriteFile(name, bytes.Replace(b, []byte("000002"), []byte("000001"), 1), 0o644)
		}, `holds "000001 `},
		{"catalogue gone", catalog, remove, "no such file"},
		{"catalogue damaged", catalog, func(name string) error { return os.WriteFile(name, []byte(disk.Head("catalogue")), 0o644) }, "the catalogue is damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			a := Open(dir, Options{})
			defer a.Close()
			put(t, a, visits)
			want := readRows(t, a, record.MinTime, record.MaxTime)

			name := c.file(dir)
			whole, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.damage(name); err != nil {
				t.Fatal(err)
			}
			if _, err := a.Snapshot(context.Background()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Snapshot: error %v, want one with %q", err, c.want)
			}
			var res task.ImportResult
			if err := putErr(a, visits, &res); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("import: error %v, want one with %q", err, c.want)
			}
			if err := os.WriteFile(name, whole, 0o644); err != nil {
				t.Fatal(err)
			}
			if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, want) {
				t.Errorf("after the file came back:\n%s", diffRows(got, want))
			}
		})
	}
}

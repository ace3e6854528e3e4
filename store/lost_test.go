package store

import (
	"context"
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
		d, _ := archiveOf(dir)
		f := commit.Open(dir, d)
		c, err := f.InForce()
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, f.CatalogFile(c.Generation))
	}
	current := func(dir string) string { return filepath.Join(dir, commit.FileCurrent) }
	remove := func(name string) error { return removeFile(name) }
	remedy := "write the number of the newest file in catalog into it, which is 000002"
	if inBuckets() {
		remedy = "REINDEX makes it again from the db-files"
	}
	type loss struct {
		name   string
		file   func(dir string) string
		damage func(name string) error
		want   string // in the error of reading and of writing
	}
	losses := []loss{
		{"CURRENT gone", current, remove, "CURRENT: the file is missing, but there are 2 db-files"},
		{"CURRENT not a number", current, func(name string) error { return writeFile(name, []byte("00000x\n")) }, `holds "00000x`},
		{"CURRENT cut", current, func(name string) error { return writeFile(name, []byte("00001")) }, `holds "00001": ` + remedy},
		{"CURRENT names an older one", current, func(name string) error {
			b, err := readFile(name)
			if err != nil {
				return err
			}
			return writeFile(name, append([]byte("000001"), b[6:]...))
		}, `holds "000001`},
		{"catalogue gone", catalog, remove, "no such file"},
		{"catalogue damaged", catalog, func(name string) error { return writeFile(name, []byte(disk.Head("catalogue"))) }, "the catalogue is damaged"},
	}
	if inBuckets() {
		losses = append(losses, loss{"CURRENT without its catalogue", current, func(name string) error {
			b, err := readFile(name)
			if err != nil {
				return err
			}
			return writeFile(name, b[:len(b)/2])
		}, "the catalogue that it should hold is damaged: " + remedy})
	}
	for _, c := range losses {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			a := openAt(dir, Options{})
			defer func() { a.Close() }()
			put(t, a, visits)
			want := readRows(t, a, record.MinTime, record.MaxTime)

			name := c.file(dir)
			whole, err := readFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.damage(name); err != nil {
				t.Fatal(err)
			}
			a.Close()
			a = openAt(dir, Options{})                                 // a process that has read a catalogue in a bucket does not read it again
			if inBuckets() && strings.HasPrefix(c.name, "catalogue") { // CURRENT has it
				if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, want) {
					t.Errorf("without the catalogue:\n%s", diffRows(got, want))
				}
				return
			}
			if _, err := a.Snapshot(context.Background()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Snapshot: error %v, want one with %q", err, c.want)
			}
			var res task.ImportResult
			if err := putErr(a, visits, &res); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("import: error %v, want one with %q", err, c.want)
			}
			if err := writeFile(name, whole); err != nil {
				t.Fatal(err)
			}
			a.Close()
			a = openAt(dir, Options{})
			if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, want) {
				t.Errorf("after the file came back:\n%s", diffRows(got, want))
			}
		})
	}
}

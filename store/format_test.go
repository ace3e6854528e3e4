package store

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"infomall/store/disk"
	"infomall/store/disk/lines"
	"infomall/store/record"
	"infomall/store/record/task"
)

// TestOtherFormat names another format, older or newer, in each text file of an
// archive, with a right checksum. Whoever reads the file gets an error that names
// the format, and VERIFY finds the file.
func TestOtherFormat(t *testing.T) {
	ctx := context.Background()
	snapshot := func(a *Archive) error {
		v, err := a.Snapshot(ctx)
		if err == nil {
			defer v.Close()
			for _, e := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime}) {
				err = errors.Join(err, e)
			}
		}
		return err
	}
	for _, c := range []struct {
		file string // a pattern
		read func(a *Archive) error
	}{
		{"catalog/*", snapshot},
		{"removed/*", snapshot},
		{"definitions", func(a *Archive) error { _, err := a.Definitions(ctx); return err }},
		{"results/*/*/*", func(a *Archive) error {
			v, err := a.Snapshot(ctx)
			if err == nil {
				defer v.Close()
				_, err = v.Results(ctx, task.ResultRanks)
			}
			return err
		}},
	} {
		for _, format := range []string{"5", "draft 2"} {
			if inBuckets() && len(format) < len(disk.Format) {
				continue // an object is as long as the catalogue says
			}
			dir := goldenArchive(t)
			names, err := glob(filepath.Join(dir, c.file))
			if err != nil || len(names) == 0 {
				t.Fatal(c.file, names, err)
			}
			b, err := readFile(names[0])
			if err != nil {
				t.Fatal(err)
			}
			b = bytes.Replace(b, []byte("\t"+disk.Format+"\n"), []byte("\t"+format+"\n"), 1)
			if at := bytes.LastIndex(b, []byte("crc32c\t")); c.file != "results/*/*/*" {
				b = lines.Seal(b[:at:at])
			}
			if err := writeFile(names[0], b); err != nil {
				t.Fatal(err)
			}
			var warned error
			a := openAt(dir, Options{Warn: func(err error) { warned = errors.Join(warned, err) }})
			err = errors.Join(c.read(a), warned)
			if other := new(disk.FormatError); !errors.As(err, &other) || other.Found != format {
				t.Errorf("%s of format %s: got %v, want a FormatError", c.file, format, err)
			}
			a.Close()
			if got := verify(t, dir, task.VerifyOptions{}); len(got) == 0 {
				t.Errorf("%s of format %s: VERIFY finds nothing", c.file, format)
			}
		}
	}
}

// goldenArchive returns the folder of a copy of the golden archive.
func goldenArchive(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "archive")
	if err := copyFiles(dir, "testdata/golden/archive"); err != nil {
		t.Fatal(err)
	}
	return dir
}

package segment

import (
	"os"
	"path/filepath"
	"testing"

	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment/indexfile"
	"infomall/store/urlkey"
)

// TestToReadFiles holds that ToRead says the same with and without an index, and opens the
// db-file only if there is no index.
func TestToReadFiles(t *testing.T) {
	dir := t.TempDir()
	info := writeSegment(t, dir, testEntries(3000))
	x, err := indexfile.Open(filepath.Join(dir, info.Index))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	said := func(index *indexfile.File) (sum record.Reading, opened bool, err error) {
		s := NewReader(disk.Inside(disk.OS, dir), info, index, nil)
		defer s.Close()
		err = s.ToRead([]urlkey.Range{{}}, record.MinTime, record.MaxTime, record.FileWhole, &sum)
		return sum, s.file != nil, err
	}
	with, opened, err := said(x)
	if err != nil || opened || with.Expected.EntryBytes == 0 {
		t.Errorf("with an index: %d bytes of entries, db-file opened: %v, error %v", with.Expected.EntryBytes, opened, err)
	}
	without, opened, err := said(nil)
	if err != nil || !opened || without.Expected.EntryBytes != with.Expected.EntryBytes {
		t.Errorf("without an index: %d bytes of entries, want %d; db-file opened: %v, error %v", without.Expected.EntryBytes, with.Expected.EntryBytes, opened, err)
	}
	if err := os.Remove(filepath.Join(dir, info.File)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := said(x); err != nil {
		t.Errorf("with an index and no db-file: %v", err)
	}
	if _, _, err := said(nil); err == nil {
		t.Error("with neither index nor db-file there is no error")
	}
}

package store

import (
	"time"

	"infomall/store/body"
	"infomall/store/commit"
	"infomall/store/notes"
)

// maintenance looks after the files of one archive. Several goroutines may use it.
type maintenance struct {
	folder *commit.Folder
	files  *body.Files
	notes  *notes.Notes
	now    func() time.Time
}

// newMaintenance returns the maintenance of the archive in a folder, whose open files
// and notes it shares.
func newMaintenance(f *commit.Folder, files *body.Files, n *notes.Notes, now func() time.Time) *maintenance {
	return &maintenance{f, files, n, now}
}

// at returns the maintenance of another archive, in the folder dir. It has no open
// files.
func (m *maintenance) at(dir string) *maintenance {
	f := commit.Open(dir, m.folder.Disk)
	return &maintenance{folder: f, notes: notes.New(f, m.now, func(error) {}), now: m.now}
}

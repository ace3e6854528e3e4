package store

import (
	"time"

	"infomall/store/commit"
)

// notes are the definitions, jobs and results of one archive. Several goroutines may
// use them, and several processes may have the same archive open.
type notes struct {
	folder *commit.Folder
	now    func() time.Time
	warn   func(error) // is called with each fault that is worked around
}

// newNotes returns the notes in the folder of an archive. They need not exist yet.
func newNotes(f *commit.Folder, now func() time.Time, warn func(error)) *notes {
	return &notes{f, now, warn}
}

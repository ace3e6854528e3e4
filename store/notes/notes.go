// Package notes keeps what an archive knows beside captures: definitions, jobs and
// results. No capture depends on them. They are not part of the catalogue: each is in
// force as soon as its file is there.
//
// # Words
//
//	definition   a view, metadata or a saved query that users have named
//	job          the execution of one statement: when it ran, and how it ended
//	log          the file with the jobs that have ended
//	daemon       the process that runs the schedules of the archive
//	result       rows that were computed once and stored by name, such as the ranks
//	             of pages
package notes

import (
	"time"

	"infomall/store/commit"
)

// Notes are the definitions, jobs and results of one archive. Several goroutines may
// use them, and several processes may have the same archive open.
type Notes struct {
	folder *commit.Folder
	now    func() time.Time
	warn   func(error) // is called with each fault that does not stop the caller
}

// New returns the notes in the folder of an archive. The archive need not exist yet.
// warn is called with each fault that does not stop the caller.
func New(f *commit.Folder, now func() time.Time, warn func(error)) *Notes {
	return &Notes{f, now, warn}
}

// Package mend looks after the files of an archive. It verifies them. It rebuilds indexes and a
// lost catalogue from the db-files, repairs files with a copy, makes copies, and recovers the
// undamaged records of a damaged file.
//
// # Words
//
//	verify    to read files and compare them with what the catalogue says of them
//	finding   a fault that Verify has found
//	reindex   to make index files from db-files again
//	lost      a catalogue that is missing or damaged, so that nothing says which files
//	          are in force
//	copy      another folder with some of the archive's pools, which is an archive of its
//	          own; also what Copy does
//	repair    to replace a damaged file by that of a copy, or to combine the two
//	recover   to read the whole records of a damaged file of Tianwang, WARC or db-file
//	salvage   to recover the captures of a db-file, with bodies from the files beside it
//	readings  the texts that were extracted from documents, such as PDFs; also the files
//	          that have them
//	tier      a second place for db-files: another folder or a bucket
package mend

import (
	"time"

	"infomall/store/body"
	"infomall/store/commit"
	"infomall/store/finder"
	"infomall/store/notes"
	"infomall/store/snapshot"
)

// Maintenance verifies, repairs, copies and reindexes the files of one archive.
// Several goroutines may use it.
type Maintenance struct {
	folder    *commit.Folder
	files     *body.Files
	snapshots *snapshot.Source
	indexes   *finder.Indexes
	notes     *notes.Notes
	documents DocumentReader // nil if documents are not read
	now       func() time.Time
	open      Opener
}

// Opener returns the folder of another archive, such as a copy. place is the path of a folder,
// which need not exist, or a URL such as s3://bucket/prefix.
type Opener func(place string) (*commit.Folder, error)

// New returns the Maintenance of the archive in the folder f. It shares the open files,
// snapshots, indexes of words and notes of that archive with other users. If documents is nil,
// documents are not read. The function open returns the folders of copies.
func New(f *commit.Folder, files *body.Files, s *snapshot.Source, x *finder.Indexes, n *notes.Notes, documents DocumentReader, now func() time.Time, open Opener) *Maintenance {
	return &Maintenance{f, files, s, x, n, documents, now, open}
}

// at returns a Maintenance of another archive, in the folder f. It can only copy files
// to or from that archive, because it has no snapshots and no cache.
func (m *Maintenance) at(f *commit.Folder) *Maintenance {
	return &Maintenance{folder: f, notes: notes.New(f, m.now, func(error) {}), now: m.now}
}

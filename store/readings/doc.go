// Package readings stores the text that was extracted from the documents of an archive, such as
// PDFs, in files beside the db-files. Such a file is derived only from db-files: if it is
// missing, it is made again.
//
// # Words
//
//	reading    the stored form of a document, see package document
//	source     a db-file whose bodies were read
//	row        says where the reading of one body of a source is, or that it is no document
//	run        captures of a db-file that are compressed together
//	covered    a run of a source is covered if each document in it has a row
//	frame      readings that are compressed together
//
// # The file
//
//	+------+-------+-----+-------+-------+------+
//	| byte | frame | ... | frame | table | tail |
//	+------+-------+-----+-------+-------+------+
//
// A frame is compressed with zstd, and so is the table. The table lists the sources of the
// file, the runs of each source that the file covers, and the rows. The tail has the length of
// the table and its checksum. store/FORMAT.md draws the bytes.
package readings

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"infomall/store/segment"
)

// Key identifies a reading by the body and by how the body was sent. Equal bodies that were
// sent in the same way have equal readings.
type Key struct {
	Body segment.ID
	Sent uint64 // see Sent
}

// Sent returns a hash, for Key.Sent, of the media type, charset and content coding of a response.
func Sent(mime, charset, coding string) uint64 {
	sum := sha256.Sum256([]byte(strings.Join([]string{mime, charset, coding}, "\x00")))
	return binary.LittleEndian.Uint64(sum[:])
}

// Name identifies the db-file that a source belongs to. Rows of a source are used for a db-file
// only if number, size and checksum are equal.
type Name struct {
	Number uint32 // number of the db-file
	Bytes  int64
	CRC    uint32
}

// NameOf returns the Name of a segment's db-file.
func NameOf(s *segment.Info) Name { return Name{s.Number(), s.Bytes, s.CRC} }

// Source says which documents a file of readings has: those in some runs of one db-file. Name
// identifies the db-file. From is the number of the first run, and To is one more than the
// number of the last run.
type Source struct {
	Name
	From, To uint32
}

// Row says where the reading of one body is in the file of readings, or that the body is no
// document. It also has a few properties of the document.
type Row struct {
	Key
	Title, Lang string // title and language of the document
	HasText     bool   // whether the document has text
	source      int    // index in File.Sources of the db-file that has the body
	frame       int    // number of the frame with the reading; -1 if the body is no document of a known kind
	from, size  int    // offset and size of the reading in the decompressed frame, in bytes
}

// Read reports whether the row has a reading: what was read from the body, such as its text. It
// has none if the body is no document.
func (r *Row) Read() bool { return r.frame >= 0 }

func (r *Row) compare(o *Row) int {
	return cmp.Or(cmp.Compare(r.source, o.source), r.Key.compare(o.Key))
}

func (k Key) compare(o Key) int {
	return cmp.Or(cmp.Compare(string(k.Body[:]), string(o.Body[:])), cmp.Compare(k.Sent, o.Sent))
}

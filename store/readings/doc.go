// Package readings stores what was read out of the documents of an archive, such as PDFs,
// in files beside the db-files. Such a file is derived from db-files alone. It may be
// missing, and is then made again.
//
// # Words
//
//	reading    the stored form of a document, see package document
//	source     a db-file whose bodies were read
//	row        the reading of one body of a source, or the note that no kind reads the body
//	covered    said of a run of a source if every document of it has a row
//
// # The file
//
//	+------+-------+-----+-------+-------+------+
//	| byte | frame | ... | frame | table | tail |
//	+------+-------+-----+-------+-------+------+
//
// A frame is a frame of zstd with some readings. The table, a frame of zstd too, says of
// which sources the file is, which of their runs it covers, and where the reading of each
// body is. The tail has the length of the table and its checksum. store/FORMAT.md draws
// the bytes.
package readings

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"infomall/store/segment"
)

// Key names a reading: the body, and how the body was sent. Equal bodies that were sent in
// the same way have equal readings.
type Key struct {
	Body segment.ID
	Sent uint64 // see Sent
}

// Sent returns the number in a Key of a response with this media type, charset and content
// coding.
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

// Source is a db-file whose documents a file of readings has. The file covers the runs of
// the db-file from From up to, but not including, To.
type Source struct {
	Name
	From, To uint32
}

// Row says where the reading of a body is.
type Row struct {
	Key
	Title, Lang string // of the document
	HasText     bool   // whether it has text
	source      int    // index in File.Sources
	frame       int    // number of the frame; -1 if no kind reads the body
	from, size  int    // of the reading, in the decompressed frame
}

// Read reports whether a kind has read the body. If not, the row has no reading.
func (r *Row) Read() bool { return r.frame >= 0 }

func (r *Row) compare(o *Row) int {
	return cmp.Or(cmp.Compare(r.source, o.source), r.Key.compare(o.Key))
}

func (k Key) compare(o Key) int {
	return cmp.Or(cmp.Compare(string(k.Body[:]), string(o.Body[:])), cmp.Compare(k.Sent, o.Sent))
}

// Package record defines the data that the parts of the program pass to each
// other: captures that come in, and captures that a query reads. It knows no
// file format, no storage and no query. Package message reads HTTP messages;
// package task has the options and results of statements.
//
// # Words
//
// A capture is one response of one URL at one time: what a visit of the URL
// found. A version of a page is the captures in a row that found the same state
// of it; it begins with its first capture. In results that count Stored and
// Visits, a capture that begins a version is stored, and a capture that found
// no change is a visit.
//
// A pool holds the captures of one month (UTC), or of a part of the URLs of
// that month. It consists of segments. A segment holds sorted captures, in a
// db-file; an index has what most queries need of them. A run is neighbouring
// captures of a segment that are compressed together. A static pool never
// changes again.
//
// The body of a capture is stored as leaves: pieces of it that are stored once,
// whichever capture they appear in.
package record

import (
	"fmt"
	"iter"
	"math"
	"os"
	"time"
)

// Time is a moment in UTC, in milliseconds since 1970-01-01. The archive stores
// no finer time.
type Time int64

// NoTime is the value of a Time that is missing. It sorts before every other Time.
const NoTime Time = math.MinInt64

// MinTime and MaxTime are the earliest and the latest time that a capture can
// have: the start of year 1 and the end of year 9999.
const (
	MinTime Time = -62135596800000
	MaxTime Time = 253402300799999
)

// At converts t to a Time, rounded down to a whole millisecond.
func At(t time.Time) Time { return Time(t.UnixMilli()) }

// Std returns t as a time.Time in UTC.
func (t Time) Std() time.Time { return time.UnixMilli(int64(t)).UTC() }

// Pool returns the month (UTC) in which t lies, as year and month, such as
// "200806". The pool that holds the captures of that month has this name.
func (t Time) Pool() string { return t.Std().Format("200601") }

// Digest is the sha256 sum of a body.
type Digest [32]byte

// Kind classifies what a capture found at its URL, such as a page or a
// redirect.
type Kind uint8

// The values of Kind, in the order of the manual. The page of KindSoftMissing says
// that nothing is there, but has the status of an ordinary page.
const (
	KindPage Kind = iota
	KindRedirect
	KindMissing
	KindSoftMissing
	KindDenied
	KindError
)

var kindNames = [...]string{"page", "redirect", "missing", "soft_missing", "denied", "error"}

// String returns the kind as a query shows it, such as "soft_missing".
func (k Kind) String() string { return kindNames[k] }

// KindOf returns the kind of a capture with this HTTP status. location says whether
// its response has a Location header. For a status outside 100 to 599 KindOf
// returns KindError. It never returns KindSoftMissing, which depends on the body.
func KindOf(status int, location bool) Kind {
	switch {
	case status == 404 || status == 410:
		return KindMissing
	case status == 401 || status == 403 || status == 451:
		return KindDenied
	case status >= 200 && status < 300, status == 304:
		return KindPage
	case status >= 300 && status < 400 && location:
		return KindRedirect
	default:
		return KindError
	}
}

// Change classifies how a capture differs from the previous capture of its URL.
type Change uint8

// The values of Change. If several apply to a capture, it gets the first of
// them.
const (
	ChangeFirst Change = iota
	ChangeGone
	ChangeBack
	ChangeKind
	ChangeChanged
	ChangeLayout
	ChangeSame
)

var changeNames = [...]string{"first", "gone", "back", "kind", "changed", "layout", "same"}

// String returns the change as a query shows it, such as "gone".
func (c Change) String() string { return changeNames[c] }

// Changed reports whether c counts as a change of content: ChangeGone, ChangeBack,
// ChangeKind and ChangeChanged do; ChangeFirst, ChangeLayout and ChangeSame do not.
func (c Change) Changed() bool { return c >= ChangeGone && c <= ChangeChanged }

// Sense says whether the change from the previous version of the same URL to this version is a
// change of content, or only of markup, dates, counters and the like.
type Sense uint8

// The values of Sense.
const (
	SenseUnknown Sense = iota
	SenseContent       // words were added or removed that are not noise; true of a first version
	SenseNoise         // only markup, the order of blocks, dates, counters and the like have changed
	senses
)

// Valid reports whether s is one of the values of Sense.
func (s Sense) Valid() bool { return s < senses }

// Via is the type of the record that a capture was read from, such as a response or
// a revisit.
type Via uint8

// The values of Via: the types of records that a capture may come from.
const (
	ViaResponse    Via = iota // a response with its body
	ViaRevisit                // a revisit record: the body is the same as in another capture
	ViaNotModified            // a response with status 304: the server says that nothing changed
	ViaResource               // a file, without an HTTP response around it
)

var viaNames = [...]string{"response", "revisit", "not_modified", "resource"}

// String returns the type of record as a query shows it, such as "not_modified".
func (v Via) String() string { return viaNames[v] }

// Capture is one response on its way into the archive, from a reader of files or
// from a crawl. The receiver of a Capture owns its byte slices and must close its
// Spool.
type Capture struct {
	AskedURL string // the URL that was requested, as the source has it, not canonical
	Origin   string // the URL requested first, if redirects led to AskedURL; or ""
	Time     Time
	IP       string // address or, in old files, host name; "" if unknown
	Status   int    // 0 if the response has no status line
	Mime     string // media type of a resource, from its record; of a response see Head

	// Head is the status line and the headers as received, with the blank line,
	// or whatever is there instead of it, at their end. Head followed by the
	// wire form of the body is the response byte for byte. Empty for a
	// resource.
	Head []byte
	// Body is the body after transfer-decoding and before content-decoding. It
	// is nil if Spool has the body, and for a revisit.
	Body []byte
	// Spool holds a body that is too large for memory, in a temporary file that
	// the receiver closes. Nil if Body has the body.
	Spool *Spool
	// Framing is the chunk framing that transfer-decoding removed; Stored.Wire
	// uses it to restore the wire form. Nil if the body was not sent in chunks.
	Framing []byte

	// Request is what is kept of the head of the request: the request line and the
	// headers, with the empty line after them; see Requests. Nil if nothing is kept.
	Request []byte

	Truncated      bool
	Via            Via
	DeclaredDigest string // digest of the body that the record declares, as the source spells it, such as "sha1:BASE32"; or ""
	RefersURL      string // for a revisit: URL of the capture that has the body; or ""
	RefersTime     Time   // for a revisit: time of the capture that it refers to; or NoTime

	Source   string // name of the file it came from, as in the statement
	Offset   int64  // offset of the capture's record in Source, in bytes; in a gzip file, the offset of the gzip member
	RecordID string // identifier of the record in Source; or ""
	// Extra holds the properties of the record that have no field here, as
	// lines "name: value\n". Nil if there are none.
	Extra []byte
}

// Spool is a body that is stored on disk: the first Size bytes of File. The file
// has no name any more; closing File frees its space.
type Spool struct {
	File *os.File
	Size int64
}

// Pieces yields the bytes of the body in order. A piece is valid until the next piece is
// yielded. A file with fewer than Size bytes is an error.
func (s *Spool) Pieces() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		buf := make([]byte, 64<<10)
		for at := int64(0); at < s.Size; {
			n, err := s.File.ReadAt(buf[:min(int64(len(buf)), s.Size-at)], at)
			if n == 0 {
				yield(nil, fmt.Errorf("read a large body at byte %d of %d: %w", at, s.Size, err))
				return
			}
			if !yield(buf[:n], nil) {
				return
			}
			at += int64(n)
		}
	}
}

// Item is one thing that a reader found in a file: a capture, a record that
// is no capture, or damage. Exactly one of Capture, Skipped and Damage is set.
type Item struct {
	Offset  int64 // offset of the record in the file, in bytes; in a gzip file, the offset of the gzip member
	Capture *Capture
	Type    string // type of the record in the words of its format; "" if unreadable
	Skipped string // why a whole record is not a capture, such as "request record"
	Damage  string // why the bytes at Offset cannot be read
	Length  int64  // length of the damage, in bytes; 0 if unknown
}

// Close closes the file of c.Spool, if c has one. Call Close for a Capture that you
// do not pass on.
func (c *Capture) Close() {
	if c.Spool != nil {
		c.Spool.File.Close()
		c.Spool = nil
	}
}

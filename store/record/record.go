// Package record holds the data that the rooms of the program hand to each
// other: a capture on its way in, and captures on their way out in columns.
// It knows no file format, no storage and no query.
package record

import (
	"math"
	"os"
	"time"
)

// Time is a moment in UTC, in milliseconds since 1970-01-01. The archive knows
// no finer time.
type Time int64

// NoTime is the absent time. It sorts before every other.
const NoTime Time = math.MinInt64

// Bounds for open time ranges: MinTime is not after, MaxTime not before any
// time that a capture can have (years 1 to 9999).
const (
	MinTime Time = -62135596800000
	MaxTime Time = 253402300799999
)

// At converts t, dropping what is finer than a millisecond.
func At(t time.Time) Time { return Time(t.UnixMilli()) }

// Std converts t to the standard library's type, in UTC.
func (t Time) Std() time.Time { return time.UnixMilli(int64(t)).UTC() }

// Pool names the natural month (UTC) that t lies in, such as "200806".
func (t Time) Pool() string { return t.Std().Format("200601") }

// Digest is a sha256.
type Digest [32]byte

// Kind says what a capture found at its URL.
type Kind uint8

// The kinds, in the order in which they are declared in the manual.
const (
	KindPage Kind = iota
	KindRedirect
	KindMissing
	KindSoftMissing
	KindDenied
	KindError
)

var kindNames = [...]string{"page", "redirect", "missing", "soft_missing", "denied", "error"}

// String is the kind as a query shows it.
func (k Kind) String() string { return kindNames[k] }

// KindOf tells a capture's kind from its status and whether it names a
// location to go to. A status outside 100 to 599 is an error.
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

// Change says how a capture differs from the one before it at its URL.
type Change uint8

// The changes, in the order in which the first that fits is taken.
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

// String is the change as a query shows it.
func (c Change) String() string { return changeNames[c] }

// Changed reports whether c counts as a change of content: gone, back, kind
// and changed do; first, layout and same do not.
func (c Change) Changed() bool { return c >= ChangeGone && c <= ChangeChanged }

// Via says which form of record brought a capture.
type Via uint8

// The forms.
const (
	ViaResponse    Via = iota // a response with its body
	ViaRevisit                // a record that the body is as it was in another capture
	ViaNotModified            // a 304: the server says so
	ViaResource               // a file, without an HTTP response around it
)

var viaNames = [...]string{"response", "revisit", "not_modified", "resource"}

// String is the form as a query shows it.
func (v Via) String() string { return viaNames[v] }

// Capture is one response as a reader of files or a crawler hands it in. Its
// byte slices belong to the receiver once handed over.
type Capture struct {
	AskedURL string // as received
	Origin   string // the URL first asked for, where a redirect led here; or ""
	Time     Time
	IP       string // address or, in old files, host name; "" if unknown
	Status   int    // 0 where the response has no status line
	Mime     string // of a resource, as its record says; a response's is in its head

	// Head is the status line and headers as received, with the blank line (or
	// whatever stood for it) that ends them: Head + wire form of the body is
	// the response byte for byte. Empty for a resource.
	Head []byte
	// Body is the entity after transfer-decoding and before content-decoding.
	// It is nil where Spool has the body, and for a revisit.
	Body []byte
	// Spool holds a body too large for memory: an unlinked temporary file that
	// the receiver closes. Nil for others.
	Spool *Spool
	// Framing is what transfer-decoding took away, of which Stored.Wire makes
	// the wire form again. Nil where that is the body.
	Framing []byte

	Truncated      bool
	Via            Via
	DeclaredDigest string // as the source writes it, such as "sha1:BASE32"
	RefersURL      string // of a revisit: where its original is; or ""
	RefersTime     Time   // of a revisit: when that was captured; or NoTime

	Source   string // file it came from, as named in the statement
	Offset   int64  // of its record there, in bytes; for gzip that of the member
	RecordID string // or ""
	// Extra keeps properties of the source's record that have no place of
	// their own, as lines "name: value\n". Nil if there are none.
	Extra []byte
}

// Spool is a body on disk: Size bytes from the start of File. File is already
// unlinked; closing it frees the space.
type Spool struct {
	File *os.File
	Size int64
}

// Item is what a reader found at one place of a file: exactly one of Capture,
// Skipped and Damage says what became of it.
type Item struct {
	Offset  int64 // of the record, in bytes of the file; for gzip that of the member
	Capture *Capture
	Type    string // the record's type as its format names it; "" if unreadable
	Skipped string // why a whole record is no capture, such as "request record"
	Damage  string // why the bytes there can't be read
	Length  int64  // of the damaged span, in bytes; 0 if unknown
}

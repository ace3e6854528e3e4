package record

import (
	"iter"

	"infomall/store/urlkey"
)

// Columns is a set of a Batch's columns.
type Columns uint32

// The columns of a Batch. Those up to ColJob come from the index alone; the
// rest open the db-files, so they are asked for only when named.
const (
	ColStatus Columns = 1 << iota
	ColKind
	ColMime
	ColBytes
	ColChange
	ColPrevious // Previous, PreviousVersion
	ColVersionTime
	ColPool
	ColVia
	ColTruncated
	ColAdded
	ColJob

	ColDigest
	ColIP
	ColOrigin
	ColAskedURL
	ColLocation
	ColSource // Source, SourceOffset, RecordID
	ColDeclaredDigest
	ColPage // Title to BlockCount
)

// Scan says which captures to read.
type Scan struct {
	// Ranges are SURT key ranges, sorted and disjoint. Nil is everything.
	Ranges []urlkey.Range
	// From and To bound capture times: From <= time < To. To makes the scan see
	// the archive as it was then: captures at To or later do not exist for it.
	From, To Time
	// Columns to fill beside Key, URL, Time and Ref, which always are.
	Columns Columns
	// Skip, if not nil, is asked for each URL as it comes up, and true leaves
	// out all its captures.
	Skip func(key, url string) bool
}

// Tally asks for captures as they are counted: in any order, without URLs, and
// those that agree in all that is asked for may come as one row.
type Tally struct {
	// Scan says which captures. Its columns are among TallyColumns.
	Scan
	Host bool // fill Host
	Time bool // fill Time
	// Period, if not nil, gives the period that a time lies in, from <= t < to.
	// Time is then filled with its start.
	Period func(Time) (from, to Time)
	// Ends tells that of the times of captures that agree in the rest only the
	// first and the last matter: the others may be given as one of these.
	Ends bool
}

// TallyColumns are those of a capture that do not depend on others of its URL.
const TallyColumns = ColStatus | ColKind | ColMime | ColBytes | ColPool | ColVia | ColTruncated | ColAdded | ColJob

// BatchRows is how many captures a Batch holds at most.
const BatchRows = 1024

// Ref names one stored capture to the snapshot whose scan yielded it.
type Ref struct {
	Segment uint32
	Run     uint32
	N       uint32
}

// Batch is up to BatchRows captures, a slice a column, sorted by (Key, Time,
// sequence). A slice whose column was not asked for is nil; the others have N
// entries. It is valid until the iteration that yielded it moves on, but its
// strings stay.
type Batch struct {
	N    int
	Key  []string // SURT sort key: equal strings share memory, so runs are cheap to find
	URL  []string // canonical
	Time []Time
	Ref  []Ref

	Status          []int32 // 0 where unknown
	Kind            []Kind
	Mime            []string // lower case, without parameters; "" if unknown
	Bytes           []int64  // of the body; -1 where it is not in the archive
	Change          []Change
	Previous        []Time // the capture before at this URL, or NoTime
	PreviousVersion []Time // when the version before this capture's began, or NoTime
	VersionTime     []Time // when this capture's version began
	Pool            []string
	Via             []Via
	Truncated       []bool
	Added           []Time
	Job             []string

	// Of a Tally alone, which has neither Key, URL nor Ref.
	Host  []string // of the URL, as urlkey.Host gives it
	Count []int64  // how many captures the row stands for

	Digest         []Digest // zero where the body is not in the archive
	IP             []string
	Origin         []string
	AskedURL       []string
	Location       []string
	Source         []string
	SourceOffset   []int64
	RecordID       []string
	DeclaredDigest []string

	// What was read off the body when it came in. Texts are "" and counts -1
	// where a body says nothing, such as a picture's or one that is not here.
	Title           []string
	Lang            []string
	Charset         []string // that it is read in
	DeclaredCharset []string
	CharsetSource   []string // how Charset was found
	Unread          []string // why only the first part of the body was read
	Reason          []string // why it is thought to say that nothing is there
	NoArchive       []bool   // robots are asked to keep no copy
	LinkCount       []int64
	BlockCount      []int64 // leaves
}

// First returns the first n bytes of the body, or all if it has fewer.
func (p *Payload) First(n int64) ([]byte, error) {
	if p.Large == nil {
		return p.Body[:min(n, int64(len(p.Body)))], nil
	}
	var first []byte
	for piece, err := range p.Large {
		if err != nil {
			return nil, err
		}
		if first = append(first, piece...); int64(len(first)) >= n {
			return first[:n], nil
		}
	}
	return first, nil
}

// LargeBody is the size in bytes above which a payload comes in pieces.
const LargeBody = 64 << 20

// Reset empties the batch and keeps its memory for the next rows.
func (b *Batch) Reset() {
	b.N = 0
	b.Key, b.URL, b.Time, b.Ref = b.Key[:0], b.URL[:0], b.Time[:0], b.Ref[:0]
	b.Status, b.Kind, b.Mime, b.Bytes = b.Status[:0], b.Kind[:0], b.Mime[:0], b.Bytes[:0]
	b.Change, b.Previous, b.PreviousVersion, b.VersionTime = b.Change[:0], b.Previous[:0], b.PreviousVersion[:0], b.VersionTime[:0]
	b.Pool, b.Via, b.Truncated, b.Added, b.Job = b.Pool[:0], b.Via[:0], b.Truncated[:0], b.Added[:0], b.Job[:0]
	b.Host, b.Count = b.Host[:0], b.Count[:0]
	b.Digest, b.IP, b.Origin, b.AskedURL, b.Location = b.Digest[:0], b.IP[:0], b.Origin[:0], b.AskedURL[:0], b.Location[:0]
	b.Source, b.SourceOffset, b.RecordID, b.DeclaredDigest = b.Source[:0], b.SourceOffset[:0], b.RecordID[:0], b.DeclaredDigest[:0]
	b.Title, b.Lang, b.Charset, b.DeclaredCharset, b.Reason = b.Title[:0], b.Lang[:0], b.Charset[:0], b.DeclaredCharset[:0], b.Reason[:0]
	b.CharsetSource, b.Unread = b.CharsetSource[:0], b.Unread[:0]
	b.NoArchive, b.LinkCount, b.BlockCount = b.NoArchive[:0], b.LinkCount[:0], b.BlockCount[:0]
}

// Payload is the stored response of one capture.
type Payload struct {
	Head []byte // status line and headers as received; empty for a resource
	Body []byte // as in Capture.Body
	// Large yields the pieces of a body above LargeBody bytes, in order; Body
	// is then nil. A piece is valid until the next; an error is the last pair.
	Large iter.Seq2[[]byte, error]
	Size  int64  // of the body, either way
	Mime  string // as in Batch.Mime
	// Charset is the one of other pages of the host if the body is read in that,
	// and ReadLimit how many bytes of it after content-decoding are read at most;
	// else "" and 0.
	Charset   string
	ReadLimit int64
	// NoBody says why the archive has no body for this capture (a revisit whose
	// original is not here); "" where it has one, be it empty.
	NoBody string
}

// Facts is what was kept of a version of a page when it came in. What the bytes
// mean is the business of package block. Either is nil where it is not kept.
type Facts struct {
	Page []byte // what was made of its body
	Fold []byte // how its blocks stand to those before at its URL
}

// Leaf is what is kept of a leaf of a body. Facts may be short, and are then told by
// the leaf's Bytes; these are nil where they are long.
type Leaf struct{ Facts, Bytes []byte }

// ReadStats counts what a snapshot has read so far.
type ReadStats struct {
	Pools       []string // opened, in order of name
	Segments    int      // opened
	Chunks      int64    // index chunks decoded
	Runs        int64    // db-file runs decompressed
	Bytes       int64    // read from db-files
	CacheHits   int64
	CacheMisses int64
}

// Pool describes one pool.
type Pool struct {
	Name                     string
	Static                   bool
	First, Last              Time
	URLs, Captures, Versions int64
	Blocks                   int64 // stored in it
	Bytes                    int64 // of the bodies of all versions, before compression
	StoredBytes              int64 // of the db-files and the index
	FirstURL, LastURL        string
	Depends                  []string // names of pools whose bodies it uses
	Dependents               []string // names of pools that use its bodies
}

// PoolKind is the word for what a pool is.
func PoolKind(static bool) string {
	if static {
		return "static"
	}
	return "dynamic"
}

// File describes one file of the archive.
type File struct {
	Name     string // relative to the archive's folder
	Pool     string // or "" for a file that several share
	Segments int
	Sorted   bool
	Bytes    int64
	CRC      uint32 // crc32c
}

// Rows is a stream of batches; an error is the last pair.
type Rows = iter.Seq2[*Batch, error]

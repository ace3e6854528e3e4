package record

import (
	"iter"

	"infomall/store/urlkey"
)

// Columns is a set of columns of a Batch, one bit per column.
type Columns uint32

// The columns of a Batch. Columns up to ColSense are read from the index alone.
// The others need the db-files, which are slower to read, so ask only for
// columns that you need.
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
	ColSense

	ColDigest
	ColIP
	ColOrigin
	ColAskedURL
	ColLocation
	ColSource // Source, SourceOffset, RecordID
	ColDeclaredDigest
	ColRequest
	ColTitle
	ColLang
	ColCharset // Charset, DeclaredCharset, CharsetSource, Unread
	ColReason
	ColNoArchive
	ColCounts // LinkCount, BlockCount

	// ColPage are all columns that were read from the body.
	ColPage = ColTitle | ColLang | ColCharset | ColReason | ColNoArchive | ColCounts
)

// Scan says which captures a scan of the archive reads, and which of their columns.
type Scan struct {
	// Ranges are ranges of keys, sorted and disjoint. Nil means all URLs.
	Ranges []urlkey.Range
	// More, if not nil, returns further ranges. The scan calls it, in the goroutine of its caller,
	// whenever it has yielded the captures of all ranges so far. The new ranges are sorted and
	// disjoint, and come after all earlier ones. If More returns none, the scan ends. More must be nil
	// if Once or Level is set.
	More func() []urlkey.Range
	// From and To bound the times of captures: From <= time < To. The scan sees
	// the archive as it was at To: captures at To or later do not exist for it.
	From, To Time
	// Columns are the columns to fill. Key, Time and Ref are always filled.
	Columns Columns
	// OfRedirects asks for the column Location only of captures of the kind redirect. Other captures
	// may have an empty Location. Columns must have ColKind.
	OfRedirects bool
	// All means that the caller uses all rows. The scan then reads ahead of the caller from the first
	// row on.
	All bool
	// Once asks for one row for each URL that has a capture in the time range, instead of one row for
	// each capture. Only Key is filled, and Columns must be 0.
	Once bool
	// Level, if above 0, asks only for the URLs whose urlkey.Level is at least Level. The
	// Refs are then not filled. Columns may only have columns of the index.
	Level int
	// Sizes, if not nil, reports whether the caller needs captures whose bodies have between least and
	// greatest bytes. The scan calls it for neighbouring captures before it reads them, and may leave
	// them out if the result is false. The answer may change from true to false while the scan goes
	// on. Several goroutines may call Sizes.
	Sizes func(least, greatest int64) bool
	// Skip, if not nil, is called once for each URL with its sort key. If it
	// returns true, the scan leaves out all captures of that URL.
	Skip func(key, url string) bool
	// Work, if not nil, counts the chunks of indexes that the scan has decoded or skipped.
	Work *Work
}

// Tally says which captures to count, and by which columns to group them. The rows of the result
// come in any order and have no URLs. Captures that agree in all requested columns may come as one
// row, with their number in Batch.Count.
type Tally struct {
	// Scan says which captures to count. Its columns must be among
	// TallyColumns.
	Scan
	Host bool // fill Host
	Time bool // fill Time
	// Versions leaves out captures that found the same as the previous capture of their URL.
	Versions bool
	// Period, if not nil, returns the period (such as a month) that contains the
	// time t: from <= t < to. The column Time then holds the start of the period.
	Period func(Time) (from, to Time)
	// Ends means that the caller needs only the first and the last time of the captures that agree in
	// all other columns. The captures between these two times may be counted with either of the two
	// times.
	Ends bool
	// Keep, if not nil, says which captures of a run count. nil means that none does. Several
	// goroutines may call Keep, and the functions in its results.
	Keep func(segment, run uint32) *Kept
}

// Kept says which captures of a run count in a Tally.
type Kept struct {
	Any  bool    // any capture of the run may count; if not set, only those in Some may
	Some Numbers // captures of the run; nil if Any is set
	// Has, if not nil, reports whether a capture that may count does. It may read the page of the
	// capture. If Has is nil, each capture that may count does.
	Has func(n uint32) (bool, error)
}

// Numbers is a set of numbers of captures.
type Numbers interface {
	Len() int
	Has(n uint32) bool
	All() iter.Seq[uint32] // ascending
}

// Keeps reports whether the capture with number n counts. It returns false if k is nil.
func (k *Kept) Keeps(n uint32) (bool, error) {
	if k == nil {
		return false, nil
	}
	if !k.Any && !k.Some.Has(n) {
		return false, nil
	}
	if k.Has == nil {
		return true, nil
	}
	return k.Has(n)
}

// Seek says for which URLs to search the indexes before a scan: the URLs of the captures that
// match, or of the first captures in an order. The result is an estimate from the columns of the
// index. It may contain URLs that the scan turns out not to need, but it lacks none that the scan
// needs.
type Seek struct {
	// Scan says among which captures to search. Its columns must be among SeekColumns. Match gets
	// batches with these columns.
	Scan
	// Match returns the indexes of the rows of b that match, ascending. If Match is nil, all rows
	// match. The column Key of b is not filled, and Time is filled only if Timed is set.
	Match func(b *Batch) ([]int32, error)
	Timed bool
	// First, if it is above 0, limits the result to the URLs of the first First different bodies. For
	// this, the captures that match are ordered by the column By, and then by URL. By is ColBytes, or
	// 0 for the time of captures. Captures whose value is not known come last.
	First int
	By    Columns
	Desc  bool
	// KeysMax is the largest useful number of URLs: if more are found, the search gives up. PartMax
	// sets the same limit as a fraction of the URLs of the largest segment, such as .25; 0 means no
	// such limit.
	KeysMax int
	PartMax float64
}

// SeekColumns are the columns that Seek may be asked for.
const SeekColumns = ColStatus | ColKind | ColMime | ColBytes | ColTitle

// TallyColumns are the columns of a Batch whose values do not depend on other
// captures of the same URL. Only these can be counted by a Tally.
const TallyColumns = ColStatus | ColKind | ColMime | ColBytes | ColPool | ColVia | ColTruncated | ColAdded | ColJob | ColDigest

// BatchRows is the maximum number of captures in a Batch.
const BatchRows = 1024

// Ref identifies one stored capture within the snapshot whose scan yielded it:
// capture number N of a run of a segment.
type Ref struct {
	Segment uint32
	Run     uint32
	N       uint32
}

// Batch holds up to BatchRows captures, one slice per column, sorted by key,
// time and sequence (the offset of the capture's record in its source). The
// slice of a column that was not requested is nil; the others have N entries. A
// Batch is valid until the iteration that yielded it moves on. Its strings stay
// valid.
type Batch struct {
	N    int
	Key  []string // sort key; equal keys share memory, so comparing neighbours is fast
	Time []Time
	Ref  []Ref

	Status          []int32 // HTTP status; 0 if unknown
	Kind            []Kind
	Mime            []string // lower case, without parameters; "" if unknown
	Bytes           []int64  // size of the body; -1 if it is not in the archive
	Change          []Change
	Sense           []Sense // Sense of the version that begins at the capture; SenseUnknown if no version begins there or its Sense is not known
	Previous        []Time  // time of the previous capture of this URL, or NoTime
	PreviousVersion []Time  // start of the version before this capture's version, or NoTime
	VersionTime     []Time  // start of this capture's version
	Pool            []string
	Via             []Via
	Truncated       []bool
	Added           []Time
	Job             []string

	// For a Tally only, which leaves Key and Ref empty.
	Host  []string // host of the URL, as by urlkey.Host
	Count []int64  // how many captures the row counts

	Digest         []Digest // zero if the body is not in the archive
	IP             []string
	Origin         []string
	AskedURL       []string
	Location       []string
	Source         []string
	SourceOffset   []int64
	RecordID       []string
	DeclaredDigest []string
	Request        []string

	// These columns were read from the body when it came in. Texts are "" and
	// counts -1 if the body does not have them, as for a picture or for a body
	// that is not in the archive.
	Title           []string
	Lang            []string
	Charset         []string // charset used to decode the body
	DeclaredCharset []string
	CharsetSource   []string // how Charset was determined
	Unread          []string // why only the first part of the body was read; or ""
	Reason          []string // for a soft missing page: why it counts as missing
	NoArchive       []bool   // the page asks robots not to keep a copy
	LinkCount       []int64
	BlockCount      []int64 // number of leaf blocks

	urls []string // the result of URLs, if it was called; otherwise empty
}

// URLs returns the URL of each capture in its canonical form. The slice is valid until b changes.
// The first call makes the URLs from the keys, which takes 5 to 10 % of a scan of small columns.
func (b *Batch) URLs() []string {
	if len(b.urls) != len(b.Key) {
		b.urls = urlkey.AppendURLs(b.urls[:0], b.Key)
	}
	return b.urls
}

// First returns the first n bytes of the body, or the whole body if it is shorter
// than n. The result may share memory with Body.
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

// LargeBody is the size in bytes above which a Payload has its body in Large.
const LargeBody = 64 << 20

// Reset sets b.N to 0 and empties all columns, but keeps their memory for new rows.
func (b *Batch) Reset() {
	b.N = 0
	b.Key, b.urls, b.Time, b.Ref = b.Key[:0], b.urls[:0], b.Time[:0], b.Ref[:0]
	b.Status, b.Kind, b.Mime, b.Bytes = b.Status[:0], b.Kind[:0], b.Mime[:0], b.Bytes[:0]
	b.Change, b.Previous, b.PreviousVersion, b.VersionTime = b.Change[:0], b.Previous[:0], b.PreviousVersion[:0], b.VersionTime[:0]
	b.Pool, b.Via, b.Truncated, b.Added, b.Job, b.Sense = b.Pool[:0], b.Via[:0], b.Truncated[:0], b.Added[:0], b.Job[:0], b.Sense[:0]
	b.Host, b.Count = b.Host[:0], b.Count[:0]
	b.Digest, b.IP, b.Origin, b.AskedURL, b.Location = b.Digest[:0], b.IP[:0], b.Origin[:0], b.AskedURL[:0], b.Location[:0]
	b.Source, b.SourceOffset, b.RecordID, b.DeclaredDigest = b.Source[:0], b.SourceOffset[:0], b.RecordID[:0], b.DeclaredDigest[:0]
	b.Request = b.Request[:0]
	b.Title, b.Lang, b.Charset, b.DeclaredCharset, b.Reason = b.Title[:0], b.Lang[:0], b.Charset[:0], b.DeclaredCharset[:0], b.Reason[:0]
	b.CharsetSource, b.Unread = b.CharsetSource[:0], b.Unread[:0]
	b.NoArchive, b.LinkCount, b.BlockCount = b.NoArchive[:0], b.LinkCount[:0], b.BlockCount[:0]
}

// CopyRow copies row i of src to row j of b, in the columns that src has. Row j
// exists in b already, or is the row after the last. CopyRow does not change b.N.
func (b *Batch) CopyRow(j int, src *Batch, i int) {
	CopyCell(&b.Key, j, src.Key, i)
	b.urls = b.urls[:0]
	CopyCell(&b.Time, j, src.Time, i)
	CopyCell(&b.Ref, j, src.Ref, i)
	CopyCell(&b.Status, j, src.Status, i)
	CopyCell(&b.Kind, j, src.Kind, i)
	CopyCell(&b.Mime, j, src.Mime, i)
	CopyCell(&b.Bytes, j, src.Bytes, i)
	CopyCell(&b.Change, j, src.Change, i)
	CopyCell(&b.Previous, j, src.Previous, i)
	CopyCell(&b.PreviousVersion, j, src.PreviousVersion, i)
	CopyCell(&b.VersionTime, j, src.VersionTime, i)
	CopyCell(&b.Pool, j, src.Pool, i)
	CopyCell(&b.Via, j, src.Via, i)
	CopyCell(&b.Truncated, j, src.Truncated, i)
	CopyCell(&b.Added, j, src.Added, i)
	CopyCell(&b.Job, j, src.Job, i)
	CopyCell(&b.Sense, j, src.Sense, i)
	CopyCell(&b.Host, j, src.Host, i)
	CopyCell(&b.Count, j, src.Count, i)
	CopyCell(&b.Digest, j, src.Digest, i)
	CopyCell(&b.IP, j, src.IP, i)
	CopyCell(&b.Origin, j, src.Origin, i)
	CopyCell(&b.AskedURL, j, src.AskedURL, i)
	CopyCell(&b.Location, j, src.Location, i)
	CopyCell(&b.Source, j, src.Source, i)
	CopyCell(&b.SourceOffset, j, src.SourceOffset, i)
	CopyCell(&b.RecordID, j, src.RecordID, i)
	CopyCell(&b.DeclaredDigest, j, src.DeclaredDigest, i)
	CopyCell(&b.Request, j, src.Request, i)
	CopyCell(&b.Title, j, src.Title, i)
	CopyCell(&b.Lang, j, src.Lang, i)
	CopyCell(&b.Charset, j, src.Charset, i)
	CopyCell(&b.DeclaredCharset, j, src.DeclaredCharset, i)
	CopyCell(&b.CharsetSource, j, src.CharsetSource, i)
	CopyCell(&b.Unread, j, src.Unread, i)
	CopyCell(&b.Reason, j, src.Reason, i)
	CopyCell(&b.NoArchive, j, src.NoArchive, i)
	CopyCell(&b.LinkCount, j, src.LinkCount, i)
	CopyCell(&b.BlockCount, j, src.BlockCount, i)
}

// CopyCell sets element j of *dst to src[i]. If j is the length of *dst, it appends
// instead; j may not be greater. It does nothing if src is nil.
func CopyCell[T any](dst *[]T, j int, src []T, i int) {
	switch {
	case src == nil:
	case j < len(*dst):
		(*dst)[j] = src[i]
	default:
		*dst = append(*dst, src[i])
	}
}

// Payload is the response of one capture, as the archive stores it.
type Payload struct {
	Head []byte // status line and headers as received; empty for a resource
	Body []byte // the body after transfer-decoding, as in Capture.Body
	// Large yields the pieces of a body above LargeBody bytes, in order; Body
	// is then nil. A piece is valid until the next one. An error is the last
	// pair.
	Large  iter.Seq2[[]byte, error]
	Size   int64  // size of the body in bytes, whether it is in Body or in Large
	Digest Digest // of the body
	Mime   string // media type, as in Batch.Mime
	// Charset is the charset of other pages of the host, if the body is decoded
	// with it; otherwise "". ReadLimit bounds how many bytes of the body are
	// parsed after content-decoding; 0 if it was not parsed when it came in.
	Charset   string
	ReadLimit int64
	// Document is the reading of the body as a document, such as a PDF, in the form that
	// package document unpacks. It is nil if the body is a page, or was not read.
	Document []byte
	// NoBody says why the archive has no body for this capture, such as a
	// revisit whose original is not in the archive. It is "" if there is a
	// body, even an empty one.
	NoBody string
}

// Facts holds the values that were computed from one version of a page when it came in, so that
// queries need not read the body again. Package block encodes and decodes the
// bytes. Either slice is nil if nothing was stored.
type Facts struct {
	Page []byte // what was read from its body
	Fold []byte // how its blocks relate to those of earlier versions of its URL
}

// Leaf holds the stored Facts of one leaf (a piece of a body that is stored once). Facts may be in
// a short form, which can only be decoded together with Bytes, the bytes of the leaf. If Facts is
// in the long form, Bytes is nil.
type Leaf struct{ Facts, Bytes []byte }

// LeafSpan names some consecutive leaves of a body: the Count leaves of the run Run from leaf
// number N on. Bodies that share leaves often share whole spans.
type LeafSpan struct{ Segment, Run, N, Count uint32 }

// ReadStats counts what a snapshot of the archive has read so far.
type ReadStats struct {
	Pools       []string // names of the pools opened, sorted
	Segments    int      // number of segments opened
	Chunks      int64    // number of chunks of indexes decoded
	IndexBytes  int64    // size of the decoded chunks, in bytes
	Runs        int64    // number of runs of db-files read
	Bytes       int64    // read from db-files, compressed as they are
	Decoded     int64    // size of the runs that were read, decompressed
	CacheHits   int64
	CacheMisses int64
}

// Pool describes one pool: the captures of one month, or of a part of the URLs of
// that month.
type Pool struct {
	Name                     string
	Static                   bool
	First, Last              Time
	URLs, Captures, Versions int64
	Blocks                   int64 // number of blocks that the pool stores
	Bytes                    int64 // size of the bodies of all versions, before compression
	StoredBytes              int64 // size of the db-files and the index
	FirstURL, LastURL        string
	Depends                  []string // names of the pools whose bodies it uses
	Dependents               []string // names of the pools that use its bodies
}

// PoolKind returns the kind of a pool as queries show it: "static" if the parameter static is
// true, and otherwise "dynamic".
func PoolKind(static bool) string {
	if static {
		return "static"
	}
	return "dynamic"
}

// File describes one file of an archive.
type File struct {
	Name     string // relative to the archive's folder
	Pool     string // name of its pool; "" for a file that several pools share
	Segments int
	Sorted   bool
	Bytes    int64
	CRC      uint32 // crc32c
}

// Rows is a stream of batches of captures. If it fails, the error is in the last
// pair.
type Rows = iter.Seq2[*Batch, error]

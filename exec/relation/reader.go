package relation

import (
	"context"
	"iter"

	"infomall/crawl/report"
	"infomall/exec/firstseen"
	"infomall/exec/places"
	"infomall/exec/spill"
	"infomall/store/document"
	"infomall/store/memo"
	"infomall/store/page/article"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
	"infomall/store/search"
	"infomall/store/urlkey"
)

// Reader reads the relations of one snapshot of an archive. Use it in one
// goroutine.
type Reader struct {
	Snapshot Snapshot
	// History returns the entries typed at the prompt, the oldest first.
	History func(context.Context) ([]Entry, error)
	// Crawls and Jobs may be nil, which means that there are no crawls or jobs.
	Crawls CrawlState
	Jobs   JobLog
	// Schedules returns the schedules, sorted by name.
	Schedules func(context.Context) ([]Schedule, error)
	// Watches returns the watches, sorted by name.
	Watches func(context.Context) ([]Watch, error)
	// Rules returns the access rules, sorted by name.
	Rules func(context.Context) ([]Rule, error)
	// Revisits yields the visits of each page of snap that n selects, sorted by URL. If
	// the flag due is set, RevisitedPage.Until also computes when the page is to be
	// visited next. Revisits may leave out pages. A yielded value is valid until the
	// iteration moves on.
	Revisits func(ctx context.Context, snap Snapshot, n *Request, due bool) iter.Seq2[RevisitedPage, error]
	// Memory says how much memory the operators that hold rows share, and where
	// they create temporary files.
	spill.Memory
	// Watch, if not nil, is called when the reading of relations begins, with what is
	// to be read. The function that it returns is called at the end.
	Watch func(context.Context, *Work) (stop func())

	// FirstSeen, if not nil, serves to read the relation articles again after captures were added.
	// It has the texts of the captures that were read before. The next reading must be of the same
	// scope, up to the same time or a later one. It reads only captures that were added after
	// FirstSeen.Added, yields only their rows, and adds their texts and their time to FirstSeen.
	//
	// The rows end with firstseen.ErrEarlier if a new capture is not later than all captures read
	// before. Then set FirstSeen to a new firstseen.Known and read everything again. Do the same
	// after captures were deleted or hidden. After any error FirstSeen must not be used again.
	FirstSeen *firstseen.Known

	// Plain makes the Reader read every page that it searches, without indexes, for tests.
	Plain bool
	// Notes are for the user, after the rows, for example how many versions were searched. A source
	// adds its notes when it was read to its end.
	Notes []string
	// Quiet says that nobody will see Notes, so nothing needs to be read only for them.
	Quiet bool

	known   record.Time             // see Request.Known; 0 means all that is known
	of      *Reader                 // the Reader that has made this one for what was known; nil if none has
	byKnown map[record.Time]*Reader // the Readers that knownAt has made

	asked       map[askedKey]*askedWords
	lastAsked   lastAsked
	collections map[collectionKey]*collected
	responses   []*response       // the responses used last, the latest first
	state       string            // of Snapshot, once it was needed
	compared    comparison        // the comparison made last
	keptLast    *keptVersion      // what is stored about the version read last
	linked      []*pageLinks      // the links of the pages read last
	resolved    urlkey.Links      // a cache of resolved links
	leafSpans   []record.LeafSpan // memory for the leaves of the current page
	learned     learned           // what is known of the versions of the URL asked for last
	// document is the body of the capture documentRef, read as a document; it is valid if
	// documentRead is set. It is nil if the body is not a document.
	document     *document.Document
	documentRef  record.Ref
	documentRead bool
	style        *hostStyle                  // the style of the host and month asked for last
	sites        map[hostMonth]*article.Site // see articleSite
	texts        textTimes                   // see textSeen
	gazetteer    *places.Gazetteer           // the gazetteer of the archive, once it was asked for
}

// Snapshot is the state of an archive at one moment; later changes do not show
// in it. The refs that it yields are valid until it is closed, and for this
// snapshot only. Several goroutines may use it; all must be done before Close.
// Its methods return the error of a context that has ended, so that callers
// need not check ctx between reads.
type Snapshot interface {
	// Scan yields captures, sorted by (key, time, sequence). Ranging over the
	// result does the work; stopping releases what it holds.
	Scan(ctx context.Context, s record.Scan) record.Rows
	// Since estimates how far back a reader must look to find captures of the URL with this key
	// before the time to. It returns a time such that about n segments that begin at this time or
	// later may have some. It returns record.MinTime if no earlier segment may have some. Since
	// reads at most the filters of segments.
	Since(key string, to record.Time, n int) record.Time
	// SampleLevels returns the least and the greatest Scan.Level that are useful to find a sample
	// of the given number of URLs. Below the least, a Scan reads far more URLs than that. Above the
	// greatest, there are hardly that many. The least is never above the greatest.
	SampleLevels(ctx context.Context, urls int) (least, greatest int, err error)
	// Tally yields captures for counting, in no particular order. One row may stand for many
	// captures.
	Tally(ctx context.Context, t record.Tally) record.Rows
	// Seek returns the sorted keys of the URLs that s looks for. It may return further keys. If ok
	// is false, only a scan can find the URLs.
	Seek(ctx context.Context, s record.Seek) (keys []string, ok bool, err error)
	// Payload returns the response of one capture.
	Payload(ctx context.Context, ref record.Ref) (record.Payload, error)
	// Document returns the stored result of reading a capture's body as a document, as in
	// record.Payload.Document, without reading the body.
	Document(ctx context.Context, ref record.Ref) ([]byte, error)
	// Stored returns one capture with its request, its response, and all else that was stored with
	// it.
	Stored(ctx context.Context, ref record.Ref) (message.Stored, error)
	// Kept returns the stored facts of the version that begins at a capture
	// (what was read from the page when it came in) and its fold (how its
	// blocks relate to those of earlier versions). Each is nil if it is not
	// stored.
	Kept(ctx context.Context, ref record.Ref) (record.Facts, error)
	// Knew reports whether the stored fold of a version is valid: whether the
	// program that made the fold knew all earlier captures of the URL. ref is
	// the first capture of the version, key the key of its URL, and at its
	// time.
	Knew(ctx context.Context, ref record.Ref, key string, at record.Time) (bool, error)
	// LeafFacts returns the stored facts of each leaf of a capture's body, in
	// order. A leaf is a block that is not divided further.
	LeafFacts(ctx context.Context, ref record.Ref) ([][]byte, error)
	// LeafSpans appends to dst the spans that together are the leaves of a capture's body,
	// in order, and SpanFacts appends the facts of the leaves of one span. Bodies share
	// spans: a caller can read a span once for many bodies.
	LeafSpans(ctx context.Context, dst []record.LeafSpan, ref record.Ref) ([]record.LeafSpan, error)
	SpanFacts(ctx context.Context, dst [][]byte, s record.LeafSpan) ([][]byte, error)
	// Layout returns the layout of a capture's body, or nil if the body is not stored in
	// blocks. The caller must not change it.
	Layout(ctx context.Context, ref record.Ref) ([]byte, error)
	// AppendLeaves appends to dst the facts that LeafFacts returns, but in
	// their stored form, and returns dst. It is faster for callers that need
	// only parts of the facts.
	AppendLeaves(ctx context.Context, dst []record.Leaf, ref record.Ref) ([]record.Leaf, error)
	// Digests returns the digests of some blocks of a capture's body, divided
	// down to the given level. places, ascending, are the indexes of these
	// blocks in the division. Digests returns nil if the body is not stored in
	// blocks.
	Digests(ctx context.Context, ref record.Ref, level int, places []int) ([]record.Digest, error)
	// Block returns the bytes of one block of a capture's body, divided down to the given
	// level. place is its index in the division, from 0. Block returns nil if the body is
	// not stored in blocks.
	Block(ctx context.Context, ref record.Ref, level, place int) ([]byte, error)
	// Pools, Files and Tombstones return the rows of the relations with these
	// names.
	Pools(ctx context.Context) ([]record.Pool, error)
	Files(ctx context.Context) ([]record.File, error)
	Tombstones(ctx context.Context) ([]task.Tombstone, error)
	// BlockList returns the block-list: what stays out of the archive. The caller must not
	// change it.
	BlockList(ctx context.Context) (*task.BlockList, error)
	// Words searches, without reading pages, the captures with a key in ranges and a time in from
	// <= time < to. It returns nil if the indexes cannot answer q.
	Words(ctx context.Context, q search.Question, ranges []urlkey.Range, from, to record.Time) (*search.Words, error)
	// ToRead returns how much the scan s reads at most, without running it. part names the parts of
	// the db-files that the scan reads.
	ToRead(ctx context.Context, s record.Scan, part record.FilePart) (record.Reading, error)
	// Borders returns at most parts keys that divide what the scan s reads into parts of about the
	// same size. The keys are sorted, and each is the first of a part; keys before the first border
	// are the first part. Each part has on average at least the number least of index chunks of
	// each segment, because chunks at a border are read twice.
	Borders(ctx context.Context, s record.Scan, parts, least int) ([]string, error)
	// KeysOf returns the keys of the URLs of captures, sorted, each once.
	KeysOf(ctx context.Context, refs []record.Ref) ([]string, error)
	// Linking returns the captures whose pages link, or may link, to a URL with a key in targets,
	// and that were made before the time in the parameter to. The ranges in targets are sorted and
	// disjoint. ok is false if there are more such captures than the number in the parameter most,
	// or if the archive has no indexes of links.
	Linking(ctx context.Context, targets []urlkey.Range, to record.Time, most int) (refs map[record.Ref]bool, ok bool, err error)
	// WordsIndexed returns how many segments have captures in the time from <= time < to (all), how
	// many of them have an index of words (indexed), and how many captures the indexed segments
	// have. With indexes, Words is fast even for a few captures.
	WordsIndexed(from, to record.Time) (indexed, all int, captures int64)
	// WordsUsable counts the same segments. It opens their indexes of words, and returns how many
	// have one that Words uses, and how many have only ones that are damaged or out of date
	// (unusable).
	WordsUsable(from, to record.Time) (usable, unusable, all int)
	// HasDocuments reports whether the archive has texts of documents, such as PDF files.
	HasDocuments() bool
	// NearWords returns, for each of words, the similarly spelled words that occur in the texts of
	// captures with a key in ranges and a time in from <= time < to. words must be folded.
	NearWords(ctx context.Context, words []string, ranges []urlkey.Range, from, to record.Time) ([][]search.NearWord, error)
	// Leaves appends to dst the stored leaves of the page whose version begins at ref. The
	// parameter as that it returns says how LeafText must read them. ok is false if the page has to
	// be read.
	Leaves(ctx context.Context, dst []search.LeafRef, ref record.Ref) (leaves []search.LeafRef, as search.Reading, ok bool, err error)
	// LeafText returns the text of a leaf that Leaves returned, with the Reading that it returned.
	LeafText(l search.LeafRef, as search.Reading) (string, error)
	// Results returns the stored results of a kind, such as rankings, sorted by
	// name and time. ResultRows yields the rows of one result whose keys lie in
	// the ranges, which are sorted and disjoint; nil means all.
	Results(ctx context.Context, kind string) ([]task.Result, error)
	ResultRows(ctx context.Context, r task.Result, ranges []urlkey.Range) iter.Seq2[task.ResultRow, error]
	// Delete removes captures, named by refs of this snapshot, from the
	// archive. Later snapshots are without them. It returns task.ErrChanged
	// if another process has rewritten them meanwhile.
	Delete(ctx context.Context, o task.DeleteOptions) (task.DeleteResult, error)
	// Hide makes the snapshot behave as if the captures that h hides had never existed. Call Hide
	// before the first read.
	Hide(h *record.Hiding)
	// LeftOut returns how many segments the archive has (all), and how many of them the snapshot
	// leaves out (left), because all their captures were added after the time given to KnownAt.
	LeftOut() (left, all int)
	// SkipDamage makes the snapshot read on after damage to a db-file: a value
	// that only that file has is then NULL, and a body in that file counts as
	// missing. Call SkipDamage before the first read. Damage returns an error
	// that names what was skipped, or nil if nothing was.
	SkipDamage()
	Damage() error
	// LastAdded returns the latest time at which captures of the snapshot were added, or
	// record.MinTime if it has none. Captures that are added after the snapshot was made have a
	// later time.
	LastAdded() record.Time
	// State returns a text that names the state of the archive. Snapshots of one
	// archive with equal texts show the same captures.
	State() string
	// Memo returns the cache of computed results that all snapshots of the archive share, or nil if
	// the snapshot uses no cache. A result that depends on the state of the archive must have State
	// in its key.
	Memo() *memo.Cache
	// Stats returns counts of what was read through this snapshot so far.
	Stats() record.ReadStats
	// SetCache bounds, in bytes, the archive's cache of decoded runs
	// (neighbouring captures that are compressed together). With 0 the snapshot
	// uses no cache.
	SetCache(bytes int64)
	Close() error
}

// CrawlState gives queries access to the state of crawls, whether they have
// ended or are running, in this process or another.
type CrawlState interface {
	// Crawls and Workers return the rows of the relations with these names.
	Crawls(ctx context.Context) ([]report.Crawl, error)
	Workers(ctx context.Context) ([]report.Worker, error)
	// Fetches and Frontier yield the rows of the relations with these names,
	// several at a time.
	Fetches(ctx context.Context) iter.Seq2[[]report.Fetch, error]
	Frontier(ctx context.Context) iter.Seq2[[]report.Queued, error]
	// Failures yields the URLs whose last fetch by a crawl brought no response, several at a
	// time. If ranges is not nil, it yields only URLs whose keys are in ranges, which are
	// sorted and disjoint. A URL comes once for each crawl to which it did not answer.
	Failures(ctx context.Context, ranges []urlkey.Range) iter.Seq2[[]report.Failure, error]
	// Tallies and Alerts yield the rows of the relations crawl_hosts and alerts.
	Tallies(ctx context.Context) iter.Seq2[[]report.HostTally, error]
	Alerts(ctx context.Context) iter.Seq2[[]report.Alert, error]
}

// JobLog gives queries access to the log of jobs, the runs of statements that
// work on the archive. It includes jobs that are still running.
type JobLog interface {
	Jobs(ctx context.Context) ([]task.Job, error)
}

// Entry is one row of the relation history: one entry that the user typed at
// the prompt.
type Entry struct {
	Time     record.Time
	Text     string
	Duration int64  // in milliseconds
	Rows     int64  // rows of the answer
	Status   string // done, failed or interrupted; "" if it has not ended
}

// Schedule is one row of the relation schedules: a statement that runs again
// and again, by a rule such as every day.
type Schedule struct {
	Name, Rule, Statement string
	Created, Next         record.Time
	Due                   bool     // the time Next has passed
	Last                  task.Job // the last run of the statement; its ID is 0 if it has not run
}

// Watch is one row of the relation watches: a query that runs again and again,
// and whose new rows are kept.
type Watch struct {
	Name, Every, Query, Key, Then string
	Created, Next                 record.Time
	Due                           bool     // the time Next has passed
	Last                          task.Job // the last run; its ID is 0 if the watch has not run
	Batches                       int64    // the number of the last batch of rows; 0 if there is none
	Done                          int64    // up to this batch, Then is done
}

// Rule is one row of the relation rules: an access rule.
type Rule struct {
	Name, Scope, Action, Reason, Age string
	Window                           Window
	Created                          record.Time
}

// Remembering is a Snapshot that knows when each of its captures was added to the archive.
type Remembering interface {
	Snapshot
	// KnownAt returns a snapshot that shows only the captures that were added at time t or before,
	// and the results that were finished by then. It is valid until the snapshot from which it was
	// made is closed, and need not be closed itself. Call Hide first, if at all.
	KnownAt(t record.Time) Snapshot
}

// KnownAt returns a snapshot that shows what the archive had at time t. It returns snap itself if t
// is 0 or snap does not know when its captures were added.
func KnownAt(snap Snapshot, t record.Time) Snapshot {
	if r, ok := snap.(Remembering); ok && t != 0 {
		return r.KnownAt(t)
	}
	return snap
}

// knownAt returns the Reader that reads what n asks for: r itself, or, if n has KNOWN AT, a Reader
// that sees only what had been added by that time. That Reader adds its notes to those of r, and
// has its own caches.
func (r *Reader) knownAt(n *Request) *Reader {
	if n.Known == 0 || r.Snapshot == nil || r.known != 0 && r.known <= n.Known {
		return r
	}
	if known := r.byKnown[n.Known]; known != nil {
		return known
	}
	known := &Reader{
		Snapshot: KnownAt(r.Snapshot, n.Known), History: r.History, Crawls: r.Crawls, Jobs: r.Jobs, Schedules: r.Schedules, Rules: r.Rules,
		Revisits: r.Revisits, Memory: r.Memory, Watch: r.Watch, Plain: r.Plain, Quiet: r.Quiet, known: n.Known, of: r,
	}
	if r.byKnown == nil {
		r.byKnown = make(map[record.Time]*Reader)
	}
	r.byKnown[n.Known] = known
	return known
}

// note adds notes for the user to the Reader from which r was made, or to r itself.
func (r *Reader) note(notes ...string) {
	for r.of != nil {
		r = r.of
	}
	r.Notes = append(r.Notes, notes...)
}

// heard reports whether r may show an event of time t: whether it lies at or before the time of
// KNOWN AT.
func (r *Reader) heard(t record.Time) bool { return r.known == 0 || t <= r.known }

// FollowsKnown reports whether a query of r may have KNOWN AT. That requires rows that are made
// from captures or from results about captures, not from the present state of the archive.
func (r *Relation) FollowsKnown() bool {
	switch {
	case r.ByUnit:
		return true
	case r.OfSession, r.Results == task.ResultWatches:
		return false
	}
	return r.Scoped || r.Results != ""
}

// Package relation has the relations: the tables that a query can read, such as
// versions. A Request says what a query reads of one. A Reader reads it.
//
// # From captures to rows
//
// A Source is read in three steps. A scan of the archive yields captures,
// sorted by URL and time. Consecutive captures with the same content become a
// span: a version, as the query sees it. The fills of the relation then compute
// each column that the query reads.
//
//	captures   url a: 1 Jan, 1 Feb (same), 1 Mar (changed)   url b: …
//	spans      url a: 1 Jan to 1 Feb, from 1 Mar on          url b: …
//	rows       time, last_seen, visits, …
//
// Late columns need the stored response of a capture. A source leaves them NULL
// and adds refs, hidden columns that name the capture. The operator Payload
// fills late columns for the rows that are left.
//
// # What is stored about pages
//
// For most versions the archive stores facts: what was read from the page when
// it came in, such as its links and the labels of its blocks. It also stores a
// fold: how the blocks of the version relate to those of earlier versions of
// the URL. A fold holds only if the program that made it knew all earlier
// captures of the URL. If facts or a fold are missing or do not hold, the
// operators read the bodies instead; the answer is the same.
package relation

import (
	"strings"

	"infomall/exec/value"
	"infomall/store/record"
)

// Relation is a table that a query can read, such as versions. DESCRIBE, SHOW
// COLUMNS, *, binding, and the suggestions in errors all read this declaration.
type Relation struct {
	Name    string
	Doc     string // what one row is
	Scoped  bool   // accepts a scope and a time clause
	Columns []Column
	// OfVersions reports that a row is a version or a part of one. A row is in
	// a time range if its version began in the range.
	OfVersions bool
	// Cut reports that the rows depend on the level at which pages are divided
	// into blocks.
	Cut bool
	// History reports that a row depends on all earlier versions of its URL.
	History bool
	// OfSession reports that the rows come from the session or from its jobs,
	// and not from captures.
	OfSession bool
	// OfNoArchive reports that the rows can be read without an archive.
	OfNoArchive bool
	// OwnTime names the column to which a time range applies, if that is not
	// the capture time; otherwise it is "". A relation with OwnTime accepts no
	// choice such as AT.
	OwnTime string
	// RefColumns is how many hidden columns say from which capture a row was
	// made, for Payload and DELETE. It is 0 if neither reads the relation.
	RefColumns int
}

// Column is one column of a relation.
type Column struct {
	Name string
	Type value.Type
	Doc  string
	// Payload columns are late, and * leaves them out. They come after the
	// other columns.
	Payload bool
	// Costly columns are late, but * includes them.
	Costly bool
	// Aside columns are filled by the source, at a cost, so * leaves them out.
	Aside bool
	// Needs says which columns of a scan the column is computed from.
	Needs record.Columns
}

// Late reports whether a Payload node fills the column, not the source.
func (c *Column) Late() bool { return c.Payload || c.Costly }

// Column returns the column with this name, or nil. Case is ignored.
func (r *Relation) Column(name string) *Column {
	for i := range r.Columns {
		if strings.EqualFold(r.Columns[i].Name, name) {
			return &r.Columns[i]
		}
	}
	return nil
}

// ColumnNames returns the names of r's columns.
func (r *Relation) ColumnNames() []string {
	names := make([]string, len(r.Columns))
	for i := range r.Columns {
		names[i] = r.Columns[i].Name
	}
	return names
}

// All returns all relations in the order of the manual. The caller must
// not change the result.
func All() []*Relation { return relations }

// Find returns the relation with this name, or nil. Case is ignored.
func Find(name string) *Relation {
	for _, r := range relations {
		if strings.EqualFold(r.Name, name) {
			return r
		}
	}
	return nil
}

// Names returns the names of all relations.
func Names() []string {
	names := make([]string, len(relations))
	for i, r := range relations {
		names[i] = r.Name
	}
	return names
}

// relations are all relations, in the order of the manual.
var relations = []*Relation{
	Captures, Versions, Pages, Blocks, Changes, Layouts, Links,
	Hosts, Ranks, Duplicates, Graphs, Edges, Periods, Pools, Files, Tombstones, Fetches, Frontier, Crawls, Workers, Schedules, Jobs, History,
}

var Captures = &Relation{
	Name: "captures", Doc: "one visit that got a response", Scoped: true, RefColumns: refColumns,
	Columns: []Column{
		{Name: "url", Type: value.URL, Doc: "canonical URL"},
		{Name: "time", Type: value.Time, Doc: "when it was fetched"},
		{Name: "status", Type: value.Int, Doc: "HTTP status", Needs: record.ColStatus},
		{Name: "kind", Type: value.Text, Doc: "page, redirect, missing, soft_missing, denied or error", Needs: record.ColKind},
		{Name: "mime", Type: value.Text, Doc: "media type, without parameters", Needs: record.ColMime},
		{Name: "bytes", Type: value.Int, Doc: "size of the body", Needs: record.ColBytes},
		{Name: "digest", Type: value.Text, Doc: "sha256 of the body, in hex", Needs: record.ColDigest},
		{Name: "change", Type: value.Text, Doc: "against the capture before: first, gone, back, kind, changed, layout or same", Needs: record.ColChange},
		{Name: "changed", Type: value.Bool, Doc: "whether change is gone, back, kind or changed", Needs: record.ColChange},
		{Name: "location", Type: value.URL, Doc: "where a redirect leads", Needs: record.ColLocation},
		{Name: "reason", Type: value.Text, Doc: "why it is soft_missing", Needs: record.ColPage},
		{Name: "ip", Type: value.Text, Doc: "address of the server", Needs: record.ColIP},
		{Name: "origin", Type: value.URL, Doc: "URL first asked for, where a redirect led here", Needs: record.ColOrigin},
		{Name: "asked_url", Type: value.Text, Doc: "URL as received", Needs: record.ColAskedURL},
		{Name: "urlkey", Type: value.Text, Doc: "folded key of CDX files"},
		{Name: "host", Type: value.Text, Doc: "host of the URL"},
		{Name: "domain", Type: value.Text, Doc: "registered domain of the host"},
		{Name: "truncated", Type: value.Bool, Doc: "whether the body was cut when fetched", Needs: record.ColTruncated},
		{Name: "noarchive", Type: value.Bool, Doc: "whether the page asks robots to keep no copy", Needs: record.ColPage},
		{Name: "previous", Type: value.Time, Doc: "the capture before", Needs: record.ColPrevious},
		{Name: "version_time", Type: value.Time, Doc: "when the version it found began", Needs: record.ColVersionTime},
		{Name: "pool", Type: value.Text, Doc: "pool that holds it", Needs: record.ColPool},
		{Name: "added", Type: value.Time, Doc: "when it came into this archive", Needs: record.ColAdded},
		{Name: "job", Type: value.Text, Doc: "what brought it", Needs: record.ColJob},
		{Name: "source", Type: value.Text, Doc: "file it came from", Needs: record.ColSource},
		{Name: "source_offset", Type: value.Int, Doc: "where in that file, in bytes", Needs: record.ColSource},
		{Name: "record_id", Type: value.Text, Doc: "id that its file gave it", Needs: record.ColSource},
		{Name: "declared_digest", Type: value.Text, Doc: "digest that its file gave it", Needs: record.ColDeclaredDigest},
		{Name: "via_record", Type: value.Text, Doc: "response, revisit, not_modified or resource", Needs: record.ColVia},
	},
}

var Versions = &Relation{
	Name: "versions", Doc: "one state of a page", Scoped: true, OfVersions: true, RefColumns: refColumns,
	Columns: []Column{
		{Name: "url", Type: value.URL, Doc: "canonical URL"},
		{Name: "time", Type: value.Time, Doc: "first seen so"},
		{Name: "last_seen", Type: value.Time, Doc: "last seen so"},
		{Name: "next", Type: value.Time, Doc: "when the next version was first seen"},
		{Name: "not_before", Type: value.Time, Doc: "last visit that still found the state before", Needs: record.ColPrevious},
		{Name: "previous", Type: value.Time, Doc: "when the version before was first seen", Needs: record.ColPrevious},
		{Name: "as_of", Type: value.Time, Doc: "the moment that AT or NEAREST asks for, or the end of the period of EACH"},
		{Name: "visits", Type: value.Int, Doc: "captures that found it"},
		{Name: "status", Type: value.Int, Doc: "HTTP status", Needs: record.ColStatus},
		{Name: "kind", Type: value.Text, Doc: "page, redirect, missing, soft_missing, denied or error", Needs: record.ColKind},
		{Name: "mime", Type: value.Text, Doc: "media type, without parameters", Needs: record.ColMime},
		{Name: "charset", Type: value.Text, Doc: "what the body is read as", Needs: record.ColPage},
		{Name: "declared_charset", Type: value.Text, Doc: "what header or page says it is", Needs: record.ColPage},
		{Name: "charset_source", Type: value.Text, Doc: "how charset was found: bom, header, meta, xml, detected, host or default", Needs: record.ColPage},
		{Name: "truncated", Type: value.Bool, Doc: "whether the body was cut when fetched", Needs: record.ColTruncated},
		{Name: "unread", Type: value.Text, Doc: "why only the first part of the body was read", Needs: record.ColPage},
		{Name: "bytes", Type: value.Int, Doc: "size of the body", Needs: record.ColBytes},
		{Name: "change", Type: value.Text, Doc: "against the version before: first, gone, back, kind, changed or layout", Needs: record.ColChange},
		{Name: "changed", Type: value.Bool, Doc: "whether change is gone, back, kind or changed", Needs: record.ColChange},
		{Name: "title", Type: value.Text, Doc: "what the page calls itself", Needs: record.ColPage},
		{Name: "lang", Type: value.Text, Doc: "language that it says it is in, or that its script gives away", Needs: record.ColPage},
		{Name: "digest", Type: value.Text, Doc: "sha256 of the body, in hex", Needs: record.ColDigest},
		{Name: "ip", Type: value.Text, Doc: "address of the server", Needs: record.ColIP},
		{Name: "origin", Type: value.URL, Doc: "URL first asked for, where a redirect led here", Needs: record.ColOrigin},
		{Name: "location", Type: value.URL, Doc: "where a redirect leads", Needs: record.ColLocation},
		{Name: "pool", Type: value.Text, Doc: "pool that holds it", Needs: record.ColPool},
		{Name: "block_count", Type: value.Int, Doc: "blocks of the finest level", Needs: record.ColPage},
		{Name: "link_count", Type: value.Int, Doc: "links", Needs: record.ColPage},
		{Name: "urlkey", Type: value.Text, Doc: "folded key of CDX files"},
		{Name: "host", Type: value.Text, Doc: "host of the URL"},
		{Name: "domain", Type: value.Text, Doc: "registered domain of the host"},
		{Name: "path", Type: value.Text, Doc: "path of the URL, decoded"},
		{Name: "depth", Type: value.Int, Doc: "number of parts of the path"},
		{Name: "job", Type: value.Text, Doc: "what brought it", Needs: record.ColJob},
		{Name: "new_blocks", Type: value.Int, Doc: "blocks of the finest level that the version before has not", Aside: true, Needs: record.ColPrevious},
		{Name: "stored_bytes", Type: value.Int, Doc: "size of these, and of the layout if that is new: the most that is stored for it, before compression", Aside: true, Needs: record.ColPrevious},
		{Name: "substantial", Type: value.Bool, Doc: "whether words came or went that are no dates, counters and the like; true of the first", Payload: true},
		{Name: "reason", Type: value.Text, Doc: "why it is soft_missing, or else not substantial: markup, order, date, time, counter, token", Payload: true},
		{Name: "level", Type: value.Int, Doc: "level at which the blocks of its URL tell most of changes, learned from the versions up to it", Payload: true},
		{Name: "level_reason", Type: value.Text, Doc: "why it is finer or coarser than level 2", Payload: true},
		{Name: "simhash", Type: value.Int, Doc: "fingerprint of the text: similar texts differ in few bits", Payload: true},
		{Name: "text", Type: value.Text, Doc: "all visible text, in reading order", Payload: true},
		{Name: "main", Type: value.Text, Doc: "what it is about: its article, without the frame, asides and forms", Payload: true},
		{Name: "page_type", Type: value.Text, Doc: "detail, list or unknown: about something itself, or leading to other pages", Payload: true},
		{Name: "html", Type: value.Text, Doc: "body, decoded, as UTF-8; NULL if it is no text", Payload: true},
		{Name: "headers", Type: value.Text, Doc: "status line and headers as received", Payload: true},
		{Name: "topic", Type: value.Text, Doc: "what the page is about, in words of its own", Payload: true},
		{Name: "author", Type: value.Text, Doc: "author that the page names", Payload: true},
		{Name: "description", Type: value.Text, Doc: "what the page says that it is about", Payload: true},
		{Name: "keywords", Type: value.Text, Doc: "keywords that the page names", Payload: true},
		{Name: "abstract", Type: value.Text, Doc: "how main begins, in up to 200 characters and whole words", Payload: true},
		{Name: "last_modified", Type: value.Time, Doc: "what the header of that name says", Payload: true},
		{Name: "etag", Type: value.Text, Doc: "what the header of that name says", Payload: true},
		{Name: "expires", Type: value.Time, Doc: "what the header of that name says", Payload: true},
		{Name: "layout", Type: value.Text, Doc: "html without its blocks, <!--block--> in their stead", Payload: true},
	},
}

var Pages = &Relation{
	Name: "pages", Doc: "one URL over the period", Scoped: true, RefColumns: refColumns,
	Columns: []Column{
		{Name: "url", Type: value.URL, Doc: "canonical URL"},
		{Name: "first_seen", Type: value.Time, Doc: "first visit of the period"},
		{Name: "last_seen", Type: value.Time, Doc: "last visit of the period"},
		{Name: "version_count", Type: value.Int, Doc: "versions that the visits found"},
		{Name: "change_count", Type: value.Int, Doc: "visits that found a change"},
		{Name: "rank", Type: value.Float, Doc: "what the last PAGERANK without a name says, up to the end of the period"},
		{Name: "title", Type: value.Text, Doc: "what the page calls itself at the last visit", Needs: record.ColPage},
		{Name: "status", Type: value.Int, Doc: "HTTP status at the last visit", Needs: record.ColStatus},
		{Name: "kind", Type: value.Text, Doc: "kind at the last visit", Needs: record.ColKind},
		{Name: "mime", Type: value.Text, Doc: "media type at the last visit", Needs: record.ColMime},
		{Name: "urlkey", Type: value.Text, Doc: "folded key of CDX files"},
		{Name: "host", Type: value.Text, Doc: "host of the URL"},
		{Name: "domain", Type: value.Text, Doc: "registered domain of the host"},
		{Name: "depth", Type: value.Int, Doc: "number of parts of the path"},
		{Name: "as_of", Type: value.Time, Doc: "the moment that AT or NEAREST asks for, or the end of the period of EACH", Aside: true},
		{Name: "inlinks", Type: value.Int, Doc: "pages of the archive that linked to it in the period", Aside: true},
		{Name: "outlinks", Type: value.Int, Doc: "URLs that it linked to in the period", Aside: true},
		{Name: "change_rate", Type: value.Float, Doc: "how often it changes, in changes a day, as the visits of the period tell of it", Aside: true},
		{Name: "next_due", Type: value.Time, Doc: "when CRAWL DUE would visit it", Aside: true},
		{Name: "layer", Type: value.Int, Doc: "hops from a seed of the crawl that fetched it last", Aside: true},
		{Name: "weight", Type: value.Float, Doc: "priority that it had there, in the order BEST", Aside: true},
		{Name: "via", Type: value.URL, Doc: "page that led there", Aside: true},
		{Name: "text", Type: value.Text, Doc: "all visible text of the last version, in reading order", Payload: true},
		{Name: "main", Type: value.Text, Doc: "what that is about: its article, without the frame, asides and forms", Payload: true},
	},
}

var Hosts = &Relation{
	Name: "hosts", Doc: "one host over the period", Scoped: true,
	Columns: []Column{
		{Name: "host", Type: value.Text, Doc: "host name, without a port"},
		{Name: "domain", Type: value.Text, Doc: "registered domain of the host"},
		{Name: "page_count", Type: value.Int, Doc: "URLs"},
		{Name: "version_count", Type: value.Int, Doc: "versions that the visits found"},
		{Name: "change_count", Type: value.Int, Doc: "visits that found a change"},
		{Name: "bytes", Type: value.Int, Doc: "size of the bodies of these versions", Needs: record.ColBytes},
		{Name: "first_seen", Type: value.Time, Doc: "first visit of the period"},
		{Name: "last_seen", Type: value.Time, Doc: "last visit of the period"},
		{Name: "rank", Type: value.Float, Doc: "what the last PAGERANK BY host without a name says, up to the end of the period"},
		{Name: "error_count", Type: value.Int, Doc: "visits of kind error", Needs: record.ColKind},
		{Name: "stored_bytes", Type: value.Int, Doc: "sum of the stored_bytes of the versions that began in the period", Aside: true, Needs: record.ColPrevious},
		{Name: "as_of", Type: value.Time, Doc: "the moment that AT or NEAREST asks for, or the end of the period of EACH", Aside: true},
	},
}

var Periods = &Relation{
	Name: "periods", Doc: "one year, month, week or day of the range asked for, written periods(month)", OfSession: true, OfNoArchive: true,
	Columns: []Column{
		{Name: "period", Type: value.Text, Doc: "the period as it is written, such as 2008-06"},
		{Name: "time", Type: value.Time, Doc: "its start, which is date_trunc(unit, t) of all times in it"},
		{Name: "next", Type: value.Time, Doc: "the start of the next one"},
	},
}

var Pools = &Relation{
	Name: "pools", Doc: "one pool of the archive: the captures of one month",
	Columns: []Column{
		{Name: "name", Type: value.Text, Doc: "name, such as 200806"},
		{Name: "kind", Type: value.Text, Doc: "dynamic or static"},
		{Name: "first_time", Type: value.Time, Doc: "first capture"},
		{Name: "last_time", Type: value.Time, Doc: "last capture"},
		{Name: "urls", Type: value.Int, Doc: "URLs"},
		{Name: "captures", Type: value.Int, Doc: "captures"},
		{Name: "versions", Type: value.Int, Doc: "versions"},
		{Name: "blocks", Type: value.Int, Doc: "blocks stored, those of layouts too"},
		{Name: "bytes", Type: value.Int, Doc: "bodies before compression"},
		{Name: "stored_bytes", Type: value.Int, Doc: "on disk"},
		{Name: "first_url", Type: value.URL, Doc: "first URL in SURT order"},
		{Name: "last_url", Type: value.URL, Doc: "last URL in SURT order"},
		{Name: "depends", Type: value.Text, Doc: "pools whose bodies it uses"},
		{Name: "dependents", Type: value.Text, Doc: "pools that use its bodies: DROP POOL refuses while there are any"},
	},
}

var Tombstones = &Relation{
	Name: "tombstones", Doc: "one DELETE or DROP POOL: that captures were removed, and not which",
	Columns: []Column{
		{Name: "time", Type: value.Time, Doc: "when"},
		{Name: "kind", Type: value.Text, Doc: "delete or drop"},
		{Name: "captures", Type: value.Int, Doc: "captures removed"},
		{Name: "pools", Type: value.Text, Doc: "pools that had them"},
		{Name: "reason", Type: value.Text, Doc: "what REASON said"},
		{Name: "state", Type: value.Text, Doc: "hidden: still in files, and in no answer; gone: in no file"},
	},
}

var Files = &Relation{
	Name: "files", Doc: "one file of the archive",
	Columns: []Column{
		{Name: "file", Type: value.Text, Doc: "name within the archive's folder"},
		{Name: "pool", Type: value.Text, Doc: "pool that it belongs to"},
		{Name: "segments", Type: value.Int, Doc: "segments in it"},
		{Name: "sorted", Type: value.Bool, Doc: "whether it is one sorted run"},
		{Name: "bytes", Type: value.Int, Doc: "size"},
		{Name: "crc", Type: value.Text, Doc: "crc32c, in hex"},
	},
}

var Fetches = &Relation{
	Name: "fetches", Doc: "one attempt of a crawl to fetch a URL, or its decision not to", Scoped: true, OwnTime: "time", OfSession: true,
	Columns: []Column{
		{Name: "url", Type: value.URL, Doc: "canonical URL"},
		{Name: "time", Type: value.Time, Doc: "when it began"},
		{Name: "outcome", Type: value.Text, Doc: "ok, not_modified, redirect, http_error, incomplete, timeout, unreachable, dns_failed, tls_error, robots_denied, filtered, truncated or internal_error"},
		{Name: "status", Type: value.Int, Doc: "HTTP status; NULL without an answer"},
		{Name: "ms", Type: value.Int, Doc: "how long it took, in milliseconds"},
		{Name: "bytes", Type: value.Int, Doc: "size of the body; NULL without an answer"},
		{Name: "ip", Type: value.Text, Doc: "address that was connected to"},
		{Name: "hop", Type: value.Int, Doc: "redirects before it"},
		{Name: "via", Type: value.URL, Doc: "page that led here"},
		{Name: "reason", Type: value.Text, Doc: "why it ended so"},
		{Name: "crawl", Type: value.Text, Doc: "name of the crawl"},
	},
}

var Frontier = &Relation{
	Name: "frontier", Doc: "one URL that a crawl is to fetch", OfSession: true,
	Columns: []Column{
		{Name: "url", Type: value.URL, Doc: "canonical URL"},
		{Name: "host", Type: value.Text, Doc: "host and port, whose queue it stands in"},
		{Name: "priority", Type: value.Float, Doc: "in the order BEST; the highest is next"},
		{Name: "terms", Type: value.Text, Doc: "in the order BEST, what the priority is made of"},
		{Name: "layer", Type: value.Int, Doc: "hops from a seed"},
		{Name: "via", Type: value.URL, Doc: "page that led here"},
		{Name: "due", Type: value.Time, Doc: "not to be fetched before"},
		{Name: "tries", Type: value.Int, Doc: "attempts so far"},
		{Name: "state", Type: value.Text, Doc: "queued; later until it is due; or kept: it is in a trap, and ADD url TO CRAWL has it fetched"},
		{Name: "crawl", Type: value.Text, Doc: "name of the crawl"},
	},
}

var Crawls = &Relation{
	Name: "crawls", Doc: "one crawl", OfSession: true,
	Columns: []Column{
		{Name: "id", Type: value.Int, Doc: "how often a crawl of that name has begun"},
		{Name: "name", Type: value.Text, Doc: "name"},
		{Name: "state", Type: value.Text, Doc: "running, paused, finished, stopped, or interrupted: no process runs it, and CRAWL or RESUME CRAWL goes on"},
		{Name: "statement", Type: value.Text, Doc: "what was asked"},
		{Name: "started", Type: value.Time, Doc: "when it began"},
		{Name: "finished", Type: value.Time, Doc: "when it ended"},
		{Name: "fetched", Type: value.Int, Doc: "pages fetched"},
		{Name: "failed", Type: value.Int, Doc: "attempts without an answer"},
		{Name: "waiting", Type: value.Int, Doc: "URLs to fetch"},
		{Name: "kept", Type: value.Int, Doc: "URLs kept back, because they are in traps"},
		{Name: "layer", Type: value.Int, Doc: "deepest layer met: hops from a seed"},
		{Name: "bytes", Type: value.Int, Doc: "size of the bodies fetched"},
		{Name: "stages", Type: value.Text, Doc: "how many URLs went through each stage, and the seconds that all workers were at it"},
		{Name: "error", Type: value.Text, Doc: "why it was interrupted"},
	},
}

var Workers = &Relation{
	Name: "workers", Doc: "one worker of a crawl that runs", OfSession: true,
	Columns: []Column{
		{Name: "crawl", Type: value.Text, Doc: "name of the crawl"},
		{Name: "worker", Type: value.Int, Doc: "number from 1"},
		{Name: "step", Type: value.Text, Doc: "what it does: fetch, extract or idle"},
		{Name: "url", Type: value.URL, Doc: "of which URL"},
		{Name: "since", Type: value.Time, Doc: "since when"},
	},
}

var Schedules = &Relation{
	Name: "schedules", Doc: "one statement that runs by itself", OfSession: true,
	Columns: []Column{
		{Name: "name", Type: value.Text, Doc: "name"},
		{Name: "state", Type: value.Text, Doc: "waiting, running, or due: its time has come, and no infomall --daemon has begun it"},
		{Name: "rule", Type: value.Text, Doc: "when it runs"},
		{Name: "statement", Type: value.Text, Doc: "what runs"},
		{Name: "next_run", Type: value.Time, Doc: "when it runs next"},
		{Name: "last_run", Type: value.Time, Doc: "when it began last"},
		{Name: "last_state", Type: value.Text, Doc: "how that ended: done, failed or interrupted"},
		{Name: "error", Type: value.Text, Doc: "why it failed"},
		{Name: "created", Type: value.Time, Doc: "when it was scheduled"},
	},
}

var Jobs = &Relation{
	Name: "jobs", Doc: "one run of a statement that works on the archive, the last thousands of them", OwnTime: "started", OfSession: true,
	Columns: []Column{
		{Name: "id", Type: value.Int, Doc: "number, rising"},
		{Name: "name", Type: value.Text, Doc: "name of its schedule, or that AS gives it"},
		{Name: "scheduled", Type: value.Bool, Doc: "whether it is the run of a schedule"},
		{Name: "state", Type: value.Text, Doc: "running, done, failed, or interrupted: it was stopped, or its process is gone"},
		{Name: "statement", Type: value.Text, Doc: "what runs"},
		{Name: "started", Type: value.Time, Doc: "when it began"},
		{Name: "finished", Type: value.Time, Doc: "when it ended"},
		{Name: "rows", Type: value.Int, Doc: "rows of its answer, or the records, pages or captures that it counts"},
		{Name: "bytes", Type: value.Int, Doc: "bytes that it counts"},
		{Name: "error", Type: value.Text, Doc: "why it failed"},
		{Name: "process", Type: value.Int, Doc: "number of the process that runs it"},
	},
}

var History = &Relation{
	Name: "history", Doc: "one entry typed at the prompt, by this user", OfSession: true, OfNoArchive: true,
	Columns: []Column{
		{Name: "time", Type: value.Time, Doc: "when it was typed"},
		{Name: "statement", Type: value.Text, Doc: "what was typed, values of parameters left out"},
		{Name: "duration", Type: value.Duration, Doc: "how long it took"},
		{Name: "rows", Type: value.Int, Doc: "rows that it gave"},
		{Name: "status", Type: value.Text, Doc: "done, failed or interrupted; NULL while it runs"},
	},
}

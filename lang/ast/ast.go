// Package ast defines the syntax tree of the query language. The tree is plain
// data: package lang parses source into it, and package exec/plan makes plans
// from it.
//
// Each node holds its position in the source. Its String method returns
// canonical source: keywords in upper case, one space between words, brackets
// only where they are needed. That source parses to an equal tree.
//
// # Words
//
// A clause is a part of a statement that begins with a keyword, such as LIMIT
// 10. A scope selects URLs: a host, a domain or the beginning of a URL. A
// period is a literal such as 2008-06, which means the whole month. A capture
// is one stored response of a URL. A version covers successive captures of a
// URL with the same content. A pool is the storage unit of an archive, with a
// name and a directory of its own.
//
// The comment of each statement type gives its syntax: [x] is optional, (a | b)
// is a choice, and … repeats what precedes it.
package ast

// Pos is a position in a source text. Line and Column count from 1, Column in
// characters. Offset counts bytes from 0. The zero Pos means that the position
// is unknown.
type Pos struct {
	Filename string
	Offset   int
	Line     int
	Column   int
}

// Span is the source text from Start up to, not including, End.
type Span struct {
	Start, End Pos
}

// At returns s. A type that embeds a Span so has the method At of Node.
func (s Span) At() Span { return s }

// Node is any part of the tree: a statement, an expression or a clause.
type Node interface {
	At() Span // the source text of the node
	// String returns the node as canonical source.
	String() string
}

// Statement is one statement of the language. The types of this package with a
// method statement implement it, and no others. Package exec lists what each of
// them does.
type Statement interface {
	Node
	statement()
}

// Name is an identifier. Text has no quotes and keeps the case of the source:
// for "my view" it is my view.
type Name struct {
	Span
	Text   string
	Quoted bool // it was written in double quotes
}

// Query is one SELECT, or several that UNION ALL joins. ORDER BY, LIMIT and
// OFFSET apply to the rows of all of them.
type Query struct {
	Span
	With    []With
	Select  *Select
	Union   []*Select // the SELECTs after the first, each after UNION ALL
	OrderBy []OrderItem
	Limit   Expr // nil if absent
	Offset  Expr // nil if absent
}

// With is one name AS (query) of a WITH clause. Later queries of the clause and
// the SELECT can read the rows of Query by the name.
type With struct {
	Span
	Name  Name
	Query *Query
}

// OrderItem is one sort key: expr [ASC | DESC] [NULLS FIRST | NULLS LAST].
type OrderItem struct {
	Span
	Expr       Expr
	Desc       bool
	NullsFirst bool // NULLs precede all values; otherwise they follow them
}

// Select is one SELECT, from its items to its HAVING. ORDER BY and LIMIT are
// parts of the Query around it.
type Select struct {
	Span
	Distinct bool
	Items    []Item
	From     *Source // nil if absent
	Joins    []Join  // in the order of the source
	Where    Expr    // nil if absent
	GroupBy  []Expr
	Having   Expr // nil if absent
}

// Item is one item of SELECT: *, or expr [AS name].
type Item struct {
	Span
	Star  bool
	Expr  Expr  // nil for a star
	Alias *Name // nil if absent
}

// Source is what FROM or JOIN reads: a query in brackets, a FILE, or a relation
// with its scopes and time clause.
type Source struct {
	Span
	Query    *Query  // in brackets; nil for a FILE or a relation
	File     Expr    // *String or *Param; nil unless it is FILE 'path'
	Relation *Name   // a relation, a view or a name of WITH; nil means versions if there are scopes
	Unit     *Name   // the unit of periods(unit); nil if absent
	Scopes   []Scope // none means all URLs
	Time     TimeClause
	Alias    *Name // nil if absent
}

// Join is [LEFT] JOIN source ON expr.
type Join struct {
	Span
	Left   bool // LEFT: a row on the left without a match is kept, with NULLs
	Source *Source
	On     Expr
}

// Scope selects URLs by a string or a parameter, such as 'lanshan.example', or by
// a range of two of them: 'a' .. 'b'.
type Scope struct {
	Span
	From Expr // *String or *Param
	To   Expr // *String or *Param; nil unless it is a range
}

// TimeClause is a range, a choice, both or neither, in either order in the source.
// The choice picks from the versions within the range.
type TimeClause struct {
	Range  *TimeRange  // nil if absent
	Choice *TimeChoice // nil if absent
}

// RangeOp is the form of a time range.
type RangeOp uint8

// The forms of a time range. Each bound is a period, with a start and an end.
const (
	RangeBetween RangeOp = iota // BETWEEN a AND b: from the start of a to the end of b
	RangeFromTo                 // FROM a TO b: from the start of a to the start of b, which is excluded
	RangeSince                  // SINCE a: from the start of a
	RangeUntil                  // UNTIL b: to the end of b
	RangeDuring                 // DURING a AND b: BETWEEN, and the last version before the start of a
)

// TimeRange limits captures by their time. A is nil for RangeUntil, B for
// RangeSince.
type TimeRange struct {
	Span
	Op   RangeOp
	A, B Expr
}

// ChoiceOp is the form of a time choice.
type ChoiceOp uint8

// The forms of a time choice, with the version that each picks.
const (
	ChoiceAt      ChoiceOp = iota // AT t, AS OF t: the last one not after the end of t
	ChoiceNearest                 // NEAREST t: the one nearest to t
	ChoiceFirst                   // FIRST
	ChoiceLatest                  // LATEST
	ChoiceEach                    // EACH unit: for each unit of the range, the one that AT picks
)

// TimeChoice picks one version of each URL. EACH picks one version of each URL
// for each year, month, week or day.
type TimeChoice struct {
	Span
	Op   ChoiceOp
	T    Expr   // of AT and NEAREST; otherwise nil
	Unit string // of EACH: one of PeriodUnits; otherwise ""
}

// PeriodUnits lists the words that EACH and periods(unit) take.
var PeriodUnits = []string{"year", "month", "week", "day"}

// Import is IMPORT 'glob' [FORMAT f] [BASE 'url'] [AT t] [AS name].
type Import struct {
	Span
	Paths  []Expr // *String or *Param, one or more
	Format *Name  // nil: the format is detected
	Base   Expr   // *String or *Param; nil if absent
	Time   Expr   // nil if absent
	Alias  *Name  // nil if absent
}

// Export is EXPORT (query) TO file [FORMAT f].
type Export struct {
	Span
	Query  *Query
	To     Expr  // *String or *Param
	Format *Name // nil: the extension of the file's name decides
}

// Crawl is CRAWL 'url', … or CRAWL DUE [IN scope, …], followed by the clauses that
// the fields name. CRAWL DUE visits pages of the archive again when they are due.
type Crawl struct {
	Span
	Due          bool
	In           []Scope // of DUE; none means all URLs
	Seeds        []Expr  // *String or *Param; none for DUE, otherwise one or more
	Depth        Expr    // *Number or *Param; nil if absent
	Limits       []CrawlLimit
	Within       []Scope // none means the hosts of the seeds
	Exclude      []Exclusion
	For          Expr   // *String or *Param; nil if absent
	Expand       Expr   // condition of EXPAND WHERE; nil if absent
	Through      Expr   // *Number or *Param; nil if absent
	Order        string // BFS, BEST or RANDOM; "" if absent
	Workers      Expr   // *Number or *Param; nil if absent
	Delay        Expr   // *Duration or *Param; nil if absent
	Rate         Expr   // *Size or *Param; nil if absent
	Agent        Expr   // *String or *Param; nil if absent
	Proxy        Expr   // *String or *Param; nil if absent
	Requisites   bool
	IgnoreRobots bool
	AllowPrivate bool
	TrapsOff     bool // TRAPS OFF
	TrapLimit    Expr // of TRAPS LIMIT, *Number or *Param; nil if absent
	FromArchive  bool
	Time         Expr  // of FROM ARCHIVE AT; nil if absent
	Alias        *Name // nil if absent
}

// CrawlLimit is one limit of LIMIT, such as 1000 PAGES, 2GB or 8h.
type CrawlLimit struct {
	Pages bool // the limit is a number of pages
	N     Expr // *Number or *Param if Pages, otherwise *Size or *Duration
}

// Exclusion is one item of EXCLUDE. It excludes the URLs in a scope, or the URLs
// that a regular expression matches.
type Exclusion struct {
	Scope Scope // used if Match is nil
	Match Expr  // of ~'re', a *String or *Param; nil for a scope
}

// CrawlDeed is the action of an OrderCrawl.
type CrawlDeed uint8

// The actions of an OrderCrawl.
const (
	CrawlPause CrawlDeed = iota
	CrawlResume
	CrawlStop
	CrawlWorkers // SET WORKERS n FOR CRAWL name
)

// OrderCrawl is (PAUSE | RESUME | STOP) CRAWL name, or SET WORKERS n FOR CRAWL
// name.
type OrderCrawl struct {
	Span
	Deed    CrawlDeed
	Name    Name
	Workers Expr // *Number or *Param for CrawlWorkers, otherwise nil
}

// AddToCrawl is ADD 'url', … TO CRAWL name [FORCE].
type AddToCrawl struct {
	Span
	URLs  []Expr // *String or *Param, one or more
	Name  Name
	Force bool
}

// Trace is TRACE 'url'. It shows what each crawl decided about the URL, and why.
type Trace struct {
	Span
	URL Expr // *String or *Param
}

// CopyPool is COPY POOL ('p' | ALL) TO 'dir'. It copies pools into another folder.
type CopyPool struct {
	Span
	Pool Expr // *String or *Param; nil for ALL
	To   Expr // *String or *Param
}

// Verify is VERIFY [POOL p] [SAMPLE 1/n]. It checks the files of the archive, or with
// SAMPLE a part of them.
type Verify struct {
	Span
	Pool   Expr // *String or *Param; nil means all pools
	Sample Expr // the n of 1/n, a *Number or *Param; nil means everything
}

// MergePool is (MERGE | SEAL) POOL ('p' | ALL). It merges the segments of a pool. A
// sealed pool does not change any more.
type MergePool struct {
	Span
	Seal bool // SEAL, not MERGE
	Pool Expr // *String or *Param; nil for ALL
}

// RepairPool is REPAIR POOL 'p' FROM 'dir'. It replaces damaged files by those of a
// copy of the archive in dir.
type RepairPool struct {
	Span
	Pool Expr // *String or *Param
	From Expr // *String or *Param
}

// Reindex is REINDEX [POOL p] [DERIVED]. It makes the indexes of pools again.
type Reindex struct {
	Span
	Pool    Expr // *String or *Param; nil means all pools
	Derived bool
}

// DropPool is DROP POOL 'p'. It removes a pool from the archive.
type DropPool struct {
	Span
	Pool Expr // *String or *Param
}

// Delete is DELETE FROM scope, … [range] [WHERE expr] [REASON 's'].
type Delete struct {
	Span
	Scopes []Scope
	Range  *TimeRange // nil means all times
	Where  Expr       // nil means all captures
	Reason Expr       // *String or *Param; nil if absent
}

// CreateView is CREATE [OR REPLACE] VIEW name AS query.
type CreateView struct {
	Span
	Replace bool
	Name    Name
	Query   *Query
}

// MetadataOn is the kind of thing that each value of a metadata column
// describes.
type MetadataOn uint8

// The words after ON in CREATE METADATA.
const (
	OnPage    MetadataOn = iota // page: one value per page
	OnVersion                   // version: one value per version
	OnBlock                     // block: one value per block of a page
)

// CreateMetadata is CREATE [OR REPLACE] METADATA name ON (page | version | block)
// AS expr. It defines a computed column by a name.
type CreateMetadata struct {
	Span
	Replace bool
	Name    Name
	On      MetadataOn
	Expr    Expr
}

// DropView is DROP VIEW name.
type DropView struct {
	Span
	Name Name
}

// DropMetadata is DROP METADATA name.
type DropMetadata struct {
	Span
	Name Name
}

// Save is SAVE name [(parameter, …)] AS query. RUN runs the saved query.
type Save struct {
	Span
	Name   Name
	Params []Name
	Query  *Query
}

// Run is RUN (name | 'file') [(parameter = value, …)].
type Run struct {
	Span
	Name *Name // of a saved query; nil if File is set
	File Expr  // *String or *Param; nil if Name is set
	Args []Arg
}

// Arg is one parameter = value of RUN.
type Arg struct {
	Span
	Name  Name
	Value Expr // a constant, or a *Column if it is a word without quotes
}

// Recover is RECOVER file [TO file]. It saves the records of a damaged file.
type Recover struct {
	Span
	File Expr // *String or *Param
	To   Expr // *String or *Param; nil means that no file is written
}

// Explain is EXPLAIN [ANALYZE] statement.
type Explain struct {
	Span
	Analyze   bool
	Statement Statement
}

// Describe is DESCRIBE name, the name of a relation, view, function or setting.
type Describe struct {
	Span
	Name Name
}

// Show is SHOW list. A list is a fixed word such as POOLS or SETTINGS.
type Show struct {
	Span
	What Name // the word, in lower case
}

// PageForm is the form in which SHOW PAGE prints a page.
type PageForm uint8

// The forms of SHOW PAGE, by the word after AS.
const (
	PageDefault PageForm = iota // no AS: the same as html
	PageText                    // text: the visible text
	PageHTML                    // html: the decoded body, in UTF-8
	PageRaw                     // raw: the bytes of the body as stored
	PageWire                    // wire: the response as it was received
	PageHeaders                 // headers: the HTTP headers
	PageBlocks                  // blocks: the page divided into blocks
)

// ShowRobots is SHOW ROBOTS 'url' [AGENT 's'] [AT t].
type ShowRobots struct {
	Span
	URL   Expr // *String or *Param
	Agent Expr // *String or *Param; nil means the agent of the crawler
	Time  Expr // nil means the latest capture
}

// ShowPage is SHOW PAGE 'url' [AT t] [AS form].
type ShowPage struct {
	Span
	URL  Expr // *String or *Param
	Time Expr // nil means the latest capture
	Form PageForm
}

// Diff is DIFF 'url' [FROM t] [TO t]. It shows how the blocks of a page changed between
// two times.
type Diff struct {
	Span
	URL  Expr // *String or *Param
	From Expr // nil means the version before the one of To
	To   Expr // nil means the latest version
}

// Set is SET name = value, or SET $name = value for a parameter.
type Set struct {
	Span
	Name  Name
	Param bool // it is SET $name
	Value Expr // a constant, or a *Column if it is a word without quotes, such as on
}

// Reset is RESET name.
type Reset struct {
	Span
	Name Name
}

// Help is HELP [topic].
type Help struct {
	Span
	Topic string // in upper case, with single spaces, such as CREATE VIEW; "" if absent
}

func (*Query) statement()          {}
func (*Import) statement()         {}
func (*Export) statement()         {}
func (*Crawl) statement()          {}
func (*OrderCrawl) statement()     {}
func (*AddToCrawl) statement()     {}
func (*Trace) statement()          {}
func (*CopyPool) statement()       {}
func (*Verify) statement()         {}
func (*Reindex) statement()        {}
func (*Recover) statement()        {}
func (*MergePool) statement()      {}
func (*RepairPool) statement()     {}
func (*DropPool) statement()       {}
func (*Delete) statement()         {}
func (*CreateView) statement()     {}
func (*CreateMetadata) statement() {}
func (*DropView) statement()       {}
func (*DropMetadata) statement()   {}
func (*Save) statement()           {}
func (*Run) statement()            {}
func (*Explain) statement()        {}
func (*Describe) statement()       {}
func (*Show) statement()           {}
func (*ShowRobots) statement()     {}
func (*ShowPage) statement()       {}
func (*Diff) statement()           {}
func (*Set) statement()            {}
func (*Reset) statement()          {}
func (*Help) statement()           {}

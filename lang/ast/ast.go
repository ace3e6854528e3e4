// Package ast is the syntax tree of the query language. It is plain data: it
// knows neither the parser that makes it nor the planner that reads it.
//
// Every node knows where it stands, and prints as source that parses to an
// equal tree.
package ast

// Pos is a place in a source text. Line and Column count from 1, Column in
// characters; Offset counts bytes from 0. The zero Pos is no place.
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

// At returns the span itself; nodes have it by embedding a Span.
func (s Span) At() Span { return s }

// Node is any part of the tree.
type Node interface {
	At() Span
	// String prints the node as canonical source.
	String() string
}

// Statement is one statement. Its types are those of this package with the method
// statement; package exec lists what each of them does.
type Statement interface {
	Node
	statement()
}

// Name is an identifier as meant: quotes taken off, case kept.
type Name struct {
	Span
	Text   string
	Quoted bool
}

// Query is a SELECT, or several, with what orders and bounds all their rows.
type Query struct {
	Span
	With    []With
	Select  *Select
	Union   []*Select // those behind Select, with UNION ALL between them
	OrderBy []OrderItem
	Limit   Expr // nil if absent
	Offset  Expr // nil if absent
}

// With is one query that WITH gives a name, for those after it and for the
// SELECT.
type With struct {
	Span
	Name  Name
	Query *Query
}

// OrderItem is one key of ORDER BY. NULLs are last unless told.
type OrderItem struct {
	Span
	Expr       Expr
	Desc       bool
	NullsFirst bool
}

// Select is one SELECT.
type Select struct {
	Span
	Distinct bool
	Items    []Item
	From     *Source // nil if absent
	Joins    []Join  // in the order in which they are made
	Where    Expr    // nil if absent
	GroupBy  []Expr
	Having   Expr // nil if absent
}

// Item is one result column: a star, or an expression with or without a name.
type Item struct {
	Span
	Star  bool
	Expr  Expr  // nil for a star
	Alias *Name // nil if absent
}

// Source is what a SELECT reads: the rows of another query, or of a relation.
type Source struct {
	Span
	Query    *Query  // in brackets; nil where a relation is read, and scopes and time with it
	File     Expr    // *String or *Param of FILE, which has nothing else; or nil
	Relation *Name   // also the name of a WITH; nil where only a scope is given: versions is meant
	Unit     *Name   // of periods(unit); nil if absent
	Scopes   []Scope // none: everything
	Time     TimeClause
	Alias    *Name // nil if absent
}

// Join is [LEFT] JOIN source ON expr.
type Join struct {
	Span
	Left   bool // rows without a match are kept
	Source *Source
	On     Expr
}

// Scope is one scope: a string or a parameter, or two with .. between them.
type Scope struct {
	Span
	From Expr // *String or *Param
	To   Expr // nil unless written as a range
}

// TimeClause is a range, a choice, both or neither. They may stand in either
// order in the source; the choice is made within the range.
type TimeClause struct {
	Range  *TimeRange
	Choice *TimeChoice
}

// RangeOp tells the forms of a time range apart.
type RangeOp uint8

// The forms of a time range.
const (
	RangeBetween RangeOp = iota // BETWEEN a AND b: both whole
	RangeFromTo                 // FROM a TO b: up to, not including, the start of b
	RangeSince                  // SINCE a
	RangeUntil                  // UNTIL b
	RangeDuring                 // DURING a AND b: also what was in force when a began
)

// TimeRange bounds capture times. A or B is nil where the form has none.
type TimeRange struct {
	Span
	Op   RangeOp
	A, B Expr
}

// ChoiceOp tells the choices apart.
type ChoiceOp uint8

// The choices.
const (
	ChoiceAt ChoiceOp = iota // AT t, AS OF t
	ChoiceNearest
	ChoiceFirst
	ChoiceLatest
	ChoiceEach // EACH unit
)

// TimeChoice picks one version of each URL, or with EACH one for every period.
type TimeChoice struct {
	Span
	Op   ChoiceOp
	T    Expr   // of AT and NEAREST, else nil
	Unit string // of EACH: one of PeriodUnits
}

// PeriodUnits are the units of EACH and of periods(…).
var PeriodUnits = []string{"year", "month", "week", "day"}

// Import is IMPORT 'glob' [FORMAT f] [BASE 'url'] [AT t] [AS name].
type Import struct {
	Span
	Paths  []Expr // *String or *Param, one or more
	Format *Name  // nil for auto
	Base   Expr   // *String or *Param; nil if absent
	Time   Expr   // nil if absent
	Alias  *Name  // nil if absent
}

// Export is EXPORT (query) TO file [FORMAT f].
type Export struct {
	Span
	Query  *Query
	To     Expr
	Format *Name // nil: told by the file's name
}

// Crawl is CRAWL 'url', … or CRAWL DUE [IN scope, …] with clauses.
type Crawl struct {
	Span
	Due          bool
	In           []Scope // of DUE; none: everything
	Seeds        []Expr  // *String or *Param, one or more unless it is DUE
	Depth        Expr    // *Number or *Param; nil if absent
	Limits       []CrawlLimit
	Within       []Scope // none: the seeds' hosts
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

// CrawlLimit is one bound of a crawl.
type CrawlLimit struct {
	Pages bool // N counts pages; else it is a *Size or a *Duration
	N     Expr // of pages *Number or *Param
}

// Exclusion is what a crawl leaves out: a scope, or what a pattern matches.
type Exclusion struct {
	Scope Scope // unless Match is set
	Match Expr  // *String or *Param; nil for a scope
}

// CrawlDeed is what a crawl is told to do.
type CrawlDeed uint8

// The deeds.
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
	Workers Expr // *Number or *Param; nil but for CrawlWorkers
}

// AddToCrawl is ADD 'url', … TO CRAWL name [FORCE].
type AddToCrawl struct {
	Span
	URLs  []Expr // *String or *Param, one or more
	Name  Name
	Force bool
}

// Trace is TRACE 'url'.
type Trace struct {
	Span
	URL Expr // *String or *Param
}

// CopyPool is COPY POOL ('p' | ALL) TO 'dir'.
type CopyPool struct {
	Span
	Pool Expr // *String or *Param; nil for ALL
	To   Expr // *String or *Param
}

// Verify is VERIFY [POOL p] [SAMPLE 1/n].
type Verify struct {
	Span
	Pool   Expr // *String or *Param; nil: all
	Sample Expr // n: *Number or *Param; nil: all
}

// MergePool is (MERGE | SEAL) POOL ('p' | ALL).
type MergePool struct {
	Span
	Seal bool
	Pool Expr // *String or *Param; nil: all
}

// RepairPool is REPAIR POOL 'p' FROM 'dir'.
type RepairPool struct {
	Span
	Pool Expr // *String or *Param
	From Expr // *String or *Param
}

// Reindex is REINDEX [POOL p] [DERIVED].
type Reindex struct {
	Span
	Pool    Expr // *String or *Param; nil: all
	Derived bool
}

// DropPool is DROP POOL 'p'.
type DropPool struct {
	Span
	Pool Expr // *String or *Param
}

// Delete is DELETE FROM scope, … [range] [WHERE expr] [REASON 's'].
type Delete struct {
	Span
	Scopes []Scope
	Range  *TimeRange // nil: all times
	Where  Expr       // nil: all captures
	Reason Expr       // *String or *Param; nil if none is given
}

// CreateView is CREATE [OR REPLACE] VIEW name AS query.
type CreateView struct {
	Span
	Replace bool
	Name    Name
	Query   *Query
}

// MetadataOn is what a value of metadata is about.
type MetadataOn uint8

// What CREATE METADATA … ON takes.
const (
	OnPage MetadataOn = iota
	OnVersion
	OnBlock
)

// CreateMetadata is CREATE [OR REPLACE] METADATA name ON what AS expr.
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

// Save is SAVE name [(parameter, …)] AS query.
type Save struct {
	Span
	Name   Name
	Params []Name
	Query  *Query
}

// Run is RUN name or RUN 'file', and [(parameter = value, …)].
type Run struct {
	Span
	Name *Name // nil for a file
	File Expr  // *String or *Param; nil for a name
	Args []Arg
}

// Arg is a parameter's value in RUN.
type Arg struct {
	Span
	Name  Name
	Value Expr // a constant, or a *Column for a bare word
}

// Recover is RECOVER file [TO file].
type Recover struct {
	Span
	File Expr // *String or *Param
	To   Expr // *String or *Param; nil: nothing is written
}

// Explain is EXPLAIN [ANALYZE] statement.
type Explain struct {
	Span
	Analyze   bool
	Statement Statement
}

// Describe is DESCRIBE of a relation, a setting or a function.
type Describe struct {
	Span
	Name Name
}

// Show is SHOW of one of the closed set of lists, such as POOLS.
type Show struct {
	Span
	What Name // lower case
}

// PageForm is the form in which SHOW PAGE prints a page.
type PageForm uint8

// The forms of SHOW PAGE.
const (
	PageDefault PageForm = iota
	PageText
	PageHTML
	PageRaw
	PageWire
	PageHeaders
	PageBlocks
)

// ShowRobots is SHOW ROBOTS 'url' [AGENT 's'] [AT t].
type ShowRobots struct {
	Span
	URL   Expr // *String or *Param
	Agent Expr // *String or *Param; nil for the crawler's own
	Time  Expr // nil: the latest
}

// ShowPage is SHOW PAGE 'url' [AT t] [AS form].
type ShowPage struct {
	Span
	URL  Expr // *String or *Param
	Time Expr // nil: the latest
	Form PageForm
}

// Diff is DIFF 'url' [FROM t] [TO t].
type Diff struct {
	Span
	URL  Expr // *String or *Param
	From Expr // nil: the version before To's
	To   Expr // nil: the latest
}

// Set is SET name = value, or SET $name = value for a parameter.
type Set struct {
	Span
	Name  Name
	Param bool
	Value Expr // a constant, or a *Column for a bare word such as on
}

// Reset is RESET name.
type Reset struct {
	Span
	Name Name
}

// Help is HELP [topic].
type Help struct {
	Span
	Topic string // "" if absent; words joined by blanks, upper case
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

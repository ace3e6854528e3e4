package exec

import (
	"context"
	"io"
	"io/fs"
	"iter"

	"infomall/exec/op"
	"infomall/exec/value"
	"infomall/store/record"
)

// Session runs statements one after another against one archive. It keeps
// settings and parameters from one statement to the next. It must not be used
// concurrently.
type Session struct {
	Archive  Archive
	Settings Settings
	Params   map[string]string // given by --param and SET $name; text, typed by its place
	Now      Clock             // nil is time.Now
	Scripts  fs.FS             // scripts that come with the program, NAME.iql each, for RUN; nil: none
	Verbose  bool              // IMPORT also lists each damage
	ReadOnly bool              // statements that write are refused
	// Plain runs queries as they are written, without shortening any way; the
	// answers are the same. Tests compare with it.
	Plain bool
	// History gives what was typed at the prompt, the oldest first, for the
	// relation history; nil is none.
	History func(context.Context) ([]op.Entry, error)
	// Crawler runs crawls; nil refuses CRAWL, and shows none.
	Crawler Crawler
	// Jobs notes what works on the archive; nil notes nothing, and refuses to
	// run schedules.
	Jobs Jobs
	// Version of the program, for the User-Agent of crawls.
	Version string
	// Confirm is asked before DROP and DELETE take captures away, with lines that
	// say which. An error refuses, and is that of the statement. Nil refuses all.
	Confirm func(ctx context.Context, what []string) error
	// Progress, if not nil, is told how far a long statement is, at most ten
	// times a second, from one goroutine.
	Progress func(Progress)

	checked []record.Definition // by statements that Check has seen
	running int                 // scripts that Check is in
	trying  bool                // statements are read, and none that writes is run

	// Of the run of an adaptive schedule: what CRAWL DUE may spend, and how many
	// runs came before.
	budget *visitBudget
	turns  int64
}

// Progress says how far a statement is. Total is 0 if it is not known.
type Progress struct {
	What        string // such as "import k.warc.gz"
	Done, Total int64
	Unit        string // "bytes" or "rows"
}

// ResultKind says how a result is shown.
type ResultKind uint8

// The kinds of result.
const (
	ResultNone  ResultKind = iota // done, nothing to show: SET, RESET
	ResultRows                    // an answer: SELECT, SHOW, DESCRIBE, EXPLAIN
	ResultWork                    // a summary of work done: IMPORT
	ResultBytes                   // bytes: SHOW PAGE … AS raw | wire | html | text | headers, DIFF
	ResultText                    // text to read: HELP
)

// Count is how much work a statement did, as the log of jobs stores it.
type Count struct {
	Rows  int64 // what the work was done on: captures, records, pages, rows of a file
	Bytes int64
}

// Result is what a statement gives. Rows of a query are computed while they
// are ranged over, once; the statement's snapshot is released when that ends.
// A result with Rows that is not ranged over must be closed.
type Result struct {
	Kind    ResultKind
	Columns []value.Column                 // of ResultBytes the one in which they are a row
	Rows    iter.Seq2[*value.Batch, error] // nil for ResultNone and ResultBytes
	Count   Count                          // of ResultWork; complete when Rows has ended
	Bytes   io.WriterTo                    // for ResultBytes and ResultText
	Drawing Drawing                        // of DIFF and SHOW PAGE AS blocks, else nil
	// Notes are lines for the person at the terminal (stderr): what was used,
	// why there are no rows. Complete when Rows has ended.
	Notes []string
	// Read counts what a query has read of the archive. Complete when Rows has
	// ended.
	Read  record.ReadStats
	Close func() // never nil; harmless after Rows has ended
}

package exec

import (
	"context"
	"io"
	"io/fs"
	"iter"

	"infomall/exec/op"
	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/record/task"
)

// Session runs statements one after another against one archive. It keeps
// settings and parameters from one statement to the next. It must not be used
// concurrently.
type Session struct {
	Archive  Archive
	Settings Settings
	Params   map[string]string // values by name, from --param and SET $name, as text
	Now      Clock             // nil means time.Now
	Scripts  fs.FS             // the scripts that come with the program, NAME.iql, for RUN; nil means none
	Verbose  bool              // IMPORT also lists each damaged place
	ReadOnly bool              // statements that write are refused
	// Plain runs queries without optimization. The answers are the same. Tests compare
	// them.
	Plain bool
	// History returns the statements that were typed at the prompt, the oldest first,
	// for the relation history. Nil means none.
	History func(context.Context) ([]op.Entry, error)
	// Crawler runs crawls. If it is nil, CRAWL is refused and no crawls are listed.
	Crawler Crawler
	// Jobs is the log of statements that work on the archive. If it is nil, nothing is
	// logged and no schedule can run.
	Jobs Jobs
	// Version of the program, for the User-Agent of crawls.
	Version string
	// Confirm is called before DROP POOL and DELETE remove captures, with lines that say
	// which. If it returns an error, nothing is removed and the statement returns that
	// error. If Confirm is nil, both statements are refused.
	Confirm func(ctx context.Context, what []string) error
	// Progress, if not nil, is called with the progress of a long statement, at most ten
	// times a second and from one goroutine.
	Progress func(Progress)

	checked []task.Definition // definitions of statements that Check has read
	running int               // how many scripts are being checked, one inside the other
	trying  bool              // statements that write may be read, but they are not run

	// For a run of an adaptive schedule: how many visits CRAWL DUE may make, and how many
	// runs came before.
	budget *visitBudget
	turns  int64
}

// Progress is how much of its work a statement has done. Total is 0 if it is not known.
type Progress struct {
	What        string // such as "import k.warc.gz"
	Done, Total int64
	Unit        string // "bytes" or "rows"
}

// ResultKind is the kind of a result. It decides how the result is printed.
type ResultKind uint8

// The kinds of result.
const (
	ResultNone  ResultKind = iota // nothing to print: SET, RESET
	ResultRows                    // the rows of an answer: SELECT, SHOW, DESCRIBE, EXPLAIN
	ResultWork                    // a summary of work done: IMPORT
	ResultBytes                   // bytes: SHOW PAGE … AS raw | wire | html | text | headers, DIFF
	ResultText                    // text to read: HELP
)

// Count is how much work a statement did, as the log of jobs stores it.
type Count struct {
	Rows  int64 // what the work was done on: captures, records, pages, rows of a file
	Bytes int64
}

// Result is the result of a statement. The rows of a query are computed while the caller
// ranges over them, which is possible only once. When the loop ends, the statement's
// snapshot is released. If the caller never ranges over Rows, it must call Close.
type Result struct {
	Kind    ResultKind
	Columns []value.Column                 // of ResultBytes: the one column of a row with the bytes
	Rows    iter.Seq2[*value.Batch, error] // nil for ResultNone, ResultBytes and ResultText
	Count   Count                          // of ResultWork; complete when Rows has ended
	Bytes   io.WriterTo                    // for ResultBytes and ResultText
	Drawing Drawing                        // of DIFF and SHOW PAGE AS blocks, otherwise nil
	// Notes are lines for the user, on standard error: which capture was used, or why
	// there are no rows. They are complete when Rows has ended.
	Notes []string
	// Read counts what a query has read from the archive. It is complete when Rows has
	// ended.
	Read  record.ReadStats
	Close func() // never nil; harmless after Rows has ended
}

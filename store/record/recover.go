package record

import "io"

// RecoverState says how a span of a damaged file was judged.
type RecoverState uint8

// The states.
const (
	// RecoverDamaged: nothing of the span can be read.
	RecoverDamaged RecoverState = iota
	// RecoverChained: records that stand in a row, each right behind the one
	// before.
	RecoverChained
	// RecoverConfirmed: a record that stands between damages, alone or with one
	// more, and what it says of itself is so.
	RecoverConfirmed
)

// String is the state's name.
func (s RecoverState) String() string {
	return [...]string{"damaged", "chained", "confirmed"}[s]
}

// Recovered is a span of a file that was gone through for what can be saved: a
// record, or damage. Spans come in order and do not overlap.
type Recovered struct {
	Offset int64 // in the file, in bytes
	Length int64 // 0 where there is no saying
	State  RecoverState
	// Records is how many were saved. A run of a db-file has many; one that
	// brings only blocks has none.
	Records int
	// What says why the span is damaged, or in which dialect a saved record is
	// if not by the rules.
	What string
	URL  string // of a damaged record, where its head can be read; or ""
	Time Time   // of that record, or NoTime
	// Write, of what was saved, writes it: the record as it stood. It can be
	// called until the next span is asked for.
	// Nil where nothing is to be written.
	Write func(w io.Writer) error
}

// RecoverOptions say what to go through.
type RecoverOptions struct {
	File string
	// Progress, if not nil, is called now and then from one goroutine. Bytes
	// are those of the file.
	Progress func(done, total int64)
}

// RecoverPlan says what a RECOVER would do.
type RecoverPlan struct {
	Format string // of the file
	Bytes  int64  // it has
	To     string // format of what would be written; "" for nothing
}

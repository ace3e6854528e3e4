package task

import (
	"io"

	"infomall/store/record"
)

// RecoverState says how RECOVER judges a span of a damaged file.
type RecoverState uint8

// The values of RecoverState. A span is a damaged range of the file, or a record
// that was saved.
const (
	// RecoverDamaged means that nothing in the span can be read.
	RecoverDamaged RecoverState = iota
	// RecoverChained means that the span is a record in a sequence: it begins
	// exactly where the previous record ends.
	RecoverChained
	// RecoverConfirmed means that the span is a record between damages, alone
	// or with one neighbour, and that its fields are consistent with its bytes.
	RecoverConfirmed
)

// String returns the name of the state, such as "chained".
func (s RecoverState) String() string {
	return [...]string{"damaged", "chained", "confirmed"}[s]
}

// Recovered is one span of a file that RECOVER reads: a record that was saved, or
// damage. Spans come in the order of their offsets and do not overlap.
type Recovered struct {
	Offset int64 // where the span begins in the file, in bytes
	Length int64 // length of the span in bytes; 0 if unknown
	State  RecoverState
	// Records is how many records were saved. A run of a db-file may have many;
	// a run that holds only blocks has none.
	Records int
	// What says why the span is damaged. For a saved record it names the
	// dialect, if the record does not follow the standard.
	What string
	URL  string      // URL of a damaged record whose head can be read; or ""
	Time record.Time // time of a damaged record whose head can be read; or NoTime
	// Write writes the saved record to w, byte for byte as in the file. It may
	// be called until the next span is requested. Nil if there is nothing to
	// write.
	Write func(w io.Writer) error
}

// RecoverOptions says which file RECOVER reads.
type RecoverOptions struct {
	File string
	// Progress, if not nil, is called from time to time by one goroutine. done
	// and total are bytes of the file.
	Progress func(done, total int64)
}

// RecoverPlan says what RECOVER would do with a file.
type RecoverPlan struct {
	Format string // format of the file
	Bytes  int64  // size of the file
	To     string // format of the file that would be written; "" if none
}

package task

import "infomall/store/record"

// VerifyOptions says what VERIFY reads.
type VerifyOptions struct {
	Pool string // name of a pool; "" means all
	// Sample is the number of parts into which the archive is divided. Each VERIFY
	// reads the next part, so everything was read after Sample executions. With 0
	// or 1, every VERIFY reads everything.
	Sample int
	Dry    bool // only return what would be read
	// Stateless means that VERIFY writes nothing to the archive's folder. It
	// then refuses Sample, and after an interruption it starts from the
	// beginning.
	Stateless bool
	// Progress, if not nil, is called from time to time by one goroutine. done
	// and total are bytes of the files.
	Progress func(done, total int64)
}

// Severity says how bad a Finding of VERIFY is.
type Severity uint8

// The values of Severity: how much a finding of VERIFY harms the archive.
const (
	SeverityWarning Severity = iota // no capture is lost: queries read without the damaged part
	SeverityError                   // captures cannot be read
)

// String returns the name of the severity: "error" or "warning".
func (s Severity) String() string {
	if s == SeverityError {
		return "error"
	}
	return "warning"
}

// Finding is one fault that VERIFY found in an archive.
type Finding struct {
	Pool     string // "" if the file does not belong to a single pool
	File     string // name of the file, relative to the archive's folder
	Offset   int64  // where the fault is in the file, in bytes; -1 if it is at no single offset
	What     string // the fault, in words
	Severity Severity
	URL      string      // URL of the capture that cannot be read because of the fault; or ""
	Time     record.Time // time of that capture; or NoTime
}

// VerifyPlan says what VERIFY would read.
type VerifyPlan struct {
	Files []string // relative to the archive's folder
	Bytes int64    // size of all Files together
	// Part is the number of the part that VERIFY would read, from 1 on, and Sample
	// the number of all parts. Both are 0 if VERIFY would read everything.
	Part, Sample int
	// Clean is how many segments an earlier, interrupted VERIFY has found
	// whole. They are not read again.
	Clean int
}

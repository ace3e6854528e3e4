package task

import "infomall/store/record"

// VerifyOptions says what VERIFY reads.
type VerifyOptions struct {
	Pool string // name of a pool; "" means all
	// Sample is the number of parts into which VERIFY divides the archive. Each
	// VERIFY reads the next part, so Sample runs of VERIFY read everything.
	// With 0 or 1, every VERIFY reads everything.
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

// The values of Severity.
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
	Offset   int64  // in the file, in bytes; -1 if the fault has no place
	What     string // the fault, in words
	Severity Severity
	URL      string      // URL of the capture that cannot be read because of the fault; or ""
	Time     record.Time // time of that capture; or NoTime
}

// VerifyPlan says what VERIFY would read.
type VerifyPlan struct {
	Files []string // relative to the archive's folder
	Bytes int64    // size of these files
	// Part is the part of Sample that is next, from 1; both are 0 without a
	// sample.
	Part, Sample int
	// Clean is how many segments an earlier, interrupted VERIFY has found
	// whole. They are not read again.
	Clean int
}

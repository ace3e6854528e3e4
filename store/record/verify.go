package record

// VerifyOptions says what to verify.
type VerifyOptions struct {
	Pool string // "" is all
	// Sample n reads one part of n; n runs read all. 0 and 1 read all at once.
	Sample int
	Dry    bool // only say what would be read
	// Stateless notes nothing in the archive's folder. Sample is then refused,
	// and a verification that ends early begins anew.
	Stateless bool
	// Progress, if not nil, is called now and then from one goroutine. Bytes
	// are those of the files.
	Progress func(done, total int64)
}

// Severity says what a finding means.
type Severity uint8

// The severities.
const (
	SeverityWarning Severity = iota // no capture is lost: reading goes around it
	SeverityError                   // captures cannot be read
)

// String is the severity's name.
func (s Severity) String() string {
	if s == SeverityError {
		return "error"
	}
	return "warning"
}

// Finding is one thing that is wrong with an archive.
type Finding struct {
	Pool     string // "" where the file is of no single pool
	File     string // within the archive
	Offset   int64  // in the file, in bytes; -1 where there is none
	What     string
	Severity Severity
	URL      string // of the capture that cannot be read for it, or ""
	Time     Time   // of that capture; NoTime without
}

// VerifyPlan says what a VERIFY would read.
type VerifyPlan struct {
	Files []string // within the archive
	Bytes int64    // of these
	// Part of Sample; 0 of 0 without a sample.
	Part, Sample int
	// Clean is how many segments an earlier VERIFY that did not come to its end
	// has found whole: they are not read again.
	Clean int
}

package record

import (
	"fmt"
	"time"
)

// JobState says how far a job is.
type JobState uint8

// The states. A job whose process is gone before it noted an end is interrupted,
// as one is that its user stopped.
const (
	JobRunning JobState = iota
	JobDone
	JobFailed
	JobInterrupted
)

var jobStates = [...]string{"running", "done", "failed", "interrupted"}

// String is the state as a query shows it.
func (s JobState) String() string { return jobStates[s] }

// Job is one run of a statement that works on the archive.
type Job struct {
	ID        int64  // rising with the moments at which they began
	Name      string // of the schedule, or what AS calls it; or ""
	State     JobState
	Statement string // as it can be typed, cut at JobTextMax
	Started   Time
	Finished  Time   // NoTime unless it ended by itself
	Rows      int64  // of its answer, or what it counts instead: records, pages
	Bytes     int64  // that it counts; 0 where it does not
	Error     string // cut at JobTextMax
	Process   int    // that runs it

	// Of the run of a schedule, when that was defined, which tells schedules of
	// one name apart, and when it is to run next, as noted at the end; else both
	// are NoTime.
	Scheduled, Next Time
}

// JobTextMax bounds what is kept of a job's texts, in bytes.
const JobTextMax = 2000

// JobRunningError is the error of a schedule that runs already.
type JobRunningError struct{ Job Job }

func (e *JobRunningError) Error() string {
	return fmt.Sprintf("schedule %s: process %d runs it since %s", e.Job.Name, e.Job.Process, e.Job.Started.Std().Format(time.RFC3339))
}

// DaemonError is the error of a second daemon on an archive.
type DaemonError struct {
	Archive string
	Process int // 0 if that cannot be told
	Since   Time
}

func (e *DaemonError) Error() string {
	return fmt.Sprintf("process %d runs the schedules of %s since %s: an archive has one daemon", e.Process, e.Archive, e.Since.Std().Format(time.RFC3339))
}

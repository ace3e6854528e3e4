package task

import (
	"fmt"
	"time"

	"infomall/store/record"
)

// JobState says how far a job has come.
type JobState uint8

// The states of a job. A job is interrupted if its user stopped it, or if its
// process ended before it wrote to the log how the job ended.
const (
	JobRunning JobState = iota
	JobDone
	JobFailed
	JobInterrupted
)

var jobStates = [...]string{"running", "done", "failed", "interrupted"}

// String returns the state as a query shows it, such as "running".
func (s JobState) String() string { return jobStates[s] }

// Job is an entry in the archive's log of jobs: one execution of a statement that
// changes or checks the archive.
type Job struct {
	ID        int64  // grows with the time of the start
	Name      string // name of the schedule, or the name that AS gives; or ""
	State     JobState
	Statement string // text of the statement, cut at JobTextMax
	Started   record.Time
	Finished  record.Time // NoTime if it runs or was interrupted
	Rows      int64       // rows of its result, or what it counts instead: records, pages
	Bytes     int64       // number of bytes that the job handled; 0 if the job does not count them
	Error     string      // why the job failed, cut at JobTextMax; "" if it did not fail
	Process   int         // ID of the process that runs it

	// Scheduled and Next are for a job of a schedule; otherwise both are NoTime. Scheduled is when the
	// schedule was defined, which distinguishes schedules of one name. Next is when the schedule runs
	// next, noted at the end of the job. For a schedule AFTER IMPORT, Next is the latest time at which
	// captures had been added when the job began.
	Scheduled, Next record.Time
}

// JobTextMax is the length in bytes at which each text of a Job is cut.
const JobTextMax = 2000

// JobRunningError is returned if a schedule is started while an earlier job of it
// is still running. Job is that earlier job.
type JobRunningError struct{ Job Job }

func (e *JobRunningError) Error() string {
	return fmt.Sprintf("schedule %s: process %d runs it since %s", e.Job.Name, e.Job.Process, e.Job.Started.Std().Format(time.RFC3339))
}

// DaemonError is returned if a second daemon (the process that runs the schedules)
// is started on an archive.
type DaemonError struct {
	Archive string
	Process int // ID of the first daemon's process; 0 if unknown
	Since   record.Time
}

func (e *DaemonError) Error() string {
	return fmt.Sprintf("process %d runs the schedules of %s since %s: an archive has one daemon", e.Process, e.Archive, e.Since.Std().Format(time.RFC3339))
}

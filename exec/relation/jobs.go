package relation

import (
	"context"
	"iter"
	"slices"

	"infomall/store/record"
	"infomall/store/record/task"
)

// Jobs declares the relation jobs, which has one row per run of a statement
// that works on the archive, such as IMPORT.
var Jobs = list(Relation{
	Name: "jobs", Doc: "one run of a statement that works on the archive; the last few thousand runs are kept", Shown: true, OwnTime: "started", OfSession: true,
	Columns: []Column{
		intOf("id", "number of the job, ascending", func(j *task.Job) int64 { return j.ID }),
		textOf("name", "name of the schedule or watch, or the name given by AS", func(j *task.Job) string { return j.Name }),
		boolOf("scheduled", "whether the job is a run of a schedule or watch", func(j *task.Job) bool { return j.Scheduled != record.NoTime }),
		textOf("state", "running, done, failed or interrupted (it was stopped, or its process ended)", func(j *task.Job) string { return j.State.String() }),
		textOf("statement", "statement that the job runs", func(j *task.Job) string { return j.Statement }),
		timeOf("started", "when the job began", func(j *task.Job) record.Time { return j.Started }),
		timeOf("finished", "when the job ended", func(j *task.Job) record.Time { return j.Finished }),
		afterJob("rows", "rows in the result, or the number of records, pages or captures that the statement counts", func(j *task.Job) int64 { return j.Rows }),
		afterJob("bytes", "bytes that the statement counts", func(j *task.Job) int64 { return j.Bytes }),
		textOf("error", "error, if the job failed", func(j *task.Job) string { return j.Error }),
		intOf("process", "ID of the process that runs the job", func(j *task.Job) int64 { return int64(j.Process) }),
	},
}, (*Reader).jobs)

// jobs yields the jobs that started in the time window of n, in one batch. It
// yields nothing if there is no log of jobs.
func (r *Reader) jobs(ctx context.Context, n *Request) iter.Seq2[[]task.Job, error] {
	if r.Jobs == nil {
		return none
	}
	return listed(ctx, func(ctx context.Context) ([]task.Job, error) {
		list, err := r.Jobs.Jobs(ctx)
		return slices.DeleteFunc(list, func(j task.Job) bool { return j.Started < n.Window.From || j.Started >= n.Window.To }), err
	})
}

// afterJob returns a column of the relation jobs, of type Int, that is NULL
// until the job has finished. f returns the value after that.
func afterJob(name, doc string, f func(*task.Job) int64) Column {
	return intOrNull(name, doc, func(j *task.Job) (int64, bool) { return f(j), j.Finished != record.NoTime })
}

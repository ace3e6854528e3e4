package relation

import (
	"context"
	"iter"
	"slices"

	"infomall/store/record"
	"infomall/store/record/task"
)

// Jobs is the relation jobs.
var Jobs = list(Relation{
	Name: "jobs", Doc: "one run of a statement that works on the archive, the last thousands of them", Shown: true, OwnTime: "started", OfSession: true,
	Columns: []Column{
		intOf("id", "number, rising", func(j *task.Job) int64 { return j.ID }),
		textOf("name", "name of its schedule, or that AS gives it", func(j *task.Job) string { return j.Name }),
		boolOf("scheduled", "whether it is the run of a schedule", func(j *task.Job) bool { return j.Scheduled != record.NoTime }),
		textOf("state", "running, done, failed, or interrupted: it was stopped, or its process is gone", func(j *task.Job) string { return j.State.String() }),
		textOf("statement", "what runs", func(j *task.Job) string { return j.Statement }),
		timeOf("started", "when it began", func(j *task.Job) record.Time { return j.Started }),
		timeOf("finished", "when it ended", func(j *task.Job) record.Time { return j.Finished }),
		afterJob("rows", "rows of its answer, or the records, pages or captures that it counts", func(j *task.Job) int64 { return j.Rows }),
		afterJob("bytes", "bytes that it counts", func(j *task.Job) int64 { return j.Bytes }),
		textOf("error", "why it failed", func(j *task.Job) string { return j.Error }),
		intOf("process", "number of the process that runs it", func(j *task.Job) int64 { return int64(j.Process) }),
	},
}, (*Reader).jobs)

// jobs yields the jobs that began in the window of n.
func (r *Reader) jobs(ctx context.Context, n *Request) iter.Seq2[[]task.Job, error] {
	if r.Jobs == nil {
		return none
	}
	return listed(ctx, func(ctx context.Context) ([]task.Job, error) {
		list, err := r.Jobs.Jobs(ctx)
		return slices.DeleteFunc(list, func(j task.Job) bool { return j.Started < n.Window.From || j.Started >= n.Window.To }), err
	})
}

// afterJob declares a column that is NULL until the job has finished.
func afterJob(name, doc string, f func(*task.Job) int64) Column {
	return intOrNull(name, doc, func(j *task.Job) (int64, bool) { return f(j), j.Finished != record.NoTime })
}

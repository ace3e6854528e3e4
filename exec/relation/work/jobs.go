package work

import (
	"context"
	"iter"
	"slices"

	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/record/task"
)

// Jobs declares the relation jobs, which has one row per run of a statement
// that works on the archive, such as IMPORT.
var Jobs = relation.List(relation.Relation{
	Name: "jobs", Doc: "one run of a statement that works on the archive; the last few thousand runs are kept", Shown: true, OwnTime: "started", OfSession: true,
	Columns: []relation.Column{
		relation.IntOf("id", "number of the job, ascending", func(j *task.Job) int64 { return j.ID }),
		relation.TextOf("name", "name of the schedule or watch, or the name given by AS", func(j *task.Job) string { return j.Name }),
		relation.BoolOf("scheduled", "whether the job is a run of a schedule or watch", func(j *task.Job) bool { return j.Scheduled != record.NoTime }),
		relation.TextOf("state", "running, done, failed or interrupted (it was stopped, or its process ended)", func(j *task.Job) string { return j.State.String() }),
		relation.TextOf("statement", "statement that the job runs", func(j *task.Job) string { return j.Statement }),
		relation.TimeOf("started", "when the job began", func(j *task.Job) record.Time { return j.Started }),
		relation.TimeOf("finished", "when the job ended", func(j *task.Job) record.Time { return j.Finished }),
		afterJob("rows", "rows in the result, or the number of records, pages or captures that the statement counts", func(j *task.Job) int64 { return j.Rows }),
		afterJob("bytes", "bytes that the statement counts", func(j *task.Job) int64 { return j.Bytes }),
		relation.TextOf("error", "error, if the job failed", func(j *task.Job) string { return j.Error }),
		relation.IntOf("process", "ID of the process that runs the job", func(j *task.Job) int64 { return int64(j.Process) }),
	},
}, jobs)

// jobs yields the jobs that started in the time window of n, in one batch. It
// yields nothing if there is no log of jobs.
func jobs(r *relation.Reader, ctx context.Context, n *relation.Request) iter.Seq2[[]task.Job, error] {
	if r.Jobs == nil {
		return relation.None
	}
	return relation.Listed(ctx, func(ctx context.Context) ([]task.Job, error) {
		list, err := r.Jobs.Jobs(ctx)
		return slices.DeleteFunc(list, func(j task.Job) bool { return j.Started < n.Window.From || j.Started >= n.Window.To }), err
	})
}

// afterJob returns a column of the relation jobs, of type Int, that is NULL
// until the job has finished. f returns the value after that.
func afterJob(name, doc string, f func(*task.Job) int64) relation.Column {
	return relation.IntOrNull(name, doc, func(j *task.Job) (int64, bool) { return f(j), j.Finished != record.NoTime })
}

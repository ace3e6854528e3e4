package work

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"infomall/crawl/report"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// Jobs declares the relation jobs, which has one row per run of a statement
// that works on the archive, such as IMPORT.
var Jobs = relation.List(relation.Relation{
	Name: "jobs", Doc: "one run of a statement that works on the archive; the last few thousand runs are kept", Shown: true, OwnTime: "started", OfSession: true,
	Columns: []relation.Column{
		relation.IntOf("id", "number of the job, ascending", func(j *job) int64 { return j.ID }),
		relation.TextOf("name", "name of the schedule or watch, or the name given by AS", func(j *job) string { return j.Name }),
		relation.BoolOf("scheduled", "whether the job is a run of a schedule or watch", func(j *job) bool { return j.Scheduled != record.NoTime }),
		relation.TextOf("state", "running, done, failed or interrupted (it was stopped, or its process ended)", func(j *job) string { return j.State.String() }),
		relation.TextOf("statement", "statement that the job runs", func(j *job) string { return j.Statement }),
		relation.TimeOf("started", "when the job began", func(j *job) record.Time { return j.Started }),
		relation.TimeOf("finished", "when the job ended", func(j *job) record.Time { return j.Finished }),
		afterJob("rows", "rows in the result, or the number of records, pages or captures that the statement counts", func(j *job) int64 { return j.Rows }),
		afterJob("bytes", "bytes that the statement counts", func(j *job) int64 { return j.Bytes }),
		relation.TextOf("error", "error, if the job failed", func(j *job) string { return j.Error }),
		relation.TextOf("alerts", "alerts of the crawl that the job ran, one a line", alertsText),
		relation.IntOf("process", "ID of the process that runs the job", func(j *job) int64 { return int64(j.Process) }),
	},
}, jobs)

// job is one row of the relation jobs.
type job struct {
	task.Job
	alerts []string // of the crawl that the job ran, the oldest first
}

// alertsShown is the most alerts that the row of a job shows. It shows the first ones, because they
// say how the trouble began.
const alertsShown = 20

// jobs yields the jobs that started in the time window of n, in one batch. It
// yields nothing if there is no log of jobs.
func jobs(r *relation.Reader, ctx context.Context, n *relation.Request) iter.Seq2[[]job, error] {
	if r.Jobs == nil {
		return relation.None
	}
	return relation.Listed(ctx, func(ctx context.Context) ([]job, error) {
		logged, err := r.Jobs.Jobs(ctx)
		if err != nil {
			return nil, err
		}
		var list []job
		for _, j := range logged {
			if j.Started >= n.Window.From && j.Started < n.Window.To {
				list = append(list, job{Job: j})
			}
		}
		if r.Crawls == nil || !n.Asks("alerts") {
			return list, nil
		}
		return list, addAlerts(ctx, r.Crawls, list)
	})
}

// addAlerts sets the alerts of each job in list that ran a crawl: those that the crawl raised
// between the start and the end of the job.
func addAlerts(ctx context.Context, state relation.CrawlState, list []job) error {
	if !slices.ContainsFunc(list, func(j job) bool { return ranCrawl(&j.Job) }) {
		return nil
	}
	crawls, err := state.Crawls(ctx)
	if err != nil {
		return err
	}
	jobsOf := make(map[string][]*job) // by name of the crawl
	for i := range list {
		if name := crawlOf(&list[i].Job, crawls); name != "" {
			jobsOf[name] = append(jobsOf[name], &list[i])
		}
	}
	for alerts, err := range state.Alerts(ctx) {
		if err != nil {
			return err
		}
		for _, a := range alerts {
			for _, j := range jobsOf[a.Crawl] {
				if a.Time < j.Started || j.Finished != record.NoTime && a.Time > j.Finished {
					continue
				}
				what := a.Kind.String()
				if a.Host != "" {
					what += " " + a.Host
				}
				j.alerts = append(j.alerts, what+": "+a.Text)
			}
		}
	}
	return nil
}

// ranCrawl reports whether the statement of j runs a crawl.
func ranCrawl(j *task.Job) bool { return strings.HasPrefix(j.Statement, "CRAWL ") }

// crawlOf returns the name of the crawl that j ran, or "" if j ran none.
func crawlOf(j *task.Job, crawls []report.Crawl) string {
	if !ranCrawl(j) {
		return ""
	}
	begins, cut := strings.CutSuffix(j.Statement, "…")
	for i := range crawls {
		if text := urlkey.WithoutUsers(crawls[i].Statement); text == j.Statement || cut && strings.HasPrefix(text, begins) {
			return crawls[i].Name
		}
	}
	return j.Name
}

// alertsText returns the alerts of j, one per line.
func alertsText(j *job) string {
	if left := len(j.alerts) - alertsShown; left > 0 {
		return strings.Join(j.alerts[:alertsShown], "\n") + fmt.Sprintf("\n… and %s", value.Counted(left, "more alert"))
	}
	return strings.Join(j.alerts, "\n")
}

// afterJob returns a column of the relation jobs, of type Int, that is NULL
// until the job has finished. f returns the value after that.
func afterJob(name, doc string, f func(*job) int64) relation.Column {
	return relation.IntOrNull(name, doc, func(j *job) (int64, bool) { return f(j), j.Finished != record.NoTime })
}

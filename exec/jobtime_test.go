package exec_test

import (
	"context"
	"testing"
	"time"

	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/store/record"
	"infomall/store/record/task"
)

// jobTimes is a log of jobs that keeps when the last job started.
type jobTimes struct{ started record.Time }

func (*jobTimes) Jobs(context.Context) ([]task.Job, error) { return nil, nil }
func (l *jobTimes) BeginJob(_ context.Context, j task.Job) (int64, func(task.Job) error, error) {
	l.started = j.Started
	return 1, func(task.Job) error { return nil }, nil
}

// TestJobStartsFirst shows that a job does not start after the time of the result that its
// statement computes, with a clock that goes on each time it is read. Saved queries find the
// result of the last DEDUP by that.
func TestJobStartsFirst(t *testing.T) {
	memory := relationtest.New(relationtest.Capture{URL: "http://a.cn/", Time: at("2008-06-01"), Status: 200, Mime: html, Body: "<p>some words"})
	now, log := at("2009-01-01").Std(), &jobTimes{}
	s := sessionWith(archive{memory}, func(o *session.Options) {
		o.Jobs = log
		o.Now = func() time.Time { now = now.Add(time.Second); return now }
	})
	if _, _, err := ask(s, "DEDUP"); err != nil {
		t.Fatal(err)
	}
	list, err := memory.Results(t.Context(), task.ResultDuplicates)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d results, %v", len(list), err)
	}
	if log.started > list[0].Computed {
		t.Errorf("the job started at %v, and its result was computed at %v", log.started.Std(), list[0].Computed.Std())
	}
}

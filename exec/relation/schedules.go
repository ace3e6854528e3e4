package relation

import (
	"context"
	"iter"

	"infomall/store/record"
	"infomall/store/record/task"
)

// Schedule is one row of the relation schedules: a statement that runs again
// and again, by a rule such as every day.
type Schedule struct {
	Name, Rule, Statement string
	Created, Next         record.Time
	Due                   bool     // the time Next has passed
	Last                  task.Job // the last run of the statement; its ID is 0 if it has not run
}

// Schedules declares the relation schedules, which has one row per scheduled
// statement.
var Schedules = list(Relation{
	Name: "schedules", Doc: "one statement that runs on a schedule", Shown: true, OfSession: true,
	Columns: []Column{
		textOf("name", "name", func(s *Schedule) string { return s.Name }),
		textOf("state", "waiting, running or due (its time has come, but no infomall --daemon has started it)", func(s *Schedule) string {
			switch {
			case s.Last.ID > 0 && s.Last.State == task.JobRunning:
				return "running"
			case s.Due:
				return "due"
			}
			return "waiting"
		}),
		textOf("rule", "times at which the statement runs", func(s *Schedule) string { return s.Rule }),
		textOf("statement", "statement to run", func(s *Schedule) string { return s.Statement }),
		timeOf("next_run", "time of the next run", func(s *Schedule) record.Time { return s.Next }),
		timeOf("last_run", "when the last run began", func(s *Schedule) record.Time {
			if s.Last.ID == 0 {
				return record.NoTime
			}
			return s.Last.Started
		}),
		textOf("last_state", "result of the last run: done, failed or interrupted", func(s *Schedule) string {
			if s.Last.ID == 0 {
				return ""
			}
			return s.Last.State.String()
		}),
		textOf("error", "error of the last run, if it failed", func(s *Schedule) string { return s.Last.Error }),
		timeOf("created", "when the schedule was created", func(s *Schedule) record.Time { return s.Created }),
	},
}, (*Reader).schedules)

func (r *Reader) schedules(ctx context.Context, _ *Request) iter.Seq2[[]Schedule, error] {
	return listed(ctx, r.Schedules)
}

package relation

import (
	"context"
	"iter"

	"infomall/store/record"
	"infomall/store/record/task"
)

// Schedule is a statement that runs by a rule.
type Schedule struct {
	Name, Rule, Statement string
	Created, Next         record.Time
	Due                   bool     // Next has passed
	Last                  task.Job // the last run; its ID is 0 if there is none
}

// Schedules is the relation schedules.
var Schedules = list(Relation{
	Name: "schedules", Doc: "one statement that runs by itself", Shown: true, OfSession: true,
	Columns: []Column{
		textOf("name", "name", func(s *Schedule) string { return s.Name }),
		textOf("state", "waiting, running, or due: its time has come, and no infomall --daemon has begun it", func(s *Schedule) string {
			switch {
			case s.Last.ID > 0 && s.Last.State == task.JobRunning:
				return "running"
			case s.Due:
				return "due"
			}
			return "waiting"
		}),
		textOf("rule", "when it runs", func(s *Schedule) string { return s.Rule }),
		textOf("statement", "what runs", func(s *Schedule) string { return s.Statement }),
		timeOf("next_run", "when it runs next", func(s *Schedule) record.Time { return s.Next }),
		timeOf("last_run", "when it began last", func(s *Schedule) record.Time {
			if s.Last.ID == 0 {
				return record.NoTime
			}
			return s.Last.Started
		}),
		textOf("last_state", "how that ended: done, failed or interrupted", func(s *Schedule) string {
			if s.Last.ID == 0 {
				return ""
			}
			return s.Last.State.String()
		}),
		textOf("error", "why it failed", func(s *Schedule) string { return s.Last.Error }),
		timeOf("created", "when it was scheduled", func(s *Schedule) record.Time { return s.Created }),
	},
}, (*Reader).schedules)

func (r *Reader) schedules(ctx context.Context, _ *Request) iter.Seq2[[]Schedule, error] {
	return listed(ctx, r.Schedules)
}

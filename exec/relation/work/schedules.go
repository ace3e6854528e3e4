package work

import (
	"context"
	"iter"

	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/record/task"
)

// Schedules declares the relation schedules, which has one row per scheduled
// statement.
var Schedules = relation.List(relation.Relation{
	Name: "schedules", Doc: "one statement that runs on a schedule", Shown: true, OfSession: true,
	Columns: []relation.Column{
		relation.TextOf("name", "name", func(s *relation.Schedule) string { return s.Name }),
		relation.TextOf("state", "waiting, running or due (its time has come, but no infomall --daemon has started it)", func(s *relation.Schedule) string {
			switch {
			case s.Last.ID > 0 && s.Last.State == task.JobRunning:
				return "running"
			case s.Due:
				return "due"
			}
			return "waiting"
		}),
		relation.TextOf("rule", "times at which the statement runs", func(s *relation.Schedule) string { return s.Rule }),
		relation.TextOf("statement", "statement to run", func(s *relation.Schedule) string { return s.Statement }),
		relation.TimeOf("next_run", "time of the next run", func(s *relation.Schedule) record.Time { return s.Next }),
		relation.TimeOf("last_run", "when the last run began", func(s *relation.Schedule) record.Time {
			if s.Last.ID == 0 {
				return record.NoTime
			}
			return s.Last.Started
		}),
		relation.TextOf("last_state", "result of the last run: done, failed or interrupted", func(s *relation.Schedule) string {
			if s.Last.ID == 0 {
				return ""
			}
			return s.Last.State.String()
		}),
		relation.TextOf("error", "error of the last run, if it failed", func(s *relation.Schedule) string { return s.Last.Error }),
		relation.TimeOf("created", "when the schedule was created", func(s *relation.Schedule) record.Time { return s.Created }),
	},
}, schedules)

func schedules(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]relation.Schedule, error] {
	return relation.Listed(ctx, r.Schedules)
}

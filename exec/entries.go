package exec

import (
	"context"
	"fmt"
	"strings"

	"infomall/exec/schedule"
	"infomall/exec/session"
	"infomall/store/record/task"
)

// Timetable has the schedules and watches of the archive of a session, which a
// daemon runs.
type Timetable struct{ Session *session.Session }

// Entries returns all schedules and watches in the form that a schedule.Loop needs:
// name, rule and next run. A name begins with the kind, such as "schedule nightly".
func (t Timetable) Entries(ctx context.Context) ([]schedule.Entry, error) {
	schedules, err := Schedules(t).all(ctx)
	if err != nil {
		return nil, err
	}
	watches, err := Watches(t).all(ctx)
	if err != nil {
		return nil, err
	}
	var entries []schedule.Entry
	for _, p := range schedules {
		entries = append(entries, schedule.Entry{Name: p.Kind + " " + p.Name, Rule: p.rule, Next: p.next})
	}
	for _, w := range watches {
		entries = append(entries, schedule.Entry{Name: w.Kind + " " + w.Name, Rule: w.rule, Next: w.next})
	}
	return entries, nil
}

// Run runs the entry with this name now; see Schedules.Run and Watches.Run.
func (t Timetable) Run(ctx context.Context, entry string) (task.Job, error) {
	kind, name, _ := strings.Cut(entry, " ")
	switch kind {
	case task.KindSchedule:
		return Schedules(t).Run(ctx, name)
	case task.KindWatch:
		return Watches(t).Run(ctx, name)
	}
	panic(fmt.Sprintf("exec: unknown entry %q", entry))
}

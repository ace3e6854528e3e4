package access

import (
	"context"
	"slices"
	"time"

	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
)

// Guard returns the archive a without what its access rules hide. The result also has the crawls
// and jobs of a, if a has them. Each snapshot reads the rules again, so a rule that another process
// adds holds from the next snapshot on. Without rules, Guard adds only the reading of the
// definitions. now is the clock by which the ages of captures are counted.
func Guard(a session.Archive, now func() time.Time) session.Archive {
	g := &archive{a, now}
	crawler, crawls := a.(session.Crawler)
	jobs, logs := a.(session.Jobs)
	if !crawls || !logs {
		return g
	}
	return &working{g, &crawlers{crawler, g}, &jobLog{jobs, g}}
}

// archive is an archive without what its rules hide.
type archive struct {
	session.Archive
	now func() time.Time
}

// working is an archive with crawls and a log of jobs.
type working struct {
	*archive
	*crawlers
	*jobLog
}

// rules returns the present rules, nil if there are none.
func (a *archive) rules(ctx context.Context) (*Rules, error) {
	list, err := a.Archive.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	return Read(list, record.At(a.now()))
}

// Snapshot returns a view of the archive's present state that has only what the rules
// show; see session.Archive.
func (a *archive) Snapshot(ctx context.Context) (relation.Snapshot, error) {
	rules, err := a.rules(ctx)
	if err != nil {
		return nil, err
	}
	snap, err := a.Archive.Snapshot(ctx)
	if err != nil || rules == nil {
		return snap, err
	}
	snap.Hide(&rules.hiding)
	return &snapshot{snap, rules}, nil
}

// Definitions returns the definitions of the archive. It leaves out every definition that
// mentions a hidden URL, and every rule without BLOCK. Everybody sees the reasons of BLOCK.
func (a *archive) Definitions(ctx context.Context) ([]task.Definition, error) {
	list, err := a.Archive.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	rules, err := Read(list, record.At(a.now()))
	if err != nil || rules == nil {
		return list, err
	}
	return slices.DeleteFunc(slices.Clone(list), func(d task.Definition) bool {
		if d.Kind == task.KindRule {
			return !slices.ContainsFunc(rules.list, func(r *Rule) bool { return r.Name == d.Name && r.Action == ast.RuleBlock })
		}
		return rules.mentions(d.Text) || rules.mentions(d.Name)
	}), nil
}

// jobLog is a log of jobs without the statements that mention a hidden URL.
type jobLog struct {
	log session.Jobs
	a   *archive
}

// BeginJob logs that a job has begun; see session.Jobs.
func (l *jobLog) BeginJob(ctx context.Context, j task.Job) (id int64, end func(task.Job) error, err error) {
	return l.log.BeginJob(ctx, j)
}

// Jobs returns the known jobs. A statement, name or error that mentions a hidden URL is
// replaced by "…".
func (l *jobLog) Jobs(ctx context.Context) ([]task.Job, error) {
	rules, err := l.a.rules(ctx)
	if err != nil {
		return nil, err
	}
	jobs, err := l.log.Jobs(ctx)
	if rules == nil {
		return jobs, err
	}
	for i := range jobs {
		j := &jobs[i]
		for _, text := range []*string{&j.Statement, &j.Name, &j.Error} {
			rules.blank(text)
		}
	}
	return jobs, err
}

// blank replaces a text that mentions a hidden URL by "…".
func (r *Rules) blank(text *string) {
	if r.mentions(*text) {
		*text = "…"
	}
}

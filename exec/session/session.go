package session

import (
	"context"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"time"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/rowio"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
)

// Options are what a session is made of. Archive and Settings are required.
type Options struct {
	Archive  Archive
	Settings Settings          // what it begins with, such as DefaultSettings()
	Params   map[string]string // values by name, from --param and SET $name, as text
	Now      Clock             // nil means time.Now
	Scripts  fs.FS             // the scripts that come with the program, NAME.iql, for RUN; nil means none
	Verbose  bool              // IMPORT also lists each damaged place
	ReadOnly bool              // statements that write are refused
	// Plain runs queries without optimization. The answers are the same. Tests compare
	// them.
	Plain bool
	// History returns the statements that were typed at the prompt, the oldest first,
	// for the relation history. Nil means none.
	History func(context.Context) ([]relation.Entry, error)
	// Crawler runs crawls. If it is nil, CRAWL is refused and no crawls are listed.
	Crawler Crawler
	// Jobs is the log of statements that work on the archive. If it is nil, nothing is
	// logged and no schedule can run.
	Jobs Jobs
	// Version of the program, for the User-Agent of crawls.
	Version string
	// Confirm is called before DROP POOL and DELETE remove captures, with lines that say
	// which. If it returns an error, nothing is removed and the statement returns that
	// error. If Confirm is nil, both statements are refused.
	Confirm func(ctx context.Context, what []string) error
	// Progress, if not nil, is called with the progress of a long statement, at most ten
	// times a second and from one goroutine.
	Progress func(Progress)
}

// Language has what a session needs of the packages above this one: the statements that
// it runs, and the relations whose rows they make.
type Language struct {
	// SpecOf returns the Spec of a statement.
	SpecOf func(ast.Statement) *Spec
	// Relations returns the Relations of a session.
	Relations func(*Session) Relations
}

// Relations makes the rows of relations that no archive has.
type Relations interface {
	// Schedules returns the rows of the relation schedules.
	Schedules(ctx context.Context) ([]relation.Schedule, error)
	// Revisits yields how often each page changes, and with due when CRAWL DUE would
	// visit it next. It reads what the source n of a query over snap asks for.
	Revisits(ctx context.Context, snap relation.Snapshot, n *relation.Request, due bool) iter.Seq2[relation.Revisit, error]
}

// Session runs statements one after another against one archive. It keeps
// settings and parameters from one statement to the next. It must not be used
// concurrently.
type Session struct {
	o        Options
	language Language
	checked  []task.Definition // definitions of statements that Check has read
	depth    int               // how many scripts are being checked, one inside the other
	trying   bool              // statements that write may be read, but they are not run
	visits   *VisitBudget      // of the run of an adaptive schedule; otherwise nil
}

// VisitBudget is how many visits a run of an adaptive schedule lets CRAWL DUE make.
type VisitBudget struct {
	PerDay float64
	Run    int64 // in this run
}

// Clock returns the current time. Tests replace it.
type Clock func() time.Time

// New returns a session for the statements of l.
func New(o Options, l Language) *Session {
	if o.Params == nil {
		o.Params = make(map[string]string)
	}
	return &Session{o: o, language: l}
}

// Archive returns the archive that statements read and write.
func (s *Session) Archive() Archive { return s.o.Archive }

// Settings returns the settings. What the caller changes in them is in force from the
// next statement on.
func (s *Session) Settings() *Settings { return &s.o.Settings }

// Crawler returns what runs crawls, or nil.
func (s *Session) Crawler() Crawler { return s.o.Crawler }

// Jobs returns the log of jobs, or nil.
func (s *Session) Jobs() Jobs { return s.o.Jobs }

// Verbose reports whether IMPORT lists each damaged place.
func (s *Session) Verbose() bool { return s.o.Verbose }

// ReadOnly reports whether statements that write are refused.
func (s *Session) ReadOnly() bool { return s.o.ReadOnly }

// Version returns the version of the program.
func (s *Session) Version() string { return s.o.Version }

// Visits returns how many visits a CRAWL DUE of an adaptive schedule may make. It
// returns nil if the session is not that of such a schedule.
func (s *Session) Visits() *VisitBudget { return s.visits }

// SetProgress replaces Options.Progress.
func (s *Session) SetProgress(f func(Progress)) { s.o.Progress = f }

// SetConfirm replaces Options.Confirm.
func (s *Session) SetConfirm(f func(ctx context.Context, what []string) error) { s.o.Confirm = f }

// Confirm asks the user before the statement st removes captures. what is its name, such
// as DELETE, lines say which captures. It returns an error if the user declines, or if
// nobody can be asked.
func (s *Session) Confirm(ctx context.Context, st ast.Statement, what string, lines []string) error {
	if s.o.Confirm == nil {
		return ast.Errorf(st, "%s removes captures, and nobody can be asked to confirm it", what)
	}
	return s.o.Confirm(ctx, lines)
}

// Params returns the parameters by name. The caller may change them.
func (s *Session) Params() map[string]string { return s.o.Params }

// SetParams replaces all parameters.
func (s *Session) SetParams(params map[string]string) { s.o.Params = params }

// Now returns the time by the session's clock.
func (s *Session) Now() time.Time {
	if s.o.Now != nil {
		return s.o.Now()
	}
	return time.Now()
}

// Env returns the values that stay fixed while one statement runs, such as the
// current time.
func (s *Session) Env() *expr.Env {
	return &expr.Env{
		Now: record.At(s.Now()), Zone: s.o.Settings.Timezone, Params: s.o.Params,
		Level: s.o.Settings.CutLevel(), Profile: s.o.Settings.Profile, Plain: s.o.Plain,
		Table:   func(path string) (value.Table, error) { return rowio.OpenTable(path) },
		Defined: s.Defined(),
	}
}

// Stamp returns a time as text, in the time zone of the session.
func (s *Session) Stamp(t record.Time) string {
	return string(value.AppendTime(nil, t, s.Env().Location()))
}

// Assume makes a definition known to later statements that Check reads.
func (s *Session) Assume(d task.Definition) { s.checked = append(s.checked, d) }

// Inner returns a copy of the session for a statement inside another one. What the
// inner statement sets and defines does not change s.
func (s *Session) Inner() *Session {
	inner := *s
	inner.o.Params = maps.Clone(s.o.Params)
	inner.checked = slices.Clip(s.checked)
	return &inner
}

// Trial returns an Inner session that may read statements that write even if s is
// read-only, because only the outer statement is refused.
func (s *Session) Trial() *Session {
	inner := s.Inner()
	inner.trying = true
	return inner
}

// Script returns an Inner session for the statements of a script, with parameters of
// its own, and how many scripts it is in, one inside the other.
func (s *Session) Script(params map[string]string) (inner *Session, depth int) {
	inner = s.Inner()
	inner.o.Params = params
	inner.depth++
	return inner, inner.depth
}

// Unattended returns an Inner session for a run of a schedule. It has no parameters,
// notes no jobs and reports no progress. visits may be nil.
func (s *Session) Unattended(settings Settings, visits *VisitBudget) *Session {
	inner := s.Inner()
	inner.o.Settings, inner.o.Params, inner.o.Jobs, inner.o.Progress = settings, map[string]string{}, nil, nil
	inner.visits = visits
	return inner
}

// Adopt copies the settings and definitions of inner to s. It does not copy parameters,
// which belong to the script that inner ran.
func (s *Session) Adopt(inner *Session) { s.checked, s.o.Settings = inner.checked, inner.o.Settings }

package session

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"infomall/exec/cost"
	"infomall/exec/expr"
	"infomall/exec/lake"
	"infomall/exec/relation"
	"infomall/exec/rowio"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
)

// Options has what a session needs: its archive, its settings and its
// connections to the outside. Archive and Settings are required.
type Options struct {
	Archive  Archive
	Settings Settings          // settings at the start, such as DefaultSettings()
	Params   map[string]string // values by name, from --param and SET $name, as text
	Now      Clock             // nil means time.Now
	Scripts  fs.FS             // the scripts that come with the program, NAME.iql, for RUN; nil means none
	Verbose  bool              // IMPORT also lists each damaged place
	ReadOnly bool              // statements that write are refused
	NoFiles  bool              // statements that read a file by its name are refused: FROM FILE, RUN FILE
	// Plain runs queries without optimization. The answers are the same; tests compare
	// both.
	Plain bool
	// History returns the statements that were typed at the prompt, the oldest first,
	// for the relation history. Nil means none.
	History func(context.Context) ([]relation.Entry, error)
	// Crawler runs crawls. If it is nil, CRAWL is refused and no crawls are listed.
	Crawler Crawler
	// Replay starts a browser that shows pages of the archive in replay. If it is nil,
	// CHECK REPLAY is refused.
	Replay func(context.Context, ReplayOptions) (Replay, error)
	// Bucket returns the place of a data set in a bucket, by a URL such as
	// s3://bucket/prefix/. If it is nil, EXPORT TO such a URL is refused.
	Bucket func(ctx context.Context, url string) (lake.Place, error)
	// Jobs is the log of statements that work on the archive. If it is nil, nothing is
	// logged and no schedule can run.
	Jobs Jobs
	// Frugal makes the garbage collector run more often until the caller calls end. It is
	// called for statements that hold much in memory. If it is nil, the garbage collector is
	// left as it is.
	Frugal func() (end func())
	// Workers compute parts of queries. If it is nil, the session computes all itself.
	Workers Workers
	// Version is the version of the program, for the User-Agent of crawls.
	Version string
	// Confirm asks the user before DROP POOL and DELETE remove captures. what has lines that
	// say which captures. If it returns an error, nothing is removed and the statement
	// returns that error. If Confirm is nil, both statements are refused.
	Confirm func(ctx context.Context, what []string) error
	// ConfirmCost asks the user before a plan runs whose estimate is above the setting
	// warn_cost. what is a line that says so. If it returns an error, the plan does not run.
	// If ConfirmCost is nil, such plans are refused with a *CostError.
	ConfirmCost func(ctx context.Context, what string) error
	// Rates are the measured rates from which costs are estimated. If it is nil, built-in
	// rates are used, and nothing is measured.
	Rates *cost.Rates
	// Progress, if not nil, is called with the progress of a long statement, about ten
	// times a second. Several goroutines may call it.
	Progress func(Progress)
}

// Language has what a session needs from packages that import this one: the specifications
// of statements, and the relations whose rows these packages make.
type Language struct {
	// SpecOf returns the Spec of a statement.
	SpecOf func(ast.Statement) *Spec
	// Relations returns the Relations of a session.
	Relations func(*Session) Relations
}

// Relations makes the rows of the relations schedules, watches, rules and revisits, because
// the archive does not store these rows.
type Relations interface {
	// Schedules returns the rows of the relation schedules.
	Schedules(ctx context.Context) ([]relation.Schedule, error)
	// Watches returns the rows of the relation watches. snap is the snapshot of
	// the query.
	Watches(ctx context.Context, snap relation.Snapshot) ([]relation.Watch, error)
	// Rules returns the rows of the relation rules.
	Rules(ctx context.Context) ([]relation.Rule, error)
	// Revisits yields how often each page changes, and with due also when
	// CRAWL DUE would visit the page next. The pages are those in snap that
	// n, the source of a query, asks for.
	Revisits(ctx context.Context, snap relation.Snapshot, n *relation.Request, due bool) iter.Seq2[relation.RevisitedPage, error]
}

// Session runs statements one after another against one archive. It keeps
// settings and parameters from one statement to the next. Only one goroutine
// may use it.
type Session struct {
	o        Options
	language Language
	checked  []task.Definition // definitions that statements would make which Check has read
	depth    int               // number of scripts around the statements, one inside the other
	warm     bool              // a plan has run, so what the next one reads may be in the cache
	trying   bool              // statements that write may be read even if the session is read-only; they are not run
	run      string            // the RUN whose statements the session runs, as in Program.Run; "" if there is none
	known    record.Time       // the session reads what was known at this time; 0 means all that is known
	visits   *VisitBudget      // budget of the run of an adaptive schedule; otherwise nil
	batch    *Batch            // batch of the watch whose THEN the session runs; otherwise nil
}

// VisitBudget says how many visits CRAWL DUE may make in one run of an adaptive schedule.
type VisitBudget struct {
	PerDay float64 // visits per day that the schedule allows
	Run    int64   // visits that this run may make
}

// BatchParam is the name of the parameter that the statement after THEN in a WATCH can use:
// the number of the batch.
const BatchParam = "batch"

// Batch is the new rows that one run of a watch has found. The statement after THEN runs for
// them. If it failed or the program was killed, it may run again for the same batch.
type Batch struct {
	Watch   string
	Created record.Time // when the watch was defined, which distinguishes watches of one name
	Number  int64
	keys    int // how many keys NextKey has returned
}

// NextKey returns the key of the next message that the statement after THEN sends for the
// batch, such as "news-1796083200000-3": the name of the watch, the time of its definition
// in ms since 1970, and the number of the batch. Later messages add the number of the
// message. If the statement runs again for the same batch, the keys are the same. For a nil
// b, NextKey returns "".
func (b *Batch) NextKey() string {
	if b == nil {
		return ""
	}
	key := fmt.Sprintf("%s-%d-%d", url.PathEscape(b.Watch), b.Created.Std().UnixMilli(), b.Number)
	if b.keys++; b.keys > 1 {
		key += fmt.Sprintf("-%d", b.keys)
	}
	return key
}

// Clock returns the current time. Tests replace the clock of a session by
// their own.
type Clock func() time.Time

// New returns a session with the options o for the statements of l.
func New(o Options, l Language) *Session {
	if o.Params == nil {
		o.Params = make(map[string]string)
	}
	return &Session{o: o, language: l}
}

// Archive returns the archive that statements read and write.
func (s *Session) Archive() Archive { return s.o.Archive }

// Settings returns the settings of the session. The caller may change them;
// a change holds from the next statement on.
func (s *Session) Settings() *Settings { return &s.o.Settings }

// Crawler returns the Crawler, which runs crawls, or nil if the session
// cannot crawl.
func (s *Session) Crawler() Crawler { return s.o.Crawler }

// Jobs returns the log of jobs, or nil if nothing is logged.
func (s *Session) Jobs() Jobs { return s.o.Jobs }

// Verbose reports whether IMPORT lists each damaged place.
func (s *Session) Verbose() bool { return s.o.Verbose }

// ReadOnly reports whether statements that write are refused.
func (s *Session) ReadOnly() bool { return s.o.ReadOnly }

// Version returns the version of the program.
func (s *Session) Version() string { return s.o.Version }

// Visits returns how many visits CRAWL DUE may make in this run of an
// adaptive schedule. It returns nil if the session does not run such a
// schedule.
func (s *Session) Visits() *VisitBudget { return s.visits }

// Batch returns the batch for which the session runs the statement after THEN. It returns
// nil if the session does not run for a watch.
func (s *Session) Batch() *Batch { return s.batch }

// ForBatch prepares the session to run the statement after THEN for the batch b. It sets the
// parameter $batch to the number of the batch.
func (s *Session) ForBatch(b *Batch) {
	s.batch = b
	s.SetParams(map[string]string{BatchParam: strconv.FormatInt(b.Number, 10)})
}

// SetProgress replaces Options.Progress.
func (s *Session) SetProgress(f func(Progress)) { s.o.Progress = f }

// SetConfirmCost replaces Options.ConfirmCost.
func (s *Session) SetConfirmCost(f func(ctx context.Context, what string) error) { s.o.ConfirmCost = f }

// SetConfirm replaces Options.Confirm.
func (s *Session) SetConfirm(f func(ctx context.Context, what []string) error) { s.o.Confirm = f }

// Confirm asks the user to confirm the statement st, which removes captures. It shows the user
// lines, which say which captures these are. Messages call the statement by name, such as DELETE.
// Confirm returns nil if the user agrees, and an error if the user declines or nobody can be
// asked.
func (s *Session) Confirm(ctx context.Context, st ast.Statement, name string, lines []string) error {
	if s.o.Confirm == nil {
		return ast.Errorf(st, "%s removes captures, and nobody can be asked to confirm it", name)
	}
	return s.o.Confirm(ctx, lines)
}

// Params returns the values of all parameters by name, as text. The caller
// may change the map.
func (s *Session) Params() map[string]string { return s.o.Params }

// SetParams replaces the values of all parameters.
func (s *Session) SetParams(params map[string]string) { s.o.Params = params }

// Now returns the current time by the clock of the session.
func (s *Session) Now() time.Time {
	if s.o.Now != nil {
		return s.o.Now()
	}
	return time.Now()
}

// SetNow replaces Options.Now.
func (s *Session) SetNow(now Clock) { s.o.Now = now }

// Env returns the values that an expression may need and that stay fixed
// while one statement runs, such as the current time and the parameters.
func (s *Session) Env() *expr.Env {
	env := &expr.Env{
		Now: record.At(s.Now()), Zone: s.o.Settings.Timezone, Params: s.o.Params, Run: s.run,
		Level: s.o.Settings.CutLevel(), Profile: s.o.Settings.Profile, Collapse: s.o.Settings.Collapse, Plain: s.o.Plain,
		Defined: s.Defined(), Watched: s.watched(), Known: s.known, Stored: s.stored, StoredNames: s.StoredNames, Synonyms: s.o.Settings.synonyms,
		Regions: s.o.Settings.regions,
	}
	if !s.o.NoFiles {
		env.Table = func(path string) (value.Table, error) { return rowio.OpenTable(path) }
	}
	return env
}

// Stamp returns the time t as text, in the time zone of the session.
func (s *Session) Stamp(t record.Time) string {
	return string(value.AppendTime(nil, t, s.Env().Location()))
}

// Day returns the day of the time t in the time zone of the session, such as "2008-07-07".
func (s *Session) Day(t record.Time) string {
	day, _, _ := strings.Cut(s.Stamp(t), "T")
	return day
}

// Assume makes the definition d (such as a view) known to later statements
// that Check reads, without storing it.
func (s *Session) Assume(d task.Definition) { s.checked = append(s.checked, d) }

// Inner returns a copy of the session for a statement inside another one.
// Changes that the inner statement makes to settings, parameters and
// definitions do not affect s.
func (s *Session) Inner() *Session {
	inner := *s
	inner.o.Params = maps.Clone(s.o.Params)
	inner.checked = slices.Clip(s.checked)
	return &inner
}

// KnownAt returns a copy of the session, as Inner does, that reads the archive as it was
// known at the time t. t is the time after KNOWN AT in a statement. If t is nil, KnownAt
// returns s itself.
func (s *Session) KnownAt(t ast.Expr) (*Session, error) {
	env := s.Env()
	known, err := value.KnownAt(t, env)
	if err != nil || known == s.known {
		return s, err
	}
	inner := s.Inner()
	inner.known = known
	return inner, nil
}

// Trial returns a copy of the session, as Inner does, that can read (but not run) statements
// that write even if s is read-only. It serves outer statements such as SCHEDULE, which are
// themselves refused in a read-only session.
func (s *Session) Trial() *Session {
	inner := s.Inner()
	inner.trying = true
	return inner
}

// Script returns a copy of the session, as Inner does, for the statements of a script with
// the parameters params. depth is how many scripts are running inside each other, this
// script included.
func (s *Session) Script(params map[string]string) (inner *Session, depth int) {
	inner = s.Inner()
	inner.o.Params = params
	inner.depth++
	return inner, inner.depth
}

// Unattended returns a copy of the session, as Inner does, for one run of a schedule with
// the given settings. It has no parameters, logs no jobs and reports no progress. visits is
// the budget of the run, or nil.
func (s *Session) Unattended(settings Settings, visits *VisitBudget) *Session {
	inner := s.Inner()
	inner.o.Settings, inner.o.Params, inner.o.Jobs, inner.o.Progress = settings, map[string]string{}, nil, nil
	inner.visits = visits
	return inner
}

// Adopt copies the settings and definitions of inner, a session in which a
// script was checked, to s. It does not copy parameters, which belong to the
// script.
func (s *Session) Adopt(inner *Session) { s.checked, s.o.Settings = inner.checked, inner.o.Settings }

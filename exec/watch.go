package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation/work"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/exec/watch"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// watched is a WATCH statement or a watch of the archive.
type watched struct {
	timed
	st *ast.Watch // with each parameter of EVERY replaced by its value
}

// watchSpec declares the statement WATCH, which stores a watch in the archive.
var watchSpec = session.Declare("WATCH", session.Writes|session.Anywhere, readWatch)

// readWatch reads the WATCH statement st, and checks its query and the statement
// after THEN. The result has the current settings of the session.
func readWatch(s *session.Session, st *ast.Watch) (*watched, error) {
	if err := checkWatched(st, s.Env()); err != nil {
		return nil, err
	}
	w := &watched{timed: timed{s: s}}
	w.begin(task.KindWatch, &st.Name)
	bare := *st
	var err error
	if bare.Every, err = w.literalDuration(st.Every, "EVERY"); err != nil {
		return nil, err
	}
	w.st = &bare
	if err := w.planEvery(bare.Every.(*ast.Duration)); err != nil {
		return nil, ast.Errorf(st.Every, "%v", err)
	}
	w.Text = w.settingsText() + bare.String()
	if st.Then == nil {
		return w, nil
	}
	trial := s.Trial()
	trial.Assume(w.Definition) // THEN may read its rows
	trial.ForBatch(&session.Batch{Watch: st.Name.Text, Created: w.Created, Number: 1})
	return w, trial.Check(st.Then)
}

// checkWatched returns an error if the query of st cannot be watched: its columns
// are not all different, KEY is missing or names no column, or it reads what watches
// found.
func checkWatched(st *ast.Watch, env *expr.Env) error {
	node, err := plan.Build(st.Query, env)
	if err != nil {
		return err
	}
	for _, src := range plan.Sources(node) {
		if src.Relation.Name == work.Watched.Name {
			return ast.Errorf(st.Query, "a watch cannot read watched, because that is made by watches")
		}
	}
	columns := node.Columns()
	var names []string
	for _, c := range columns {
		if work.Watched.Column(c.Name) != nil {
			err := ast.Errorf(st.Query, "the query has a column %q, and so has the relation watched", c.Name)
			err.Hint = "give it another name: " + c.Name + " AS its_" + c.Name
			return err
		}
		if strings.ContainsAny(c.Name, "\n\r") {
			return ast.Errorf(st.Query, "the name of a column has a line end; give it another name by AS")
		}
		if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, c.Name) }) {
			return ast.Errorf(st.Query, "the query has two columns %q; give one another name by AS", c.Name)
		}
		names = append(names, c.Name)
	}
	if _, err := keyColumns(st, columns); err != nil {
		return err
	}
	if st.Key != nil {
		return nil
	}
	hint := "say by which columns a row is new, such as KEY (" + names[0] + ")"
	if c := plan.Aggregates(st.Query); c != nil {
		err := ast.Errorf(c, "%s changes from run to run, so that most rows would be new again; a watch of it needs KEY", c.Name.Text)
		err.Hint = hint
		return err
	}
	if st.Query.Search != nil {
		err := ast.Errorf(st.Query, "the scores of SEARCH change from run to run, so that most rows would be new again; a watch of it needs KEY")
		err.Hint = "say by which columns a row is new: KEY (url)"
		return err
	}
	return nil
}

// keyColumns returns the indexes of the columns that KEY names, or nil without KEY.
func keyColumns(st *ast.Watch, columns []value.Column) (list []int, err error) {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	for i := range st.Key {
		k := &st.Key[i]
		at := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, k.Text) })
		if at < 0 {
			return nil, expr.UnknownName(k, "column", k.Text, " of the query", names)
		}
		list = append(list, at)
	}
	return list, nil
}

// Run stores the watch in the archive. It is an error if a watch or schedule of that
// name exists. Rows that an earlier watch of the name has left are removed.
func (w *watched) Run(ctx context.Context) (*session.Result, error) {
	res, err := w.define(ctx)
	if err != nil {
		return nil, err
	}
	return res, w.removeLeft(ctx)
}

// Assume makes the watch known to later statements that Session.Check reads.
func (w *watched) Assume() { w.s.Assume(w.Definition) }

// Would returns lines for EXPLAIN: the watch, the times of its next runs, the plan of
// its query, and the statement after THEN.
func (w *watched) Would(ctx context.Context) ([]string, error) {
	lines := []string{fmt.Sprintf("watches %s in %s: EVERY %s", w.Name, w.s.Archive().Path(), w.st.Every)}
	lines = append(lines, w.nextRuns(w.Created.Std())...)
	lines = append(lines, w.about()...)
	node, err := plan.Build(w.st.Query, w.s.Env())
	if err != nil {
		return nil, err
	}
	lines = append(lines, "  reads")
	if !w.s.Archive().Exists() {
		return append(lines, "    "+w.st.Query.String()), nil
	}
	inner, err := w.s.PlanLines(ctx, node)
	for _, l := range inner {
		lines = append(lines, "    "+l)
	}
	return lines, err
}

// about returns lines that say which rows are new, and what is done with them.
func (w *watched) about() (lines []string) {
	key := "all columns"
	if w.st.Key != nil {
		key = keyText(w.st)
	}
	lines = append(lines, "  a row is new if no earlier run found one with the same: "+key)
	if w.st.FromStart {
		lines = append(lines, "  the rows of the first run are new")
	} else {
		lines = append(lines, "  the rows of the first run are kept, and THEN does not run for them")
	}
	if w.st.Then != nil {
		lines = append(lines, "  after new rows came, runs "+w.st.Then.String())
	}
	return lines
}

// keyText returns the columns of KEY, separated by commas, or "".
func keyText(st *ast.Watch) string {
	var list []string
	for i := range st.Key {
		list = append(list, st.Key[i].String())
	}
	return strings.Join(list, ", ")
}

// unwatchSpec declares the statement UNWATCH, which removes a watch and its rows.
var unwatchSpec = session.Declare("UNWATCH", session.Writes, readUnwatch)

// unwatching is an UNWATCH statement that was read.
type unwatching struct {
	s    *session.Session
	name *ast.Name
}

// readUnwatch reads the UNWATCH statement st. It returns an error if the archive has
// no watch of that name.
func readUnwatch(s *session.Session, st *ast.Unwatch) (*unwatching, error) {
	return &unwatching{s, &st.Name}, s.CheckDefined(task.KindWatch, &st.Name)
}

// Run removes the watch and then its rows. A run of the watch that goes on removes
// what it stores when it ends.
func (u *unwatching) Run(ctx context.Context) (*session.Result, error) {
	var gone task.Definition
	err := u.s.Archive().Define(ctx, func(list []task.Definition) ([]task.Definition, error) {
		if err := session.RequireDefinition(list, task.KindWatch, u.name); err != nil {
			return nil, err
		}
		i := session.IndexDefinition(list, task.KindWatch, u.name.Text)
		gone = list[i]
		return slices.Delete(list, i, i+1), nil
	})
	if err != nil {
		return nil, err
	}
	if _, err := u.s.Archive().DropResult(ctx, task.ResultWatches, gone.Name); err != nil {
		return nil, err
	}
	return session.Done(), nil
}

// Would returns one line for EXPLAIN.
func (u *unwatching) Would(context.Context) ([]string, error) {
	return []string{fmt.Sprintf("removes watch %s and its rows in watched from %s; captures stay", u.name.Text, u.s.Archive().Path())}, nil
}

// runWatchSpec declares the statement RUN WATCH, which runs a watch now.
var runWatchSpec = session.DeclareFor("RUN WATCH", session.Writes, readRunWatch)

// watchRun is a RUN WATCH statement that was read and is ready to run.
type watchRun struct {
	s  *session.Session
	st *ast.RunWatch
}

// readRunWatch reads the RUN WATCH statement st. It returns an error if the archive
// has no watch of that name.
func readRunWatch(s *session.Session, _ watch.Files, st *ast.RunWatch) (*watchRun, error) {
	return &watchRun{s, st}, s.CheckDefined(task.KindWatch, &st.Name)
}

// Run runs the watch now. Its result has one row, which says how many new rows came
// and what the last batch is. If the run fails, its error comes after the row.
func (r *watchRun) Run(ctx context.Context) (*session.Result, error) {
	begun := r.s.Now()
	j, err := Watches{r.s}.Run(ctx, r.st.Name.Text)
	if err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("name"), session.Text("state"), session.Whole("rows"), value.Column{Name: "duration", Type: value.Duration})
	t.Add(value.OfText(j.Name), value.OfText(j.State.String()), value.OfInt(j.Rows), value.OfDuration(r.s.Now().Sub(begun).Milliseconds()))
	if j.State == task.JobFailed {
		err = ast.Errorf(&r.st.Name, "watch %s: %s", j.Name, j.Error)
	}
	return t.Work(session.Count{Rows: j.Rows}, err), nil
}

// Would returns lines with the query that would run, and with the times of the next
// runs.
func (r *watchRun) Would(ctx context.Context) ([]string, error) {
	list, err := r.s.Definitions(ctx)
	if err == nil {
		err = session.RequireDefinition(list, task.KindWatch, &r.st.Name)
	}
	if err != nil {
		return nil, err
	}
	w, err := Watches{r.s}.read(list[session.IndexDefinition(list, task.KindWatch, r.st.Name.Text)])
	if err != nil {
		return nil, err
	}
	lines := append([]string{"runs now: " + w.st.Query.String()}, w.about()...)
	return append(lines, w.nextRuns(r.s.Now())...), nil
}

// errNoWatches is returned if an archive cannot keep the rows of watches.
var errNoWatches = errors.New("this archive keeps no rows of watches")

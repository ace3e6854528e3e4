package event

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/task"
	"infomall/store/words/match"
)

// defaultName is the name of the ranking of an EVENTS without a name.
const defaultName = "events"

// newTexts is the query for the texts in which EVENTS looks for events.
const newTexts = "SELECT url, time, host, kind, published, published_precision, title, text, source, lang, added FROM articles"

// seen is the query for the times at which the scope was captured. Periods without captures
// are gaps.
const seen = "SELECT time FROM captures"

// finding is an EVENTS statement whose clauses were checked.
type finding struct {
	s     *session.Session
	st    *ast.Events
	env   *expr.Env
	name  string
	unit  string       // hour, day, week or month
	lang  string       // of LANGUAGE; "" means all
	about *match.Query // of ABOUT; nil without it
	text  string       // the statement, with its parameters replaced
	texts plan.Node    // the query newTexts
	seen  plan.Node    // the query seen
}

// Events is the statement EVENTS, which finds events and keeps them under a name.
var Events = session.Declare("EVENTS", session.Writes|session.Works|session.Holds, readEvents).Named(func(st ast.Statement) *ast.Name { return st.(*ast.Events).Name })

// readEvents makes a finding of an EVENTS statement: it checks the clauses and plans the
// queries.
func readEvents(s *session.Session, st *ast.Events) (*finding, error) {
	f := &finding{s: s, st: st, env: s.Env(), name: defaultName, unit: cmp.Or(st.By, "day")}
	if st.Name != nil {
		f.name = strings.ToLower(st.Name.Text)
	}
	if st.Time.Known != nil {
		err := ast.Errorf(st.Time.Known, "EVENTS reads what the archive has now, and takes no KNOWN AT")
		err.Hint = "SELECT … FROM events KNOWN AT t reads the events that were found by then"
		return nil, err
	}
	if st.Time.Choice != nil {
		err := ast.Errorf(st.Time.Choice, "EVENTS takes a range of times, because an event takes time")
		err.Hint = "write SINCE 2008, or DURING 2008-06 AND 2008-08"
		return nil, err
	}
	var err error
	if st.About != nil {
		words, err := expr.ConstantText(st.About, f.env)
		if err != nil {
			return nil, err
		}
		if f.about, err = match.Parse(words); err != nil {
			return nil, ast.Errorf(st.About, "%v", err)
		}
	}
	if st.Language != nil {
		if f.lang, err = expr.ConstantText(st.Language, f.env); err != nil {
			return nil, err
		}
		if f.lang == "" {
			return nil, ast.Errorf(st.Language, "LANGUAGE takes a code such as 'zh' or 'en', not an empty text")
		}
	}
	if f.text, err = f.clauses(); err != nil {
		return nil, err
	}
	if f.texts, err = f.plan(st.Scopes, newTexts, f.conditions()); err != nil {
		return nil, err
	}
	f.seen, err = f.plan(st.Scopes, seen, "")
	return f, err
}

// conditions returns the condition on the texts that the clauses OF and LANGUAGE make, as
// text of the language, or "".
func (f *finding) conditions() string {
	var all []string
	if f.st.Of != "" {
		all = append(all, "kind = '"+strings.TrimSuffix(f.st.Of, "s")+"'")
	}
	if f.lang != "" {
		all = append(all, "lang = "+(&ast.String{Value: f.lang}).String())
	}
	return strings.Join(all, " AND ")
}

// plan plans text, one of the queries of this package, with the condition where, for the given
// scopes and the time of the statement. where may be "".
func (f *finding) plan(scopes []ast.Scope, text, where string) (plan.Node, error) {
	if where != "" {
		text += " WHERE " + where
	}
	q := session.Query(text)
	q.Select.From.Scopes, q.Select.From.Time = scopes, f.st.Time
	return plan.Build(q, f.env)
}

// clauses returns the statement without its name, with each parameter replaced by its value.
// A stream that was made by other clauses has other texts.
func (f *finding) clauses() (string, error) {
	bare := *f.st
	bare.Name = nil
	for _, e := range []*ast.Expr{&bare.About, &bare.Language} {
		if *e != nil {
			text, err := expr.ConstantText(*e, f.env)
			if err != nil {
				return "", err
			}
			*e = &ast.String{Value: text}
		}
	}
	bare.By = f.unit
	bare.Scopes = nil
	text := bare.String()
	for i := range f.st.Scopes {
		from, to := f.st.Scopes[i].From, f.st.Scopes[i].To
		for _, e := range []ast.Expr{from, to} {
			if e != nil {
				scope, err := expr.ConstantText(e, f.env)
				if err != nil {
					return "", err
				}
				text += fmt.Sprintf(" %q", scope)
			}
		}
	}
	if r := f.st.Time.Range; r != nil {
		text += " " + r.String()
	}
	return text, nil
}

// runCacheBytes is the maximum size of the cache of decompressed runs while EVENTS reads. It is
// small because EVENTS reads each run once: with the cache of a query, 300,000 texts take 200 MB
// more, and no less time.
const runCacheBytes = 16 << 20

// Run finds the events and keeps them. Its result has one row, with what was read and found.
func (f *finding) Run(ctx context.Context) (*session.Result, error) {
	begun := time.Now()
	snap, release, err := f.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if o := f.s.Settings(); o.Cache {
		snap.SetCache(min(o.CacheBytes, runCacheBytes))
	}
	c, err := newCollection(ctx, f, snap)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if err := c.readNew(ctx); err != nil {
		return nil, err
	}
	if err := c.group(ctx); err != nil {
		return nil, err
	}
	if err := c.find(ctx); err != nil {
		return nil, err
	}
	kept, err := c.save(ctx)
	if err == nil {
		err = c.stillThere(ctx)
	}
	if err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("ranking"), value.Column{Name: "as_of", Type: value.Time}, session.Whole("texts"), session.Whole("new"), session.Whole("reports"), session.Whole("words"),
		session.Whole("events"), session.Whole("bytes"), session.Whole("ms"))
	t.Add(value.OfText(kept.Name), value.OfTime(kept.AsOf), value.OfInt(int64(len(c.list))), value.OfInt(int64(c.fresh)), value.OfInt(int64(c.sets)),
		value.OfInt(int64(c.words.live)), value.OfInt(int64(len(c.found))), value.OfInt(kept.Bytes), value.OfInt(time.Since(begun).Milliseconds()))
	res := t.Work(session.Count{Rows: int64(c.fresh), Bytes: kept.Bytes}, nil)
	res.Notes = c.notes
	f.s.PictureEvents(ctx, res, kept.Name)
	return res, nil
}

// Would returns the lines for EXPLAIN: what would be looked for, and the plans of the queries.
func (f *finding) Would(ctx context.Context) ([]string, error) {
	snap, release, err := f.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	what := cmp.Or(f.st.Of, "articles and headlines")
	line := fmt.Sprintf("find events in new %s by %s, keep them as ranking %s", what, f.unit, f.name)
	if f.about != nil {
		line += ", only in texts with: " + f.about.String()
	}
	before, err := session.TimesComputed(ctx, snap, task.ResultEvents, f.name)
	if err != nil {
		return nil, err
	}
	lines := []string{line + ", which has been computed " + value.Counted(before, "time")}
	would, err := f.s.ReadLines(ctx, snap, f.texts, f.seen)
	return append(lines, would...), err
}

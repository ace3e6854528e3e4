package event

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/reports"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/words/match"
)

// traced is the query for the texts that TRACE EVENT may show.
const traced = "SELECT url, time, host, kind, published, published_precision, title, text, source FROM articles"

// tracesMax is the most texts that TRACE EVENT shows. More would not fit into memory, and
// nobody would read them.
const tracesMax = 100_000

// usualTerms is the usual number of words of a text, from which scores are computed.
const usualTerms = 300

// trace is a TRACE EVENT statement whose clauses were checked.
type trace struct {
	s     *session.Session
	words *match.Query
	texts plan.Node
}

// TraceEvent is the statement TRACE EVENT, which shows what was written about some words, in
// the order of time.
var TraceEvent = session.Declare("TRACE EVENT", session.Answers, readTrace)

// readTrace makes a trace of a TRACE EVENT statement: it checks the clauses and plans the
// query.
func readTrace(s *session.Session, st *ast.TraceEvent) (*trace, error) {
	text, err := expr.ConstantText(st.Words, s.Env())
	if err != nil {
		return nil, err
	}
	words, err := match.Parse(text)
	if err != nil {
		return nil, ast.Errorf(st.Words, "%v", err)
	}
	if st.Time.Choice != nil {
		err := ast.Errorf(st.Time.Choice, "TRACE EVENT takes a range of times, because an event takes time")
		err.Hint = "write SINCE 2008, or DURING 2008-06 AND 2008-08"
		return nil, err
	}
	if s, err = s.KnownAt(st.Time.Known); err != nil {
		return nil, err
	}
	q := session.Query(traced)
	q.Select.From.Scopes, q.Select.From.Time = st.Scopes, st.Time
	node, err := plan.Build(q, s.Env())
	return &trace{s, words, node}, err
}

// tracedText is a text that has the words of the statement.
type tracedText struct {
	reports.Text
	url, host string
	precision string
	title     string
	source    string
	score     float64
	headline  bool
}

// Run finds the texts with the words. Its result has one row per set of texts that are nearly
// the same, sorted by time.
func (r *trace) Run(ctx context.Context) (*session.Result, error) {
	snap, release, err := r.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	list, sets, err := r.read(ctx, r.s.Runner(snap, "trace event"))
	if err != nil {
		return nil, err
	}
	t := session.NewTable(value.Column{Name: "at", Type: value.Time}, session.Text("published_precision"), session.Text("title"), value.Column{Name: "url", Type: value.URL},
		session.Text("host"), session.Text("source"), session.Text("sources"), session.Whole("copies"), value.Column{Name: "score", Type: value.Float})
	var order [][]int
	for set := range sets.Sets() {
		order = append(order, slices.Clone(set.Texts))
	}
	slices.SortFunc(order, func(a, b []int) int { return sets.Text(a[0]).Compare(sets.Text(b[0])) })
	for _, set := range order {
		first := list[set[0]]
		score := 0.0
		var hosts []string
		for _, i := range set {
			score = max(score, list[i].score)
			if !slices.Contains(hosts, list[i].host) {
				hosts = append(hosts, list[i].host)
			}
		}
		t.Add(value.OfTime(first.At()), value.TextOrNull(first.precision), value.TextOrNull(first.title), value.OfURL(first.url), value.TextOrNull(first.host),
			value.TextOrNull(cmp.Or(first.source, first.host)), value.TextOrNull(strings.Join(hosts, ", ")), value.OfInt(int64(len(set)-1)), value.OfFloat(score))
	}
	res := t.Result()
	r.s.Picture(ctx, res, nil)
	if len(list) == 0 {
		res.Notes = append(res.Notes, fmt.Sprintf("no new text has the words: %s", r.words))
	}
	return res, nil
}

// read reads the texts with the words, and puts texts that are nearly the same into one set.
func (r *trace) read(ctx context.Context, run interface {
	Rows(context.Context, plan.Node) (value.Rows, error)
}) (list []tracedText, sets *reports.State, err error) {
	rows, err := run.Rows(ctx, r.texts)
	if err != nil {
		return nil, nil, err
	}
	sets = new(reports.State)
	counts := make([]int, len(r.words.Atoms()))
	var all []tracedText
	for b, err := range rows {
		if err != nil {
			return nil, nil, err
		}
		for i := range b.N {
			at := func(n int) value.Value { return b.Cols[n].At(i) }
			whole := at(6).Text + "\n" + at(7).Text
			if !r.words.Matches(whole) {
				continue
			}
			t := text{url: at(0).Text, time: record.Time(at(1).Int), host: at(2).Text, headline: at(3).Text == "headline", published: record.NoTime, precision: at(5).Text, title: at(6).Text}
			if v := at(4); v.Type != value.Null {
				t.published = record.Time(v.Int)
			}
			t.dated = t.published != record.NoTime && (t.precision == "day" || t.precision == "minute")
			t.setID()
			print, ok := reports.PrintOf(at(7).Text)
			if !ok {
				if print, ok = reports.PrintOf(t.title); !ok {
					continue
				}
			}
			if len(all) == tracesMax {
				return nil, nil, fmt.Errorf("TRACE EVENT: more than %d texts have the words; name more words, a scope or a time", tracesMax)
			}
			clear(counts)
			terms := r.words.Count(whole, counts)
			x := tracedText{Text: reports.Text{ID: t.id, Published: dateOf(&t), Seen: t.time, Print: print}, url: strings.Clone(t.url), host: strings.Clone(t.host), title: strings.Clone(t.title), source: strings.Clone(at(8).Text), score: r.words.BM25(counts, terms, usualTerms), headline: t.headline}
			if t.dated {
				x.precision = strings.Clone(t.precision)
			}
			all = append(all, x)
		}
	}
	titles := make(map[uint64]bool) // of articles: the front page says what the article says
	for i := range all {
		if !all[i].headline {
			titles[titleHash(all[i].title)] = true
		}
	}
	seen := make(map[uint64]bool) // by ID
	for _, x := range all {
		if !seen[x.ID] && (!x.headline || !titles[titleHash(x.title)]) {
			seen[x.ID] = true
			sets.Add(x.Text)
			list = append(list, x)
		}
	}
	return list, sets, sets.Update(ctx)
}

// Would returns lines for EXPLAIN: the words, and the plan of the query.
func (r *trace) Would(ctx context.Context) ([]string, error) {
	snap, release, err := r.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	would, err := r.s.ReadLines(ctx, snap, r.texts)
	return append([]string{fmt.Sprintf("shows the texts with the words: %s, in the order of time", r.words)}, would...), err
}

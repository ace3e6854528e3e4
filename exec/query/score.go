package query

import (
	"context"
	"fmt"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/search"
	"infomall/store/urlkey"
)

// scoreExplanation is EXPLAIN SEARCH 'words' FOR 'url', whose clauses were read.
type scoreExplanation struct {
	selection
	st  *ast.Search
	url string // canonical
}

// read reads the clauses of a query that was written as SEARCH with FOR, and sets the fields of x.
// The caller has set x.s.
func (x *scoreExplanation) read(q *ast.Query) error {
	text, err := expr.ConstantText(q.Search.For, x.s.Env())
	if err != nil {
		return err
	}
	x.st = q.Search
	if x.url, err = urlkey.Canonical(text); err != nil {
		return ast.Errorf(q.Search.For, "%v", err)
	}
	plain := *q
	plain.Search = &ast.Search{}
	of, err := readSelect(x.s, &plain)
	if err == nil {
		x.selection = *of
	}
	return err
}

// Run returns a table of the parts of the score: one row for each word in the best block,
// in the whole page and in the title, and a row for the sum.
func (x *scoreExplanation) Run(ctx context.Context) (*session.Result, error) {
	snap, release, err := x.s.SnapshotFor(ctx, x.node)
	if err != nil {
		return nil, err
	}
	defer release()
	n := &plan.Sources(x.node)[0].Request
	of, err := x.s.Runner(snap, "explain").ScoreOf(ctx, n, urlkey.Key(x.url))
	if err != nil {
		return nil, err
	}
	if of == nil {
		err := ast.Errorf(x.st.For, "SEARCH does not find %s", x.url)
		err.Hint = "in this scope and time, no version of it has the words asked for"
		return nil, err
	}
	return x.table(n, of), nil
}

// table returns the table of a score. n is what the query asks for.
func (x *scoreExplanation) table(n *relation.Request, of *relation.ScoreOf) *session.Result {
	float := func(name string) value.Column { return value.Column{Name: name, Type: value.Float} }
	t := session.NewTable(session.Text("part"), session.Text("word"), session.Whole("found"), session.Whole("linked"), session.Whole("words"),
		session.Whole("pages"), float("rarity"), float("says"), float("gives"))
	var whole search.Block
	whole.Counts, whole.Linked = make([]int, len(of.Rarity)), make([]int, len(of.Rarity))
	for i := range of.Page.Blocks {
		b := &of.Page.Blocks[i]
		whole.Terms += b.Terms
		for a := range whole.Counts {
			whole.Counts[a] += b.Counts[a]
			whole.Linked[a] += min(b.Counts[a], b.Linked[a])
		}
	}
	var null value.Value
	count := func(n int) value.Value { return value.OfInt(int64(n)) }
	add := func(part string, b *search.Block, says []float64) {
		n.Question.Needed(func(a int) {
			linked := null
			if b.Linked != nil {
				linked = count(min(b.Counts[a], b.Linked[a]))
			}
			t.Add(value.OfText(part), value.OfText(n.Question.Atoms()[a].String()), count(b.Counts[a]), linked, count(b.Terms),
				count(of.With[a]), value.OfFloat(of.Rarity[a]), value.OfFloat(says[a]), value.OfFloat(says[a]*of.Rarity[a]))
		})
	}
	f := &of.Factors
	best := &of.Page.Blocks[f.Place]
	add("block", best, f.Block)
	add("page", &whole, f.Whole)
	add("title", &of.Title, f.Title)
	t.Add(value.OfText("score"), null, null, null, null, count(of.Pages), null, null, value.OfFloat(of.Score))
	res := t.Result()
	res.Notes = []string{fmt.Sprintf("version of %s; block %d of %d, label %s, which counts %v; %s asked",
		x.s.Stamp(of.Last), f.Place+1, len(of.Page.Blocks), best.Label, search.LabelWeight(best.Label), value.Counted(of.Pages, "distinct page"))}
	return res
}

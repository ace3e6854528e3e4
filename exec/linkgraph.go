package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/graph"
	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
)

// linksAsked says which graph a statement needs: the links in the archive at a
// time, or a named graph.
type linksAsked struct {
	graph   *ast.Name // nil: of links
	scopes  []ast.Scope
	time    ast.TimeClause // LATEST if empty
	without []string       // of ast.Withouts
	byHost  bool
	find    []string // URLs or names whose nodes are wanted

	links *plan.Source // set by plans, unless graph is
	kept  *task.Result
}

func votingKinds() string {
	var list []string
	for _, k := range op.VotingKinds {
		list = append(list, "'"+k.String()+"'")
	}
	return strings.Join(list, ", ")
}

// options are what the graph of links is made of.
func (a *linksAsked) options() op.LinkOptions {
	return op.LinkOptions{
		WithoutInternal: slices.Contains(a.without, "internal"), WithoutNoFollow: slices.Contains(a.without, "nofollow"), WithoutNav: slices.Contains(a.without, "nav"),
		ByHost: a.byHost,
	}
}

// plans plans what is read for the graph.
func (a *linksAsked) plans(env *expr.Env) error {
	if a.graph != nil {
		return nil
	}
	n, err := a.plan("SELECT url FROM links", env)
	if err == nil {
		a.links = plan.Sources(n)[0]
	}
	return err
}

// plan plans a query, of the scopes and the time asked for.
func (a *linksAsked) plan(text string, env *expr.Env) (plan.Node, error) {
	st, err := lang.ParseOne(text, "")
	if err != nil {
		panic("exec: " + err.Error())
	}
	q := st.(*ast.Query)
	a.within(q.Select.From)
	return plan.Build(q, env)
}

// pin finds the graph that has a name.
func (a *linksAsked) pin(ctx context.Context, snap op.Snapshot) (err error) {
	if a.graph != nil {
		a.kept, err = keptGraph(ctx, snap, a.graph)
	}
	return err
}

// within gives a source the scopes and the time asked for.
func (a *linksAsked) within(from *ast.Source) {
	from.Scopes, from.Time = a.scopes, a.time
	if from.Time == (ast.TimeClause{}) {
		from.Time.Choice = &ast.TimeChoice{Op: ast.ChoiceLatest}
	}
}

// asOf returns the time that the graph describes: the time in the statement, or
// the end of its range, but at most the archive's last capture. For a named
// graph it is the time of its import.
func (a *linksAsked) asOf(ctx context.Context, snap op.Snapshot) (record.Time, error) {
	if a.kept != nil {
		return a.kept.AsOf, nil
	}
	src := a.links
	if src.Choice.AsOf != record.NoTime {
		return src.Choice.AsOf, nil
	}
	pools, err := snap.Pools(ctx)
	last := record.MinTime
	for _, p := range pools {
		last = max(last, p.Last)
	}
	return min(src.Window.To-1, last), err
}

// wouldRead says what making the graph would read.
func (a *linksAsked) wouldRead(ctx context.Context, snap op.Snapshot) ([]string, error) {
	if err := a.pin(ctx, snap); err != nil {
		return nil, err
	}
	if g := a.kept; g != nil {
		return []string{fmt.Sprintf("  graph %s: %s nodes, %s edges", g.Name, g.Properties[graph.PropertyNodes], g.Properties[graph.PropertyEdges])}, nil
	}
	return wouldRead(ctx, snap, a.links)
}

// wouldRead shows plans, and the pools that they would open.
func wouldRead(ctx context.Context, snap op.Snapshot, nodes ...plan.Node) (lines []string, err error) {
	pools, err := snap.Pools(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		plan.Walk(n, func(n plan.Node, depth int) {
			lines = append(lines, indented(depth+1, n.String()))
			if src, ok := n.(*plan.Source); ok {
				lines = append(lines, indented(depth+2, poolLine(pools, src.Reads())))
			}
		})
	}
	return lines, nil
}

// linkGraph makes the graph. The caller closes it.
func (s *Session) linkGraph(ctx context.Context, run *op.Runner, a *linksAsked) (*graph.Named, error) {
	if err := a.pin(ctx, run.Snapshot); err != nil {
		return nil, err
	}
	if a.kept != nil {
		kept := &graph.Stored{Result: *a.kept, Rows: run.Snapshot, Memory: &run.Memory}
		return kept.Graph(ctx, graph.NamedOptions{Find: a.find, Weighted: true})
	}
	return run.LinkGraph(ctx, &a.links.Request, a.options(), graph.NamedOptions{Find: a.find})
}

// node returns the name of the node that a text in a statement means.
func (a *linksAsked) node(s *Session, e ast.Expr) (string, error) {
	if a.graph != nil {
		name, err := expr.ConstantText(e, s.env())
		if err != nil {
			return "", err
		}
		node, err := nodeName([]byte(name))
		if err != nil {
			return "", ast.Errorf(e, "%v", err)
		}
		return string(node), nil
	}
	asked, err := s.pageAsked(e, nil)
	if err != nil {
		return "", err
	}
	if a.byHost {
		return op.HostNode()(asked.url), nil
	}
	return asked.url, nil
}

// withParams returns an expression in which each parameter is replaced by its
// value. The result can be read later, without the parameters.
func withParams(e ast.Expr, env *expr.Env) (ast.Expr, error) {
	switch e := e.(type) {
	case *ast.Param:
		text, err := env.Param(e)
		return &ast.String{Span: e.Span, Value: text}, err
	case *ast.Binary:
		copied := *e
		var err error
		if copied.X, err = withParams(e.X, env); err == nil {
			copied.Y, err = withParams(e.Y, env)
		}
		return &copied, err
	}
	return e, nil
}

// numberWithParam gives a number or nil as it is, and the value of a parameter as
// a number.
func numberWithParam(e ast.Expr, env *expr.Env) (ast.Expr, error) {
	param, ok := e.(*ast.Param)
	if !ok {
		return e, nil
	}
	text, err := env.Param(param)
	return &ast.Number{Span: param.Span, Text: strings.TrimSpace(text)}, err
}

// scopesWithParams and timeWithParams do so in scopes and times.
func scopesWithParams(list []ast.Scope, env *expr.Env) (_ []ast.Scope, err error) {
	list = slices.Clone(list)
	for i := range list {
		if list[i].From, err = withParams(list[i].From, env); err == nil && list[i].To != nil {
			list[i].To, err = withParams(list[i].To, env)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func timeWithParams(t ast.TimeClause, env *expr.Env) (_ ast.TimeClause, err error) {
	put := func(e *ast.Expr) {
		if *e != nil && err == nil {
			*e, err = withParams(*e, env)
		}
	}
	if t.Range != nil {
		r := *t.Range
		put(&r.A)
		put(&r.B)
		t.Range = &r
	}
	if t.Choice != nil {
		c := *t.Choice
		put(&c.T)
		t.Choice = &c
	}
	return t, err
}

package rank

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/graph"
	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
)

// linksAsked says which graph a statement needs: the links in the archive at a
// time, or a named graph.
type linksAsked struct {
	graph          *ast.Name // nil: of links
	session.Within           // which links
	without        []string  // of ast.Withouts
	byHost         bool
	find           []string // URLs or names whose nodes are wanted

	links *plan.Source // set by plans, unless graph is
	kept  *task.Result
}

func votingKinds() string {
	var list []string
	for _, k := range relation.VotingKinds {
		list = append(list, "'"+k.String()+"'")
	}
	return strings.Join(list, ", ")
}

// options are what the graph of links is made of.
func (a *linksAsked) options() relation.LinkOptions {
	return relation.LinkOptions{
		WithoutInternal: slices.Contains(a.without, "internal"), WithoutNoFollow: slices.Contains(a.without, "nofollow"), WithoutNav: slices.Contains(a.without, "nav"),
		ByHost: a.byHost,
	}
}

// plans plans what is read for the graph.
func (a *linksAsked) plans(env *expr.Env) error {
	if a.graph != nil {
		return nil
	}
	n, err := a.Plan("SELECT url FROM links", env)
	if err == nil {
		a.links = plan.Sources(n)[0]
	}
	return err
}

// pin finds the graph that has a name.
func (a *linksAsked) pin(ctx context.Context, snap relation.Snapshot) (err error) {
	if a.graph != nil {
		a.kept, err = keptGraph(ctx, snap, a.graph)
	}
	return err
}

// asOf returns the time that the graph describes: the time in the statement, or
// the end of its range, but at most the archive's last capture. For a named
// graph it is the time of its import.
func (a *linksAsked) asOf(ctx context.Context, snap relation.Snapshot) (record.Time, error) {
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
func (a *linksAsked) wouldRead(ctx context.Context, snap relation.Snapshot) ([]string, error) {
	if err := a.pin(ctx, snap); err != nil {
		return nil, err
	}
	if g := a.kept; g != nil {
		return []string{fmt.Sprintf("  graph %s: %s nodes, %s edges", g.Name, g.Properties[graph.PropertyNodes], g.Properties[graph.PropertyEdges])}, nil
	}
	return session.ReadLines(ctx, snap, a.links)
}

// read makes the graph. The caller closes it.
func (a *linksAsked) read(ctx context.Context, run *op.Runner) (*graph.Named, error) {
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
func (a *linksAsked) node(e ast.Expr, env *expr.Env) (string, error) {
	if a.graph != nil {
		name, err := expr.ConstantText(e, env)
		if err != nil {
			return "", err
		}
		node, err := nodeName([]byte(name))
		if err != nil {
			return "", ast.Errorf(e, "%v", err)
		}
		return string(node), nil
	}
	url, err := session.ConstantURL(e, env)
	if err == nil && a.byHost {
		url = relation.HostNode()(url)
	}
	return url, err
}

// storedText returns a statement as text in which each parameter is replaced by its value.
// EXPLAIN RANK can read the text again, without the parameters. numbers are the
// expressions of the statement that must be numbers.
func storedText(st ast.Statement, env *expr.Env, numbers ...ast.Expr) (text string, err error) {
	text = ast.TextWith(st, func(p *ast.Param) ast.Expr {
		v, missing := env.Param(p)
		err = cmp.Or(err, missing)
		if slices.Contains(numbers, ast.Expr(p)) {
			return &ast.Number{Text: strings.TrimSpace(v)}
		}
		return &ast.String{Value: v}
	})
	return text, err
}

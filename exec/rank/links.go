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

// linksAsked says which graph a statement needs: a graph of the links in the
// archive at a time, or a named graph.
type linksAsked struct {
	graph          *ast.Name // the name of a named graph; nil for the links in the archive
	session.Within           // the scopes and the time of the links
	without        []string  // the kinds of links to leave out, from ast.Withouts
	byHost         bool      // nodes are hosts, not pages
	find           []string  // the URLs or names of nodes that the statement needs; graph.Named.Found gets their numbers

	links *plan.Source // the plan for reading the links; set by plans, nil for a named graph
	kept  *task.Result // the named graph; set by pin, nil for the links in the archive
}

// votingKinds returns the kinds of links that count for rankings, as a list for
// IN in a query, such as "'a', 'area'".
func votingKinds() string {
	var list []string
	for _, k := range relation.VotingKinds {
		list = append(list, "'"+k.String()+"'")
	}
	return strings.Join(list, ", ")
}

// options returns which links become edges of the graph, and whether its nodes
// are hosts.
func (a *linksAsked) options() relation.LinkOptions {
	return relation.LinkOptions{
		WithoutInternal: slices.Contains(a.without, "internal"), WithoutNoFollow: slices.Contains(a.without, "nofollow"), WithoutNav: slices.Contains(a.without, "nav"),
		ByHost: a.byHost,
	}
}

// plans plans the query for the links and sets a.links. For a named graph it
// does nothing.
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

// pin looks up the named graph in the snapshot and sets a.kept. For the links
// in the archive it does nothing. A name that the archive does not have is an
// error.
func (a *linksAsked) pin(ctx context.Context, snap relation.Snapshot) (err error) {
	if a.graph != nil {
		a.kept, err = keptGraph(ctx, snap, a.graph)
	}
	return err
}

// asOf returns the time that the graph describes. This is the time in the
// statement if it names one moment. Otherwise it is the end of the statement's
// range of times, but at most the time of the archive's last capture. For a
// named graph it is the time of the graph's import.
func (a *linksAsked) asOf(ctx context.Context, snap relation.Snapshot) (record.Time, error) {
	if a.kept != nil {
		return a.kept.AsOf, nil
	}
	src := a.links
	if src.Choice.AsOf != record.NoTime {
		return src.Choice.AsOf, nil
	}
	pools, err := relation.KnownAt(snap, src.Known).Pools(ctx)
	last := record.MinTime
	for _, p := range pools {
		last = max(last, p.Last)
	}
	return min(src.Window.To-1, last), err
}

// wouldRead returns lines for EXPLAIN on what the archive would read to make
// the graph: the size of the named graph, or the plan for reading links. readLines returns
// the lines for a plan, see Session.ReadLines.
func (a *linksAsked) wouldRead(ctx context.Context, snap relation.Snapshot, readLines func(context.Context, relation.Snapshot, ...plan.Node) ([]string, error)) ([]string, error) {
	if err := a.pin(ctx, snap); err != nil {
		return nil, err
	}
	if g := a.kept; g != nil {
		return []string{fmt.Sprintf("  graph %s: %s nodes, %s edges", g.Name, g.Properties[graph.PropertyNodes], g.Properties[graph.PropertyEdges])}, nil
	}
	return readLines(ctx, snap, a.links)
}

// read makes the graph, from the archive's links or from the stored named
// graph. It looks up the nodes of a.find. The caller closes the graph.
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

// node returns the name of the node that a constant text e in a statement
// means. In a named graph, this is the text itself, or the canonical URL.
// Otherwise the text must be a URL; with byHost the node is the URL's host.
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

// storedText returns the text of a statement with each parameter replaced by
// its value, so that EXPLAIN RANK can read the text again without the
// parameters. numbers lists the expressions of the statement that must be
// numbers; the value of such a parameter is written as a number, any other
// value as a string. A parameter without a value is an error.
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

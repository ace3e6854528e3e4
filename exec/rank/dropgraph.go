package rank

import (
	"context"
	"fmt"

	"infomall/exec/graph"
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// DropGraph is the statement DROP GRAPH, which removes a named graph from the
// archive.
var DropGraph = session.Declare("DROP GRAPH", session.Writes|session.Works, readDropGraph)

// graphDrop is a DROP GRAPH statement whose clauses were read. Reading does not
// check that the graph exists, because that takes a snapshot of the archive;
// Run and Would check it.
type graphDrop struct {
	s  *session.Session
	st *ast.DropGraph
}

// readDropGraph makes a graphDrop of a DROP GRAPH statement. It has nothing to
// check, and the error is always nil.
func readDropGraph(s *session.Session, st *ast.DropGraph) (*graphDrop, error) {
	return &graphDrop{s, st}, nil
}

// Run removes the graph that the statement names from the archive. Its result
// has no rows.
func (d *graphDrop) Run(ctx context.Context) (*session.Result, error) {
	g, err := d.find(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := d.s.Archive().DropResult(ctx, task.ResultGraphs, g.Name); err != nil {
		return nil, err
	}
	return session.Done(), nil
}

// find returns the stored graph that the statement names. If the archive does
// not have it, find returns an error at the name.
func (d *graphDrop) find(ctx context.Context) (*task.Result, error) {
	snap, release, err := d.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return keptGraph(ctx, snap, &d.st.Name)
}

// Would returns one line for EXPLAIN, which names the graph to remove and its
// number of edges.
func (d *graphDrop) Would(ctx context.Context) ([]string, error) {
	g, err := d.find(ctx)
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("removes graph %s, of %s edges, from %s; rankings that were made from it stay", g.Name, g.Properties[graph.PropertyEdges], d.s.Archive().Path())}, nil
}

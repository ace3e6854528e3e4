package exec

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/rowio"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/glob"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// graphFormat is the word after FORMAT for lists of edges.
const graphFormat = "graph"

// graphImport is an IMPORT … FORMAT graph whose clauses are read.
type graphImport struct {
	name     string
	patterns []string
	files    []glob.File // once they are looked for
}

// graphToImport reads the statement, and looks for its files.
func (s *Session) graphToImport(st *ast.Import) (*graphImport, error) {
	g, err := s.graphImport(st)
	if err != nil {
		return nil, err
	}
	for i, pattern := range g.patterns {
		files, err := glob.Files(pattern)
		if err != nil {
			return nil, ast.Errorf(st.Paths[i], "%v", err)
		}
		g.files = append(g.files, files...)
	}
	return g, nil
}

// graphImport reads the statement.
func (s *Session) graphImport(st *ast.Import) (*graphImport, error) {
	for _, x := range []ast.Expr{st.Base, st.Time} {
		if x != nil {
			return nil, ast.Errorf(x, "BASE and AT are for plain files; a graph has names, and no time")
		}
	}
	if st.Alias == nil {
		err := ast.Errorf(st, "a graph wants a name")
		err.Hint = "add AS name"
		return nil, err
	}
	g := &graphImport{name: strings.ToLower(st.Alias.Text)}
	for _, p := range st.Paths {
		path, err := plan.ConstantText(p, s.env())
		if err != nil {
			return nil, err
		}
		g.patterns = append(g.patterns, path)
	}
	return g, nil
}

// importGraph brings lists of edges into the archive as one graph with a name. It
// comes in whole or not at all.
func (s *Session) importGraph(ctx context.Context, st *ast.Import) (*Result, error) {
	begun := time.Now()
	in, err := s.graphToImport(st)
	if err != nil {
		return nil, err
	}
	snap, release, err := s.pinOrEmpty(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if there, err := findGraph(ctx, snap, in.name); err != nil {
		return nil, err
	} else if there != nil {
		err := ast.Errorf(st.Alias, "there is a graph %s, of %s", in.name, s.stamp(there.Computed))
		err.Hint = "DROP GRAPH " + in.name + " takes it away"
		return nil, err
	}
	lines := int64(0)
	g, err := s.runner(snap, nil).Graph(ctx, op.GraphOptions{Weighted: true, SelfLoops: true}, func(m *op.GraphMaker) (err error) {
		lines, err = s.readEdges(ctx, in, m)
		return err
	})
	if err != nil {
		return nil, err
	}
	defer g.Close()
	kept := record.Result{Kind: record.ResultGraphs, Name: in.name, Computed: s.env().Now, AsOf: s.env().Now, Statement: st.String()}
	properties, rows := op.KeepGraph(g)
	kept.Properties = properties
	if kept, err = s.Archive.SaveResult(ctx, kept, rows); err != nil {
		return nil, err
	}
	t := newTable(text("graph"), whole("lines"), whole("nodes"), whole("edges"), whole("bytes"), whole("ms"))
	t.add(value.OfText(kept.Name), value.OfInt(lines), value.OfInt(int64(g.Nodes())), value.OfInt(g.Edges()),
		value.OfInt(kept.Bytes), value.OfInt(time.Since(begun).Milliseconds()))
	return t.result(ResultWork, nil), nil
}

// readEdges adds the edges of the files to a graph, and counts their lines.
func (s *Session) readEdges(ctx context.Context, in *graphImport, m *op.GraphMaker) (lines int64, err error) {
	var total, done int64
	for _, f := range in.files {
		total += f.Size
	}
	for _, f := range in.files {
		tell := func(int64) {}
		if s.Progress != nil {
			told := s.throttled()
			tell = func(read int64) {
				told(Progress{What: "import " + f.Name, Done: done + read, Total: total, Unit: "bytes"})
			}
		}
		n, err := readEdgeFile(ctx, f.Name, tell, m)
		if err != nil {
			return 0, fmt.Errorf("import of %s: %w", f.Name, err)
		}
		lines += n
		done += f.Size
	}
	return lines, nil
}

// readEdgeFile adds the edges of a file, by the names of nodes, and counts its
// lines.
func readEdgeFile(ctx context.Context, path string, tell func(read int64), m *op.GraphMaker) (lines int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	counted := &countedReader{r: file}
	var in io.Reader = counted
	if strings.HasSuffix(strings.ToLower(path), ".gz") {
		if in, err = gzip.NewReader(counted); err != nil {
			return 0, err
		}
	}
	const every = 1024
	for e, err := range rowio.ReadEdges(in) {
		if err == nil && lines%every == 0 {
			tell(counted.n)
			err = ctx.Err()
		}
		if err != nil {
			return 0, err
		}
		lines++
		from, err := nodeName(e.Source)
		if err == nil && len(e.Target) > 0 {
			e.Target, err = nodeName(e.Target)
		}
		if err == nil {
			err = m.Link(from, e.Target, e.Weight)
		}
		if err != nil {
			return 0, fmt.Errorf("line %d: %w", e.Line, err)
		}
	}
	return lines, nil
}

// countedReader counts what is read.
type countedReader struct {
	r io.Reader
	n int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// nodeName is the name under which a node is known: of a URL its canonical form.
// It may share the memory of what it is given.
func nodeName(name []byte) ([]byte, error) {
	switch {
	case isWord(name):
		return name, nil
	case bytes.Contains(name, []byte("://")):
		if n := urlkey.Prefix(name); n > 0 {
			return name[:n], nil
		}
		if canonical, err := urlkey.Canonical(string(name)); err == nil {
			return []byte(canonical), nil
		}
	}
	switch {
	case !utf8.Valid(name) || bytes.IndexByte(name, 0) >= 0:
		return nil, fmt.Errorf("the name %q is no text in UTF-8", name)
	case urlkey.URL(urlkey.Key(string(name))) != string(name):
		return nil, fmt.Errorf("the name %q is the sort key of a URL: write the URL", name)
	}
	return name, nil
}

// isWord reports whether a name is one that nodeName leaves as it is at a glance: of
// letters and digits alone.
func isWord(name []byte) bool {
	for _, c := range name {
		if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z') {
			return false
		}
	}
	return true
}

// findGraph is the graph of a name, nil if there is none.
func findGraph(ctx context.Context, snap op.Snapshot, name string) (*record.Result, error) {
	list, err := op.KeptGraphs(ctx, snap)
	var found *record.Result
	for i := range list {
		if list[i].Name == strings.ToLower(name) {
			found = &list[i]
		}
	}
	return found, err
}

// keptGraph is the graph that a statement names; that it is not there is an error
// of the statement.
func keptGraph(ctx context.Context, snap op.Snapshot, name *ast.Name) (*record.Result, error) {
	g, err := findGraph(ctx, snap, name.Text)
	if err != nil || g != nil {
		return g, err
	}
	list, err := op.KeptGraphs(ctx, snap)
	if err != nil {
		return nil, err
	}
	e := plan.UnknownName(name, "graph", name.Text, " in the archive", graphNames(list))
	if e.Hint == "" {
		e.Hint = "IMPORT 'file' FORMAT graph AS " + name.String() + " brings one"
	}
	return nil, e
}

func graphNames(list []record.Result) (names []string) {
	for _, g := range list {
		names = append(names, g.Name)
	}
	return names
}

// GraphNames lists the graphs.
func (s *Session) GraphNames(ctx context.Context) []string {
	snap, release, err := s.pin(ctx)
	if err != nil {
		return nil
	}
	defer release()
	list, _ := op.KeptGraphs(ctx, snap)
	return graphNames(list)
}

// dropGraph runs DROP GRAPH.
func (s *Session) dropGraph(ctx context.Context, st *ast.DropGraph) (*Result, error) {
	g, err := s.graphToDrop(ctx, st)
	if err != nil {
		return nil, err
	}
	if _, err := s.Archive.DropResult(ctx, record.ResultGraphs, g.Name); err != nil {
		return nil, err
	}
	return done(), nil
}

func (s *Session) graphToDrop(ctx context.Context, st *ast.DropGraph) (*record.Result, error) {
	snap, release, err := s.pin(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return keptGraph(ctx, snap, &st.Name)
}

// wouldDropGraph says what a DROP GRAPH would do.
func (s *Session) wouldDropGraph(ctx context.Context, st *ast.DropGraph) ([]string, error) {
	g, err := s.graphToDrop(ctx, st)
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("takes graph %s, of %s edges, out of %s; rankings that were made of it stay", g.Name, g.Properties[op.GraphEdges], s.Archive.Path())}, nil
}

// errOfGraph is the error of clauses that a graph by name has no use for.
func errOfGraph(at ast.Node, clause string) error {
	return ast.Errorf(at, "a graph has names and weights alone: OVER GRAPH goes without %s", clause)
}

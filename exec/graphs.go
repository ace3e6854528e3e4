package exec

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
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
	name  string
	files []glob.File
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
		files, err := glob.Files(path)
		if err != nil {
			return nil, ast.Errorf(p, "%v", err)
		}
		g.files = append(g.files, files...)
	}
	return g, nil
}

// importGraph brings lists of edges into the archive as one graph with a name. It
// comes in whole or not at all.
func (s *Session) importGraph(ctx context.Context, st *ast.Import) (*Result, error) {
	begun := time.Now()
	in, err := s.graphImport(st)
	if err != nil {
		return nil, err
	}
	snap, release, err := s.pin(ctx)
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
	run := s.runner(snap, nil)
	edges, names := run.Lines(ctx), run.Lines(ctx)
	defer edges.Close()
	defer names.Close()
	lines, err := s.readEdges(ctx, in, edges, names)
	if err != nil {
		return nil, err
	}
	sum, nodes, err := sumEdges(edges, names)
	if err != nil {
		return nil, err
	}
	kept := record.Result{
		Kind: record.ResultGraphs, Name: in.name, Computed: s.env().Now, AsOf: s.env().Now, Statement: st.String(),
		Properties: map[string]string{op.GraphNodes: strconv.FormatInt(nodes, 10)},
	}
	if kept, err = s.Archive.SaveResult(ctx, kept, sum.rows(kept.Properties)); err != nil {
		return nil, err
	}
	t := newTable(text("graph"), whole("lines"), whole("nodes"), whole("edges"), whole("bytes"), whole("ms"))
	t.add(value.OfText(kept.Name), value.OfInt(lines), value.OfInt(nodes), value.OfInt(sum.edges),
		value.OfInt(kept.Bytes), value.OfInt(time.Since(begun).Milliseconds()))
	return t.result(ResultWork, nil), nil
}

// readEdges reads the files, and gathers lines of edges and the keys of nodes.
func (s *Session) readEdges(ctx context.Context, in *graphImport, edges, names *op.Lines) (lines int64, err error) {
	var total, done int64
	for _, f := range in.files {
		total += f.Size
	}
	for _, f := range in.files {
		tell := func(int64) {}
		if s.Progress != nil {
			told := s.throttled()
			before := done
			tell = func(read int64) {
				told(Progress{What: "import " + f.Name, Done: before + read, Total: total, Unit: "bytes"})
			}
		}
		n, err := readEdgeFile(ctx, f.Name, tell, edges, names)
		if lines += n; err != nil {
			return lines, fmt.Errorf("import of %s: %w", f.Name, err)
		}
		done += f.Size
	}
	return lines, nil
}

func readEdgeFile(ctx context.Context, path string, tell func(read int64), edges, names *op.Lines) (lines int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	counted := &countedReader{r: f}
	var in io.Reader = counted
	if strings.HasSuffix(strings.ToLower(path), ".gz") {
		if in, err = gzip.NewReader(counted); err != nil {
			return 0, err
		}
	}
	const every = 1024
	var line []byte
	for e, err := range rowio.ReadEdges(in) {
		if err == nil && lines%every == 0 {
			tell(counted.n)
			err = ctx.Err()
		}
		if err != nil {
			return lines, err
		}
		lines++
		edge := op.Edge{Weight: e.Weight}
		for _, end := range []struct {
			name string
			put  *string
		}{{e.Source, &edge.From}, {e.Target, &edge.To}} {
			if end.name == "" {
				continue
			}
			if *end.put, err = nodeName(end.name); err != nil {
				return lines, fmt.Errorf("line %d: %w", lines, err)
			}
			if err := names.Add([]byte(urlkey.Key(*end.put))); err != nil {
				return lines, err
			}
		}
		line = op.AppendEdgeLine(line[:0], edge)
		if err := edges.Add(line); err != nil {
			return lines, err
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
func nodeName(name string) (string, error) {
	if strings.Contains(name, "://") {
		if canonical, err := urlkey.Canonical(name); err == nil {
			return canonical, nil
		}
	}
	switch {
	case !utf8.ValidString(name) || strings.ContainsRune(name, 0):
		return "", fmt.Errorf("the name %q is no text in UTF-8", name)
	case urlkey.URL(urlkey.Key(name)) != name:
		return "", fmt.Errorf("the name %q is the sort key of a URL: write the URL", name)
	}
	return name, nil
}

// edgeSum counts edges while they are kept.
type edgeSum struct {
	lines *op.Lines
	edges int64
}

// sumEdges counts the distinct nodes.
func sumEdges(edges, names *op.Lines) (*edgeSum, int64, error) {
	nodes := int64(0)
	last := ""
	for name, err := range names.Sorted() {
		if err != nil {
			return nil, 0, err
		}
		if nodes == 0 || string(name) != last {
			last = string(name)
			nodes++
		}
	}
	return &edgeSum{lines: edges}, nodes, nil
}

// rows yields the rows to keep: an edge once, with the largest of its weights, and
// a lone node only where nothing leaves it. Behind the last it writes how many
// edges there were.
func (s *edgeSum) rows(properties map[string]string) iter.Seq2[record.ResultRow, error] {
	return func(yield func(record.ResultRow, error) bool) {
		var held []byte // the last line, which a larger weight or an edge may supersede
		put := func() bool {
			if held == nil {
				return true
			}
			r := op.EdgeRow(held)
			if r.Value != nil {
				s.edges++
			}
			return yield(r, nil)
		}
		for line, err := range s.lines.Sorted() {
			if err != nil {
				yield(record.ResultRow{}, err)
				return
			}
			if held != nil && !supersedes(op.EdgeRow(line), op.EdgeRow(held)) && !put() {
				return
			}
			held = append(held[:0], line...)
		}
		properties[op.GraphEdges] = "0"
		if put() {
			properties[op.GraphEdges] = strconv.FormatInt(s.edges, 10)
		}
	}
}

// supersedes reports whether a row makes the one before it needless: it is of the
// same edge, or an edge of what stood there as a lone node.
func supersedes(row, before record.ResultRow) bool {
	if before.Value == nil {
		return strings.HasPrefix(string(row.Key), string(before.Key))
	}
	return string(row.Key) == string(before.Key)
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
	if s.ReadOnly {
		return nil, ast.Errorf(st, "DROP GRAPH writes, and this session only reads")
	}
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

package rank

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"infomall/exec/expr"
	"infomall/exec/graph"
	"infomall/exec/rowio"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/formats/glob"
	"infomall/store/record/task"
)

// GraphFormat is the word after FORMAT with which IMPORT reads files that list
// edges of a graph.
const GraphFormat = "graph"

// graphImport is an IMPORT … FORMAT graph statement whose clauses were read.
type graphImport struct {
	s        *session.Session
	st       *ast.Import
	name     string      // the name of the graph, in lower case
	patterns []string    // the patterns of file names in the statement
	files    []glob.File // the files that match the patterns; set by find
}

// ImportGraph is the statement IMPORT … FORMAT graph, which stores a named
// graph. The declaration of IMPORT uses it for that format, so the list of
// statements does not name it.
var ImportGraph = session.Declare("IMPORT", session.Writes|session.Works|session.Anywhere, readGraphImport)

// readGraphImport makes a graphImport of an IMPORT … FORMAT graph statement. It
// returns an error if a clause cannot be used with that format, or if the graph
// has no name.
func readGraphImport(s *session.Session, st *ast.Import) (*graphImport, error) {
	for _, x := range []ast.Expr{st.Base, st.Time} {
		if x != nil {
			return nil, ast.Errorf(x, "BASE and AT are for plain files; a graph has names, and no time")
		}
	}
	if st.Alias == nil {
		err := ast.Errorf(st, "a graph needs a name")
		err.Hint = "add AS name"
		return nil, err
	}
	g := &graphImport{s: s, st: st, name: strings.ToLower(st.Alias.Text)}
	for _, p := range st.Paths {
		path, err := expr.ConstantText(p, s.Env())
		if err != nil {
			return nil, err
		}
		g.patterns = append(g.patterns, path)
	}
	return g, nil
}

// find sets in.files to the files that match the patterns in the statement. It
// returns an error at the first pattern that cannot be read.
func (in *graphImport) find() error {
	for i, pattern := range in.patterns {
		files, err := glob.Files(pattern)
		if err != nil {
			return ast.Errorf(in.st.Paths[i], "%v", err)
		}
		in.files = append(in.files, files...)
	}
	return nil
}

// Would returns the lines for EXPLAIN: the name of the graph and of the
// archive, then one line per file, with the file's size.
func (in *graphImport) Would(context.Context) ([]string, error) {
	if err := in.find(); err != nil {
		return nil, err
	}
	lines := []string{"import as graph " + in.name + " into " + in.s.Archive().Path()}
	for _, f := range in.files {
		lines = append(lines, "  "+f.Name+": "+value.Counted(f.Size, "byte"))
	}
	return lines, nil
}

// Run reads the files, which list edges, and stores the edges in the archive as
// one named graph. Its result has one row. After an error the archive has no
// part of the graph. If a graph of that name already exists, Run returns an
// error.
func (in *graphImport) Run(ctx context.Context) (*session.Result, error) {
	begun, s, st := time.Now(), in.s, in.st
	if err := in.find(); err != nil {
		return nil, err
	}
	snap, release, err := s.SnapshotOrEmpty(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if there, err := findGraph(ctx, snap, in.name); err != nil {
		return nil, err
	} else if there != nil {
		err := ast.Errorf(st.Alias, "there is a graph %s, of %s", in.name, s.Stamp(there.Computed))
		err.Hint = "DROP GRAPH " + in.name + " removes it"
		return nil, err
	}
	lines := int64(0)
	g, err := graph.BuildNamed(ctx, &s.Runner(snap, "import").Memory, graph.NamedOptions{Weighted: true, SelfLoops: true}, func(m *graph.Maker) (err error) {
		lines, err = in.readEdges(ctx, m)
		return err
	})
	if err != nil {
		return nil, err
	}
	defer g.Close()
	kept := task.Result{Kind: task.ResultGraphs, Name: in.name, Computed: s.Env().Now, AsOf: s.Env().Now, Statement: st.String()}
	properties, rows := graph.Keep(g)
	kept.Properties = properties
	if kept, err = s.Archive().SaveResult(ctx, kept, rows); err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("graph"), session.Whole("lines"), session.Whole("nodes"), session.Whole("edges"), session.Whole("bytes"), session.Whole("ms"))
	t.Add(value.OfText(kept.Name), value.OfInt(lines), value.OfInt(int64(g.Nodes())), value.OfInt(g.Edges()),
		value.OfInt(kept.Bytes), value.OfInt(time.Since(begun).Milliseconds()))
	return t.Work(session.Count{Rows: 1, Bytes: kept.Bytes}, nil), nil
}

// readEdges adds the edges and nodes of all files to m, and reports its
// progress to the session. It returns how many lines have an edge or a single
// node.
func (in *graphImport) readEdges(ctx context.Context, m *graph.Maker) (lines int64, err error) {
	var total, done int64
	for _, f := range in.files {
		total += f.Size
	}
	for _, f := range in.files {
		tell := func(int64) {}
		if told := in.s.Report("import "+f.Name, "bytes"); told != nil {
			tell = func(read int64) { told(done+read, total) }
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

// readEdgeFile adds the edges and nodes of the file at path to m, and returns
// how many lines have an edge or a single node. It decompresses a file whose
// name ends in .gz. From time to time it calls the function tell with the
// number of bytes of the file that were read so far.
func readEdgeFile(ctx context.Context, path string, tell func(read int64), m *graph.Maker) (lines int64, err error) {
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

// countedReader is an io.Reader that counts the bytes that are read from r.
type countedReader struct {
	r io.Reader
	n int64 // bytes read so far
}

// Read reads from c.r and adds the number of bytes to c.n.
func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

package exec

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/formats/glob"
	"infomall/store/record"
)

// explanation is an EXPLAIN statement whose clauses were read.
type explanation struct {
	st *ast.Explain
	of Deed
}

// readExplain reads an EXPLAIN, and the statement in it, which may write, as it is
// not run.
func readExplain(s *Session, st *ast.Explain) (*explanation, error) {
	of, err := readExplained(s.trial(), st.Statement, st.Analyze)
	return &explanation{st, of}, err
}

// readExplained reads a statement that is explained. If it is a RUN of one statement,
// that one is explained.
func readExplained(s *Session, st ast.Statement, analyze bool) (Deed, error) {
	switch st.(type) {
	case *ast.Explain, *ast.ExplainRank:
		return nil, errExplained(st)
	}
	d, err := SpecOf(st).read(s, st)
	if err != nil {
		return nil, err
	}
	if r, ok := d.(*script); ok {
		return r, r.readOnly(analyze)
	}
	if _, ok := d.(analysis); analyze && !ok {
		err := ast.Errorf(st, "EXPLAIN ANALYZE runs the statement, and takes queries only")
		err.Hint = "leave out ANALYZE"
		return nil, err
	}
	return d, nil
}

// errExplained returns the error for EXPLAIN of an EXPLAIN.
func errExplained(st ast.Statement) error { return ast.Errorf(st, "EXPLAIN of EXPLAIN says nothing") }

// trial returns a copy of the session for reading a statement inside another
// statement. What the inner statement sets and defines does not change s. The
// copy may write even if s is read-only, because only the outer statement is
// refused.
func (s *Session) trial() *Session {
	inner := *s
	inner.trying = true
	inner.Params = maps.Clone(s.Params)
	inner.checked = slices.Clip(s.checked)
	return &inner
}

func (e *explanation) needsArchive() bool { return SpecOf(e.st.Statement).needsArchive(e.of) }

// Run returns what the statement would do, or with ANALYZE what it did.
func (e *explanation) Run(ctx context.Context) (*Result, error) {
	if e.st.Analyze {
		return e.of.(analysis).Analyze(ctx)
	}
	lines, err := e.of.Would(ctx)
	if err != nil {
		return nil, err
	}
	return planTable(lines), nil
}

// planTable returns lines as the result of EXPLAIN.
func planTable(lines []string) *Result {
	t := newTable(text("plan"))
	for _, l := range lines {
		t.add(value.OfText(l))
	}
	return t.result(ResultRows, nil)
}

func (e *explanation) Would(context.Context) ([]string, error) { return nil, errExplained(e.st) }

// planLines returns a plan, and below each source the pools that it would open.
func (s *Session) planLines(ctx context.Context, node plan.Node) (lines []string, err error) {
	snap, release, err := s.snapshot(ctx, plan.Sources(node))
	if err != nil {
		return nil, err
	}
	defer release()
	var pools []record.Pool
	if snap != nil {
		if pools, err = snap.Pools(ctx); err != nil {
			return nil, err
		}
	}
	plan.Walk(node, func(n plan.Node, depth int) {
		lines = append(lines, indented(depth, n.String()))
		if src, ok := n.(*plan.Source); ok && src.Relation.Scoped && src.Relation.OwnTime == "" {
			lines = append(lines, indented(depth+1, poolLine(pools, src.Reads())))
		}
	})
	return lines, nil
}

func indented(depth int, line string) string { return strings.Repeat("  ", depth) + line }

// poolLine returns a line that says which pools have captures in w, and how
// many. A source reads at most that many.
func poolLine(pools []record.Pool, w relation.Window) string {
	var names []string
	var captures int64
	for _, p := range pools {
		if p.Last >= w.From && p.First < w.To {
			names = append(names, p.Name)
			captures += p.Captures
		}
	}
	return fmt.Sprintf("pools: %s with at most %s", poolList(names, len(pools)), value.Counted(captures, "capture"))
}

// poolList is names for a line: all if they are few.
func poolList(names []string, of int) string {
	const shown = 12
	list := strings.Join(names, ", ")
	switch {
	case len(names) == 0:
		list = "none"
	case len(names) > shown:
		list = names[0] + " … " + names[len(names)-1]
	}
	return fmt.Sprintf("%s (%d of %d)", list, len(names), of)
}

// analyze runs a plan to its end and shows what each node did.
func (s *Session) analyze(ctx context.Context, node plan.Node) (*Result, error) {
	sources := plan.Sources(node)
	snap, release, err := s.snapshot(ctx, sources)
	if err != nil {
		return nil, err
	}
	defer release()
	meter := op.NewMeter()
	rows, err := s.runner(snap, meter).Rows(ctx, node)
	if err != nil {
		return nil, err
	}
	for _, err := range rows {
		if err != nil {
			return nil, err
		}
	}
	t := newTable(text("plan"), whole("rows"), value.Column{Name: "ms", Type: value.Float})
	plan.Walk(node, func(n plan.Node, depth int) {
		m := meter.Of(n)
		t.add(value.OfText(indented(depth, n.String())), value.OfInt(m.Rows), value.OfFloat(float64(m.Time.Microseconds())/1000))
	})
	if len(sources) > 0 {
		addStats(t, snap.Stats())
	}
	return t.result(ResultRows, nil), nil
}

// addStats adds what was read from the archive.
func addStats(t *table, st record.ReadStats) {
	for _, line := range []string{
		fmt.Sprintf("pools opened: %s", openedPools(st.Pools)),
		fmt.Sprintf("segments opened: %d", st.Segments),
		fmt.Sprintf("index chunks decoded: %d", st.Chunks),
		fmt.Sprintf("runs decompressed: %d", st.Runs),
		fmt.Sprintf("bytes read: %d", st.Bytes),
		fmt.Sprintf("cache: hits %d, misses %d", st.CacheHits, st.CacheMisses),
	} {
		t.add(value.OfText(line))
	}
}

func openedPools(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// fileLines returns line, followed by lines with the names of files.
func fileLines(line string, files []glob.File) []string {
	lines := []string{line}
	for _, f := range files {
		lines = append(lines, "  "+f.Name+": "+value.Counted(f.Size, "byte"))
	}
	return lines
}

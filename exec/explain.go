package exec

import (
	"context"
	"fmt"
	"strings"

	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/glob"
	"infomall/store/record"
)

// explain says what a statement would do. With ANALYZE it runs a query and says
// what it did.
func (s *Session) explain(ctx context.Context, st *ast.Explain) (*Result, error) {
	if err := s.checkExplain(st); err != nil {
		return nil, err
	}
	var node plan.Node
	var err error
	t := newTable(text("plan"))
	switch inner := st.Statement.(type) {
	case *ast.Query:
		node, err = plan.Build(inner, s.env())
	case *ast.Export:
		var to exportTarget
		to, node, err = s.exportPlan(inner)
		t.add(value.OfText("export to " + to.path + " as " + to.format))
	case *ast.Show:
		node, err = s.shownPlan(inner)
	case *ast.Run:
		return s.explainRun(ctx, st.Analyze, inner)
	}
	if err != nil {
		return nil, err
	}
	if st.Analyze {
		return s.analyze(ctx, node)
	}
	if node != nil {
		return s.explainPlan(ctx, t, node)
	}
	lines, err := s.wouldDo(ctx, st.Statement)
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		t.add(value.OfText(l))
	}
	return t.result(ResultRows, nil), nil
}

// explainPlan shows a plan, and below each source the pools that it would open.
func (s *Session) explainPlan(ctx context.Context, t *table, node plan.Node) (*Result, error) {
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
		t.add(value.OfText(indented(depth, n.String())))
		if src, ok := n.(*plan.Source); ok && src.Relation.Scoped && src.Relation.OwnTime == "" {
			t.add(value.OfText(indented(depth+1, poolLine(pools, src.Reads()))))
		}
	})
	return t.result(ResultRows, nil), nil
}

func indented(depth int, line string) string { return strings.Repeat("  ", depth) + line }

// poolLine tells which pools have captures in w, and how many captures there are
// in these: a source has that many at most.
func poolLine(pools []record.Pool, w plan.Window) string {
	var names []string
	var captures int64
	for _, p := range pools {
		if p.Last >= w.From && p.First < w.To {
			names = append(names, p.Name)
			captures += p.Captures
		}
	}
	return fmt.Sprintf("pools: %s with at most %d captures", poolList(names, len(pools)), captures)
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
		fmt.Sprintf("cache: %d hits, %d misses", st.CacheHits, st.CacheMisses),
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

// wouldDo says what a statement other than a query would touch.
func (s *Session) wouldDo(ctx context.Context, st ast.Statement) ([]string, error) {
	switch st := st.(type) {
	case *ast.Import:
		return s.wouldImport(st)
	case *ast.Crawl:
		return s.wouldCrawl(ctx, st)
	case *ast.OrderCrawl:
		return []string{"tells crawl " + st.Name.Text + " what " + st.String() + " says"}, nil
	case *ast.AddToCrawl:
		return s.wouldAdd(st)
	case *ast.Trace:
		return s.wouldTrace(st)
	case *ast.CopyPool:
		return s.wouldCopy(ctx, st)
	case *ast.Verify:
		return s.wouldVerify(ctx, st)
	case *ast.MergePool:
		return s.wouldMerge(ctx, st)
	case *ast.RepairPool:
		return s.wouldRepair(ctx, st)
	case *ast.Reindex:
		return s.wouldReindex(ctx, st)
	case *ast.DropPool:
		return s.wouldDrop(ctx, st)
	case *ast.Delete:
		return s.wouldDelete(ctx, st)
	case *ast.CreateView, *ast.CreateMetadata, *ast.Save:
		return s.wouldDefine(ctx, st)
	case *ast.DropView:
		return s.wouldUndefine(ctx, record.KindView, &st.Name)
	case *ast.DropMetadata:
		return s.wouldUndefine(ctx, record.KindMetadata, &st.Name)
	case *ast.HITS:
		return s.wouldFindHubs(ctx, st)
	case *ast.DropGraph:
		return s.wouldDropGraph(ctx, st)
	case *ast.Schedule:
		return s.wouldSchedule(st)
	case *ast.Unschedule:
		return s.wouldUndefine(ctx, record.KindSchedule, &st.Name)
	case *ast.RunSchedule:
		return s.wouldRunSchedule(ctx, st)
	case *ast.Dedup:
		return s.wouldDedup(ctx, st)
	case *ast.ShowPath:
		return s.wouldShowPath(ctx, st)
	case *ast.PageRank:
		return s.wouldRank(ctx, st)
	case *ast.Recover:
		return s.wouldRecover(ctx, st)
	case *ast.Describe, *ast.Show, *ast.Help:
		return []string{"prints what the program knows, and reads no archive"}, nil
	case *ast.ShowRobots:
		asked, err := s.robotsAsked(st)
		if err != nil {
			return nil, err
		}
		return []string{s.would(asked)}, nil
	case *ast.ShowPage:
		return s.wouldShow(st)
	case *ast.Diff:
		return s.wouldDiff(st)
	case *ast.Set:
		if st.Param {
			return []string{"gives parameter $" + st.Name.Text + " a value for this session"}, nil
		}
		return s.wouldSet(&st.Name)
	case *ast.Reset:
		return s.wouldSet(&st.Name)
	}
	panic(fmt.Sprintf("exec: unknown statement %T", st))
}

func (s *Session) wouldSet(name *ast.Name) ([]string, error) {
	set, err := findSetting(name)
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("changes %s, which is %s, for this session", set.name, set.get(&s.Settings))}, nil
}

// wouldImport lists the files that an IMPORT would read.
func (s *Session) wouldImport(st *ast.Import) ([]string, error) {
	if ofGraph(st) {
		g, err := s.graphToImport(st)
		if err != nil {
			return nil, err
		}
		return fileLines("import as graph "+g.name+" into "+s.Archive.Path(), g.files), nil
	}
	o, err := s.importOptions(st)
	if err != nil {
		return nil, err
	}
	lines := []string{"import into " + s.Archive.Path()}
	for i, pattern := range o.Patterns {
		files, err := glob.Files(pattern)
		if err != nil {
			return nil, ast.Errorf(st.Paths[i], "%v", err)
		}
		lines = append(lines, fileLines("", files)[1:]...)
	}
	return lines, nil
}

// fileLines is a line and below it the names of files.
func fileLines(line string, files []glob.File) []string {
	lines := []string{line}
	for _, f := range files {
		lines = append(lines, fmt.Sprintf("  %s: %d bytes", f.Name, f.Size))
	}
	return lines
}

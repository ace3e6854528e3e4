package exec

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"infomall/exec/plan"
	"infomall/lang/ast"
	"infomall/store/record"
)

// Check plans a statement. Its error is the one with which Run would refuse the
// statement before it reads or changes the archive, a crawl or a file; of the
// archive Check reads only what is defined by name. Statements that set or define
// something for those after them are run for this session.
func (s *Session) Check(st ast.Statement) error {
	if err := s.mayWrite(st); err != nil {
		return err
	}
	env := s.env()
	var err error
	switch st := st.(type) {
	case *ast.Query:
		_, err = plan.Build(st, env)
	case *ast.Import:
		if ofGraph(st) {
			_, err = s.graphImport(st)
		} else {
			_, err = s.importOptions(st)
		}
	case *ast.Export:
		_, _, err = s.exportPlan(st)
	case *ast.Crawl:
		err = s.checkCrawl(st)
	case *ast.OrderCrawl:
		_, err = s.orderAsked(st)
	case *ast.AddToCrawl:
		_, err = s.addAsked(st)
	case *ast.Trace:
		_, err = s.traceAsked(st)
	case *ast.CopyPool:
		_, err = s.copyOptions(st)
	case *ast.Verify:
		_, err = s.verifyOptions(st)
	case *ast.MergePool:
		_, err = s.mergeOptions(st)
	case *ast.RepairPool:
		_, err = s.repairOptions(st)
	case *ast.Reindex:
		_, err = s.reindexOptions(st)
	case *ast.DropPool:
		_, err = plan.ConstantText(st.Pool, env)
	case *ast.Delete:
		_, _, _, err = deleteAsked(st, env)
	case *ast.CreateView, *ast.CreateMetadata, *ast.Save:
		err = s.checkDefined(st)
	case *ast.DropView:
		err = s.checkUndefined(record.KindView, &st.Name)
	case *ast.DropMetadata:
		err = s.checkUndefined(record.KindMetadata, &st.Name)
	case *ast.DropGraph:
		// Which graphs there are, only the archive knows.
	case *ast.Run:
		err = s.checkRun(st)
	case *ast.Schedule:
		var p *plannedRun
		if p, err = s.scheduled(st); err == nil {
			s.checked = append(s.checked, p.Definition)
		}
	case *ast.Unschedule:
		err = s.checkUndefined(record.KindSchedule, &st.Name)
	case *ast.RunSchedule:
		err = s.checkUndefined(record.KindSchedule, &st.Name)
	case *ast.PageRank:
		_, err = s.planRanking(st, env)
	case *ast.HITS:
		_, err = s.planHubs(st, env)
	case *ast.Dedup:
		_, err = s.planDedup(st, env)
	case *ast.ShowPath:
		_, err = s.pathAsked(st)
	case *ast.ExplainRank:
		_, err = plan.ConstantText(st.URL, env)
	case *ast.Recover:
		_, err = s.recoverNames(st)
	case *ast.Explain:
		err = s.checkExplain(st)
	case *ast.Describe:
		_, err = s.describe(st)
	case *ast.Show:
		_, err = s.shownPlan(st)
	case *ast.ShowRobots:
		if _, err = s.robotsAsked(st); err == nil {
			_, err = s.robotsAgent(st)
		}
	case *ast.ShowPage:
		_, err = s.pageAsked(st.URL, st.Time)
	case *ast.Diff:
		_, _, err = s.diffAsked(st)
	case *ast.Set:
		_, err = s.set(st)
	case *ast.Reset:
		_, err = s.reset(st)
	case *ast.Help:
		_, err = s.help(st)
	default:
		panic(fmt.Sprintf("exec: unknown statement %T", st))
	}
	return err
}

// trial is a copy of the session for checking a statement that is part of
// another. What it sets and defines leaves no trace in s, and it may write, as
// the other statement is the one that is refused.
func (s *Session) trial() *Session {
	inner := *s
	inner.ReadOnly = false
	inner.Params = maps.Clone(s.Params)
	inner.checked = slices.Clip(s.checked)
	return &inner
}

// mayWrite is the error of a statement that writes in a session that only reads.
func (s *Session) mayWrite(st ast.Statement) error {
	if what := writes(st); s.ReadOnly && what != "" {
		return ast.Errorf(st, "%s writes, and this session only reads", what)
	}
	return nil
}

// checkExplain checks an EXPLAIN and the statement in it, which may write, as it
// is not run.
func (s *Session) checkExplain(st *ast.Explain) error {
	inner := s.trial()
	switch of := st.Statement.(type) {
	case *ast.Explain, *ast.ExplainRank:
		return ast.Errorf(of, "EXPLAIN of EXPLAIN says nothing")
	case *ast.Run:
		list, inner, err := inner.statements(context.Background(), of)
		if err == nil && len(list) == 1 {
			if inner.running++; inner.running > runDepthMax {
				return errRunDepth(of)
			}
			if err = inner.checkExplain(&ast.Explain{Span: st.Span, Analyze: st.Analyze, Statement: list[0]}); err != nil {
				err = atRun(of, err)
			}
		}
		return err
	}
	if err := inner.Check(st.Statement); err != nil {
		return err
	}
	if _, ok := st.Statement.(*ast.Query); st.Analyze && !ok {
		err := ast.Errorf(st.Statement, "EXPLAIN ANALYZE runs the statement, and takes queries only")
		err.Hint = "leave out ANALYZE"
		return err
	}
	return nil
}

package exec

import (
	"infomall/exec/plan"
	"infomall/lang/ast"
)

// Check plans a statement and does nothing else: its error is the one that Run
// would find before it reads or changes anything. Statements that set something
// for those after them are run: they touch no archive.
func (s *Session) Check(st ast.Statement) error {
	var err error
	switch st := st.(type) {
	case *ast.Query:
		_, err = plan.Build(st, s.env())
	case *ast.Import:
		_, err = s.importOptions(st)
	case *ast.Export:
		if _, err = s.exportTarget(st); err == nil {
			_, err = plan.Build(st.Query, s.env())
		}
	case *ast.CreateView, *ast.CreateMetadata, *ast.Save:
		err = s.checkDefined(st)
	case *ast.Run:
		err = s.checkRun(st)
	case *ast.Schedule:
		_, err = s.scheduled(st)
	case *ast.Explain:
		err = s.Check(st.Statement)
	case *ast.Describe:
		_, err = s.describe(st)
	case *ast.Show:
		_, err = s.shownPlan(st)
	case *ast.Crawl:
		_, err = s.crawlOptions(st)
	case *ast.AddToCrawl:
		_, err = s.urls(st.URLs, false)
	case *ast.Trace:
		_, err = s.traceAsked(st)
	case *ast.ShowRobots:
		_, err = s.robotsAsked(st)
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
	}
	return err
}

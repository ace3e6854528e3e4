package exec_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"infomall/crawl/report"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/lang"
	langast "infomall/lang/ast"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// errTouched is how an untouchable archive refuses everything.
var errTouched = errors.New("the archive was touched")

// untouchable is an archive, and a crawler, that can only be asked for what is
// defined by name.
type untouchable struct{}

func (untouchable) Exists() bool { return true }
func (untouchable) Path() string { return "untouchable" }

func (untouchable) Local() string { return "untouchable" }
func (untouchable) Definitions(context.Context) ([]task.Definition, error) {
	return []task.Definition{
		{Kind: task.KindView, Name: "nowhere", Text: "CREATE VIEW nowhere AS SELECT url FROM captures"},
		{Kind: task.KindMetadata, Name: "section", Text: "CREATE METADATA section ON page AS path(url)"},
		{Kind: task.KindQuery, Name: "missing", Text: "SAVE missing (scope, n) AS SELECT url FROM captures IN $scope LIMIT $n"},
		{Kind: task.KindQuery, Name: "gone", Text: "SAVE gone (scope) AS SELECT url FROM captures IN $scope"},
		{Kind: task.KindSchedule, Name: "nowhere", Text: "SCHEDULE nowhere EVERY 1d AS VERIFY"},
		{Kind: task.KindWatch, Name: "seen", Text: "WATCH seen EVERY 1d AS SELECT url FROM pages"},
		{Kind: task.KindSchedule, Name: "nothing", Text: "SCHEDULE nothing EVERY 1d AS VERIFY"},
	}, nil
}

func touched[T any]() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) { yield(*new(T), errTouched) }
}

func (untouchable) Snapshot(context.Context) (relation.Snapshot, error) { return nil, errTouched }
func (untouchable) Import(context.Context, task.ImportOptions) ([]task.ImportResult, error) {
	return nil, errTouched
}
func (untouchable) Copy(context.Context, task.CopyOptions) ([]task.CopyResult, error) {
	return nil, errTouched
}
func (untouchable) Move(context.Context, task.MoveOptions) ([]task.MoveResult, error) {
	return nil, errTouched
}
func (untouchable) Verify(context.Context, task.VerifyOptions) iter.Seq2[task.Finding, error] {
	return touched[task.Finding]()
}
func (untouchable) Merge(context.Context, task.MergeOptions) ([]task.MergeResult, error) {
	return nil, errTouched
}
func (untouchable) PlanVerify(context.Context, task.VerifyOptions) (task.VerifyPlan, error) {
	return task.VerifyPlan{}, errTouched
}
func (untouchable) Repair(context.Context, task.RepairOptions) ([]task.RepairResult, error) {
	return nil, errTouched
}
func (untouchable) Reindex(context.Context, task.ReindexOptions) ([]task.ReindexResult, error) {
	return nil, errTouched
}
func (untouchable) Recover(context.Context, task.RecoverOptions) iter.Seq2[task.Recovered, error] {
	return touched[task.Recovered]()
}
func (untouchable) PlanRecover(context.Context, task.RecoverOptions) (task.RecoverPlan, error) {
	return task.RecoverPlan{}, errTouched
}
func (untouchable) Drop(context.Context, task.DropOptions) (task.DropResult, error) {
	return task.DropResult{}, errTouched
}
func (untouchable) Define(context.Context, func([]task.Definition) ([]task.Definition, error)) error {
	return errTouched
}
func (untouchable) SaveResult(context.Context, task.Result, iter.Seq2[task.ResultRow, error]) (task.Result, error) {
	return task.Result{}, errTouched
}
func (untouchable) NamedResults(context.Context, string, string) ([]task.Result, error) {
	return nil, errTouched
}
func (untouchable) RemoveResult(context.Context, task.Result) error         { return errTouched }
func (untouchable) DropResult(context.Context, string, string) (int, error) { return 0, errTouched }

func (untouchable) Crawls(context.Context) ([]report.Crawl, error)   { return nil, errTouched }
func (untouchable) Workers(context.Context) ([]report.Worker, error) { return nil, errTouched }
func (untouchable) Jobs(context.Context) ([]task.Job, error)         { return nil, errTouched }
func (untouchable) Fetches(context.Context) iter.Seq2[[]report.Fetch, error] {
	return touched[[]report.Fetch]()
}
func (untouchable) Failures(context.Context, []urlkey.Range) iter.Seq2[[]report.Failure, error] {
	return touched[[]report.Failure]()
}
func (untouchable) Frontier(context.Context) iter.Seq2[[]report.Queued, error] {
	return touched[[]report.Queued]()
}
func (untouchable) Crawl(context.Context, report.CrawlOptions) (report.CrawlResult, error) {
	return report.CrawlResult{}, errTouched
}
func (untouchable) OrderCrawl(context.Context, string, func(*report.CrawlOrders)) error {
	return errTouched
}
func (untouchable) GiveCrawl(context.Context, string, []string, bool) error { return errTouched }
func (untouchable) Tallies(context.Context) iter.Seq2[[]report.HostTally, error] {
	return touched[[]report.HostTally]()
}
func (untouchable) Alerts(context.Context) iter.Seq2[[]report.Alert, error] {
	return touched[[]report.Alert]()
}
func (untouchable) Refuses(report.CrawlOptions, string) (string, error) { return "", errTouched }
func (untouchable) BeginJob(context.Context, task.Job) (int64, func(task.Job) error, error) {
	return 0, nil, errTouched
}

// someStatements are those of testdata/statements.iql, as they are written there.
func someStatements(t *testing.T) (texts []string) {
	t.Helper()
	b, err := os.ReadFile("testdata/statements.iql")
	if err != nil {
		t.Fatal(err)
	}
	for st, err := range lang.Statements(string(b), "") {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(b)[st.At().Start.Offset:st.At().End.Offset])
	}
	return texts
}

// statementTokens finds the parts of a statement that mutations replace.
var statementTokens = regexp.MustCompile(`'(?:[^']|'')*'|\$?[\pL_][\pL\pN_]*|[0-9][0-9A-Za-z.-]*`)

// mutations gives texts like one, each with a token replaced by one that fits ill.
// Each token gets three of the replacements, in turn.
func mutations(text string) (list []string) {
	list = []string{text}
	turn := len(text)
	for _, at := range statementTokens.FindAllStringIndex(text, -1) {
		var others []string
		switch was := text[at[0]:at[1]]; {
		case was[0] == '\'':
			others = []string{"''", "'nonsense'", "'http://['", "'a b'", "'~('", "'*'", "'x.unknown'", "'é\n'", "$absent", "$n"}
		case was[0] >= '0' && was[0] <= '9':
			others = []string{"0", "7", "99", "0.25", "1000000000000", "1TB", "0s", "9y", "2008-13", "2mo", "$absent", "$site"}
		default:
			others = []string{"absent", "url", "ALL", "host", "$absent"}
		}
		for range 3 {
			turn++
			list = append(list, text[:at[0]]+others[turn%len(others)]+text[at[1]:])
		}
	}
	return list
}

// around gives a statement, and statements that it is part of.
func around(st langast.Statement) []langast.Statement {
	day := &langast.Duration{Text: "1d", Length: 24 * time.Hour}
	return []langast.Statement{
		st,
		&langast.Explain{Span: st.At(), Statement: st},
		&langast.Explain{Span: st.At(), Statement: st, Analyze: true},
		&langast.Schedule{Span: st.At(), Name: langast.Name{Text: "other"}, Every: day, Statement: st},
		&langast.Schedule{Span: st.At(), Name: langast.Name{Text: "other"}, Adaptive: true, Statement: st},
	}
}

// refused runs one statement and gives its error if it was refused before it
// touched anything.
func refused(s *session.Session, st langast.Statement) error {
	res, err := s.Run(context.Background(), st)
	switch {
	case err == nil:
		res.Close()
	case errors.Is(err, errTouched), strings.Contains(err.Error(), errTouched.Error()), ofFiles.MatchString(err.Error()):
		return nil
	}
	return err
}

// ofFiles matches errors of files, at which Check does not look.
var ofFiles = regexp.MustCompile(`file does not exist|no file matches|syntax error in pattern`)

// TestCheckIsRun runs statements of every kind, also mutated, in a session whose
// archive refuses everything. What Run refuses before it asks the archive, Check
// refuses with the same error, and nothing else.
func TestCheckIsRun(t *testing.T) {
	texts := someStatements(t)
	t.Chdir(t.TempDir())
	compared, both := 0, 0
	for _, text := range texts {
		for _, m := range mutations(text) {
			parsed, err := lang.ParseOne(m, "")
			if err != nil {
				continue
			}
			for _, st := range around(parsed) {
				if _, ok := st.(*langast.Run); ok {
					continue // its statements are run one by one
				}
				compared++
				session := func() *session.Session {
					return sessionWith(untouchable{}, func(o *session.Options) {
						o.Crawler, o.Jobs, o.ReadOnly = untouchable{}, untouchable{}, compared%7 == 0
					})
				}
				run, check := refused(session(), st), session().Check(st)
				if run != nil {
					both++
				}
				if (run == nil) != (check == nil) || run != nil && run.Error() != check.Error() {
					t.Errorf("%s\nrun:   %v\ncheck: %v", st, run, check)
				}
			}
		}
	}
	if compared < 2500 || both < 1500 {
		t.Errorf("compared %d statements, of which %d were refused", compared, both)
	}
}

// TestArchiveRefuses shows that an archive which can only be read refuses, by its name, a
// statement that asks more of it.
func TestArchiveRefuses(t *testing.T) {
	s := newSession(struct{ session.Archive }{archive{smallSite()}})
	for _, c := range []struct{ src, want string }{
		{"VERIFY", "this archive takes no VERIFY"},
		{"SEAL POOL '2008-06'", "this archive takes no SEAL POOL"},
		{"EXPLAIN IMPORT 'x.raw'", "this archive takes no IMPORT"},
		{"SELECT count(*) FROM captures", "<nil>"},
	} {
		if _, _, err := ask(s, c.src); !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: got error %v, want %s", c.src, err, c.want)
		}
	}
}

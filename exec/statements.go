package exec

import (
	"fmt"
	"reflect"

	"infomall/exec/checkreplay"
	"infomall/exec/cluster"
	"infomall/exec/crawls"
	"infomall/exec/define"
	"infomall/exec/duplicate"
	"infomall/exec/event"
	"infomall/exec/export"
	"infomall/exec/pool"
	"infomall/exec/query"
	"infomall/exec/rank"
	"infomall/exec/session"
	"infomall/exec/show"
	"infomall/exec/train"
	"infomall/lang/ast"
)

// statements lists all types of statements in the order of HELP.
var statements = []*session.Spec{
	query.Select,
	pool.Import,
	export.Export,
	export.Provenance,
	crawls.Crawl,
	crawls.Order,
	crawls.Add,
	event.TraceEvent,
	crawls.Trace,
	scheduleSpec,
	define.Unschedule,
	runScheduleSpec,
	watchSpec,
	unwatchSpec,
	runWatchSpec,
	pool.Copy,
	pool.Move,
	pool.Verify,
	pool.Merge,
	pool.Repair,
	pool.Reindex,
	pool.Drop,
	define.View,
	define.Metadata,
	define.DropView,
	rank.DropGraph,
	pool.DropGazetteer,
	define.DropMetadata,
	define.Rule,
	define.DropRule,
	define.Save,
	runSpec,
	pool.Delete,
	pool.Allow,
	rank.PageRank,
	rank.HITS,
	duplicate.Dedup,
	event.Events,
	event.DropEvents,
	train.Train,
	train.Drop,
	cluster.Cluster,
	cluster.Drop,
	rank.ExplainRank,
	pool.Recover,
	show.Page,
	show.Robots,
	rank.Path,
	show.Diff,
	show.Blame,
	show.Story,
	checkreplay.Check,
	query.Show,
	query.Describe,
	query.Summarize,
	query.Explain,
	query.Set,
	query.Reset,
	query.Help,
}

// byType has the Spec of each statement by the statement's type in lang/ast.
var byType = func() map[reflect.Type]*session.Spec {
	m := make(map[reflect.Type]*session.Spec, len(statements))
	for _, s := range statements {
		m[s.Of] = s
	}
	return m
}()

// SpecOf returns the Spec that declares the type of the statement st.
func SpecOf(st ast.Statement) *session.Spec {
	s := byType[reflect.TypeOf(st)]
	if s == nil {
		panic(fmt.Sprintf("exec: unknown statement %T", st))
	}
	return s
}

// Specs returns the Spec of each type of statement, in the order of HELP.
func Specs() []*session.Spec { return statements }

// New returns a session with the options o that runs all statements.
func New(o session.Options) *session.Session {
	return session.New(o, session.Language{SpecOf: SpecOf, Relations: func(s *session.Session) session.Relations { return relations{s} }})
}

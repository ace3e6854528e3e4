package exec

import (
	"fmt"
	"reflect"

	"infomall/lang/ast"
)

// statements lists all types of statements in the order of HELP.
var statements = []*Spec{
	Select,
	Import,
	Export,
	Crawl,
	Order,
	Add,
	Trace,
	schedulePut,
	Unschedule,
	scheduleRun,
	Copy,
	Verify,
	Merge,
	Repair,
	Reindex,
	Drop,
	View,
	Metadata,
	DropView,
	DropGraph,
	DropMetadata,
	Save,
	scriptRun,
	Delete,
	PageRank,
	HITS,
	Dedup,
	ExplainRank,
	Recover,
	Page,
	Robots,
	Path,
	Diff,
	Show,
	Describe,
	Explain,
	Set,
	Reset,
	Help,
}

// byType has the statements by their type.
var byType = func() map[reflect.Type]*Spec {
	m := make(map[reflect.Type]*Spec, len(statements))
	for _, s := range statements {
		m[s.Of] = s
	}
	return m
}()

// SpecOf returns the Spec of a statement.
func SpecOf(st ast.Statement) *Spec {
	s := byType[reflect.TypeOf(st)]
	if s == nil {
		panic(fmt.Sprintf("exec: unknown statement %T", st))
	}
	return s
}

// Specs returns the Spec of each type of statement, in the order of HELP.
func Specs() []*Spec { return statements }

// New returns a session that runs all statements.
func New(o Options) *Session {
	return NewSession(o, Language{SpecOf: SpecOf, Relations: func(s *Session) Relations { return relations{s} }})
}

package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var scheduleStatement = of[scheduleSyntax]("SCHEDULE", topic{"SCHEDULE", `
SCHEDULE name when AS statement
when = EVERY 7d | CRON 'text' | ADAPTIVE [BUDGET n PER 7d] | AFTER IMPORT
n = 10 | $name
`}).notBelow("SCHEDULE", "WATCH")

type scheduleSyntax struct {
	nested
	Name     lexer.Token `parser:"'SCHEDULE' @( Ident | Quoted )"`
	Every    lexer.Token `parser:"( 'EVERY' @( Duration | Param | String )"`
	Cron     lexer.Token `parser:"| 'CRON' @( String | Param )"`
	After    bool        `parser:"| @( 'AFTER' 'IMPORT' )"`
	Adaptive bool        `parser:"| @'ADAPTIVE'"`
	Budget   lexer.Token `parser:"  ( 'BUDGET' @( Number | Param )"`
	Per      lexer.Token `parser:"    'PER' @( Duration | Param ) )? ) 'AS'"`
}

// tree returns the tree of SCHEDULE. It reports a fault to b if the inner
// statement has parameters, because nobody can give their values when the
// schedule runs it.
func (s *scheduleSyntax) tree(b *builder) ast.Statement {
	c := &ast.Schedule{
		Span: s.span(), Name: scan.Name(&s.Name), Adaptive: s.Adaptive, AfterImport: s.After,
		Every: optionalDuration(b, s.Every), Cron: optionalConstant(s.Cron), Budget: optionalConstant(s.Budget), Per: optionalConstant(s.Per),
		Statement: s.inner.tree(b),
	}
	b.declared(c.Statement, nil, "a schedule has none", "write the value itself")
	return c
}

var unscheduleStatement = of[unscheduleSyntax]("UNSCHEDULE", topic{"UNSCHEDULE", `
UNSCHEDULE name
`})

type unscheduleSyntax struct {
	source
	Name lexer.Token `parser:"'UNSCHEDULE' @( Ident | Quoted )" names:"schedule"`
}

func (s *unscheduleSyntax) tree(*builder) ast.Statement {
	return &ast.Unschedule{Span: s.span(), Name: scan.Name(&s.Name)}
}

var runScheduleStatement = of[runScheduleSyntax]("RUN SCHEDULE", topic{"RUN SCHEDULE", `
RUN SCHEDULE name
`})

type runScheduleSyntax struct {
	source
	Name lexer.Token `parser:"'RUN' 'SCHEDULE' @( Ident | Quoted )" names:"schedule"`
}

func (s *runScheduleSyntax) tree(*builder) ast.Statement {
	return &ast.RunSchedule{Span: s.span(), Name: scan.Name(&s.Name)}
}

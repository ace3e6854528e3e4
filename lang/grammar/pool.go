package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var copyStatement = of[copySyntax]("COPY POOL", topic{"COPY POOL", `
COPY POOL (name | ALL) TO folder
name = 'text' | $name
folder = 'text' | 's3://bucket/prefix' | $name
`})

type copySyntax struct {
	source
	Pool lexer.Token `parser:"'COPY' 'POOL' ( @( String | Param ) | 'ALL' )" names:"pool"`
	To   lexer.Token `parser:"'TO' @( String | Param )" names:"file"`
}

func (s *copySyntax) tree(*builder) ast.Statement {
	return &ast.CopyPool{Span: s.span(), Pool: optionalText(s.Pool), To: scan.Text(&s.To)}
}

var moveStatement = of[moveSyntax]("MOVE POOL", topic{"MOVE POOL", `
MOVE POOL (name | ALL) TO place [AFTER duration]
MOVE POOL (name | ALL) BACK
name = 'text' | $name
place = 'folder' | 's3://bucket/prefix' | $name
duration = 12mo | $name
`})

type moveSyntax struct {
	source
	Pool  lexer.Token `parser:"'MOVE' 'POOL' ( @( String | Param ) | 'ALL' )" names:"pool"`
	Back  bool        `parser:"( @'BACK'"`
	To    lexer.Token `parser:"| 'TO' @( String | Param )" names:"file"`
	After lexer.Token `parser:"  ( 'AFTER' @( Duration | Param | String ) )? )"`
}

func (s *moveSyntax) tree(b *builder) ast.Statement {
	return &ast.MovePool{Span: s.span(), Pool: optionalText(s.Pool), To: optionalText(s.To), After: optionalDuration(b, s.After)}
}

var verifyStatement = of[verifySyntax]("VERIFY", topic{"VERIFY", `
VERIFY [POOL pool] [SAMPLE 1 / n]
pool = 'text' | $name
n = 10 | $name
`})

type verifySyntax struct {
	source
	Clauses []*verifyClauseSyntax `parser:"'VERIFY' @@*"`
}

type verifyClauseSyntax struct {
	source
	Pool *textSyntax `parser:"  'POOL' @@" names:"pool"`
	One  lexer.Token `parser:"| 'SAMPLE' @Number"`
	Of   lexer.Token `parser:"  '/' @( Number | Param )"`
}

func (s *verifySyntax) tree(b *builder) ast.Statement {
	v := &ast.Verify{Span: s.span()}
	for _, c := range s.Clauses {
		if c.Pool != nil {
			once(b, c, "POOL", &v.Pool, c.Pool.expr())
			continue
		}
		once(b, c, "SAMPLE", &v.Sample, scan.Literal(&c.Of))
		if c.One.Value != "1" {
			b.fail(scan.SpanOf(&c.One), "a sample is one part of n", "write SAMPLE 1/"+c.Of.Value)
		}
	}
	return v
}

var mergeStatement = of[mergeSyntax]("MERGE POOL, SEAL POOL", topic{"MERGE POOL", `
MERGE POOL (pool | ALL)
pool = 'text' | $name
`}, topic{"SEAL POOL", `
SEAL POOL (pool | ALL)
pool = 'text' | $name
`})

type mergeSyntax struct {
	source
	Seal bool        `parser:"( @'SEAL' | 'MERGE' )"`
	Pool lexer.Token `parser:"'POOL' ( @( String | Param ) | 'ALL' )" names:"pool"`
}

func (s *mergeSyntax) tree(*builder) ast.Statement {
	return &ast.MergePool{Span: s.span(), Seal: s.Seal, Pool: optionalText(s.Pool)}
}

var repairStatement = of[repairSyntax]("REPAIR POOL", topic{"REPAIR POOL", `
REPAIR POOL pool FROM folder
pool = 'text' | $name
folder = 'text' | 's3://bucket/prefix' | $name
`})

type repairSyntax struct {
	source
	Pool lexer.Token `parser:"'REPAIR' 'POOL' @( String | Param )" names:"pool"`
	From lexer.Token `parser:"'FROM' @( String | Param )" names:"file"`
}

func (s *repairSyntax) tree(*builder) ast.Statement {
	return &ast.RepairPool{Span: s.span(), Pool: scan.Text(&s.Pool), From: scan.Text(&s.From)}
}

var reindexStatement = of[reindexSyntax]("REINDEX", topic{"REINDEX", `
REINDEX [POOL pool] [DERIVED | DOCUMENTS | SEARCH]
pool = 'text' | $name
`})

type reindexSyntax struct {
	source
	Pool      lexer.Token `parser:"'REINDEX' ( 'POOL' @( String | Param ) )?" names:"pool"`
	Derived   bool        `parser:"( @'DERIVED'"`
	Documents bool        `parser:"| @'DOCUMENTS'"`
	Search    bool        `parser:"| @'SEARCH' )?"`
}

func (s *reindexSyntax) tree(*builder) ast.Statement {
	return &ast.Reindex{Span: s.span(), Pool: optionalText(s.Pool), Derived: s.Derived, Documents: s.Documents, Search: s.Search}
}

var dropPoolStatement = of[dropPoolSyntax]("DROP POOL", topic{"DROP POOL", `
DROP POOL pool
pool = 'text' | $name
`})

type dropPoolSyntax struct {
	source
	Pool lexer.Token `parser:"'DROP' 'POOL' @( String | Param )" names:"pool"`
}

func (s *dropPoolSyntax) tree(*builder) ast.Statement {
	return &ast.DropPool{Span: s.span(), Pool: scan.Text(&s.Pool)}
}

var recoverStatement = of[recoverSyntax]("RECOVER", topic{"RECOVER", `
RECOVER file [TO file]
file = 'text' | $name
`})

type recoverSyntax struct {
	source
	File lexer.Token `parser:"'RECOVER' @( String | Param )" names:"file"`
	To   lexer.Token `parser:"( 'TO' @( String | Param ) )?" names:"file"`
}

func (s *recoverSyntax) tree(*builder) ast.Statement {
	return &ast.Recover{Span: s.span(), File: scan.Text(&s.File), To: optionalText(s.To)}
}

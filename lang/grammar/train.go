package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var trainStatement = of[trainSyntax]("TRAIN", topic{"TRAIN", `
TRAIN name ON (query) [USING (SVM | BAYES)] [FEATURES n [BY (CHI | IG)]]
    [FOLDS n]
n = 5 | $name
`})

type trainSyntax struct {
	source
	Name    lexer.Token          `parser:"'TRAIN' @( Ident | Quoted )"`
	Query   querySyntax          `parser:"'ON' '(' @@ ')'"`
	Clauses []*trainClauseSyntax `parser:"@@*"`
}

type trainClauseSyntax struct {
	source
	Using    string      `parser:"  'USING' @( 'SVM' | 'BAYES' )"`
	Features lexer.Token `parser:"| 'FEATURES' @( Number | Param )"`
	By       string      `parser:"  ( 'BY' @( 'CHI' | 'IG' ) )?"`
	Folds    lexer.Token `parser:"| 'FOLDS' @( Number | Param )"`
}

func (s *trainSyntax) tree(b *builder) ast.Statement {
	t := &ast.Train{Span: s.span(), Name: scan.Name(&s.Name), Query: s.Query.tree()}
	for _, c := range s.Clauses {
		switch {
		case c.Using != "":
			once(b, c, "USING", &t.Using, scan.Lower(c.Using))
		case present(c.Features):
			once(b, c, "FEATURES", &t.Features, scan.Literal(&c.Features))
			t.By = scan.Lower(c.By)
		default:
			once(b, c, "FOLDS", &t.Folds, scan.Literal(&c.Folds))
		}
	}
	return t
}

var dropClassifierStatement = of[dropClassifierSyntax]("DROP CLASSIFIER", topic{"DROP CLASSIFIER", `
DROP CLASSIFIER name
`})

type dropClassifierSyntax struct {
	source
	Name lexer.Token `parser:"'DROP' 'CLASSIFIER' @( Ident | Quoted )" names:"classifier"`
}

func (s *dropClassifierSyntax) tree(*builder) ast.Statement {
	return &ast.DropClassifier{Span: s.span(), Name: scan.Name(&s.Name)}
}

package grammar

import "infomall/lang/ast"

var checkReplayStatement = of[checkReplaySyntax]("CHECK REPLAY", topic{"CHECK REPLAY", `
CHECK REPLAY [IN scope, …] [time]
` + helpTime})

type checkReplaySyntax struct {
	source
	Clauses []*checkReplayClauseSyntax `parser:"'CHECK' 'REPLAY' @@*"`
}

type checkReplayClauseSyntax struct {
	source
	Scopes []*scopeSyntax `parser:"  'IN' @@ ( ',' @@ )*"`
	Time   timeSyntax     `parser:"| @@"`
}

func (s *checkReplaySyntax) tree(b *builder) ast.Statement {
	c := &ast.CheckReplay{Span: s.span()}
	for _, x := range s.Clauses {
		if x.Scopes != nil {
			once(b, x, "IN", &c.Scopes, scopes(x.Scopes))
		} else {
			b.addTime(x, &c.Time, x.Time)
		}
	}
	return c
}

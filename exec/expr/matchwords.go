package expr

import (
	"errors"
	"strings"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/words/match"
)

// MatchWords is the expression X MATCH Question, which is true if the text X has
// the words that the text Question asks for. Query is the parsed question if that
// is constant, otherwise nil. At is the place of the question in the statement, for
// errors.
type MatchWords struct {
	X, Question Expr
	Query       *match.Query
	At          ast.Expr
}

func (*MatchWords) Type() value.Type { return value.Bool }

// String returns the expression as EXPLAIN prints it.
func (m *MatchWords) String() string { return m.form("") }

func (m *MatchWords) form(not string) string {
	return operand(m.X) + " " + not + "MATCH " + operand(m.Question)
}

// matchWords returns x MATCH question as an Expr.
func (b *Binder) matchWords(e *ast.Binary) (Expr, error) {
	q, err := b.text(e.Y, "MATCH")
	if err != nil {
		return nil, err
	}
	m := &MatchWords{Question: q, At: e.Y}
	if c, ok := q.(*Const); ok && !c.V.IsNull() {
		if m.Query, err = Question(c.V.Text, e.Y); err != nil {
			return nil, err
		}
		if column, ok := e.X.(*ast.Column); ok && b.Matching != nil {
			if known := b.Matching(column, m.Query); known != nil {
				return negated(known, nil, e.Not)
			}
		}
	}
	if m.X, err = b.text(e.X, "MATCH"); err != nil {
		return nil, err
	}
	bound, err := fold(m)
	return negated(bound, err, e.Not)
}

// apply returns whether the text x has the words of the question, as TRUE or
// FALSE. The error says that the question cannot be read.
func (m *MatchWords) apply(x, question value.Value) (value.Value, error) {
	q := m.Query
	if q == nil {
		var err error
		if q, err = Question(question.Text, m.At); err != nil {
			return value.Value{}, err
		}
	}
	return value.OfBool(q.Matches(x.Text)), nil
}

// Question parses a question of MATCH or SEARCH. The parameter at is the
// expression that gives the question. The error points to the fault inside the
// question if at is a string of one line.
func Question(question string, at ast.Expr) (*match.Query, error) {
	q, err := match.Parse(question)
	var fault *match.Error
	if !errors.As(err, &fault) {
		return q, err
	}
	e := ast.Errorf(at, "%s", fault.Problem)
	e.Hint = fault.Remedy
	if s, ok := at.(*ast.String); ok && fault.Len > 0 && !strings.ContainsAny(question, "'\n") {
		e.Start = inside(s.Start, question[:fault.At])
		e.End = inside(e.Start, question[fault.At:fault.At+fault.Len])
		e.Start.Offset, e.Start.Column = e.Start.Offset+1, e.Start.Column+1 // the quote
		e.End.Offset, e.End.Column = e.End.Offset+1, e.End.Column+1
	}
	return nil, e
}

// inside returns the position after text, which begins at the position from and has
// no line end.
func inside(from ast.Pos, text string) ast.Pos {
	from.Offset += len(text)
	from.Column += len([]rune(text))
	return from
}

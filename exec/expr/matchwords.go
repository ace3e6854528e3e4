package expr

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/words/match"
)

// MatchWords is the expression X MATCH Question, which is true if the text X matches the search
// query in the text Question. Query is the parsed search query if that is constant, otherwise nil.
// At is the position of the search query in the statement, for errors. Env has the synonyms.
type MatchWords struct {
	X, Question Expr
	Query       *match.Query
	At          ast.Expr
	Env         *Env
}

func (*MatchWords) Type() value.Type { return value.Bool }

// String returns the expression as EXPLAIN prints it.
func (m *MatchWords) String() string { return m.form("") }

func (m *MatchWords) form(not string) string {
	return operand(m.X) + " " + not + "MATCH " + operand(m.Question) + Added(m.Query)
}

// Added returns the words that synonyms add to the search query q as EXPLAIN prints them after it,
// such as " (also notebook, "portable computer")". It returns "" if there are none, or q is nil.
func Added(q *match.Query) string {
	if q == nil || q.Added() == nil {
		return ""
	}
	return " (also " + strings.Join(q.Added(), ", ") + ")"
}

// matchWords returns x MATCH question as an Expr.
func (b *Binder) matchWords(e *ast.Binary) (Expr, error) {
	q, err := b.text(e.Y, "MATCH")
	if err != nil {
		return nil, err
	}
	m := &MatchWords{Question: q, At: e.Y, Env: b.Env}
	if c, ok := q.(*Const); ok && !c.V.IsNull() {
		if m.Query, err = Question(c.V.Text, e.Y, b.Env); err != nil {
			return nil, err
		}
		b.Env.Note(m.Query)
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

// apply returns whether the text x matches the search query, as TRUE or FALSE. The error says that
// the search query cannot be parsed.
func (m *MatchWords) apply(x, question value.Value) (value.Value, error) {
	q := m.Query
	if q == nil {
		var err error
		if q, err = Question(question.Text, m.At, m.Env); err != nil {
			return value.Value{}, err
		}
	}
	return value.OfBool(q.Matches(x.Text)), nil
}

// Question parses a search query of MATCH or SEARCH, with the synonyms of env, which may be nil.
// The parameter at is the expression that gives the search query. If it is a string, the error
// points to the fault inside it. Otherwise the message quotes the text around the fault.
func Question(question string, at ast.Expr, env *Env) (*match.Query, error) {
	q, err := env.Question(question)
	var fault *match.Error
	if !errors.As(err, &fault) {
		return q, err
	}
	e := ast.Errorf(at, "%s", fault.Problem)
	e.Hint = fault.Remedy
	switch s, ok := at.(*ast.String); {
	case fault.Len == 0:
	case ok:
		e.Start = inside(s.Start, question[:fault.At])
		e.End = inside(e.Start, question[fault.At:fault.At+fault.Len])
		for _, p := range []*ast.Pos{&e.Start, &e.End} {
			p.Offset++ // the quote
			if p.Line == s.Start.Line {
				p.Column++
			}
		}
	default:
		e.Msg += fmt.Sprintf(", at character %d of %s", utf8.RuneCountInString(question[:fault.At])+1, faultText(question, fault))
	}
	return nil, e
}

// faultTextRunes is how many characters of a search query an error shows before and after the fault
// in it.
const faultTextRunes = 30

// faultText returns the search query in quotes, or the part around the fault if it is long.
func faultText(question string, fault *match.Error) string {
	from := back(question, fault.At, faultTextRunes)
	to := forth(question, fault.At, faultTextRunes)
	text := question[from:to]
	if from > 0 {
		text = "…" + text
	}
	if to < len(question) {
		text += "…"
	}
	return "'" + text + "'"
}

// inside returns the position at which text ends in a string of the statement. text begins in the
// string at the position from.
func inside(from ast.Pos, text string) ast.Pos {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		at += size
		switch r {
		case '\n':
			from.Line, from.Column = from.Line+1, 0
		case '\'':
			from.Offset, from.Column = from.Offset+1, from.Column+1 // it is written twice
		}
		from.Offset, from.Column = from.Offset+size, from.Column+1
	}
	return from
}

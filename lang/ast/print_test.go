package ast

import "testing"

func col(name string) Expr { return &Column{Name: Name{Text: name}} }

func bin(op string, x, y Expr) Expr { return &Binary{Op: op, X: x, Y: y} }

// TestPrintBrackets shows that an operand has brackets where it binds looser
// than its place, and nowhere else.
func TestPrintBrackets(t *testing.T) {
	a, b, c := col("a"), col("b"), col("c")
	for _, tt := range []struct {
		e    Expr
		want string
	}{
		{bin("-", bin("-", a, b), c), "a - b - c"},
		{bin("-", a, bin("-", b, c)), "a - (b - c)"},
		{bin("*", bin("+", a, b), c), "(a + b) * c"},
		{bin("+", bin("*", a, b), c), "a * b + c"},
		{bin("OR", bin("AND", a, b), c), "a AND b OR c"},
		{bin("AND", bin("OR", a, b), c), "(a OR b) AND c"},
		{bin("=", bin("=", a, b), c), "(a = b) = c"},
		{bin("=", a, bin("=", b, c)), "a = (b = c)"},
		{bin("||", a, bin("||", b, c)), "a || (b || c)"},
		{&Unary{Op: "NOT", X: bin("=", a, b)}, "NOT a = b"},
		{&Unary{Op: "NOT", X: bin("AND", a, b)}, "NOT (a AND b)"},
		{bin("=", &Unary{Op: "NOT", X: a}, b), "(NOT a) = b"},
		{&Unary{Op: "-", X: &Unary{Op: "-", X: a}}, "- -a"},
		{&Unary{Op: "-", X: bin("*", a, b)}, "-(a * b)"},
		{bin("*", &Unary{Op: "-", X: a}, b), "-a * b"},
		{&Is{X: &Is{X: a, What: &Null{}}, Not: true, What: &Bool{}}, "(a IS NULL) IS NOT FALSE"},
		{&Between{X: a, A: bin("AND", a, b), B: c}, "a BETWEEN (a AND b) AND c"},
	} {
		if got := tt.e.String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

// TestPrintNames shows that a name has quotes where it had them or needs them.
func TestPrintNames(t *testing.T) {
	for _, tt := range []struct {
		n    Name
		want string
	}{
		{Name{Text: "url"}, "url"},
		{Name{Text: "标题"}, "标题"},
		{Name{Text: "url", Quoted: true}, `"url"`},
		{Name{Text: "Order"}, `"Order"`},
		{Name{Text: "a b"}, `"a b"`},
		{Name{Text: "1a"}, `"1a"`},
		{Name{Text: `a"b`}, `"a""b"`},
		{Name{Text: "first"}, "first"},
	} {
		if got := tt.n.String(); got != tt.want {
			t.Errorf("%+v prints as %s, want %s", tt.n, got, tt.want)
		}
	}
}

func TestErrorText(t *testing.T) {
	at := Span{Start: Pos{Filename: "june.iql", Line: 2, Column: 7}}
	for _, tt := range []struct {
		e    *Error
		want string
	}{
		{&Error{Span: at, Msg: "bad", Hint: "mend it"}, "june.iql:2:7: bad (mend it)"},
		{&Error{Span: Span{Start: Pos{Line: 2, Column: 7}}, Msg: "bad"}, "2:7: bad"},
		{&Error{Msg: "bad"}, "bad"},
		{Errorf(at, "no column %q", "x"), `june.iql:2:7: no column "x"`},
	} {
		if got := tt.e.Error(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

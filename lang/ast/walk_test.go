package ast

import (
	"fmt"
	"strings"
	"testing"
)

// TestWalk visits a tree that has a node of every kind which holds others.
func TestWalk(t *testing.T) {
	a, b, c := col("a"), col("b"), col("c")
	scope := Scope{From: &String{Value: "x"}, To: &String{Value: "y"}}
	q := &Query{
		With: []With{{Query: &Query{Select: &Select{From: &Source{Query: &Query{Select: &Select{}}}}}}},
		Select: &Select{
			Items: []Item{{Star: true}, {Expr: &Call{Name: Name{Text: "f"}, Args: []Expr{a, b}}}},
			From: &Source{Scopes: []Scope{scope}, Time: TimeClause{
				Range:  &TimeRange{Op: RangeUntil, B: &Now{}},
				Choice: &TimeChoice{T: &Today{}},
			}},
			Where: bin("AND", &Within{X: a, Scopes: []Scope{{From: &Param{Name: "s"}}}},
				&Case{X: a, Whens: []When{{Cond: b, Then: c}}, Else: &Null{}}),
			GroupBy: []Expr{&Unary{Op: "-", X: a}, &Cast{X: b, Type: Name{Text: "int"}}},
			Having:  &Between{X: a, A: b, B: c},
		},
		OrderBy: []OrderItem{{Expr: &In{X: a, List: []Expr{b, c}}}, {Expr: &Like{X: a, Y: b}}},
		Limit:   &Number{Text: "1"},
	}
	var got []string
	Walk(&Explain{Statement: q}, func(n Node) bool {
		got = append(got, strings.TrimPrefix(fmt.Sprintf("%T", n), "*ast."))
		return true
	})
	want := "Explain Query With Query Select Source Query Select Select Item Item Call Column Column Source Scope String String TimeRange Now TimeChoice Today " +
		"Binary Within Column Scope Param Case Column When Column Column Null Unary Column Cast Column Between Column Column Column " +
		"OrderItem In Column Column Column OrderItem Like Column Column Number"
	if text := strings.Join(got, " "); text != want {
		t.Errorf("visits\n%s, want\n%s", text, want)
	}

	n := 0
	Walk(q, func(Node) bool { n++; return false })
	if n != 1 {
		t.Errorf("a visit that says no is followed by %d others", n-1)
	}
}

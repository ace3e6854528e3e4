package ast

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
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

// TestWalkAllExprs shows that Walk visits the expression of every clause of a
// statement: each field of type Expr is set to a number of its own.
func TestWalkAllExprs(t *testing.T) {
	statements := []Statement{
		&Query{Select: new(Select)}, &Import{}, &Export{}, &ExportProvenance{Query: &Query{Select: new(Select)}}, &Crawl{}, &OrderCrawl{}, &AddToCrawl{}, &Trace{}, &CopyPool{}, &MovePool{},
		&Verify{}, &Reindex{}, &Recover{}, &MergePool{}, &RepairPool{}, &DropPool{}, &Delete{}, &Allow{}, &Rule{}, &DropRule{},
		&CreateView{}, &CreateMetadata{}, &DropView{}, &DropMetadata{}, &Save{}, &Run{}, &Explain{},
		&Describe{}, &Summarize{Query: &Query{Select: new(Select)}}, &Show{}, &ShowRobots{}, &ShowPage{}, &Diff{}, &Blame{}, &ShowStory{}, &Set{}, &Reset{}, &Help{},
		&DropGraph{}, &Events{}, &DropEvents{}, &TraceEvent{}, &DropGazetteer{}, &CheckReplay{}, &Dedup{}, &Cluster{Query: &Query{Select: new(Select)}}, &DropClusters{}, &Train{Query: &Query{Select: new(Select)}}, &DropClassifier{}, &HITS{}, &PageRank{}, &ShowPath{}, &ExplainRank{}, &Schedule{},
		&Unschedule{}, &RunSchedule{}, &Watch{}, &Unwatch{}, &RunWatch{},
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	types := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		types += strings.Count(string(text), ") statement() {}\n")
	}
	if types != len(statements) {
		t.Errorf("%d types are statements, and the test has %d", types, len(statements))
	}
	for _, st := range statements {
		v := reflect.ValueOf(st).Elem()
		want := make(map[Node]string)
		for i := range v.NumField() {
			switch v.Field(i).Type() {
			case reflect.TypeFor[Expr]():
				n := new(Number)
				v.Field(i).Set(reflect.ValueOf(n))
				want[n] = v.Type().Field(i).Name
			case reflect.TypeFor[Statement]():
				v.Field(i).Set(reflect.ValueOf(new(Help)))
			case reflect.TypeFor[*Query]():
				v.Field(i).Set(reflect.ValueOf(&Query{Select: new(Select)}))
			}
		}
		Walk(st, func(n Node) bool {
			delete(want, n)
			return true
		})
		for _, field := range want {
			t.Errorf("Walk does not visit %s of %T", field, st)
		}
	}
}

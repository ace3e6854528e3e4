package lang

import (
	"reflect"
	"testing"

	"infomall/lang/ast"
)

// failer is what testing.T and rapid.T share.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkRoundTrip prints a statement and parses that: the tree must be equal
// but for its places, and print the same.
func checkRoundTrip(t failer, st ast.Statement) {
	t.Helper()
	text := st.String()
	again, err := ParseOne(text, "")
	if err != nil {
		t.Fatalf("printed statement does not parse:\n%s", Render(err, text))
	}
	if got := again.String(); got != text {
		t.Fatalf("printed %q, parsed and printed again %q", text, got)
	}
	forgetPlaces(reflect.ValueOf(st))
	forgetPlaces(reflect.ValueOf(again))
	if !reflect.DeepEqual(st, again) {
		t.Fatalf("%q parses to another tree than it was printed from", text)
	}
}

var spanType = reflect.TypeFor[ast.Span]()

// forgetPlaces sets every span in a tree to zero.
func forgetPlaces(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			forgetPlaces(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			forgetPlaces(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == spanType {
			v.SetZero()
			return
		}
		for i := range v.NumField() {
			forgetPlaces(v.Field(i))
		}
	}
}

// checkSpans shows that every node stands within the source and within the
// node above it. It is for statements that still have their places.
func checkSpans(t testing.TB, src string, st ast.Statement) {
	t.Helper()
	again, err := ParseOne(src, "")
	if err != nil {
		t.Fatal(err)
	}
	outer := again.At()
	ast.Walk(again, func(n ast.Node) bool {
		at := n.At()
		if at.Start.Line == 0 || at.Start.Offset < outer.Start.Offset || at.End.Offset > outer.End.Offset ||
			at.Start.Offset >= at.End.Offset {
			t.Errorf("%q: %T %s stands at %v", src, n, n, at)
		}
		return true
	})
}

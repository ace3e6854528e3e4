package expr

import (
	"testing"

	"infomall/exec/places"
	"infomall/exec/value"
	"infomall/store/record/task"
)

// TestPlace shows that place is not computed when the query is bound, that it reads the
// stored list of places once, when the first row needs it, and that it uses the list.
func TestPlace(t *testing.T) {
	read := 0
	b := testBinder()
	b.Env.Stored = func(kind, name string) (task.Result, []task.ResultRow, bool, error) {
		if kind != task.ResultGazetteer || name != places.ListName {
			t.Errorf("asked for %s %s", kind, name)
		}
		read++
		return task.Result{}, places.Rows([]places.Place{{Name: "Lanshan", Variants: []string{"澜山"}}}), true, nil
	}
	e, err := b.Bind(parseExpr(t, `place('x', 'http://www.news.example.de/')`))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := e.(*Call); !ok || read > 0 {
		t.Fatalf("%T, and the list was read %d times: it was computed too early", e, read)
	}
	for text, want := range map[string]string{"澜山的北京": "Lanshan", "北京": "Beijing", "Augsburg baut": "Augsburg", "nothing": ""} {
		got, err := Apply(e, []value.Value{value.OfText(text), value.OfURL("http://www.news.example.de/")})
		if err != nil || got.Text != want || got.IsNull() != (want == "") {
			t.Errorf("%q: got %v, %v, want %q", text, got, err, want)
		}
	}
	if read != 1 {
		t.Errorf("the list was read %d times, want 1", read)
	}
}

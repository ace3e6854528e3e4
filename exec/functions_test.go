package exec_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infomall/exec/expr"
	"infomall/exec/query"
	"infomall/exec/regions/regionstest"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang"
)

// typedColumns are expressions over pages of each type that a column can have,
// and a text that is constant: a unit must be.
var typedColumns = []string{"status", "rank", "title", "url", "first_seen", "last_seen - first_seen", "status = 200", "'day'"}

// TestFunctionTypes calls each function with columns of all types, some of which
// hold NULL, and casts of NULL: what it can be called with has a type before the
// first row, and its values have that.
func TestFunctionTypes(t *testing.T) {
	s := sessionWithRegions(t)
	for _, f := range expr.Functions() {
		called := 0
		for n := range 5 {
			for _, args := range tuples(typedColumns, n) {
				if strings.HasPrefix(f.Name, "quantile") && n == 2 {
					args[1] = "0.5" // it must be constant
				}
				call := f.Name + "(" + strings.Join(args, ", ") + ")"
				if f.Window {
					call += " OVER (ORDER BY url)"
				}
				if callHasType(t, s, call) {
					called++
				}
			}
			if called > 0 && n >= 2 {
				break // what more arguments are, is of one kind
			}
		}
		if called == 0 {
			t.Errorf("%s can be called with nothing", f.Name)
		}
	}
	for _, typ := range []string{"int", "float", "text", "bool", "time", "duration"} {
		if src := "coalesce(NULL, CAST(NULL AS " + typ + "))"; !callHasType(t, s, src) {
			t.Errorf("%s is refused", src)
		}
	}
}

// TestFunctionExamples runs the example of each function. The example must call the
// function. If it reads no relation, HELP must show its result. An example that needs a
// classifier may say that there is none.
func TestFunctionExamples(t *testing.T) {
	s := sessionWithRegions(t)
	for _, f := range expr.Functions() {
		statement, result := query.Example(f, s.Env())
		got, _, err := ask(s, strings.TrimSuffix(statement, ";"))
		if err != nil && strings.Contains(err.Error(), `no classifier "topic" in the archive`) {
			err = nil // the function is called, and the archive has no classifiers
		}
		if err != nil || !strings.Contains(statement, f.Name+"(") {
			t.Errorf("%s: example %s: %v", f.Name, statement, err)
		}
		if (result == "") != strings.Contains(statement, " FROM ") {
			t.Errorf("%s: %s gives %q, and HELP says %q", f.Name, statement, got, result)
		}
	}
}

// sessionWithRegions returns a session that has a file of regions, which ip_region needs.
func sessionWithRegions(t *testing.T) *session.Session {
	t.Helper()
	name := filepath.Join(t.TempDir(), "qqwry.dat")
	file := regionstest.QQWry(regionstest.Range{First: "0.0.0.0", Last: "255.255.255.255", Place: "北京市", Network: "北京大学"})
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSession(archive{smallSite()})
	if _, _, err := ask(s, "SET regions = '"+name+"'"); err != nil {
		t.Fatal(err)
	}
	return s
}

// callHasType checks the type of a call, and reports whether it is one.
func callHasType(t *testing.T, s *session.Session, call string) bool {
	t.Helper()
	st, err := lang.ParseOne("SELECT "+call+" FROM pages", "")
	if err != nil {
		return false
	}
	res, err := s.Run(context.Background(), st)
	if err != nil {
		return false
	}
	defer res.Close()
	want := res.Columns[0].Type
	if want == value.Null {
		t.Errorf("%s has no type before the first row", call)
	}
	for b, err := range res.Rows {
		if err != nil {
			break // a pattern or a unit that is none
		}
		if got := b.Cols[0].Type; got != want {
			t.Errorf("%s gives %s, and was said to be %s", call, got, want)
		}
	}
	return true
}

// tuples are all lists of n of these words.
func tuples(words []string, n int) [][]string {
	if n == 0 {
		return [][]string{nil}
	}
	var list [][]string
	for _, shorter := range tuples(words, n-1) {
		for _, w := range words {
			list = append(list, append(slices.Clone(shorter), w))
		}
	}
	return list
}

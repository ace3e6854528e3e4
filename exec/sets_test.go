package exec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSets combines random SELECTs with UNION, EXCEPT and INTERSECT, and compares
// with the same operations on lists, whatever memory there is.
func TestSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSession(archive{smallSite()})
		s.Settings().MemoryBytes = rapid.SampledFrom([]int64{1, 300, 1 << 20}).Draw(t, "memory")
		number := rapid.SampledFrom([]string{"1", "2", "3", "NULL"})
		draw := func() (rows []string, src string) {
			for range rapid.IntRange(1, 3).Draw(t, "rows") {
				rows = append(rows, number.Draw(t, "number"))
			}
			return rows, "SELECT n FROM (SELECT " + strings.Join(rows, " AS n UNION ALL SELECT ") + " AS n) AS a"
		}
		type term struct {
			op   string
			rows []string
		}
		rows, src := draw()
		terms := []term{{"", rows}}
		for range rapid.IntRange(0, 4).Draw(t, "operators") {
			op := rapid.SampledFrom([]string{"UNION", "UNION ALL", "EXCEPT", "INTERSECT"}).Draw(t, "operator")
			rows, more := draw()
			src += " " + op + " " + more
			if last := &terms[len(terms)-1]; op == "INTERSECT" {
				last.rows = distinctOf(slices.DeleteFunc(slices.Clone(last.rows), func(r string) bool { return !slices.Contains(rows, r) }))
			} else {
				terms = append(terms, term{op, rows})
			}
		}
		want := terms[0].rows
		for _, tm := range terms[1:] {
			switch tm.op {
			case "UNION":
				want = distinctOf(slices.Concat(want, tm.rows))
			case "UNION ALL":
				want = slices.Concat(want, tm.rows)
			default:
				want = distinctOf(slices.DeleteFunc(slices.Clone(want), func(r string) bool { return slices.Contains(tm.rows, r) }))
			}
		}
		got, _, err := ask(s, src)
		if text := strings.ReplaceAll(fmt.Sprintln("n", strings.Join(want, " ")), "NULL", "-"); err != nil || strings.Join(strings.Fields(got), " ") != strings.TrimSpace(text) {
			t.Fatalf("%s\ngot %q, error %v\nwant %q", src, got, err, text)
		}
	})
}

// distinctOf returns the first of equal texts of each kind in list.
func distinctOf(list []string) (out []string) {
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

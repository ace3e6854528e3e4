package rowio

import (
	"strings"
	"testing"

	"infomall/exec/value"
)

// TestMarks writes a marked and an unmarked column: found words are in colour only
// in the marked one, and a table stays straight.
func TestMarks(t *testing.T) {
	cols := []value.Column{{Name: "a", Type: value.Text, Marked: true}, {Name: "b", Type: value.Text}}
	b := value.NewBatch(cols)
	b.N = 2
	b.Cols[0].Texts = append(b.Cols[0].Texts[:0], "x ⸨kafka⸩ y", "a ⸨long word⸩ at the end")
	b.Cols[1].Texts = append(b.Cols[1].Texts[:0], "⸨1⸩", "2")
	for _, c := range []struct {
		format string
		o      Options
		want   string
	}{
		{"table", Options{Color: true, Width: 28}, "<│> x [kafka> y          <│> ⸨1⸩ <│>\n<│> a [long word> at th… <│> 2   <│>\n"},
		{"table", Options{}, "│ x ⸨kafka⸩ y              │ ⸨1⸩ │"},
		{"vertical", Options{Color: true}, "a: x [kafka> y\nb: ⸨1⸩\n"},
		{"html", Options{}, "<td>x <mark>kafka</mark> y</td><td>⸨1⸩</td>"},
		{"csv", Options{}, "x ⸨kafka⸩ y,⸨1⸩\n"},
	} {
		got := write(t, c.format, c.o, cols, b)
		got = strings.NewReplacer(foundOn, "[", dimOn, "<", colorOff, ">").Replace(got)
		if !strings.Contains(got, c.want) {
			t.Errorf("%s %+v:\n%s\nwant\n%s", c.format, c.o, got, c.want)
		}
	}
}

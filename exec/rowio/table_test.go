package rowio

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"infomall/exec/value"
	"infomall/lang/cells"
)

// TestFit computes the widths of columns for a total width.
func TestFit(t *testing.T) {
	text := func(width int) column { return column{width, true} }
	number := func(width int) column { return column{width, false} }
	for _, c := range []struct {
		cols  []column
		total int
		want  []int
	}{
		{[]column{text(5), text(5)}, 80, []int{5, 5}},
		{[]column{text(5), text(100)}, 40, []int{5, 28}},
		{[]column{text(50), text(5), text(100)}, 60, []int{23, 5, 22}},
		{[]column{text(20), text(20), text(20)}, 45, []int{19, 19}},
		{[]column{text(30), number(20)}, 45, []int{18, 20}},
		{[]column{text(30), number(20)}, 38, []int{30}},
		{[]column{number(20), number(20)}, 38, []int{20}},
		{[]column{text(100)}, 10, []int{6}},
		{[]column{number(100), text(3)}, 3, []int{1}},
		{nil, 10, nil},
	} {
		if got := fit(c.cols, c.total); !slices.Equal(got, c.want) {
			t.Errorf("%v in %d: got %v, want %v", c.cols, c.total, got, c.want)
		}
	}
}

// TestTableFits shows that no line of a table is wider than Width, that all
// lines of its box have the same width, and that the footer counts what is
// missing.
func TestTableFits(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("ab 北京é\u0301\x1b\u202e👨‍👩‍👧，\n")))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "columns")
		var cols []value.Column
		b := &value.Batch{N: rapid.IntRange(0, 4).Draw(t, "rows")}
		for range n {
			cols = append(cols, value.Column{Name: text.Draw(t, "name"), Type: value.Text})
			v := value.NewVector(value.Text, b.N)
			for i := range b.N {
				v.Texts[i] = text.Draw(t, "text")
			}
			b.Cols = append(b.Cols, v)
		}
		width := rapid.IntRange(20, 100).Draw(t, "width")
		var out strings.Builder
		w := newTable(&out, Options{Header: true, Width: width, Zone: time.UTC})
		for _, err := range []error{w.Begin(cols), w.Write(b), w.End()} {
			if err != nil {
				t.Fatal(err)
			}
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		box, footer := lines[:len(lines)-1], lines[len(lines)-1]
		if len(box) != b.N+4 {
			t.Fatalf("%d lines for %d rows:\n%s", len(box), b.N, out.String())
		}
		for _, line := range box {
			if got := cells.Width(line); got > width || got != cells.Width(box[0]) {
				t.Fatalf("a line is %d cells wide, the first %d, the window %d:\n%s", got, cells.Width(box[0]), width, out.String())
			}
		}
		shown := strings.Count(box[0], "┬") + 1
		if hidden := shown < n; hidden != strings.Contains(footer, "hidden") {
			t.Fatalf("%d of %d columns shown, and the footer says %s", shown, n, footer)
		}
	})
}

// TestTableStreams shows that a table holds rows only until it knows the
// widths.
func TestTableStreams(t *testing.T) {
	cols, b := rows(sampleRows - 1)
	var out strings.Builder
	w := newTable(&out, Options{Header: true, Width: 60, Zone: time.UTC})
	if err := w.Begin(cols); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 {
		t.Errorf("wrote %d bytes before the widths were known", out.Len())
	}
	if err := w.Write(b.Slice(0, 2)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "\n"); got != sampleRows+1+3 {
		t.Errorf("after %d rows there are %d lines, want all rows and three of the header", sampleRows+1, got)
	}
	long := &value.Batch{N: 1, Cols: b.Slice(0, 1).Cols}
	long.Cols[3] = &value.Vector{Type: value.Text, Texts: []string{strings.Repeat("later and longer ", 1000)}}
	if err := w.Write(long); err != nil {
		t.Fatal(err)
	}
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if want := "(502 rows; url: … is http://www.pku.edu.cn/news/2008/; 1 value shortened)"; lines[len(lines)-1] != want {
		t.Errorf("footer %s, want %s", lines[len(lines)-1], want)
	}
	if last := lines[len(lines)-3]; cells.Width(last) > 60 || !strings.Contains(last, "lat…") {
		t.Errorf("the long value is shown as %s", last)
	}
}

// TestTableHoldsLittle shows that the sample ends early if values are large.
func TestTableHoldsLittle(t *testing.T) {
	w := newTable(&strings.Builder{}, Options{}).(*table)
	if err := w.Begin([]value.Column{{Name: "html", Type: value.Text}}); err != nil {
		t.Fatal(err)
	}
	b := &value.Batch{N: 1, Cols: []*value.Vector{{Type: value.Text, Texts: []string{strings.Repeat("x", 1<<20)}}}}
	for range 6 {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if w.sample != nil {
		t.Errorf("holds %d rows of 1 MB each", len(w.sample))
	}
}

// TestTree shows that rows of blocks that are too wide for a table become a tree.
func TestTree(t *testing.T) {
	var cols []value.Column
	b := &value.Batch{N: 3}
	for _, c := range []struct {
		name  string
		texts [3]string
	}{
		{"url", [3]string{"http://a.cn/", "http://a.cn/", "http://a.cn/b"}}, {"time", [3]string{"2008-06-01", "2008-06-01", "2008-06-02"}},
		{"block", [3]string{"1", "1.2", "2.T"}}, {"identity", [3]string{"x", "y", "z"}}, {"label", [3]string{"nav", "main", "main"}},
		{"topic", [3]string{"首页", "", "a long topic that is cut at the end of the line"}}, {"change", [3]string{"first", "edited", "added"}},
		{"words", [3]string{"3", "4", "5"}}, {"depth", [3]string{"1", "2", "2"}},
	} {
		cols = append(cols, value.Column{Name: c.name, Type: value.Text})
		b.Cols = append(b.Cols, &value.Vector{Type: value.Text, Texts: c.texts[:]})
	}
	write := func(o Options) string {
		var out strings.Builder
		w := newTable(&out, o)
		if err := errors.Join(w.Begin(cols), w.Write(b), w.End()); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	want := "http://a.cn/ 2008-06-01\n  1 nav: 首页\n    1.2 main edited (4 words)\nhttp://a.cn/b 2008-06-02\n    2.T main added: a long topic that i…\n(3 blocks; the format vertical shows al…\n"
	if got := write(Options{Width: 40, Header: true, Vertical: true}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := write(Options{Width: 40, Header: true}); !strings.HasPrefix(got, "┌") {
		t.Errorf("a table that may not be vertical is\n%s", got)
	}
	if got := write(Options{Width: 200, Header: true, Vertical: true}); !strings.HasPrefix(got, "┌") {
		t.Errorf("a table that fits is\n%s", got)
	}
}

// TestStarts shows how a table that is too wide shows URLs: what they have in
// common once, and the end of each.
func TestStarts(t *testing.T) {
	cols := []value.Column{{Name: "url", Type: value.URL}, {Name: "n", Type: value.Int}}
	urls := []string{"http://www.lanshan.example/news/20080605.htm", "http://www.lanshan.example/news/", "http://www.lanshan.example/news/archive/of/2007/december.htm"}
	var out strings.Builder
	w := newTable(&out, Options{Width: 36, Header: true})
	b := &value.Batch{N: 3, Cols: []*value.Vector{{Type: value.URL, Texts: urls}, {Type: value.Int, Ints: []int64{1, 2, 3}}}}
	if err := errors.Join(w.Begin(cols), w.Write(b), w.End()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"│ …20080605.htm ", "│ …          ", "│ …archive/…/2007/december.htm", "url: … is http://www.lanshan.example/news/; 1 value shortened"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// TestStartsOfUnits shows that starts of months print as such.
func TestStartsOfUnits(t *testing.T) {
	at := func(s string) int64 {
		x, err := time.Parse("2006-01-02", s)
		if err != nil {
			t.Fatal(err)
		}
		return x.UnixMilli()
	}
	b := &value.Batch{N: 1, Cols: []*value.Vector{{Type: value.Time, Ints: []int64{at("2015-10-01")}}}}
	for unit, want := range map[string]string{"year": "2015", "quarter": "2015-10", "month": "2015-10", "week": "2015-10-01", "day": "2015-10-01", "hour": "2015-10-01T00:00:00Z", "": "2015-10-01T00:00:00Z"} {
		for _, format := range []string{"table", "vertical", "html"} {
			var out strings.Builder
			w, err := New(format, &out, Options{Header: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(w.Begin([]value.Column{{Name: "m", Type: value.Time, Unit: unit}}), w.Write(b), w.End()); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), want) || unit != "" && unit != "hour" && strings.Contains(out.String(), want+"T") {
				t.Errorf("%s of a %s is %s", format, unit, out.String())
			}
		}
	}
}

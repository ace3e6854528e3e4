package rowio

import (
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

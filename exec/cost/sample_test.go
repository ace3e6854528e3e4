package cost

import (
	"fmt"
	"math"
	"testing"
	"time"

	"infomall/exec/expr"
	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/relation/relationtest"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
)

// TestDrawRanges draws ranges of the URLs of two hosts. The draw stands for all captures of
// these hosts and for none of the host between them, and has all captures of its URLs.
func TestDrawRanges(t *testing.T) {
	var captures []relationtest.Capture
	for _, host := range []string{"a.example", "b.example", "c.example"} {
		for i := range 2000 {
			for visit := range 2 {
				captures = append(captures, relationtest.Capture{
					URL: fmt.Sprintf("http://%s/%04d", host, i), Time: record.Time(1e12 + visit*1000), Status: 200, Mime: "text/html", Body: fmt.Sprint(visit),
				})
			}
		}
	}
	archive := relationtest.New(captures...)
	st, err := lang.ParseOne("SELECT url FROM captures IN 'a.example', 'c.example'", "")
	if err != nil {
		t.Fatal(err)
	}
	top, err := plan.Build(st.(*ast.Query), &expr.Env{Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	var src *plan.Source
	plan.Walk(top, func(n plan.Node, _ int) {
		if s, ok := n.(*plan.Source); ok {
			src = s
		}
	})
	const rows = 8000
	p := &Part{Node: src, Reading: record.Reading{Segments: 1, Chunks: 200}, guess: guess{rows: rows, rowsIn: rows}}
	runner := &op.Runner{Reader: relation.Reader{Snapshot: archive}}
	for _, c := range []struct {
		whole  float64 // seconds to read all rows
		ranges int
	}{{drawSeconds / 6, mostRanges}, {drawSeconds * 7.5, 10}, {drawSeconds * 80, 0}} {
		m := &maker{ctx: t.Context(), snap: archive}
		end := m.begin(t.Context(), runner)
		d := m.drawRanges(src, p, c.whole, leastRanges)
		end()
		if c.ranges == 0 {
			if d != nil {
				t.Errorf("%g s: the draw has %d ranges, want none", c.whole, d.size)
			}
			continue
		}
		if d == nil || d.size != c.ranges || off(d.expected(), rows) > 1.2 {
			t.Fatalf("%g s: the draw is %+v, want %d ranges that stand for %d rows", c.whole, d, c.ranges, rows)
		}
		visits := map[string]int{}
		for _, b := range d.batches {
			for _, url := range b.Cols[0].Texts[:b.N] {
				visits[url]++
			}
		}
		for url, n := range visits {
			if n != 2 {
				t.Errorf("%g s: the draw has %d captures of %s, want 2", c.whole, n, url)
			}
		}
		if m.left >= drawSeconds || m.left < drawSeconds*(1-wholeShare)-1e-9 {
			t.Errorf("%g s: %g s are left of %g", c.whole, m.left, drawSeconds)
		}
	}
}

// TestCountURLs counts different URLs by a sample, because the segments may all have the
// same URLs, or each its own.
func TestCountURLs(t *testing.T) {
	var captures []relationtest.Capture
	const urls = 5000
	for i := range urls {
		for visit := range 1 + i%3 {
			captures = append(captures, relationtest.Capture{
				URL: fmt.Sprintf("http://a.example/%04d", i), Time: record.Time(1e12 + visit*1000), Status: 200, Mime: "text/html",
			})
		}
	}
	archive := relationtest.New(captures...)
	runner := &op.Runner{Reader: relation.Reader{Snapshot: archive}}
	for _, c := range []struct{ sum, most, want float64 }{{12000, 2000, urls}, {3000, 2000, math.Sqrt(3000 * 2000)}} {
		m := &maker{ctx: t.Context(), snap: archive}
		end := m.begin(t.Context(), runner)
		p := &Part{Reading: record.Reading{Segments: 6, Chunks: 60}, expected: record.Expected{URLs: c.sum, URLsMost: c.most}}
		m.countURLs(&plan.Source{Request: relation.Request{Relation: relation.Captures, During: record.MinTime, Window: relation.Window{From: record.MinTime, To: record.MaxTime}}}, p)
		end()
		if got := p.expected.Distinct(); off(got, c.want) > 1.2 {
			t.Errorf("%g URLs in all segments, %g in one: %g different URLs, want about %g", c.sum, c.most, got, c.want)
		}
	}
}

// off returns by which factor a differs from b, from 1.
func off(a, b float64) float64 { return max(a/b, b/a) }

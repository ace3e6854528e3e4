package printer

import (
	"strings"
	"testing"

	"infomall/exec/value"
)

// TestLastBounds shows that the last result is kept up to a bound, and as it
// was when it came.
func TestLastBounds(t *testing.T) {
	column := []value.Column{{Name: "x", Type: value.Text}}
	batch := func(n int, text string) *value.Batch {
		v := &value.Vector{Type: value.Text}
		for range n {
			v.Texts = append(v.Texts, text)
		}
		return &value.Batch{N: n, Cols: []*value.Vector{v}}
	}
	for _, c := range []struct {
		batches, rows, bytes int
		want                 int
		more                 bool
	}{
		{0, 0, 0, 0, false},
		{3, 1000, 1, 3000, false},
		{10, 1000, 1, lastRowsMax, false},
		{11, 1000, 1, lastRowsMax, true},
		{1, lastRowsMax + 1, 1, lastRowsMax, true},
		{3, 1, lastBytesMax / 2, 2, true},
	} {
		var l LastResult
		l.begin("SELECT x", column)
		for range c.batches {
			b := batch(c.rows, strings.Repeat("y", c.bytes))
			l.add(b)
			for i := range b.Cols[0].Texts {
				b.Cols[0].Texts[i] = "changed since"
			}
		}
		rows := 0
		for _, b := range l.batches {
			rows += b.N
			if b.Cols[0].Texts[0][0] != 'y' {
				t.Errorf("kept %q", b.Cols[0].Texts[0])
			}
		}
		if rows != c.want || l.rows != c.want || l.more != c.more {
			t.Errorf("of %d times %d rows are kept %d (more: %v), want %d (more: %v)", c.batches, c.rows, rows, l.more, c.want, c.more)
		}
		l.begin("SELECT x", column)
		if l.rows != 0 || l.batches != nil || l.more {
			t.Error("the next result begins with rows of the last")
		}
	}
}

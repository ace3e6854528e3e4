package op

import (
	"context"
	"fmt"
	"testing"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/spill"
	"infomall/exec/value"
)

// TestAdjacentAfterSpills counts distinct values that follow each other, in groups that move to the
// sorter twice while the value stays the same. A group that has counted the value before the first
// time does not count it again.
func TestAdjacentAfterSpills(t *testing.T) {
	cols := sortedRows{}.Columns()
	col := func(i int) *expr.Col { return &expr.Col{Index: i, Name: cols[i].Name, T: cols[i].Type} }
	n := &plan.Group{
		In: sortedRows{}, Keys: []expr.Expr{col(0)},
		Aggs: []*plan.Aggregate{{Func: plan.Count, Distinct: true, Adjacent: true, Arg: col(2), T: value.Int, Text: "count(DISTINCT x)"}},
	}
	in := func(yield func(*value.Batch, error) bool) {
		for batch, first := range []string{"a", "b", "c"} {
			b := value.NewBatch(cols)
			for i := range 1000 {
				group := fmt.Sprintf("%s%d", first, i)
				if batch == 2 && i == 500 {
					group = "a500"
				}
				for c, v := range []value.Value{value.OfText(group), value.OfInt(0), value.OfText("same"), value.OfInt(0)} {
					b.Cols[c].AppendValue(v)
				}
				b.N++
			}
			if !yield(b, nil) {
				return
			}
		}
	}
	r := &Runner{Reader: relation.Reader{Memory: spill.Memory{Bytes: 64 << 10, Dirs: []string{t.TempDir()}}}}
	rows, err := r.group(context.Background(), n, in)
	if err != nil {
		t.Fatal(err)
	}
	groups := 0
	for b, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		groups += b.N
		for i, count := range b.Cols[1].Ints[:b.N] {
			if count != 1 {
				t.Errorf("group %s counts %d values, want 1", b.Cols[0].Texts[i], count)
			}
		}
	}
	if groups != 2999 {
		t.Errorf("%d groups, want 2999", groups)
	}
}

// TestOfNumber shows that a median that does not fit in 64 bits is the nearest number that does.
func TestOfNumber(t *testing.T) {
	for _, c := range []struct {
		f    float64
		want int64
	}{{2.5, 3}, {1 << 63, 1<<63 - 1}, {-1 << 63, -1 << 63}, {-1e300, -1 << 63}} {
		if got := ofNumber(value.Int, c.f).Int; got != c.want {
			t.Errorf("%g: %d, want %d", c.f, got, c.want)
		}
	}
}

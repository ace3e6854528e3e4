package op

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/value"

	"pgregory.net/rapid"
)

// sortedRows is a node of rows with a partition, a key of the order in it, a text and a number.
type sortedRows struct{ plan.Node }

func (sortedRows) Columns() []value.Column {
	return []value.Column{{Name: "p", Type: value.Text}, {Name: "o", Type: value.Int}, {Name: "x", Type: value.Text}, {Name: "n", Type: value.Int}}
}

// TestStream computes windows over drawn rows, which come sorted in batches of drawn sizes, with a
// stream and with the windower that reads one partition after the other. Both must yield the same.
func TestStream(t *testing.T) {
	ctx := context.Background()
	col := func(i int) *expr.Col {
		c := sortedRows{}.Columns()[i]
		return &expr.Col{Index: i, Name: c.Name, T: c.Type}
	}
	funcs := []*plan.WindowFunc{
		{Kind: plan.RowNumber, T: value.Int}, {Kind: plan.Rank, T: value.Int}, {Kind: plan.DenseRank, T: value.Int},
		{Kind: plan.FirstValue, Arg: col(2), T: value.Text}, {Kind: plan.LastValue, Arg: col(2), T: value.Text},
		{Kind: plan.OfPeers, Agg: &plan.Aggregate{Func: plan.Sum, Arg: col(3), T: value.Int}, T: value.Int},
		{Kind: plan.OfPeers, Agg: &plan.Aggregate{Func: plan.Count, Arg: col(2), T: value.Int}, T: value.Int},
		{Kind: plan.OfPeers, Agg: &plan.Aggregate{Func: plan.Max, Arg: col(2), T: value.Text}, T: value.Text},
	}
	for offset := range int64(4) {
		funcs = append(funcs, &plan.WindowFunc{Kind: plan.Lag, Arg: col(2), Offset: offset, T: value.Text},
			&plan.WindowFunc{Kind: plan.Lag, Arg: col(3), Default: col(1), Offset: offset, T: value.Int})
	}
	rapid.Check(t, func(t *rapid.T) {
		small := rapid.IntRange(0, 2)
		n := &plan.Window{In: sortedRows{}, Sorted: true}
		for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(funcs)-1), 1, 4, rapid.ID[int]).Draw(t, "functions") {
			f := *funcs[i]
			f.Text = fmt.Sprintf("f%d", i)
			n.Funcs = append(n.Funcs, &f)
		}
		if rapid.Bool().Draw(t, "partitions") {
			n.PartitionBy = []expr.Expr{col(0)}
		}
		if rapid.Bool().Draw(t, "ordered") {
			n.OrderBy = []plan.Key{{Expr: col(1)}}
		}
		drawn := func(typ value.Type, of string) value.Value {
			switch k := small.Draw(t, of); {
			case k == 0:
				return value.Value{}
			case typ == value.Int:
				return value.OfInt(int64(k))
			default:
				return value.OfText(string(rune('a' + k)))
			}
		}
		var rows [][]value.Value
		for range rapid.IntRange(0, 24).Draw(t, "rows") {
			var row []value.Value
			for _, c := range n.In.Columns() {
				row = append(row, drawn(c.Type, c.Name))
			}
			rows = append(rows, row)
		}
		slices.SortStableFunc(rows, func(a, b []value.Value) int {
			for _, c := range []int{0, 1} {
				if a[c] != b[c] {
					return value.Compare(a[c], b[c])
				}
			}
			return 0
		})
		var sizes []int
		for left := len(rows); left > 0; {
			sizes = append(sizes, rapid.IntRange(1, left).Draw(t, "batch"))
			left -= sizes[len(sizes)-1]
		}
		// A batch is valid until the next one: in fills the same batch each time.
		in := func(yield func(*value.Batch, error) bool) {
			b, at := value.NewBatch(n.In.Columns()), 0
			for _, size := range sizes {
				b.Clear()
				for _, row := range rows[at : at+size] {
					for c, v := range row {
						b.Cols[c].AppendValue(v)
					}
				}
				b.N, at = size, at+size
				if !yield(b, nil) {
					return
				}
			}
		}
		r := &Runner{}
		r.Bytes = int64(rapid.SampledFrom([]int{1, 2000, 1 << 20}).Draw(t, "memory"))
		ask := func(run func(w *windower) error) (got []string) {
			w := &windower{ctx: ctx, runner: r, node: n, width: len(n.InColumns())}
			if err := w.compile(); err != nil {
				t.Fatal(err)
			}
			w.yield = func(b *value.Batch, err error) bool {
				for i := range b.N {
					line := ""
					for _, v := range b.Cols {
						line += fmt.Sprint(" ", string(v.AppendText(nil, i, nil)), v.IsNull(i))
					}
					got = append(got, line)
				}
				return true
			}
			if err := run(w); err != nil {
				t.Fatal(err)
			}
			return got
		}
		want := ask(func(w *windower) error { return w.run(in) })
		got := ask(func(w *windower) error { return (&stream{windower: w}).run(in) })
		if !slices.Equal(got, want) {
			t.Fatalf("%s: got\n%q\nwant\n%q", n, got, want)
		}
	})
}

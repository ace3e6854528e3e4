package query

import (
	"context"

	"infomall/exec/plan"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// Summarize is the statement SUMMARIZE, which shows what is in each column of a
// query or relation.
var Summarize = session.Declare("SUMMARIZE", session.Answers|session.Anywhere, readSummarize)

// summary is a SUMMARIZE statement whose query was planned.
type summary struct {
	s    *session.Session
	node *plan.Summary
}

// readSummarize makes a summary of a SUMMARIZE statement: it plans the query.
func readSummarize(s *session.Session, st *ast.Summarize) (*summary, error) {
	node, err := plan.BuildSummary(st.Query, s.Env())
	return &summary{s, node}, err
}

// Run reads all rows and returns a table with one row per column.
func (m *summary) Run(ctx context.Context) (*session.Result, error) {
	res, err := m.s.Open(ctx, m.node.Group)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	t := session.NewTable(session.Text("column"), session.Text("type"), session.Text("least"), session.Text("greatest"),
		session.Whole("different"), session.Whole("nulls"), session.Text("example"))
	for b, err := range res.Rows {
		if err != nil {
			return nil, err
		}
		for i := range b.N {
			m.add(t, b, i)
		}
	}
	result := t.Result()
	result.Notes = res.Notes
	return result, nil
}

// add adds one row to the table t for each column of the query. Row i of b has the aggregates of
// all columns.
func (m *summary) add(t *session.Table, b *value.Batch, i int) {
	text := func(v value.Value) value.Value {
		if v.IsNull() {
			return v
		}
		return value.OfText(string(v.Append(nil, m.s.Settings().Timezone)))
	}
	rows := b.Cols[0].At(i).Int
	for k, c := range m.node.Of {
		of := b.Cols[1+k*(len(b.Cols)-1)/len(m.node.Of):]
		least, greatest, different, some, example := of[0].At(i), of[1].At(i), of[2].At(i), of[3].At(i), of[4].At(i)
		t.Add(value.OfText(c.Name), value.OfText(c.Type.String()), text(least), text(greatest), different, value.OfInt(rows-some.Int), text(example))
	}
}

// Would returns the lines for EXPLAIN: the plan of the query.
func (m *summary) Would(ctx context.Context) ([]string, error) {
	return m.s.PlanLines(ctx, m.node.Group)
}

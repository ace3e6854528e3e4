package plan

import (
	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// summaryFuncs are the aggregates that Summary computes of each column.
var summaryFuncs = []AggregateFunc{Min, Max, ApproxCount, Count, AnyValue}

// Summary is the plan of a query that aggregates all rows of another query.
type Summary struct {
	*Group
	Of []value.Column // the columns of the other query
}

// BuildSummary returns the plan that aggregates all rows of the query q. Its only
// row has the number of rows, and then for each column of q the least and the
// greatest value, the approximate number of different values, the number of
// values that are not NULL, and the first of these.
func BuildSummary(q *ast.Query, env *expr.Env) (*Summary, error) {
	node, err := Build(q, env)
	if err != nil {
		return nil, err
	}
	s := &Summary{Group: &Group{In: node, Aggs: []*Aggregate{{Func: Count, T: value.Int, Text: "count(*)"}}}, Of: node.Columns()}
	for i, c := range s.Of {
		for _, f := range summaryFuncs {
			t := c.Type
			if f == ApproxCount || f == Count {
				t = value.Int
			}
			s.Aggs = append(s.Aggs, &Aggregate{
				Span: q.Span, Func: f, T: t, Text: f.String() + "(" + c.Name + ")",
				Arg: &expr.Col{Index: i, Name: c.Name, T: c.Type},
			})
		}
	}
	return s, nil
}

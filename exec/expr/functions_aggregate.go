package expr

import "infomall/exec/value"

// aggregateFunctions declares the aggregates, such as count. It has no code for
// them: package plan binds their calls, and package op computes them.
var aggregateFunctions = []Function{
	{Name: "any_value", Example: `any_value(title) FROM pages`, Doc: "The first value of the group that is not NULL.",
		params: []param{{"x", anyKind}}, min: 1, Aggregate: true},
	{Name: "approx_count_distinct", Example: `approx_count_distinct(url) FROM captures`, Doc: "Estimated number of different values, within about 2 % for large counts, in bounded memory.",
		params: []param{{"x", anyKind}}, min: 1, Aggregate: true, result: value.Int},
	{Name: "arg_max", Example: `arg_max(title, time) FROM versions`, Doc: "The value of x in the row with the greatest by; in the first such row, if there are several.",
		params: []param{{"x", anyKind}, {"by", anyKind}}, min: 2, Aggregate: true},
	{Name: "arg_min", Example: `arg_min(url, first_seen) FROM pages`, Doc: "The value of x in the row with the least by; in the first such row, if there are several.",
		params: []param{{"x", anyKind}, {"by", anyKind}}, min: 2, Aggregate: true},
	{Name: "avg", Example: `avg(bytes) FROM captures`, Doc: "The mean of the values that are not NULL.",
		params: []param{{"x", numberKind}}, min: 1, Aggregate: true, result: value.Float},
	{Name: "count", Example: `count(*), count(DISTINCT url) FROM captures`, Doc: "The number of rows, or the number of rows in which x is not NULL.",
		params: []param{{"* or x", anyKind}}, min: 1, Aggregate: true, result: value.Int},
	{Name: "count_if", Example: `count_if(changed) FROM captures`, Doc: "The number of rows in which the condition is true.",
		params: []param{{"condition", anyKind}}, min: 1, Aggregate: true, result: value.Int},
	{Name: "max", Example: `max(time) FROM captures`, Doc: "The largest value.",
		params: []param{{"x", anyKind}}, min: 1, Aggregate: true},
	{Name: "median", Example: `median(bytes) FROM captures`, Doc: "The middle value, or the mean of the two middle values.",
		params: []param{{"x", numberKind}}, min: 1, Aggregate: true},
	{Name: "min", Example: `min(time) FROM captures`, Doc: "The smallest value.",
		params: []param{{"x", anyKind}}, min: 1, Aggregate: true},
	{Name: "quantile", Example: `quantile(bytes, 0.9) FROM captures`, Doc: "The least value that is not below the share p of the values, from 0 to 1: 0.9 gives a value that nine of ten do not exceed.",
		params: []param{{"x", numberKind}, {"p", numberKind}}, min: 2, Aggregate: true},
	{Name: "quantile_cont", Example: `quantile_cont(bytes, 0.9) FROM captures`, Doc: "The value at the share p of the sorted values, from 0 to 1; between two values, it lies as far between them as p does.",
		params: []param{{"x", numberKind}, {"p", numberKind}}, min: 2, Aggregate: true},
	{Name: "stddev", Example: `stddev(bytes) FROM captures`, Doc: "The sample standard deviation; NULL for fewer than two values.",
		params: []param{{"x", numberKind}}, min: 1, Aggregate: true, result: value.Float},
	{Name: "string_agg", Example: `string_agg(DISTINCT host, ', ') FROM captures`, Doc: "The texts that are not NULL, joined by separator, in the order of ORDER BY, or else of the rows.",
		params: []param{{"x", textKind}, {"separator", textKind}}, min: 2, Aggregate: true, result: value.Text},
	{Name: "sum", Example: `sum(bytes) FROM captures`, Doc: "The sum of the values that are not NULL.",
		params: []param{{"x", numberKind}}, min: 1, Aggregate: true},
}

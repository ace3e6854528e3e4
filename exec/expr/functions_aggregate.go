package expr

import "infomall/exec/value"

// aggregateFunctions are the aggregates. Package plan binds their calls, and an
// operator computes them.
var aggregateFunctions = []Function{
	{Name: "any_value", Doc: "The first value of the group that is not NULL.",
		params: []param{{"x", anyKind}}, min: 1, Aggregate: true},
	{Name: "approx_count", Doc: "About how many different values there are, within some 2 % of many, in bounded memory.",
		params: []param{{"x", anyKind}}, min: 1, Aggregate: true, result: value.Int},
	{Name: "arg_max", Doc: "x of the row in which by is greatest; the first of several.",
		params: []param{{"x", anyKind}, {"by", anyKind}}, min: 2, Aggregate: true},
	{Name: "arg_min", Doc: "x of the row in which by is least; the first of several.",
		params: []param{{"x", anyKind}, {"by", anyKind}}, min: 2, Aggregate: true},
	{Name: "avg", Doc: "The mean of the values that are not NULL.",
		params: []param{{"x", numberKind}}, min: 1, Aggregate: true, result: value.Float},
	{Name: "count", Doc: "How many rows there are, or in how many x is not NULL.",
		params: []param{{"* or x", anyKind}}, min: 1, Aggregate: true, result: value.Int},
	{Name: "count_if", Doc: "In how many rows the condition is true.",
		params: []param{{"condition", anyKind}}, min: 1, Aggregate: true, result: value.Int},
	{Name: "max", Doc: "The largest value.",
		params: []param{{"x", anyKind}}, min: 1, Aggregate: true},
	{Name: "median", Doc: "The value in the middle, or halfway between the two there.",
		params: []param{{"x", numberKind}}, min: 1, Aggregate: true},
	{Name: "min", Doc: "The smallest value.",
		params: []param{{"x", anyKind}}, min: 1, Aggregate: true},
	{Name: "stddev", Doc: "The standard deviation of a sample; NULL of fewer than two values.",
		params: []param{{"x", numberKind}}, min: 1, Aggregate: true, result: value.Float},
	{Name: "string_agg", Doc: "The texts that are not NULL with separator between them, in the order of ORDER BY or in that of the rows.",
		params: []param{{"x", textKind}, {"separator", textKind}}, min: 2, Aggregate: true, result: value.Text},
	{Name: "sum", Doc: "The sum of the values that are not NULL.",
		params: []param{{"x", numberKind}}, min: 1, Aggregate: true},
}

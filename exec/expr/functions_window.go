package expr

import "infomall/exec/value"

// windowFunctions declares the functions that OVER must follow. It has no code
// for them: package plan binds their calls, and package op computes them.
var windowFunctions = []Function{
	{Name: "dense_rank", Example: `host, dense_rank() OVER (ORDER BY host) FROM pages LIMIT 3`, Doc: "The place of the row in the order of OVER, from 1; rows that are equal in it share a place, and the next place follows.",
		Window: true, result: value.Int},
	{Name: "first_value", Example: `url, first_value(title) OVER (PARTITION BY url ORDER BY time) FROM versions LIMIT 3`, Doc: "The value of x in the first row of the partition.",
		params: []param{{"x", anyKind}}, min: 1, Window: true},
	{Name: "lag", Example: `url, time, lag(time) OVER (PARTITION BY url ORDER BY time) FROM versions LIMIT 3`, Doc: "The value of x in the row before this one in its partition, or offset rows before; default (NULL) if there is none.",
		params: []param{{"x", anyKind}, {"offset", intKind}, {"default", anyKind}}, min: 1, Window: true},
	{Name: "last_value", Example: `url, last_value(title) OVER (PARTITION BY url) FROM versions LIMIT 3`, Doc: "The value of x in the last row of the window: of the partition, or with ORDER BY of the rows that are equal in it to this one.",
		params: []param{{"x", anyKind}}, min: 1, Window: true},
	{Name: "lead", Example: `url, time, lead(time) OVER (PARTITION BY url ORDER BY time) FROM versions LIMIT 3`, Doc: "The value of x in the row after this one in its partition, or offset rows after; default (NULL) if there is none.",
		params: []param{{"x", anyKind}, {"offset", intKind}, {"default", anyKind}}, min: 1, Window: true},
	{Name: "rank", Example: `host, rank() OVER (ORDER BY page_count DESC) FROM hosts`, Doc: "The place of the row in the order of OVER, from 1; rows that are equal in it share a place, and as many places are left out.",
		Window: true, result: value.Int},
	{Name: "row_number", Example: `url, row_number() OVER (ORDER BY url) FROM pages LIMIT 3`, Doc: "The number of the row in its partition, from 1.",
		Window: true, result: value.Int},
}

package cost

import (
	"math"
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/store/record"
)

// kinds has how many different values some columns have, as a guess.
var kinds = map[string]float64{
	"status": 3, "kind": 3, "mime": 4, "change": 5, "changed": 2, "op": 4, "label": 8, "method": 3, "lang": 3, "charset": 3,
}

// decides names the columns that determine the other columns of a block, as a guess. If one
// of them is a key, other columns as keys do not make more groups.
var decides = map[string]bool{"identity": true, "digest": true}

// different returns a guess of how many different combinations of values the keys have in
// the given number of rows. e describes the captures from which the rows are made.
func different(keys []expr.Expr, e *record.Expected, rows float64) float64 {
	groups, traits := 1., false
	if slices.ContainsFunc(keys, func(k expr.Expr) bool { c, ok := k.(*expr.Col); return ok && decides[plainName(c.Name)] }) {
		keys = slices.DeleteFunc(slices.Clone(keys), func(k expr.Expr) bool { c, ok := k.(*expr.Col); return !ok || !decides[plainName(c.Name)] })
	}
	for _, k := range keys {
		name := ""
		if c, ok := k.(*expr.Col); ok {
			name = plainName(c.Name)
		}
		switch name {
		case "status", "kind", "mime":
			traits = true
			continue
		}
		groups *= differentOf(name, k.String(), e, rows)
	}
	if traits {
		groups *= max(1, float64(len(e.Traits)))
	}
	return max(0, min(groups, rows))
}

// differentOf returns how many different values a key has, as a guess. name is the name
// of its column, or "" if the key is another expression, with this text.
func differentOf(name, text string, e *record.Expected, rows float64) float64 {
	if n, ok := kinds[name]; ok {
		return n
	}
	switch name {
	case "url":
		return max(1, e.Distinct())
	case "host", "domain":
		return max(1, e.Hosts)
	case "inlinks", "outlinks":
		return max(1, min(math.Sqrt(rows)*1.5, 2*linksOf(e)))
	case "identity":
		return math.Pow(rows, .75)
	case "digest", "text", "topic", "target", "block":
		return rows / 2
	}
	if strings.Contains(text, "time") || strings.Contains(text, "as_of") {
		if months := float64(e.Last-e.First) / monthMillis; months > 0 {
			if strings.Contains(text, "'%Y'") || strings.Contains(text, "year") {
				months /= 12
			}
			return months + 1
		}
	}
	return math.Sqrt(rows)
}

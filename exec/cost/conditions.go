package cost

import (
	"strings"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/store/record"
)

// Shares of rows that meet a condition, as guesses.
const (
	equalShare = .1 // an equality of a column of which nothing is known
	zeroShare  = .6 // a count that is 0
	rangeShare = .33
	wordsShare = .1 // pages that have some words
	boolShare  = .5
)

// selectivity returns a guess of the share of rows that meet all conditions, from 0 to 1.
func selectivity(conds []expr.Expr, e *record.Expected) float64 {
	if s, ok := byTraits(conds, e); ok {
		return s
	}
	share := 1.
	for _, c := range conds {
		share *= shareOf(c, e)
	}
	return share
}

// shareOf returns a guess of the share of rows that meet the condition c, from 0 to 1.
func shareOf(c expr.Expr, e *record.Expected) float64 {
	if s, ok := byTraits([]expr.Expr{c}, e); ok {
		return s
	}
	switch c := c.(type) {
	case *expr.Not:
		return 1 - shareOf(c.X, e)
	case *expr.And:
		return selectivity(c.List, e)
	case *expr.Or:
		none := 1.
		for _, x := range c.List {
			none *= 1 - shareOf(x, e)
		}
		return 1 - none
	case *expr.Compare:
		if y, ok := c.Y.(*expr.Const); ok && c.Op == expr.EQ && y.V.Type == value.Int && y.V.Int == 0 {
			return zeroShare
		}
		equal := equalShare
		if col, ok := c.X.(*expr.Col); ok && kinds[plainName(col.Name)] > 0 {
			equal = 1 / kinds[plainName(col.Name)]
		}
		switch c.Op {
		case expr.EQ:
			return equal
		case expr.NE:
			return 1 - equal
		}
		return rangeShare
	case *expr.In:
		return min(boolShare, float64(len(c.Set))*equalShare)
	case *expr.Is:
		if c.What == expr.IsNull {
			return equalShare
		}
		return boolShare
	case *expr.Contains, *expr.MatchWords, *expr.Like, *expr.Match:
		return wordsShare
	case *expr.Const:
		if c.V.IsNull() || !c.V.Bool {
			return 0
		}
		return 1
	}
	return boolShare
}

// byTraits returns the share of the captures in e.Traits that meet all conditions, and true.
// Traits are properties of captures, such as the status, whose combinations the archive
// counts. byTraits returns false if a condition tests another column, or if e has no traits.
func byTraits(conds []expr.Expr, e *record.Expected) (float64, bool) {
	var met, all int64
	for i := range e.Traits {
		t := &e.Traits[i]
		all += t.Captures
		yes := true
		for _, c := range conds {
			is, ok := meets(c, t)
			if !ok {
				return 0, false
			}
			yes = yes && is
		}
		if yes {
			met += t.Captures
		}
	}
	if all == 0 {
		return 0, false
	}
	// Other captures, of which no traits are known, may meet the conditions.
	return (float64(met) + .5) / (float64(all) + 1), true
}

// meets reports whether captures with the traits t meet the condition c. ok is false if this
// does not follow from the traits.
func meets(c expr.Expr, t *record.TraitCount) (yes, ok bool) {
	switch c := c.(type) {
	case *expr.Not:
		yes, ok = meets(c.X, t)
		return !yes, ok
	case *expr.And:
		for _, x := range c.List {
			if yes, ok = meets(x, t); !ok || !yes {
				return yes, ok
			}
		}
		return true, true
	case *expr.Or:
		for _, x := range c.List {
			if yes, ok = meets(x, t); !ok || yes {
				return yes, ok
			}
		}
		return false, true
	case *expr.In:
		v, ok := traitOf(c.X, t)
		for _, x := range c.Set {
			yes = yes || ok && value.Compare(v, x) == 0
		}
		return yes, ok
	case *expr.Compare:
		v, ok := traitOf(c.X, t)
		y, constant := c.Y.(*expr.Const)
		if !ok || !constant || y.V.IsNull() || v.Type != y.V.Type {
			return false, false
		}
		n := value.Compare(v, y.V)
		return [...]bool{n == 0, n != 0, n < 0, n <= 0, n > 0, n >= 0}[c.Op], true
	}
	return false, false
}

// traitOf returns the value of the column x in captures with the traits t. ok is false if x
// is not a column that the traits have.
func traitOf(x expr.Expr, t *record.TraitCount) (v value.Value, ok bool) {
	col, ok := x.(*expr.Col)
	if !ok {
		return v, false
	}
	switch plainName(col.Name) {
	case "status":
		return value.OfInt(int64(t.Status)), true
	case "kind":
		return value.OfText(t.Kind.String()), true
	case "mime":
		return value.OfText(t.Mime), true
	}
	return v, false
}

// plainName returns the name of a column without its qualifier.
func plainName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

package expr

import (
	"slices"
	"strings"
)

// StartUnit returns the unit whose starts are the values of e, such as "month" for
// date_trunc('month', time). It returns "" if e is another expression.
func StartUnit(e Expr) string {
	c, ok := e.(*Call)
	if !ok || c.Func.Name != "date_trunc" {
		return ""
	}
	name, _ := constantText(c.Args, 0)
	unit, _ := truncUnit(name) // an unknown unit was an error before
	return unit
}

// units lists the results of TimeUnit, from the longest unit to the shortest.
// Each unit consists of whole units of the next.
var units = []string{"year", "month", "day"}

// TimeUnit returns the longest of "year", "month" and "day" within which none
// of exprs changes its value. column is the index of the column time in the
// rows that exprs read, or negative if there is none. TimeUnit returns "" if
// the exact time matters, or there is no such column.
func TimeUnit(exprs []Expr, column int) string {
	longest := 0
	exact := column < 0
	var visit func(Expr)
	visit = func(e Expr) {
		if c, ok := e.(*Col); ok {
			exact = exact || c.Index == column
			return
		}
		if unit := unitOf(e, column); unit >= 0 {
			longest = max(longest, unit)
			return
		}
		for _, o := range Operands(e) {
			visit(o)
		}
	}
	for _, e := range exprs {
		visit(e)
	}
	if exact {
		return ""
	}
	return units[longest]
}

// unitOf returns the index, in units, of the longest unit within which e does
// not change its value, if e is a function of the column time alone. It is 0
// for year(time). unitOf returns -1 if e is not such a function, or changes
// within a day. column is the index of the column time.
func unitOf(e Expr, column int) int {
	call, ok := e.(*Call)
	if !ok {
		return -1
	}
	isTime := func(i int) bool {
		c, ok := call.Args[i].(*Col)
		return ok && c.Index == column
	}
	switch call.Func.Name {
	case "year", "month", "day":
		if isTime(0) {
			return slices.Index(units, call.Func.Name)
		}
	case "date_trunc":
		if name, ok := constantText(call.Args, 0); ok && isTime(1) {
			return unitOfTrunc(name)
		}
	case "strftime":
		if format, ok := constantText(call.Args, 1); ok && isTime(0) {
			return unitOfFormat(format)
		}
	}
	return -1
}

// unitOfTrunc returns the index, in units, of the longest unit within which
// date_trunc(name, time) does not change its value, or -1 if it changes within
// a day.
func unitOfTrunc(name string) int {
	switch unit, _ := truncUnit(name); unit {
	case "year":
		return 0
	case "quarter", "month":
		return 1
	case "week", "day":
		return 2
	}
	return -1
}

// unitOfFormat returns the index, in units, of the longest unit within which
// strftime(time, format) does not change its value, or -1 if it changes within
// a day or the format has a directive that it does not know.
func unitOfFormat(format string) int {
	unit := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		if i++; i == len(format) {
			return -1
		}
		switch {
		case strings.IndexByte("Yy%", format[i]) >= 0:
		case strings.IndexByte("mbhB", format[i]) >= 0:
			unit = max(unit, 1)
		case strings.IndexByte("deFjaAD", format[i]) >= 0:
			unit = 2
		default:
			return -1
		}
	}
	return unit
}

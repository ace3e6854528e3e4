package expr

import (
	"math"
	"math/bits"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// fold returns e as a constant if its value is known before any row is read: if
// all operands are constants, or if an operand is NULL and that makes e NULL.
// Otherwise it returns e unchanged. The error, an *ast.Error, says that the
// value cannot be computed.
func fold(e Expr) (Expr, error) {
	operands := Operands(e)
	args := make([]value.Value, len(operands))
	known := true
	for i, o := range operands {
		c, ok := o.(*Const)
		if !ok {
			known = false
			continue
		}
		if c.V.IsNull() && strict(e) {
			return &Const{T: e.Type()}, nil
		}
		args[i] = c.V
	}
	if !known {
		return e, nil
	}
	v, err := Apply(e, args)
	if err != nil {
		return nil, err
	}
	return &Const{V: v, T: e.Type()}, nil
}

// strict reports whether e is NULL if any of its operands is NULL. AND, OR, IS,
// CASE and some functions are not strict.
func strict(e Expr) bool {
	switch e := e.(type) {
	case *And, *Or, *Is, *Case:
		return false
	case *Call:
		return !e.Func.nulls
	}
	return true
}

// Apply returns the value of e for one row. args are the values of the
// expressions that Operands(e) returns, in the same order. Apply defines what e
// means: the faster code of package eval must give the same results. The error,
// an *ast.Error, says that a value is out of range or cannot be converted. e
// must not be a column.
func Apply(e Expr, args []value.Value) (value.Value, error) {
	if strict(e) && slices.ContainsFunc(args, value.Value.IsNull) {
		return value.Value{}, nil
	}
	switch e := e.(type) {
	case *Const:
		return e.V, nil
	case *Not:
		return value.OfBool(!args[0].Bool), nil
	case *And:
		return applyLogic(args, false), nil
	case *Or:
		return applyLogic(args, true), nil
	case *Compare:
		return value.OfBool(e.Op.Holds(value.Compare(args[0], args[1]))), nil
	case *In:
		return e.apply(args[0]), nil
	case *Inside:
		return value.OfBool(e.Holds(args[0].Int)), nil
	case *Is:
		return value.OfBool(e.holds(args[0])), nil
	case *Like:
		return e.apply(args[0], args[1])
	case *Match:
		return e.apply(args[0], args[1])
	case *Contains:
		return value.OfBool(value.Contains(args[0].Text, value.Folded(args[1].Text))), nil
	case *MatchWords:
		return e.apply(args[0], args[1])
	case *Within:
		return value.OfBool(e.Holds(args[0].Text)), nil
	case *Arith:
		return e.apply(args[0], args[1])
	case *Shift:
		return e.apply(args[0])
	case *Case:
		return e.apply(args), nil
	case *Cast:
		v, err := value.Cast(args[0], e.To, e.Zone)
		if err != nil {
			return value.Value{}, ast.Errorf(e.At, "%v", err)
		}
		return v, nil
	case *Call:
		v, err := e.apply(e.Env, args)
		if err != nil {
			return value.Value{}, ast.Errorf(e.At, "%s: %v", e.Func.Name, err)
		}
		return v, nil
	}
	panic("expr: Apply of a column")
}

// applyLogic returns the AND of the Bools in args if deciding is false, and
// their OR if deciding is true. The result is NULL if an argument is NULL and
// no other argument equals deciding.
func applyLogic(args []value.Value, deciding bool) value.Value {
	null := false
	for _, a := range args {
		switch {
		case a.IsNull():
			null = true
		case a.Bool == deciding:
			return a
		}
	}
	if null {
		return value.Value{}
	}
	return value.OfBool(!deciding)
}

// Holds reports whether the comparison x o y is true. order says how x compares
// with y: it is negative if x is less, 0 if they are equal, and positive if x
// is greater.
func (o CompareOp) Holds(order int) bool {
	switch o {
	case EQ:
		return order == 0
	case NE:
		return order != 0
	case LT:
		return order < 0
	case LE:
		return order <= 0
	case GT:
		return order > 0
	}
	return order >= 0
}

// apply returns whether the value x, which is not NULL, is in the set: TRUE or
// FALSE. It returns NULL if x is not in the set and the list had a NULL.
func (in *In) apply(x value.Value) value.Value {
	for _, v := range in.Set {
		if value.Compare(x, v) == 0 {
			return value.OfBool(true)
		}
	}
	if in.HasNull {
		return value.Value{}
	}
	return value.OfBool(false)
}

// Holds reports whether t, in milliseconds since 1970 UTC, lies in one of the
// periods.
func (in *Inside) Holds(t int64) bool {
	for _, p := range in.Periods {
		if int64(p.From) <= t && t < int64(p.To) {
			return true
		}
	}
	return false
}

// holds reports whether x passes the test i.What, such as IS NULL.
func (i *Is) holds(x value.Value) bool {
	switch i.What {
	case IsNull:
		return x.IsNull()
	case IsTrue:
		return !x.IsNull() && x.Bool
	}
	return !x.IsNull() && !x.Bool
}

// apply returns whether the text x matches pattern, as TRUE or FALSE. It uses
// l.Compiled if the pattern is constant, and otherwise compiles pattern. The
// error says that the pattern is not valid.
func (l *Like) apply(x, pattern value.Value) (value.Value, error) {
	p := l.Compiled
	if p == nil {
		var err error
		if p, err = l.compile(pattern.Text); err != nil {
			return value.Value{}, err
		}
	}
	return value.OfBool(p.Match(x.Text)), nil
}

// compile returns the compiled form of a LIKE or ILIKE pattern.
func (l *Like) compile(pattern string) (*value.Pattern, error) {
	p, err := value.NewPattern(pattern, l.Escape, l.Fold)
	if err != nil {
		return nil, ast.Errorf(l.At, "%v", err)
	}
	return p, nil
}

// apply returns whether the text x matches the regular expression pattern, as
// TRUE or FALSE. It uses m.Re if the pattern is constant, and otherwise
// compiles pattern. The error says that the pattern is not valid.
func (m *Match) apply(x, pattern value.Value) (value.Value, error) {
	re := m.Re
	if re == nil {
		var err error
		if re, err = m.compile(pattern.Text); err != nil {
			return value.Value{}, err
		}
	}
	return value.OfBool(re.MatchString(x.Text)), nil
}

// compile compiles the pattern of m, which ignores case if m.Fold is set.
func (m *Match) compile(pattern string) (*regexp.Regexp, error) {
	re, err := compileRegexp(pattern, m.At) // the error quotes the pattern as it was written
	if err == nil && m.Fold {
		re, err = compileRegexp("(?i)"+pattern, m.At)
	}
	return re, err
}

// compileRegexp compiles a regular expression in RE2 syntax. The parameter at
// is the position of the pattern in the query, for the error. If the pattern
// uses features of other dialects, such as lookahead, the error says so.
func compileRegexp(pattern string, at ast.Span) (*regexp.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err == nil {
		return re, nil
	}
	fault := ast.Errorf(at, "bad pattern %q: %v", pattern, cause(err))
	switch {
	case hasAny(pattern, "(?=", "(?!", "(?<=", "(?<!"):
		fault = ast.Errorf(at, "patterns are RE2, which has no lookahead or lookbehind: %q", pattern)
		fault.Hint = "use two conditions, one with NOT"
	case hasAny(pattern, `\y`, `\m`, `\M`, `\<`, `\>`):
		fault.Hint = `\b is the edge of a word`
	case hasBackreference(pattern):
		fault = ast.Errorf(at, "patterns are RE2, which has no backreferences: %q", pattern)
	}
	return nil, fault
}

// cause returns the text of err, an error of package regexp, without the
// beginning that is the same for all such errors.
func cause(err error) string {
	if e, ok := err.(*syntax.Error); ok {
		return e.Code.String() + ": " + e.Expr
	}
	return err.Error()
}

// hasAny reports whether s contains at least one of the parts.
func hasAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

// hasBackreference reports whether the regular expression pattern contains one
// of \1 to \9. A backslash that another backslash escapes does not count.
func hasBackreference(pattern string) bool {
	for i := 0; i+1 < len(pattern); i++ {
		if pattern[i] != '\\' {
			continue
		}
		i++
		if '1' <= pattern[i] && pattern[i] <= '9' {
			return true
		}
	}
	return false
}

// Holds reports whether url lies in one of the scopes. If w.X is a text and url
// is not a valid URL, Holds returns false.
func (w *Within) Holds(url string) bool {
	if w.X.Type() != value.URL {
		u, err := urlkey.Canonical(url)
		if err != nil {
			return false
		}
		url = u
	}
	key := urlkey.Key(url)
	return slices.ContainsFunc(w.Scopes, func(s urlkey.Scope) bool { return s.Contains(key) })
}

// apply returns the value of x Op y, where x and y are not NULL. A division by
// zero gives NULL. The error says that the result is out of range.
func (a *Arith) apply(x, y value.Value) (value.Value, error) {
	ok := true
	v := value.Value{Type: a.T}
	switch {
	case x.Type == value.Float && y.Type == value.Float:
		return a.floats(x.Float, y.Float)
	case x.Type == value.Float:
		v.Int, ok = scaled(y.Int, x.Float)
	case y.Type == value.Float && a.Op == "/":
		if y.Float == 0 {
			return value.Value{}, nil
		}
		v.Int, ok = scaled(x.Int, 1/y.Float)
	case y.Type == value.Float:
		v.Int, ok = scaled(x.Int, y.Float)
	case y.Int == 0 && (a.Op == "/" || a.Op == "//" || a.Op == "%"):
		return value.Value{}, nil
	case a.T == value.Float:
		v.Float = float64(x.Int) / float64(y.Int)
	default:
		v.Int, ok = Ints(a.Op, x.Int, y.Int)
	}
	if !ok || a.T == value.Time && !fitsTime(v.Int) {
		return value.Value{}, a.Overflow()
	}
	return v, nil
}

// Overflow returns the error that the result of a is out of the range of its
// type.
func (a *Arith) Overflow() *ast.Error {
	err := ast.Errorf(a.At, "a result of %s is out of the range of %s", a.Op, a.T)
	if a.T == value.Int {
		err.Hint = "CAST an operand AS float"
	}
	return err
}

// scaled returns ms times factor, rounded to a whole number. It returns false
// if that does not fit in 64 bits.
func scaled(ms int64, factor float64) (int64, bool) {
	v, err := value.Rounded(float64(ms) * factor)
	return v.Int, err == nil
}

// floats returns the value of x Op y for two floats. A division by zero gives
// NULL. The error says that the result of // is out of the range of Int.
func (a *Arith) floats(x, y float64) (value.Value, error) {
	switch a.Op {
	case "+":
		return value.OfFloat(x + y), nil
	case "-":
		return value.OfFloat(x - y), nil
	case "*":
		return value.OfFloat(x * y), nil
	}
	if y == 0 {
		return value.Value{}, nil
	}
	switch a.Op {
	case "/":
		return value.OfFloat(x / y), nil
	case "%":
		return value.OfFloat(math.Mod(x, y)), nil
	}
	v, err := value.Rounded(math.Trunc(x / y))
	if err != nil {
		return value.Value{}, a.Overflow()
	}
	return v, nil
}

// Ints returns x op y for the operators + - * // and %, and / in the same way
// as //. It returns false if the result does not fit in 64 bits. If op divides,
// y must not be 0. // rounds towards zero, and % has the sign of x, so that x =
// x // y * y + x % y.
func Ints(op string, x, y int64) (int64, bool) {
	switch op {
	case "+":
		r := x + y
		return r, (x^r)&(y^r) >= 0
	case "-":
		r := x - y
		return r, (x^y)&(x^r) >= 0
	case "*":
		return product(x, y)
	case "%":
		return x % y, true
	}
	return x / y, !(x == math.MinInt64 && y == -1)
}

// product returns x * y. It returns false if the result does not fit in 64
// bits.
func product(x, y int64) (int64, bool) {
	high, low := bits.Mul64(magnitude(x), magnitude(y))
	if (x < 0) != (y < 0) {
		return int64(-low), high == 0 && low <= 1<<63
	}
	return int64(low), high == 0 && low < 1<<63
}

// magnitude returns the absolute value of x, which for the least int64 fits
// only in a uint64.
func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// apply returns the time x moved by s.Months calendar months. The error says
// that the result is outside the years 1 to 9999.
func (s *Shift) apply(x value.Value) (value.Value, error) {
	const monthsMax = 12 * 10000 // more would leave the calendar in any case
	if s.Months < monthsMax && s.Months > -monthsMax {
		t := record.At(value.AddMonths(record.Time(x.Int).Std().In(s.Zone), s.Months))
		if fitsTime(int64(t)) {
			return value.OfTime(t), nil
		}
	}
	return value.Value{}, ast.Errorf(s.At, "a time moved by %dmo lies outside the years 1 to 9999", s.Months)
}

// apply returns the value of the first branch whose condition is true, or that
// of ELSE. args are the values of the expressions that Operands(c) returns.
func (c *Case) apply(args []value.Value) value.Value {
	for i := range c.Whens {
		if cond := args[2*i]; !cond.IsNull() && cond.Bool {
			return args[2*i+1]
		}
	}
	return args[len(args)-1]
}

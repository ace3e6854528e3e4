package expr

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// mirrored maps each operator to the one that gives the same result with the
// operands exchanged: < to >, and = to itself.
var mirrored = [...]CompareOp{EQ: EQ, NE: NE, LT: GT, LE: GE, GT: LT, GE: LE}

// compare returns the comparison x op y as an Expr. If one side is a constant,
// it becomes the right side. If a time is compared with something written as a
// period, such as 2008-06, it is compared with the whole period: = means
// inside, < before its start, <= before its end, > at or after its end, >= at
// or after its start.
func (b *Binder) compare(op CompareOp, x, y ast.Expr) (Expr, error) {
	if value.IsPeriod(x) && !value.IsPeriod(y) {
		x, y, op = y, x, mirrored[op]
	}
	bx, err := b.bind(x, value.Null)
	if err != nil {
		return nil, err
	}
	return b.compareBound(op, bx, x, y)
}

// compareBound does what compare does. bx is x, which the caller has bound: expressions nest, and
// binding a part twice at each level would take twice as long for each level.
func (b *Binder) compareBound(op CompareOp, bx Expr, x, y ast.Expr) (Expr, error) {
	if value.IsPeriod(x) && !value.IsPeriod(y) {
		return b.compare(op, x, y)
	}
	if value.IsPeriod(y) && bx.Type() == value.Time {
		p, err := value.PeriodOf(y, b.Env)
		if err != nil {
			return nil, err
		}
		return comparePeriod(op, bx, p)
	}
	want := bx.Type()
	if open(x) && open(y) {
		want = value.Text
	} else if open(x) {
		want = value.Null
	}
	by, err := b.bind(y, want)
	if err == nil && open(x) { // x is read as the type of y
		bx, err = b.bind(x, by.Type())
	}
	if err != nil {
		return nil, err
	}
	if bx, by, err = b.comparable(bx, by, x, y); err != nil {
		return nil, err
	}
	return comparison(op, bx, by)
}

// comparison returns the comparison x op y. If x is a constant, it becomes the right side.
func comparison(op CompareOp, x, y Expr) (Expr, error) {
	if isConstant(x) {
		x, y, op = y, x, mirrored[op]
	}
	return fold(&Compare{op, x, y})
}

// comparePeriod returns the expression x op p, where x is a time and p a
// period. It compares x with the whole period: = means inside, and > means at
// or after its end.
func comparePeriod(op CompareOp, x Expr, p value.Period) (Expr, error) {
	from, to := Constant(value.OfTime(p.From)), Constant(value.OfTime(p.To))
	switch op {
	case EQ:
		return fold(&Inside{x, []value.Period{p}})
	case NE:
		in, err := fold(&Inside{x, []value.Period{p}})
		return negated(in, err, true)
	case LT:
		return fold(&Compare{LT, x, from})
	case LE:
		return fold(&Compare{LT, x, to})
	case GT:
		return fold(&Compare{GE, x, to})
	}
	return fold(&Compare{GE, x, from})
}

// comparable returns x and y converted to a common type, so that they can be
// compared. If one is a URL and the other a text constant, the constant becomes
// a canonical URL. The error says why they cannot be compared, and points at
// the syntax tree ex or ey.
func (b *Binder) comparable(x, y Expr, ex, ey ast.Expr) (Expr, Expr, error) {
	x, y = zeroOrOne(x, y), zeroOrOne(y, x)
	t, ok := value.Common(x.Type(), y.Type())
	if !ok {
		return nil, nil, clash(x, y, ex, ey)
	}
	x, err := b.as(x, t, ex)
	if err != nil {
		return nil, nil, err
	}
	y, err = b.as(y, t, ey)
	if err != nil {
		return nil, nil, err
	}
	if x.Type() == value.URL {
		y, err = canonical(y, ey)
	} else if y.Type() == value.URL {
		x, err = canonical(x, ex)
	}
	return x, y, err
}

// zeroOrOne returns FALSE or TRUE if x is the constant 0 or 1 and y is a Bool, and otherwise x.
func zeroOrOne(x, y Expr) Expr {
	c, ok := x.(*Const)
	if !ok || y.Type() != value.Bool || c.V.Type != value.Int || c.V.Int != 0 && c.V.Int != 1 {
		return x
	}
	return Constant(value.OfBool(c.V.Int == 1))
}

// JoinKeys returns x and y, two keys of a join, converted so that they can be
// compared. If one is a URL and the other a text, the text becomes a canonical
// URL, or NULL if it is not a URL; it then equals nothing. ex and ey are the
// syntax trees of x and y, for errors.
func (b *Binder) JoinKeys(x, y Expr, ex, ey ast.Expr) (Expr, Expr, error) {
	x, y, err := b.comparable(x, y, ex, ey)
	if err != nil {
		return nil, nil, err
	}
	if x.Type() == value.URL && y.Type() == value.Text {
		y = canonicalCall(y)
	} else if x.Type() == value.Text && y.Type() == value.URL {
		x = canonicalCall(x)
	}
	return x, y, nil
}

// canonical returns x as a canonical URL if x is a text constant, and otherwise
// x. The empty text stays as it is: it is not a URL, and equals none. The error
// says that the text is not a URL, and points at e.
func canonical(x Expr, e ast.Expr) (Expr, error) {
	c, ok := x.(*Const)
	if !ok || c.V.Type != value.Text || c.V.Text == "" {
		return x, nil
	}
	u, err := urlkey.Canonical(c.V.Text)
	if err != nil {
		return nil, ast.Errorf(e, "%v", err)
	}
	return Constant(value.OfURL(u)), nil
}

// clash returns the error that x and y cannot be compared, with a hint on what
// to write instead. ex and ey are the syntax trees of x and y.
func clash(x, y Expr, ex, ey ast.Expr) *ast.Error {
	if x.Type().Textual() && !y.Type().Textual() {
		x, y, ex, ey = y, x, ey, ex
	}
	err := ast.Errorf(ey, "%s is %s and %s is %s; they can't be compared", ex, x.Type(), ey, y.Type())
	c, isConst := y.(*Const)
	switch {
	case x.Type() == value.Duration && y.Type().Numeric(), y.Type() == value.Duration && x.Type().Numeric():
		err.Hint = "write the length of time with its unit, such as 7d"
	case x.Type() == value.Bool && isConst && !isConstant(x):
		err.Hint = fmt.Sprintf("write the condition alone: %s, or NOT %[1]s", ex)
	case !y.Type().Textual():
	case !isConst && isConstant(x) && x.Type().Numeric():
		err.Hint = fmt.Sprintf("write '%s' in quotes, or CAST(%s AS %s)", ex, ey, x.Type())
	case !isConst:
		err.Hint = fmt.Sprintf("CAST(%s AS %s)", ey, x.Type())
	case x.Type() == value.Time:
		err.Hint = fmt.Sprintf("write the time without quotes, or CAST(%s AS time)", ey)
	case x.Type().Numeric() && strings.HasSuffix(strings.ToUpper(c.V.Text), "B") && isNumber(strings.TrimRight(c.V.Text, "KMGTBkmgtb ")):
		err.Hint = fmt.Sprintf("write %s without quotes", strings.ReplaceAll(strings.ToUpper(c.V.Text), " ", ""))
	default:
		err.Hint = fmt.Sprintf("CAST(%s AS text)", ex)
	}
	return err
}

// isConstant reports whether the expression x is a constant.
func isConstant(x Expr) bool {
	_, ok := x.(*Const)
	return ok
}

// isNumber reports whether the text s is written like a number, with or without
// spaces around it.
func isNumber(s string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return err == nil
}

// between returns x BETWEEN a AND b, or x NOT BETWEEN a AND b, as an Expr.
func (b *Binder) between(e *ast.Between) (Expr, error) {
	x, err := b.bind(e.X, value.Null)
	if err != nil {
		return nil, err
	}
	bind := b.betweenValues
	if x.Type() == value.Time && !value.IsPeriod(e.X) && value.IsPeriod(e.A) && value.IsPeriod(e.B) {
		bind = b.betweenPeriods
	}
	bound, err := bind(x, e)
	return negated(bound, err, e.Not)
}

// betweenPeriods returns x BETWEEN a AND b as an Expr. x is a time, and a and b
// are written as periods, such as 2008-06. It is true from the start of a to
// the end of b.
func (b *Binder) betweenPeriods(x Expr, e *ast.Between) (Expr, error) {
	from, err := value.PeriodOf(e.A, b.Env)
	if err != nil {
		return nil, err
	}
	to, err := value.PeriodOf(e.B, b.Env)
	if err != nil {
		return nil, err
	}
	return fold(&Inside{x, []value.Period{{From: from.From, To: max(from.From, to.To)}}})
}

// betweenValues returns x BETWEEN a AND b as the Expr x >= a AND x <= b.
func (b *Binder) betweenValues(x Expr, e *ast.Between) (Expr, error) {
	low, err := b.compareBound(GE, x, e.X, e.A)
	if err != nil {
		return nil, err
	}
	high, err := b.compareBound(LE, x, e.X, e.B)
	if err != nil {
		return nil, err
	}
	return conjunction([]Expr{low, high}), nil
}

// in returns x IN (…), with a list of expressions, as an Expr. All constants in
// the list become one In, all periods one Inside, and each other expression a
// Compare; an OR joins these.
func (b *Binder) in(e *ast.In) (Expr, error) {
	x, rest, t, err := b.inTypes(e)
	if err != nil {
		return nil, err
	}
	set := &In{}
	var periods []value.Period
	var list []Expr
	for i, y := range rest {
		ey := e.List[i]
		if y == nil {
			p, err := value.PeriodOf(ey, b.Env)
			if err != nil {
				return nil, err
			}
			periods = append(periods, p)
			continue
		}
		bx, by, err := b.inOperands(x, y, t, e.X, ey)
		if err != nil {
			return nil, err
		}
		if c, ok := by.(*Const); ok {
			set.X = bx
			set.add(c)
			continue
		}
		eq, err := comparison(EQ, bx, by)
		if err != nil {
			return nil, err
		}
		list = append(list, eq)
	}
	if set.X != nil {
		in, err := fold(set)
		if err != nil {
			return nil, err
		}
		list = append(list, in)
	}
	if periods != nil {
		in, err := fold(&Inside{x, periods})
		if err != nil {
			return nil, err
		}
		list = append(list, in)
	}
	return negated(disjunction(list), nil, e.Not)
}

// add adds the constant c to the set. For NULL it sets HasNull instead.
func (in *In) add(c *Const) {
	if c.V.IsNull() {
		in.HasNull = true
		return
	}
	in.Set = append(in.Set, c.V)
}

// inTypes binds both sides of x IN (…). It returns x, the elements of the list,
// and their common type t. If x is a time, list has nil in place of each
// element that is written as a period.
func (b *Binder) inTypes(e *ast.In) (x Expr, list []Expr, t value.Type, err error) {
	if _, ok := e.X.(*ast.Param); !ok {
		if x, err = b.bind(e.X, value.Null); err != nil {
			return nil, nil, t, err
		}
		t = x.Type()
	}
	list = make([]Expr, len(e.List))
	for i, ey := range e.List {
		if t == value.Time && value.IsPeriod(ey) {
			continue
		}
		if list[i], err = b.bind(ey, t); err != nil {
			return nil, nil, t, err
		}
		if x == nil { // a parameter: it is read as the type of the first element
			if x, err = b.bind(e.X, list[i].Type()); err != nil {
				return nil, nil, t, err
			}
			t = x.Type()
		}
		both, ok := value.Common(t, list[i].Type())
		if !ok {
			return nil, nil, t, clash(x, list[i], e.X, ey)
		}
		t = both
	}
	return x, list, t, nil
}

// inOperands returns x and y, an element of the list of an IN, converted to
// their common type t. ex and ey are their syntax trees, for errors.
func (b *Binder) inOperands(x, y Expr, t value.Type, ex, ey ast.Expr) (Expr, Expr, error) {
	if x.Type() == value.URL || y.Type() == value.URL {
		return b.comparable(x, y, ex, ey)
	}
	x, err := b.as(x, t, ex)
	if err != nil {
		return nil, nil, err
	}
	y, err = b.as(y, t, ey)
	return x, y, err
}

// arith returns x op y as an Expr, where op is one of + - * / // and %. A constant whole number that
// is added to a time, or subtracted from it, is a number of days, as in TODAY - 30.
func (b *Binder) arith(e *ast.Binary) (Expr, error) {
	if shift, err := b.shift(e); shift != nil || err != nil {
		return shift, err
	}
	x, y, err := b.arithOperands(e.X, e.Y)
	if err != nil {
		return nil, err
	}
	if c, ok := y.(*Const); ok && x.Type() == value.Time && y.Type() == value.Int && (e.Op == "+" || e.Op == "-") {
		if days, fits := Ints("*", c.V.Int, (24 * time.Hour).Milliseconds()); fits { // as in TODAY - 30
			y = Constant(value.OfDuration(days))
		}
	}
	t, ok := arithType(e.Op, x.Type(), y.Type())
	if !ok {
		return nil, arithClash(e, x, y)
	}
	if x.Type() == value.Null || y.Type() == value.Null {
		return &Const{T: t}, nil
	}
	if t == value.Float || x.Type() == value.Float || y.Type() == value.Float {
		if x, err = b.as(x, value.Float, e.X); err != nil {
			return nil, err
		}
		if y, err = b.as(y, value.Float, e.Y); err != nil {
			return nil, err
		}
	}
	return fold(&Arith{Op: e.Op, X: x, Y: y, T: t, At: e.OpAt})
}

// arithOperands binds the two sides of an arithmetic operator and returns them. If a side is a
// parameter or a text constant, it is read as a Duration if the other side is a time or a duration,
// and otherwise as a number. A text that is no Duration is read as a time if the other side is a
// time.
func (b *Binder) arithOperands(ex, ey ast.Expr) (x, y Expr, err error) {
	if open(ex) && !open(ey) {
		y, x, err = b.arithOperands(ey, ex)
		return x, y, err
	}
	if x, err = b.bind(ex, value.Int); err != nil {
		return nil, nil, err
	}
	want := value.Int
	if t := x.Type(); t == value.Time || t == value.Duration {
		want = value.Duration
	}
	y, err = b.bind(ey, want)
	if _, text := ey.(*ast.String); text && err == nil && y.Type() == value.Text && x.Type() == value.Time {
		y, err = b.bind(ey, value.Time) // time - '2008-06-15'
	}
	return x, y, err
}

// shift returns a time plus or minus calendar months or years, such as time +
// 3mo, as an Expr. It returns nil, nil if e has another form.
func (b *Binder) shift(e *ast.Binary) (Expr, error) {
	ex, months := e.X, calendar(e.Y)
	sign := 1
	switch {
	case months != 0 && e.Op == "-":
		sign = -1
	case months == 0 && e.Op == "+":
		ex, months = e.Y, calendar(e.X)
	}
	if months == 0 || e.Op != "+" && e.Op != "-" {
		return nil, nil
	}
	x, err := b.bind(ex, value.Null)
	if err != nil {
		return nil, err
	}
	if t := x.Type(); t != value.Time && t != value.Null {
		return nil, ast.Errorf(e, "months and years can only be added to a time or taken from it, and %s is %s", ex, t)
	}
	return fold(&Shift{X: x, Months: sign * months, Zone: b.Env.Location(), At: e.At()})
}

// calendar returns how many months the duration e has: 24 for 2y and 3 for 3mo.
// It returns 0 if e has no months or is not a duration.
func calendar(e ast.Expr) int {
	if d, ok := e.(*ast.Duration); ok {
		return d.Months
	}
	return 0
}

// arithType returns the type of the result of x op y, where x and y are the
// types of the operands. It returns false if op does not apply to these types.
func arithType(op string, x, y value.Type) (value.Type, bool) {
	if x == value.Null || y == value.Null {
		return arithNullType(op, x, y)
	}
	if x.Numeric() && y.Numeric() {
		switch {
		case op == "/":
			return value.Float, true
		case op == "//" || x == value.Int && y == value.Int:
			return value.Int, true
		}
		return value.Float, true
	}
	switch {
	case x == value.Time && y == value.Time:
		return value.Duration, op == "-"
	case x == value.Time && y == value.Duration:
		return value.Time, op == "+" || op == "-"
	case x == value.Duration && y == value.Time:
		return value.Time, op == "+"
	case x == value.Duration && y == value.Duration:
		switch op {
		case "/":
			return value.Float, true
		case "//":
			return value.Int, true
		}
		return value.Duration, op != "*"
	case x == value.Duration && y.Numeric():
		return value.Duration, op == "*" || op == "/"
	case x.Numeric() && y == value.Duration:
		return value.Duration, op == "*"
	}
	return value.Null, false
}

// arithNullType returns the type of x op y if one of the two types is Null. It
// is the type of the other operand, except that / of an Int gives a Float. If
// both are Null, it is Int. arithNullType returns false if op does not apply.
func arithNullType(op string, x, y value.Type) (value.Type, bool) {
	t, _ := value.Common(x, y)
	switch {
	case t == value.Null:
		return value.Int, true
	case op == "/" && t == value.Int:
		return value.Float, true
	}
	return t, t.Numeric() || t == value.Time || t == value.Duration
}

// arithClash returns the error that the operator of e does not apply to its
// operands x and y. If one is a text, the error suggests a CAST.
func arithClash(e *ast.Binary, x, y Expr) *ast.Error {
	err := ast.Errorf(e, "no %s of %s and %s: %s is %s and %s is %s", e.Op, x.Type(), y.Type(), e.X, x.Type(), e.Y, y.Type())
	switch {
	case x.Type().Textual():
		err.Hint = fmt.Sprintf("CAST(%s AS %s)", e.X, arithWants(y.Type()))
	case y.Type().Textual():
		err.Hint = fmt.Sprintf("CAST(%s AS %s)", e.Y, arithWants(x.Type()))
	case x.Type() == value.Time && y.Type().Numeric():
		err.Hint = "add a duration, such as 7d"
	}
	return err
}

// arithWants returns the type to which an error suggests to cast a text, if the
// other operand is of type t.
func arithWants(t value.Type) value.Type {
	if t.Textual() || t == value.Bool {
		return value.Int
	}
	return t
}

// fitsTime reports whether t, in milliseconds since 1970 UTC, lies in the years
// 1 to 9999, which a Time can represent.
func fitsTime(t int64) bool {
	return t >= int64(record.MinTime) && t <= int64(record.MaxTime)
}

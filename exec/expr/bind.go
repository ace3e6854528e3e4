package expr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/urlkey"
)

// Bind returns the syntax tree e as an Expr: with names resolved, types checked and constant parts
// computed. Each error is an *ast.Error. A parameter such as $x is read as the type that the
// operator or function around it expects, or as a Text if that expects no certain type.
func (b *Binder) Bind(e ast.Expr) (Expr, error) { return b.bind(e, value.Null) }

// BindAs returns the syntax tree e as an Expr of type t: with names resolved
// and types checked. A parameter such as $x is read as t. An Int is converted
// to Float if t is Float, and NULL is accepted. Any other expression of another
// type is an error.
func (b *Binder) BindAs(e ast.Expr, t value.Type) (Expr, error) {
	x, err := b.bind(e, t)
	if err != nil {
		return nil, err
	}
	if common, ok := value.Common(x.Type(), t); !ok || common != t {
		return nil, ast.Errorf(e, "%s needs %s, and %s is %s", b.Where, t, e, x.Type())
	}
	return b.as(x, t, e)
}

// BindBool returns the syntax tree e, which must be a condition, as an Expr of
// type Bool: with names resolved and types checked. NULL is accepted. An
// expression of another type is an error.
func (b *Binder) BindBool(e ast.Expr) (Expr, error) {
	x, err := b.bind(e, value.Bool)
	if err != nil {
		return nil, err
	}
	return b.condition(x, e, b.Where)
}

// condition returns x if it is of type Bool, NULL of type Bool if x is NULL,
// and otherwise an error. e is the syntax tree of x, and the parameter where is
// the clause, such as "WHERE"; both are for the error.
func (b *Binder) condition(x Expr, e ast.Expr, where string) (Expr, error) {
	switch x.Type() {
	case value.Bool:
		return x, nil
	case value.Null:
		return &Const{T: value.Bool}, nil
	}
	err := ast.Errorf(e, "%s needs a condition, and %s is %s", where, e, x.Type())
	switch {
	case x.Type().Textual():
		err.Hint = fmt.Sprintf("compare it, as in %s <> ''", e)
	case x.Type().Numeric():
		err.Hint = fmt.Sprintf("compare it, as in %s <> 0", e)
	default:
		err.Hint = fmt.Sprintf("compare it, or ask %s IS NOT NULL", e)
	}
	return nil, err
}

// bind returns the syntax tree e as an Expr, with names resolved and types checked. If e is a
// parameter such as $x, it is read as the type want, or as a Text if want is Null. A text constant
// such as '404' is read as the type want if it is written like a value of that type.
func (b *Binder) bind(e ast.Expr, want value.Type) (Expr, error) {
	if b.Replace != nil {
		if x := b.Replace(e); x != nil {
			return x, nil
		}
	}
	switch e := e.(type) {
	case *ast.String:
		return b.literal(e, want), nil
	case *ast.Number:
		if e.IsInt {
			return Constant(value.OfInt(e.Int)), nil
		}
		return Constant(value.OfFloat(e.Float)), nil
	case *ast.Size:
		return Constant(value.OfInt(e.Bytes)), nil
	case *ast.Duration:
		if e.Months != 0 {
			err := ast.Errorf(e, "%s is no fixed length of time; months and years can only be added to a time or taken from it", e.Text)
			err.Hint = fmt.Sprintf("write %dd", e.Months/12*365+e.Months%12*30)
			return nil, err
		}
		return Constant(value.OfDuration(e.Length.Milliseconds())), nil
	case *ast.Period, *ast.Now, *ast.Today:
		p, err := value.PeriodOf(e, b.Env)
		return Constant(value.OfTime(p.From)), err
	case *ast.Bool:
		return Constant(value.OfBool(e.Value)), nil
	case *ast.Null:
		return Constant(value.Value{}), nil
	case *ast.Param:
		return b.param(e, want)
	case *ast.Column:
		if b.Column == nil {
			return nil, ast.Errorf(e, "%s may not contain a column", b.Where)
		}
		return b.Column(e, want)
	case *ast.Unary:
		return b.unary(e)
	case *ast.Binary:
		return b.binary(e)
	case *ast.Between:
		return b.between(e)
	case *ast.In:
		if e.Query != nil {
			return b.query(e)
		}
		return b.in(e)
	case *ast.Subquery, *ast.Exists:
		return b.query(e)
	case *ast.Like:
		return b.like(e)
	case *ast.Is:
		return b.is(e)
	case *ast.Within:
		return b.within(e)
	case *ast.Case:
		return b.caseOf(e)
	case *ast.Cast:
		return b.cast(e)
	case *ast.Call:
		return b.call(e)
	}
	panic(fmt.Sprintf("expr: unknown expression %T", e))
}

// query returns e, which contains a subquery, as an Expr. It calls b.Query, or
// returns an error if the clause allows no subqueries.
func (b *Binder) query(e ast.Expr) (Expr, error) {
	if b.Query == nil {
		return nil, ast.Errorf(e, "%s may not contain a query", b.Where)
	}
	return b.Query(e)
}

// Constant returns an expression whose value is v in every row.
func Constant(v value.Value) *Const { return &Const{V: v, T: v.Type} }

// param returns the value of the parameter p as a constant of type want; a want of Null means Text.
// If want is Int and the value is a number that is not whole, the constant is a Float. The error
// says that the parameter has no value or cannot be converted.
func (b *Binder) param(p *ast.Param, want value.Type) (Expr, error) {
	text, err := b.Env.Param(p)
	if err != nil {
		return nil, err
	}
	if want == value.Null || want.Textual() {
		return Constant(value.OfText(text)), nil
	}
	v, err := value.Cast(value.OfText(text), want, b.Env.Location())
	if err != nil && want == value.Int {
		f, ferr := value.Cast(value.OfText(text), value.Float, nil)
		v, err = f, ferr
	}
	if err != nil {
		return nil, ast.Errorf(p, "parameter $%s: %v", p.Name, err)
	}
	return Constant(v), nil
}

// literal returns the text constant s as a constant of type want, so that status = '404' compares
// numbers. If want is Text, URL or Null, or s is not written like a value of the type want, literal
// returns s as a Text.
func (b *Binder) literal(s *ast.String, want value.Type) Expr {
	if want != value.Null && !want.Textual() && strings.TrimSpace(s.Value) != "" {
		types := []value.Type{want}
		if want == value.Int {
			types = append(types, value.Float)
		}
		for _, t := range types {
			if v, err := value.Cast(value.OfText(s.Value), t, b.Env.Location()); err == nil {
				return Constant(v)
			}
		}
	}
	return Constant(value.OfText(s.Value))
}

// open reports whether the type of e depends on what is around it, because e is a parameter or a
// text constant.
func open(e ast.Expr) bool {
	switch e.(type) {
	case *ast.Param, *ast.String:
		return true
	}
	return false
}

// as returns x converted to the type t, which must be a common type of x and
// another expression, as value.Common returns. e is the syntax tree of x, for
// errors.
func (b *Binder) as(x Expr, t value.Type, e ast.Expr) (Expr, error) {
	switch {
	case x.Type() == value.Null:
		return &Const{T: t}, nil
	case x.Type() == value.Int && t == value.Float:
		return fold(&Cast{X: x, To: t, Zone: b.Env.Location(), At: e.At()})
	}
	return x, nil
}

// text returns the operand e, which must be a text or a URL, as an Expr. NULL
// is accepted. The parameter what names the operator, for the error.
func (b *Binder) text(e ast.Expr, what string) (Expr, error) {
	x, err := b.bind(e, value.Text)
	if err != nil {
		return nil, err
	}
	if t := x.Type(); t != value.Null && !t.Textual() {
		err := ast.Errorf(e, "%s needs text, and %s is %s", what, e, x.Type())
		err.Hint = fmt.Sprintf("CAST(%s AS text)", e)
		return nil, err
	}
	return b.as(x, value.Text, e)
}

// asText is like text, but also accepts a number, a time or a bool, and converts it to the text
// that is printed for it. So status LIKE '4%' and time LIKE '2008-06%' work.
func (b *Binder) asText(e ast.Expr) (Expr, error) {
	x, err := b.bind(e, value.Text)
	if err != nil {
		return nil, err
	}
	if t := x.Type(); t == value.Null || t.Textual() {
		return b.as(x, value.Text, e)
	}
	return fold(&Cast{X: x, To: value.Text, Zone: b.Env.Location(), At: e.At()})
}

// unary returns NOT x, +x or -x as an Expr.
func (b *Binder) unary(e *ast.Unary) (Expr, error) {
	if e.Op == "NOT" {
		x, err := b.bind(e.X, value.Bool)
		if err != nil {
			return nil, err
		}
		if x, err = b.condition(x, e.X, "NOT"); err != nil {
			return nil, err
		}
		return fold(&Not{x})
	}
	x, err := b.bind(e.X, value.Int)
	if err != nil {
		return nil, err
	}
	if t := x.Type(); !t.Numeric() && t != value.Duration && t != value.Null {
		return nil, ast.Errorf(e, "%s needs a number or a duration, and %s is %s", e.Op, e.X, t)
	}
	if e.Op == "+" || x.Type() == value.Null {
		return x, nil
	}
	zero := Constant(value.Value{Type: x.Type()})
	return fold(&Arith{Op: "-", X: zero, Y: x, T: x.Type(), At: e.At()})
}

// binary returns an expression with an infix operator, such as x = y or x || y,
// as an Expr.
func (b *Binder) binary(e *ast.Binary) (Expr, error) {
	switch e.Op {
	case "OR", "AND":
		return b.logic(e)
	case "~", "!~", "~*", "!~*":
		return b.match(e)
	case "CONTAINS":
		return b.contains(e)
	case "MATCH":
		return b.matchWords(e)
	case "||":
		return b.concat(e)
	}
	for op, name := range compareNames {
		if name == e.Op {
			return b.compare(CompareOp(op), e.X, e.Y)
		}
	}
	return b.arith(e)
}

// match returns x ~ pattern as an Expr, or one with the operators !~, ~* and !~*.
// The pattern is a regular expression, and is compiled here if it is constant.
func (b *Binder) match(e *ast.Binary) (Expr, error) {
	x, err := b.asText(e.X)
	if err != nil {
		return nil, err
	}
	p, err := b.text(e.Y, e.Op)
	if err != nil {
		return nil, err
	}
	m := &Match{X: x, Pattern: p, Fold: strings.HasSuffix(e.Op, "*"), At: e.Y.At()}
	if c, ok := p.(*Const); ok && !c.V.IsNull() {
		if m.Re, err = m.compile(c.V.Text); err != nil {
			return nil, err
		}
	}
	bound, err := fold(m)
	return negated(bound, err, e.Op[0] == '!')
}

// contains returns x CONTAINS y as an Expr.
func (b *Binder) contains(e *ast.Binary) (Expr, error) {
	x, err := b.text(e.X, "CONTAINS")
	if err != nil {
		return nil, err
	}
	y, err := b.text(e.Y, "CONTAINS")
	if err != nil {
		return nil, err
	}
	bound, err := fold(&Contains{x, y})
	return negated(bound, err, e.Not)
}

// concat returns x || y, the concatenation of two texts, as an Expr. One side
// must be a text; the other is converted to text.
func (b *Binder) concat(e *ast.Binary) (Expr, error) {
	x, err := b.bind(e.X, value.Text)
	if err != nil {
		return nil, err
	}
	y, err := b.bind(e.Y, value.Text)
	if err != nil {
		return nil, err
	}
	if x.Type() == value.Null || y.Type() == value.Null {
		return &Const{T: value.Text}, nil
	}
	if !x.Type().Textual() && !y.Type().Textual() {
		err := ast.Errorf(e, "|| joins texts, and %s is %s, %s is %s", e.X, x.Type(), e.Y, y.Type())
		err.Hint = fmt.Sprintf("CAST(%s AS text)", e.X)
		return nil, err
	}
	args := []Expr{x, y}
	for i, a := range args {
		if !a.Type().Textual() {
			if args[i], err = fold(&Cast{X: a, To: value.Text, Zone: b.Env.Location(), At: e.At()}); err != nil {
				return nil, err
			}
		}
	}
	return fold(&Call{Func: concatFunction, Args: args, T: value.Text, Env: b.Env, At: e.At(), apply: concatFunction.apply})
}

// like returns x LIKE pattern or x ILIKE pattern as an Expr. The pattern is
// compiled here if it is constant.
func (b *Binder) like(e *ast.Like) (Expr, error) {
	name := "LIKE"
	if e.Fold {
		name = "ILIKE"
	}
	x, err := b.asText(e.X)
	if err != nil {
		return nil, err
	}
	p, err := b.text(e.Y, name)
	if err != nil {
		return nil, err
	}
	l := &Like{X: x, Pattern: p, Fold: e.Fold, At: e.Y.At()}
	if e.Escape != nil {
		if l.Escape, err = b.escape(e.Escape); err != nil {
			return nil, err
		}
	}
	if c, ok := p.(*Const); ok && !c.V.IsNull() {
		if l.Compiled, err = l.compile(c.V.Text); err != nil {
			return nil, err
		}
	}
	bound, err := fold(l)
	return negated(bound, err, e.Not)
}

// escape returns the escape character that the clause ESCAPE e of a LIKE gives.
// It returns an error if e is not a constant text of one character.
func (b *Binder) escape(e ast.Expr) (rune, error) {
	x, err := b.text(e, "ESCAPE")
	if err != nil {
		return 0, err
	}
	c, ok := x.(*Const)
	if !ok || c.V.IsNull() || len([]rune(c.V.Text)) != 1 {
		return 0, ast.Errorf(e, "ESCAPE needs one character, such as '!'")
	}
	return []rune(c.V.Text)[0], nil
}

// is returns x IS NULL, x IS TRUE or x IS FALSE, or one of these with NOT, as
// an Expr.
func (b *Binder) is(e *ast.Is) (Expr, error) {
	x, err := b.bind(e.X, value.Null)
	if err != nil {
		return nil, err
	}
	i := &Is{X: x, What: IsNull}
	if t, ok := e.What.(*ast.Bool); ok {
		i.What = IsFalse
		if t.Value {
			i.What = IsTrue
		}
		if i.X, err = b.condition(x, e.X, "IS "+strings.ToUpper(strconv.FormatBool(t.Value))); err != nil {
			return nil, err
		}
	}
	bound, err := fold(i)
	return negated(bound, err, e.Not)
}

// within returns x WITHIN scopes, a test whether a URL lies in one of the
// scopes, as an Expr.
func (b *Binder) within(e *ast.Within) (Expr, error) {
	x, err := b.text(e.X, "WITHIN")
	if err != nil {
		return nil, err
	}
	w := &Within{X: x}
	for i := range e.Scopes {
		s := &e.Scopes[i]
		scope, err := b.Scope(s)
		if err != nil {
			return nil, err
		}
		w.Scopes = append(w.Scopes, scope)
		w.Text = append(w.Text, s.String())
	}
	bound, err := fold(w)
	return negated(bound, err, e.Not)
}

// Scope returns the scope (a set of URLs) that s names, in FROM or after
// WITHIN. The error says that it is not valid.
func (b *Binder) Scope(s *ast.Scope) (urlkey.Scope, error) {
	from, err := b.scopeText(s.From)
	if err != nil {
		return urlkey.Scope{}, err
	}
	var scope urlkey.Scope
	if s.To == nil {
		scope, err = urlkey.ParseScope(from)
	} else {
		var to string
		if to, err = b.scopeText(s.To); err != nil {
			return urlkey.Scope{}, err
		}
		scope, err = urlkey.ParseScopeRange(from, to)
	}
	if err != nil {
		return urlkey.Scope{}, ast.Errorf(s, "%v", err)
	}
	return scope, nil
}

// scopeText returns the text of e if e is a string or a parameter, and
// otherwise an error.
func (b *Binder) scopeText(e ast.Expr) (string, error) {
	switch e := e.(type) {
	case *ast.String:
		return e.Value, nil
	case *ast.Param:
		return b.Env.Param(e)
	}
	return "", ast.Errorf(e, "a scope is a string such as 'pku.edu.cn', not %s", e)
}

// common returns the expressions in list as Exprs of their common type, and this type. They are,
// for example, the values of the branches of a CASE. common binds parameters and text constants
// last, because they are read as the type of the others. The parameter where names the construct,
// such as "CASE", for errors.
func (b *Binder) common(list []ast.Expr, where string) ([]Expr, value.Type, error) {
	bound := make([]Expr, len(list))
	t := value.Null
	for _, last := range []bool{false, true} {
		for i, e := range list {
			if open(e) != last {
				continue
			}
			x, err := b.bind(e, t)
			if err != nil {
				return nil, t, err
			}
			both, ok := value.Common(t, x.Type())
			if !ok {
				err := ast.Errorf(e, "%s needs values of one type: %s is %s, and those before it are %s", where, e, x.Type(), t)
				err.Hint = fmt.Sprintf("CAST(%s AS %s)", e, t)
				if x.Type().Textual() { // any value converts to a text, but few texts to other types
					first := slices.IndexFunc(bound, func(x Expr) bool { return x != nil && x.Type() != value.Null })
					err.Hint = fmt.Sprintf("CAST(%s AS text)", list[first])
				}
				return nil, t, err
			}
			bound[i], t = x, both
		}
	}
	for i, x := range bound {
		var err error
		if bound[i], err = b.as(x, t, list[i]); err != nil {
			return nil, t, err
		}
	}
	return bound, t, nil
}

// cast returns CAST(x AS type) as an Expr. The error says that the type is not
// known or that x cannot be converted to it.
func (b *Binder) cast(e *ast.Cast) (Expr, error) {
	t, err := value.ParseType(e.Type.Text)
	if err != nil {
		return nil, ast.Errorf(e.Type, "%v", err)
	}
	x, err := b.bind(e.X, value.Null)
	if err != nil {
		return nil, err
	}
	if !value.Castable(x.Type(), t) {
		return nil, ast.Errorf(e, "%s is %s, which can't be made %s", e.X, x.Type(), t)
	}
	if x.Type() == value.Null {
		return &Const{T: t}, nil
	}
	return fold(&Cast{X: x, To: t, Zone: b.Env.Location(), At: e.At()})
}

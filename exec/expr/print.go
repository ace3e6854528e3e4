package expr

import (
	"strconv"
	"strings"
	"time"

	"infomall/exec/value"
)

var compareNames = [...]string{"=", "<>", "<", "<=", ">", ">="}

// String returns the operator as a query writes it, such as "<=".
func (o CompareOp) String() string { return compareNames[o] }

// The expressions as EXPLAIN shows them.

// String returns the expression as EXPLAIN prints it. The String methods below
// do the same.
func (c *Col) String() string     { return c.Name }
func (c *Const) String() string   { return c.V.String() }
func (a *And) String() string     { return join(a.List, " AND ") }
func (o *Or) String() string      { return join(o.List, " OR ") }
func (c *Compare) String() string { return operand(c.X) + " " + c.Op.String() + " " + operand(c.Y) }
func (in *In) String() string     { return in.form("") }
func (in *Inside) String() string { return in.form("") }
func (i *Is) String() string      { return i.form("") }
func (l *Like) String() string    { return l.form("") }
func (m *Match) String() string {
	if m.Fold {
		return operand(m.X) + " ~* " + operand(m.Pattern)
	}
	return operand(m.X) + " ~ " + operand(m.Pattern)
}
func (c *Contains) String() string { return c.form("") }
func (w *Within) String() string   { return w.form("") }
func (a *Arith) String() string    { return operand(a.X) + " " + a.Op + " " + operand(a.Y) }
func (c *Cast) String() string     { return "CAST(" + c.X.String() + " AS " + c.To.String() + ")" }

// String returns the expression with NOT inside if the language allows that,
// such as x NOT IN (1), and otherwise with NOT before it.
func (n *Not) String() string {
	if x, ok := n.X.(interface{ form(not string) string }); ok {
		return x.form("NOT ")
	}
	return "NOT " + operand(n.X)
}

// The form methods print operators that have a form with NOT, such as NOT IN.

// form returns the expression as EXPLAIN prints it, such as x IN (1, 2). The
// parameter not is "NOT " or "" and is put before the operator. The other form
// methods do the same.
func (in *In) form(not string) string {
	var list []string
	for _, v := range in.Set {
		list = append(list, v.String())
	}
	if in.HasNull {
		list = append(list, "NULL")
	}
	return operand(in.X) + " " + not + "IN (" + strings.Join(list, ", ") + ")"
}

// form returns the expression as EXPLAIN prints it, with each period as
// from..to, without its end. The parameter not, "NOT " or "", is put before IN.
func (in *Inside) form(not string) string {
	var list []string
	for _, p := range in.Periods {
		from := value.AppendTime(nil, p.From, time.UTC)
		to := value.AppendTime(nil, p.To, time.UTC)
		list = append(list, string(from)+".."+string(to))
	}
	return operand(in.X) + " " + not + "IN (" + strings.Join(list, ", ") + ")"
}

func (i *Is) form(not string) string {
	return operand(i.X) + " IS " + not + [...]string{"NULL", "TRUE", "FALSE"}[i.What]
}

func (l *Like) form(not string) string {
	op := "LIKE "
	if l.Fold {
		op = "ILIKE "
	}
	s := operand(l.X) + " " + not + op + operand(l.Pattern)
	if l.Escape != 0 {
		s += " ESCAPE " + value.OfText(string(l.Escape)).String()
	}
	return s
}

func (c *Contains) form(not string) string {
	return operand(c.X) + " " + not + "CONTAINS " + operand(c.Y)
}

// form returns the expression as EXPLAIN prints it, with the scopes as the
// query writes them. The parameter not, "NOT " or "", is put before WITHIN.
func (w *Within) form(not string) string {
	scopes := strings.Join(w.Text, ", ")
	if len(w.Text) != 1 {
		scopes = "(" + scopes + ")"
	}
	return operand(w.X) + " " + not + "WITHIN " + scopes
}

// String returns the expression as EXPLAIN prints it, with the months as a
// duration, such as time + 3mo.
func (s *Shift) String() string {
	sign, months := " + ", s.Months
	if months < 0 {
		sign, months = " - ", -months
	}
	return operand(s.X) + sign + strconv.Itoa(months) + "mo"
}

// String returns the expression as EXPLAIN prints it, in the form CASE WHEN a
// THEN b ELSE c END.
func (c *Case) String() string {
	var b strings.Builder
	b.WriteString("CASE")
	for _, w := range c.Whens {
		b.WriteString(" WHEN " + w.Cond.String() + " THEN " + w.Then.String())
	}
	b.WriteString(" ELSE " + c.Else.String() + " END")
	return b.String()
}

// String returns the call as EXPLAIN prints it, such as lower(x), or a || b for
// the operator ||.
func (c *Call) String() string {
	if c.Func == concatFunction {
		return operand(c.Args[0]) + " || " + operand(c.Args[1])
	}
	var list []string
	for _, a := range c.Args {
		list = append(list, a.String())
	}
	return c.Func.Name + "(" + strings.Join(list, ", ") + ")"
}

// join returns the conditions in list as one text, with op between them.
func join(list []Expr, op string) string {
	var parts []string
	for _, e := range list {
		switch e.(type) {
		case *And, *Or:
			parts = append(parts, "("+e.String()+")")
		default:
			parts = append(parts, e.String())
		}
	}
	return strings.Join(parts, op)
}

// operand returns e as text, in parentheses unless e is a constant, a column, a
// CASE, a CAST or a function call.
func operand(e Expr) string {
	switch e := e.(type) {
	case *Const, *Col, *Case, *Cast:
		return e.String()
	case *Call:
		if e.Func != concatFunction {
			return e.String()
		}
	}
	return "(" + e.String() + ")"
}

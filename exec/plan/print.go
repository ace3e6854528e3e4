package plan

import (
	"strings"
	"time"

	"infomall/exec/value"
)

var compareNames = [...]string{"=", "<>", "<", "<=", ">", ">="}

// String is the comparison as written.
func (o CompareOp) String() string { return compareNames[o] }

// The expressions as EXPLAIN shows them.

func (c *Col) String() string      { return c.Name }
func (c *Const) String() string    { return c.V.String() }
func (n *Not) String() string      { return "NOT " + operand(n.X) }
func (a *And) String() string      { return join(a.List, " AND ") }
func (o *Or) String() string       { return join(o.List, " OR ") }
func (c *Compare) String() string  { return operand(c.X) + " " + c.Op.String() + " " + operand(c.Y) }
func (m *Match) String() string    { return operand(m.X) + " ~ " + operand(m.Pattern) }
func (c *Contains) String() string { return operand(c.X) + " CONTAINS " + operand(c.Y) }
func (n *Neg) String() string      { return "-" + operand(n.X) }
func (a *Arith) String() string    { return operand(a.X) + " " + a.Op + " " + operand(a.Y) }
func (c *Cast) String() string     { return "CAST(" + c.X.String() + " AS " + c.To.String() + ")" }

// String lists the constants.
func (in *In) String() string {
	var list []string
	for _, v := range in.Set {
		list = append(list, v.String())
	}
	if in.HasNull {
		list = append(list, "NULL")
	}
	return operand(in.X) + " IN (" + strings.Join(list, ", ") + ")"
}

// String shows each period as from..to, to not included.
func (in *Inside) String() string {
	var list []string
	for _, p := range in.Periods {
		from := value.AppendTime(nil, p.From, time.UTC)
		to := value.AppendTime(nil, p.To, time.UTC)
		list = append(list, string(from)+".."+string(to))
	}
	return operand(in.X) + " IN (" + strings.Join(list, ", ") + ")"
}

// String is IS NULL, IS TRUE or IS FALSE.
func (i *Is) String() string {
	return operand(i.X) + [...]string{" IS NULL", " IS TRUE", " IS FALSE"}[i.What]
}

// String is LIKE or ILIKE.
func (l *Like) String() string {
	op := " LIKE "
	if l.Fold {
		op = " ILIKE "
	}
	s := operand(l.X) + op + operand(l.Pattern)
	if l.Escape != 0 {
		s += " ESCAPE " + value.OfText(string(l.Escape)).String()
	}
	return s
}

// String shows the scopes as written.
func (w *Within) String() string {
	s := operand(w.X) + " WITHIN "
	if len(w.Text) == 1 {
		return s + w.Text[0]
	}
	return s + "(" + strings.Join(w.Text, ", ") + ")"
}

// String shows the months as a duration.
func (s *Shift) String() string {
	sign, months := " + ", s.Months
	if months < 0 {
		sign, months = " - ", -months
	}
	return operand(s.X) + sign + value.OfInt(int64(months)).String() + "mo"
}

// String is the form with a condition in each branch.
func (c *Case) String() string {
	var b strings.Builder
	b.WriteString("CASE")
	for _, w := range c.Whens {
		b.WriteString(" WHEN " + w.Cond.String() + " THEN " + w.Then.String())
	}
	b.WriteString(" ELSE " + c.Else.String() + " END")
	return b.String()
}

// String is name and arguments.
func (c *Call) String() string {
	var list []string
	for _, a := range c.Args {
		list = append(list, a.String())
	}
	return c.Func.Name + "(" + strings.Join(list, ", ") + ")"
}

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

// operand puts in brackets what is not one word by itself.
func operand(e Expr) string {
	switch e.(type) {
	case *Const, *Col, *Case, *Cast, *Call:
		return e.String()
	}
	return "(" + e.String() + ")"
}

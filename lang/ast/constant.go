package ast

import "time"

// String is the expression 'text', a text constant. Value is the text without
// its quotes.
type String struct {
	Span
	Value string
}

func (*String) expr() {}

func (e *String) String() string { return text(e) }

func (e *String) print(p *printer) {
	p.WriteString(quote(e.Value, "'"))
}

func (*String) children(l nodes) nodes { return l }

// Number is a number constant, such as 10 or 1e-12. Float has its value in any
// case. If the number is an int64, IsInt is true and Int has the value too.
type Number struct {
	Span
	Text  string // as it was written
	IsInt bool
	Int   int64
	Float float64
}

func (*Number) expr() {}

func (e *Number) String() string { return text(e) }

func (e *Number) print(p *printer) {
	p.WriteString(e.Text)
}

func (*Number) children(l nodes) nodes { return l }

// Size is a constant number of bytes, such as 64KB.
type Size struct {
	Span
	Text  string // as it was written
	Bytes int64
}

func (*Size) expr() {}

func (e *Size) String() string { return text(e) }

func (e *Size) print(p *printer) {
	p.WriteString(e.Text)
}

func (*Size) children(l nodes) nodes { return l }

// Duration is a constant length of time, such as 7d or 2mo. Units of months and
// years set Months, because months differ in length; other units set Length.
// The other field is 0.
type Duration struct {
	Span
	Text   string // as it was written
	Months int
	Length time.Duration
}

func (*Duration) expr() {}

func (e *Duration) String() string { return text(e) }

func (e *Duration) print(p *printer) {
	p.WriteString(e.Text)
}

func (*Duration) children(l nodes) nodes { return l }

// Unit is the length of a Period, which is the unit of its smallest written
// part: UnitMonth for 2008-06.
type Unit uint8

// The lengths of a period.
const (
	UnitYear Unit = iota
	UnitMonth
	UnitDay
	UnitHour
	UnitMinute
	UnitSecond
	UnitMilli
)

// Period is a time literal, such as 2008-06 for the whole month. The fields
// hold the start of the period: parts that were not written have their least
// value, here day 1 and 0:00. If no zone was written, the setting timezone
// applies.
type Period struct {
	Span
	Text                                   string // as it was written
	Unit                                   Unit
	Year, Month, Day, Hour, Minute, Second int
	Milli                                  int
	HasZone                                bool // a zone was written: Z or +08:00
	Offset                                 int  // offset of the zone, in seconds east of UTC
}

func (*Period) expr() {}

func (e *Period) String() string { return text(e) }

func (e *Period) print(p *printer) {
	p.WriteString(e.Text)
}

func (*Period) children(l nodes) nodes { return l }

// Bool is the constant TRUE or FALSE.
type Bool struct {
	Span
	Value bool
}

func (*Bool) expr() {}

func (e *Bool) String() string { return text(e) }

func (e *Bool) print(p *printer) {
	if e.Value {
		p.WriteString("TRUE")
	} else {
		p.WriteString("FALSE")
	}
}

func (*Bool) children(l nodes) nodes { return l }

// Null is the constant NULL.
type Null struct{ Span }

func (*Null) expr() {}

func (e *Null) String() string { return text(e) }

func (e *Null) print(p *printer) {
	p.WriteString("NULL")
}

func (*Null) children(l nodes) nodes { return l }

// Param is a parameter, written $name or :name. SET or RUN gives its value.
type Param struct {
	Span
	Name string // without the $ or the colon
}

func (*Param) expr() {}

func (e *Param) String() string { return text(e) }

func (e *Param) print(p *printer) {
	if p.param != nil {
		p.param(e).print(p)
		return
	}
	p.words("$", e.Name)
}

func (*Param) children(l nodes) nodes { return l }

// Now and Today are the expressions NOW, the current time, and TODAY, the current
// day.
type (
	Now   struct{ Span } // NOW
	Today struct{ Span } // TODAY
)

func (*Now) expr() {}

func (e *Now) String() string { return text(e) }

func (e *Now) print(p *printer) {
	p.WriteString("NOW")
}

func (*Now) children(l nodes) nodes { return l }

func (*Today) expr() {}

func (e *Today) String() string { return text(e) }

func (e *Today) print(p *printer) {
	p.WriteString("TODAY")
}

func (*Today) children(l nodes) nodes { return l }

// Column is the name of a column, written name or source.name. It refers to a
// column of a source, or to the alias of an item of SELECT.
type Column struct {
	Span
	Qualifier *Name // the source; nil if absent
	Name      Name
}

func (*Column) expr() {}

func (e *Column) String() string { return text(e) }

func (e *Column) print(p *printer) {
	if e.Qualifier != nil {
		p.name(e.Qualifier)
		p.WriteByte('.')
	}
	p.name(&e.Name)
}

func (*Column) children(l nodes) nodes { return l }

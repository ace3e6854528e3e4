package scan

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"infomall/lang/ast"
)

// goesOnAsPeriod reports whether the four digits before the current position
// are the year of a time literal: a - or a T follows with a digit after it, or
// a zone follows. Thus 2008-6 is a (wrong) time literal, never a subtraction.
func (s *Scanner) goesOnAsPeriod() bool {
	return s.peek(0) == '-' && isDigit(s.peek(1)) || s.zoneFollows() || s.peek(0) == 'T' && isDigit(s.peek(1))
}

// zoneFollows reports whether a time zone, Z or ±hh:mm, comes next. Of the
// minutes it checks the first digit only.
func (s *Scanner) zoneFollows() bool {
	switch s.peek(0) {
	case 'Z':
		return !ast.IsIdentPart(rune(s.peek(1)))
	case '+', '-':
		return isDigit(s.peek(1)) && isDigit(s.peek(2)) && s.peek(3) == ':' && isDigit(s.peek(4))
	}
	return false
}

// plainZoneFollows reports whether a time zone without its colon, +hhmm, comes
// next. The caller has checked the +.
func (s *Scanner) plainZoneFollows() bool {
	for i := 1; i <= 4; i++ {
		if !isDigit(s.peek(i)) {
			return false
		}
	}
	c := s.peek(5)
	return c < utf8.RuneSelf && !ast.IsIdentPart(rune(c))
}

// period scans a time literal that begins at the offset start. It takes all
// characters that the writer may have meant as part of the literal, so that a
// wrong literal gives one fault only.
func (s *Scanner) period(start int) {
	for {
		c := s.peek(0)
		switch {
		case c < utf8.RuneSelf && ast.IsIdentPart(rune(c)):
		case (c == '-' || c == ':' || c == '.') && isDigit(s.peek(1)):
		case c == '+' && (s.zoneFollows() || s.plainZoneFollows()):
		default:
			text := s.src[start:s.pos]
			if _, why := parsePeriod(text); why != "" {
				s.fault(start, s.pos, fmt.Sprintf("%q is not a time", text), why)
				// A well-formed literal lets the parser go on. It is not longer than text.
				s.emitAs(Period, start, "2000")
				return
			}
			s.emit(Period, start)
			return
		}
		s.pos++
	}
}

// periodForms is the hint for a wrong time literal if no more precise hint
// applies.
const periodForms = "write 2008, 2008-06, 2008-06-15 or 2008-06-15T10:30:00.000, with or without Z or +08:00"

// periodReader parses a time literal from left to right.
type periodReader struct {
	rest string
	why  string // what to write, if a part of the literal is wrong; else ""
}

// parsePeriod parses a time literal such as 2008-06. If the literal is wrong,
// the result why says what to write; otherwise why is "".
func parsePeriod(text string) (p ast.Period, why string) {
	r := periodReader{rest: text}
	p = ast.Period{Text: text, Unit: ast.UnitYear, Month: 1, Day: 1}
	p.Year = r.field(4, 0, 9999, "a year")
	if r.part('-') {
		p.Unit, p.Month = ast.UnitMonth, r.field(2, 1, 12, "a month")
		if r.part('-') {
			p.Unit, p.Day = ast.UnitDay, r.field(2, 1, 31, "a day")
			r.checkDay(p)
			r.clock(&p)
		}
	}
	r.zone(&p)
	if r.rest != "" {
		r.fail(r.restHint())
	}
	return p, r.why
}

// restHint returns what to write if the text that is left, r.rest, is not a
// valid part of a time literal.
func (r *periodReader) restHint() string {
	if t := r.rest; len(t) == 5 && (t[0] == '+' || t[0] == '-') {
		return "a zone has a colon: " + t[:3] + ":" + t[3:]
	}
	return periodForms
}

// clock reads a time of day, T10:30[:00[.123]], into p. If no T comes next, it
// does nothing.
func (r *periodReader) clock(p *ast.Period) {
	if !r.part('T') {
		return
	}
	p.Unit, p.Hour = ast.UnitMinute, r.field(2, 0, 23, "an hour")
	if !r.part(':') {
		r.fail("the minutes are missing: T10:30")
		return
	}
	p.Minute = r.field(2, 0, 59, "a minute")
	if !r.part(':') {
		return
	}
	p.Unit, p.Second = ast.UnitSecond, r.field(2, 0, 59, "a second")
	if r.part('.') {
		p.Unit, p.Milli = ast.UnitMilli, r.field(3, 0, 999, "a fraction of a second")
	}
}

// zone reads a time zone, Z or ±hh:mm, into p, if a zone comes next.
func (r *periodReader) zone(p *ast.Period) {
	if r.why != "" || r.rest == "" {
		return
	}
	switch sign := r.rest[0]; {
	case r.part('Z'):
		p.HasZone = true
	case r.atZone():
		r.rest = r.rest[1:]
		hours := r.field(2, 0, 15, "a zone's hour")
		r.part(':')
		p.HasZone, p.Offset = true, hours*3600+r.field(2, 0, 59, "a zone's minute")*60
		if sign == '-' {
			p.Offset = -p.Offset
		}
	}
}

// atZone reports whether the text that is left has the form of a time zone,
// ±hh:mm.
func (r *periodReader) atZone() bool {
	t := r.rest
	return len(t) == 6 && (t[0] == '+' || t[0] == '-') && t[3] == ':'
}

// part takes the separator c if it comes next, and reports whether it did. It
// does not take a - that begins a zone. After a fault it takes nothing.
func (r *periodReader) part(c byte) bool {
	if r.why != "" || r.rest == "" || r.rest[0] != c || c == '-' && r.atZone() {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

func (r *periodReader) fail(why string) {
	if r.why == "" {
		r.why = why
	}
}

// field reads a number of exactly digits digits and returns it. It records a
// fault if the number is missing, has another length, or is not from low to
// high; it then returns low. name is the name of the number in the hint, such
// as "a month".
func (r *periodReader) field(digits, low, high int, name string) int {
	if r.why != "" {
		return low
	}
	n := 0
	for n < len(r.rest) && isDigit(r.rest[n]) {
		n++
	}
	if n != digits {
		r.fail(digitsHint(r.rest[:n], digits, name))
		return low
	}
	v, _ := strconv.Atoi(r.rest[:n])
	r.rest = r.rest[n:]
	if v < low || v > high {
		r.fail(fmt.Sprintf("%s is %0*d to %0*d", name, digits, low, digits, high))
		return low
	}
	return v
}

// digitsHint returns how to write the field of a time literal that has too few
// or too many digits. got is the field as it was typed, digits the right
// length.
func digitsHint(got string, digits int, name string) string {
	hint := fmt.Sprintf("%s has %d digits", name, digits)
	switch zeros := digits - len(got); {
	case got == "" || zeros < 0:
	case name == "a fraction of a second":
		hint += ": ." + got + strings.Repeat("0", zeros)
	default:
		hint += ": " + strings.Repeat("0", zeros) + got
	}
	if name == "a month" {
		hint += "; to subtract put blanks around the -"
	}
	return hint
}

// checkDay records a fault if the month of p has no such day as the day of p,
// such as June 31.
func (r *periodReader) checkDay(p ast.Period) {
	last := time.Date(p.Year, time.Month(p.Month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	if r.why == "" && p.Day > last {
		r.fail(fmt.Sprintf("%s %04d has %d days", time.Month(p.Month), p.Year, last))
	}
}

func newPeriod(t *Token) *ast.Period {
	p, _ := parsePeriod(t.Value) // checked by the scanner
	p.Span = SpanOf(t)
	return &p
}

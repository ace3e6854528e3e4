package scan

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"infomall/lang/ast"
)

// The units of durations. Those in durationUnits have a fixed length; those in
// monthUnits, given in months, depend on the calendar.
var (
	durationUnits = map[string]time.Duration{
		"ms": time.Millisecond, "s": time.Second, "m": time.Minute,
		"h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
	}
	monthUnits = map[string]int{"mo": 1, "y": 12}
)

// number scans a token that begins with a digit, or with a point and a digit: a
// number, a time literal, or a number with a unit.
func (s *Scanner) number() {
	start := s.pos
	s.digits()
	if s.pos-start == 4 && s.goesOnAsPeriod() {
		s.period(start)
		return
	}
	whole := true
	if s.peek(0) == '.' && isDigit(s.peek(1)) {
		whole = false
		s.pos++
		s.digits()
	}
	if n := exponentLen(s.src[s.pos:]); n > 0 {
		whole = false
		s.pos += n
	}
	unit := s.pos
	for s.pos < len(s.src) {
		r, n := utf8.DecodeRuneInString(s.src[s.pos:])
		if !ast.IsIdentPart(r) {
			break
		}
		s.pos += n
	}
	s.measure(start, unit, whole)
}

func (s *Scanner) digits() {
	for isDigit(s.peek(0)) {
		s.pos++
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// exponentLen returns the length of the exponent at the start of src, such as 3
// for "e12", or 0.
func exponentLen(src string) int {
	if src == "" || src[0] != 'e' && src[0] != 'E' {
		return 0
	}
	n := 1
	if n < len(src) && (src[n] == '+' || src[n] == '-') {
		n++
	}
	digits := n
	for n < len(src) && isDigit(src[n]) {
		n++
	}
	if n == digits {
		return 0
	}
	return n
}

// measure emits a number with a unit. start is the offset of the number, unit
// that of the unit; without a unit the two last offsets are equal.
func (s *Scanner) measure(start, unit int, whole bool) {
	text, name := s.src[start:s.pos], s.src[unit:s.pos]
	if name == "" {
		if f, err := strconv.ParseFloat(text, 64); err != nil || math.IsInf(f, 0) {
			s.fault(start, s.pos, "number too large", "")
		}
		s.emit(Number, start)
		return
	}
	kind, ok := unitKind(name)
	fit := ok && whole && (kind != Size || sizeBytes(text, name) >= 0) && (kind != Duration || durationFits(text, name))
	switch {
	case !ok:
		s.fault(start, s.pos, fmt.Sprintf("%q is not a number", text), unitHint(s.src[start:unit], name))
	case !whole:
		s.fault(start, s.pos, text+" is not a whole number of "+name, "use a smaller unit")
	case !fit:
		s.fault(start, s.pos, text+" is too large", "")
	}
	if !fit {
		kind = Number // The fault is already reported; any number lets the parser continue.
	}
	s.emit(kind, start)
}

func unitKind(name string) (tokenType, bool) {
	if ast.UnitBytes(name) > 0 {
		return Size, true
	}
	if _, ok := durationUnits[name]; ok {
		return Duration, true
	}
	_, ok := monthUnits[name]
	return Duration, ok
}

// unitHint returns what to write for a number with an unknown unit.
func unitHint(number, name string) string {
	if ast.UnitBytes(strings.ToUpper(name)) > 0 {
		return "write " + number + strings.ToUpper(name)
	}
	if _, ok := unitKind(strings.ToLower(name)); ok {
		return "write " + number + strings.ToLower(name)
	}
	return "units are KB MB GB TB, and ms s m h d w mo y"
}

// sizeBytes returns the number of bytes that text means, such as 65536 for
// "64KB", or -1 if it does not fit an int64.
func sizeBytes(text, unit string) int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(text, unit), 10, 64)
	if err != nil || n > math.MaxInt64/ast.UnitBytes(unit) {
		return -1
	}
	return n * ast.UnitBytes(unit)
}

// monthsMax bounds a duration, in months, so that adding it to a date cannot
// overflow.
const monthsMax = 12 * 10000

func durationFits(text, unit string) bool {
	n, err := strconv.ParseInt(strings.TrimSuffix(text, unit), 10, 64)
	if err != nil {
		return false
	}
	if months, ok := monthUnits[unit]; ok {
		return n <= int64(monthsMax/months)
	}
	return n <= int64(math.MaxInt64/durationUnits[unit])
}

// unitOf returns the letters at the end of a size or a duration, such as "KB".
func unitOf(text string) string {
	return text[strings.IndexFunc(text, func(r rune) bool { return r > '9' }):]
}

func newNumber(t *Token) *ast.Number {
	n := &ast.Number{Span: SpanOf(t), Text: t.Value}
	if i, err := strconv.ParseInt(t.Value, 10, 64); err == nil {
		n.IsInt, n.Int, n.Float = true, i, float64(i)
		return n
	}
	n.Float, _ = strconv.ParseFloat(t.Value, 64) // checked by the scanner
	return n
}

func newSize(t *Token) *ast.Size {
	return &ast.Size{Span: SpanOf(t), Text: t.Value, Bytes: sizeBytes(t.Value, unitOf(t.Value))}
}

func newDuration(t *Token) *ast.Duration {
	d := &ast.Duration{Span: SpanOf(t), Text: t.Value}
	unit := unitOf(t.Value)
	n, _ := strconv.ParseInt(strings.TrimSuffix(t.Value, unit), 10, 64) // checked by the scanner
	if months, ok := monthUnits[unit]; ok {
		d.Months = int(n) * months
	} else {
		d.Length = time.Duration(n) * durationUnits[unit]
	}
	return d
}

// newString returns the string of a token '…', without the quotes.
func newString(t *Token) *ast.String {
	return &ast.String{Span: SpanOf(t), Value: Unquote(t.Value, "'")}
}

func newParam(t *Token) *ast.Param {
	return &ast.Param{Span: SpanOf(t), Name: t.Value[1:]}
}

// Name returns the name of an identifier token, quoted or not.
func Name(t *Token) ast.Name {
	if t.Type == Quoted {
		return ast.Name{Span: SpanOf(t), Text: Unquote(t.Value, `"`), Quoted: true}
	}
	return ast.Name{Span: SpanOf(t), Text: t.Value}
}

// Unquote returns the text of a token in quotes: without them, and with each
// doubled quote as one.
func Unquote(text, quote string) string {
	text = text[1 : len(text)-1]
	if strings.Contains(text, quote) {
		text = strings.ReplaceAll(text, quote+quote, quote)
	}
	return text
}

// Literal returns the constant that t is, or nil if t is not a constant.
func Literal(t *Token) ast.Expr {
	switch t.Type {
	case String:
		return newString(t)
	case Number:
		return newNumber(t)
	case Size:
		return newSize(t)
	case Duration:
		return newDuration(t)
	case Period:
		return newPeriod(t)
	case Param:
		return newParam(t)
	case Keyword:
		switch t.Value {
		case "TRUE", "FALSE":
			return &ast.Bool{Span: SpanOf(t), Value: t.Value == "TRUE"}
		case "NULL":
			return &ast.Null{Span: SpanOf(t)}
		case "TODAY":
			return &ast.Today{Span: SpanOf(t)}
		}
	}
	return nil
}

// Text returns the expression of a string or a parameter.
func Text(t *Token) ast.Expr {
	if t.Type == Param {
		return newParam(t)
	}
	return newString(t)
}

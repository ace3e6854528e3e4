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

// durationUnits and monthUnits map the units of durations to their lengths. A
// unit in durationUnits has a fixed length. The length of a unit in monthUnits is
// in months, because it depends on the calendar.
var (
	durationUnits = map[string]time.Duration{
		"ms": time.Millisecond, "s": time.Second, "m": time.Minute,
		"h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
	}
	monthUnits = map[string]int{"mo": 1, "y": 12}
)

// number scans a token that begins with a digit, or with a point and a digit.
// The token is a number, a time literal, or a number with a unit, such as 64KB.
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

// exponentLen returns the length in bytes of the exponent at the start of src,
// such as 3 for "e12", or 0 if src does not begin with an exponent.
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

// measure emits the token of a number with or without a unit, and reports a
// fault if the unit is unknown or the number does not fit. The number begins at
// the offset start, its unit at the offset unit, and the unit ends at the
// current position. whole reports whether the number has no point and no
// exponent.
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

// unitHint returns a hint for a number with an unknown unit, such as "write
// 64KB" for 64kb. name is the unit as it was typed.
func unitHint(number, name string) string {
	if ast.UnitBytes(strings.ToUpper(name)) > 0 {
		return "write " + number + strings.ToUpper(name)
	}
	if _, ok := unitKind(strings.ToLower(name)); ok {
		return "write " + number + strings.ToLower(name)
	}
	return "units are KB MB GB TB, and ms s m h d w mo y"
}

// sizeBytes returns the number of bytes that text, a number with a unit, means,
// such as 65536 for "64KB". It returns -1 if the result does not fit an int64.
func sizeBytes(text, unit string) int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(text, unit), 10, 64)
	if err != nil || n > math.MaxInt64/ast.UnitBytes(unit) {
		return -1
	}
	return n * ast.UnitBytes(unit)
}

// monthsMax is the maximum length of a duration in months. It is low enough
// that adding a duration to a date cannot overflow.
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

// ShortDuration returns the duration that text says in words, such as "7 days" or "1
// month", in the form of the language: 7d, 1mo. It returns "" if text is no whole
// number and a unit.
func ShortDuration(text string) string {
	number, unit, _ := strings.Cut(strings.TrimSpace(text), " ")
	if number != "" && strings.Trim(number, "0123456789") != "" { // as in 7d
		i := strings.IndexFunc(number, func(r rune) bool { return r < '0' || r > '9' })
		number, unit = number[:i], number[i:]+unit
	}
	unit = strings.ToLower(strings.TrimSpace(unit))
	if short := unitNames[strings.TrimSuffix(unit, "s")]; short != "" {
		unit = short
	}
	kind, ok := unitKind(unit)
	if number == "" || !ok || kind != Duration || !durationFits(number+unit, unit) {
		return ""
	}
	return number + unit
}

// unitNames maps the names of units of durations, in the singular, to the units.
var unitNames = map[string]string{"second": "s", "minute": "m", "hour": "h", "day": "d", "week": "w", "month": "mo", "year": "y"}

// unitOf returns the unit at the end of the text of a size or a duration, such
// as "KB" for "64KB".
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

// newString returns the string constant that t, a token '…', means: its text
// without the quotes.
func newString(t *Token) *ast.String {
	return &ast.String{Span: SpanOf(t), Value: Unquote(t.Value, "'")}
}

func newParam(t *Token) *ast.Param {
	return &ast.Param{Span: SpanOf(t), Name: t.Value[1:]}
}

// Name returns the name that t means. t is a name token, with or without double
// quotes.
func Name(t *Token) ast.Name {
	if t.Type == Quoted {
		return ast.Name{Span: SpanOf(t), Text: Unquote(t.Value, `"`), Quoted: true}
	}
	return ast.Name{Span: SpanOf(t), Text: t.Value}
}

// Unquote returns the text inside the quotes of a token. quote is the kind of
// quote, ' or ". A doubled quote inside becomes a single quote.
func Unquote(text, quote string) string {
	text = text[1 : len(text)-1]
	if strings.Contains(text, quote) {
		text = strings.ReplaceAll(text, quote+quote, quote)
	}
	return text
}

// Literal returns the constant or the parameter that t means, such as an
// *ast.Number for 10. It returns nil if t is neither.
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

// Text returns the expression that t means, an *ast.Param for a parameter and
// an *ast.String for a string. t must be one of these.
func Text(t *Token) ast.Expr {
	if t.Type == Param {
		return newParam(t)
	}
	return newString(t)
}

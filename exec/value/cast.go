package value

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"infomall/lang/ast"
	"infomall/store/urlkey"
)

// typeAliases maps the names of types that CAST accepts in addition to those in
// typeNames, such as bigint, to the types.
var typeAliases = map[string]Type{
	"boolean": Bool, "integer": Int, "bigint": Int, "double": Float, "real": Float, "numeric": Float, "decimal": Float, "float8": Float,
	"int4": Int, "int8": Int, "smallint": Int, "timestamptz": Time, "datetime": Time,
	"string": Text, "varchar": Text, "timestamp": Time, "interval": Duration,
}

// ParseType returns the type with the given name, such as int. It also accepts
// names that SQL uses, such as bigint. Case is ignored. The error suggests the
// nearest name.
func ParseType(name string) (Type, error) {
	s := strings.ToLower(name)
	for t := Bool; t <= Duration; t++ {
		if typeNames[t] == s {
			return t, nil
		}
	}
	if t, ok := typeAliases[s]; ok {
		return t, nil
	}
	if n := ast.Nearest(s, typeNames[Bool:]); n != "" {
		return Null, fmt.Errorf("no type %q; did you mean %s?", name, n)
	}
	return Null, fmt.Errorf("no type %q; there are %s", name, strings.Join(typeNames[Bool:], ", "))
}

// Castable reports whether CAST can convert values of one type (the parameter
// from) to another (to). Every type converts to and from Text. Int also
// converts to and from Bool, Float and Duration (in seconds), and Float to and
// from Duration. Int converts to Time: its digits are read like a period in a
// time clause, so 200806 is 1 June 2008.
func Castable(from, to Type) bool {
	switch {
	case from == to, from == Null, from.Textual(), to == Text:
		return true
	case from == Int:
		return to != URL
	case to == Int:
		return from == Bool || from == Float || from == Duration
	}
	return from == Float && to == Duration || from == Duration && to == Float
}

// Cast returns v converted to the type to. Castable must be true for the two
// types. NULL stays NULL. A float is rounded to the nearest int, half away from
// zero. A text is read like a constant of the type to. zone is the time zone of
// times without an offset. The error says why v cannot be converted, such as
// "'x' is no whole number".
func Cast(v Value, to Type, zone *time.Location) (Value, error) {
	switch {
	case v.Type == Null || v.Type == to:
		return v, nil
	case to == Text:
		if v.Type == URL {
			return OfText(v.Text), nil
		}
		return OfText(string(v.Append(nil, zone))), nil
	case v.Type.Textual():
		return castText(v.Text, to, zone)
	}
	switch to {
	case Bool:
		return OfBool(v.Int != 0), nil
	case Int:
		return castInt(v)
	case Float:
		if v.Type == Duration {
			return OfFloat(float64(v.Int) / 1000), nil
		}
		return OfFloat(float64(v.Int)), nil
	case Time:
		return castText(strconv.FormatInt(v.Int, 10), Time, zone)
	}
	return castDuration(v)
}

// castInt returns v, a Bool, a Float or a Duration, as an Int. A Duration
// becomes a number of seconds.
func castInt(v Value) (Value, error) {
	switch v.Type {
	case Bool:
		if v.Bool {
			return OfInt(1), nil
		}
		return OfInt(0), nil
	case Float:
		return Rounded(v.Float)
	}
	return Rounded(float64(v.Int) / 1000)
}

// Rounded returns f rounded to a Value of type Int, half away from zero. It
// returns an error if f is NaN or does not fit in 64 bits.
func Rounded(f float64) (Value, error) {
	r := math.Round(f)
	if !(r >= -1<<63 && r < 1<<63) {
		return Value{}, fmt.Errorf("%s is out of the range of int", appendFloat(nil, f))
	}
	return OfInt(int64(r)), nil
}

// castDuration returns v, an Int or a Float with a number of seconds, as a
// Duration.
func castDuration(v Value) (Value, error) {
	seconds := v.Float
	if v.Type == Int {
		seconds = float64(v.Int)
	}
	ms, err := Rounded(seconds * 1000)
	if err != nil {
		return Value{}, fmt.Errorf("%s s is out of the range of duration", appendFloat(nil, seconds))
	}
	return OfDuration(ms.Int), nil
}

// castText returns a text converted to the type to, which is not Text. Spaces
// around the text are ignored. zone is the time zone of times without an
// offset.
func castText(text string, to Type, zone *time.Location) (Value, error) {
	s := strings.TrimSpace(text)
	switch to {
	case Bool:
		switch strings.ToLower(s) {
		case "true", "t", "yes", "on", "1":
			return OfBool(true), nil
		case "false", "f", "no", "off", "0":
			return OfBool(false), nil
		}
		return Value{}, fmt.Errorf("%s is no bool: write true or false", OfText(text))
	case Int:
		i, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return Value{}, fmt.Errorf("%s is no whole number%s", OfText(text), outOfRange(err))
		}
		return OfInt(i), nil
	case Float:
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || strings.ContainsAny(s, "_xX") {
			return Value{}, fmt.Errorf("%s is no number%s", OfText(text), outOfRange(err))
		}
		return OfFloat(f), nil
	case Time:
		p, err := ParsePeriod(s, zone)
		return OfTime(p.From), err
	case Duration:
		return parseDuration(text)
	}
	u, err := urlkey.Canonical(s)
	if err != nil {
		return Value{}, err
	}
	return OfURL(u), nil
}

// outOfRange returns " that fits in 64 bits", the end of an error message, if
// err, an error of package strconv, says that a number is too large. Otherwise
// it returns "".
func outOfRange(err error) string {
	if e, ok := err.(*strconv.NumError); ok && e.Err == strconv.ErrRange {
		return " that fits in 64 bits"
	}
	return ""
}

// parseDuration returns the Duration that a text gives as one or more numbers
// with units, such as 1d 2h, 90m or -1.5h. A leading minus applies to the whole
// sum.
func parseDuration(text string) (Value, error) {
	fail := func() (Value, error) {
		return Value{}, fmt.Errorf("%s is no duration: write a number with ms, s, m, h, d or w, such as 36h", OfText(text))
	}
	s := strings.TrimSpace(text)
	s, negative := strings.CutPrefix(s, "-")
	if s == "" {
		return fail()
	}
	total := 0.0
	for s != "" {
		number := leading(s, func(c byte) bool { return isDigit(c) || c == '.' })
		s = strings.TrimLeft(s[len(number):], " ")
		unit := leading(s, func(c byte) bool { return 'a' <= c && c <= 'z' })
		s = strings.TrimLeft(s[len(unit):], " ")
		n, err := strconv.ParseFloat(number, 64)
		length := unitLength(unit)
		if err != nil || length == 0 {
			return fail()
		}
		total += n * float64(length)
	}
	if negative {
		total = -total
	}
	ms, err := Rounded(total)
	if err != nil {
		return Value{}, fmt.Errorf("%s is too long for a duration", OfText(text))
	}
	return OfDuration(ms.Int), nil
}

// leading returns the longest prefix of s for whose bytes the function pass
// returns true.
func leading(s string, pass func(byte) bool) string {
	for i := range len(s) {
		if !pass(s[i]) {
			return s[:i]
		}
	}
	return s
}

// unitWords maps the words for units of durations, in the singular, to the units.
var unitWords = map[string]string{
	"second": "s", "sec": "s", "minute": "m", "min": "m", "hour": "h", "hr": "h", "day": "d", "week": "w",
}

// unitLength returns the length in milliseconds of the unit with this name,
// such as 3600000 for h. The name may also be a word, such as hour or hours. It returns 0 if there
// is no such unit.
func unitLength(name string) int64 {
	if short := unitWords[strings.TrimSuffix(name, "s")]; short != "" {
		name = short
	}
	if name == "w" {
		return 7 * units[0].length
	}
	for _, u := range units {
		if u.name == name {
			return u.length
		}
	}
	return 0
}

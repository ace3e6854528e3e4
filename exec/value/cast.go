package value

import (
	"fmt"
	"infomall/lang/ast"
	"math"
	"strconv"
	"strings"
	"time"

	"infomall/store/urlkey"
)

// typeAliases holds the names that CAST accepts beside those in typeNames.
var typeAliases = map[string]Type{
	"boolean": Bool, "integer": Int, "bigint": Int, "double": Float, "real": Float,
	"string": Text, "varchar": Text, "timestamp": Time, "interval": Duration,
}

// ParseType returns the type with the given name, such as int, or with a name
// that SQL has for it, such as bigint. Case is ignored. The error suggests the
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

// Castable reports whether CAST converts type from to type to. Every type
// converts to and from Text. Int also converts to and from Bool, Float and
// Duration (in seconds), and Float to and from Duration. Int converts to Time:
// its digits are read like a period in a time clause, so 200806 is 1 June 2008.
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

// Cast converts v to type to. Castable must hold for the two types. A float is
// rounded to the nearest int, half away from zero. A text is read like a
// constant of type to, with zone as the zone of times without an offset. The
// error says what v is not, such as "'x' is no whole number".
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

// castInt converts a Bool, a Float or a Duration to an Int.
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

// Rounded returns f rounded to an Int, half away from zero. It returns an error
// if f is NaN or beyond 64 bits.
func Rounded(f float64) (Value, error) {
	r := math.Round(f)
	if !(r >= -1<<63 && r < 1<<63) {
		return Value{}, fmt.Errorf("%s is out of the range of int", AppendFloat(nil, f))
	}
	return OfInt(int64(r)), nil
}

// castDuration converts an Int or a Float, a number of seconds, to a Duration.
func castDuration(v Value) (Value, error) {
	seconds := v.Float
	if v.Type == Int {
		seconds = float64(v.Int)
	}
	ms, err := Rounded(seconds * 1000)
	if err != nil {
		return Value{}, fmt.Errorf("%s s is out of the range of duration", AppendFloat(nil, seconds))
	}
	return OfDuration(ms.Int), nil
}

// castText converts a text to type to, which is not Text. Blanks around the
// text are ignored.
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

// outOfRange returns the end of an error message if strconv reports a number as
// too large for 64 bits, otherwise "".
func outOfRange(err error) string {
	if e, ok := err.(*strconv.NumError); ok && e.Err == strconv.ErrRange {
		return " that fits in 64 bits"
	}
	return ""
}

// parseDuration reads one or more numbers with units, such as 1d 2h, 90m or
// -1.5h. A leading minus applies to the whole sum.
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

// leading returns the longest prefix of s in which each byte passes.
func leading(s string, pass func(byte) bool) string {
	for i := range len(s) {
		if !pass(s[i]) {
			return s[:i]
		}
	}
	return s
}

// unitLength returns the length of a unit such as h in milliseconds, or 0 if
// there is no such unit.
func unitLength(name string) int64 {
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

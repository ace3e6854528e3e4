// Package cellformat shows the numbers of cells in the number formats of Excel,
// such as "#,##0.00" and "yyyy-mm-dd". Names of months and days are English.
package cellformat

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// builtIn has the patterns of the number formats that a file names by number
// only, because Excel knows them. A cell whose format is not in the table is
// shown without a format. Dates whose form depends on the country are shown as
// yyyy-mm-dd.
var builtIn = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00",
	5: `"$"#,##0_);("$"#,##0)`, 6: `"$"#,##0_);("$"#,##0)`, 7: `"$"#,##0.00_);("$"#,##0.00)`, 8: `"$"#,##0.00_);("$"#,##0.00)`,
	9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
	14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy",
	18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm",
	37: "#,##0_);(#,##0)", 38: "#,##0_);(#,##0)", 39: "#,##0.00_);(#,##0.00)", 40: "#,##0.00_);(#,##0.00)",
	41: "#,##0_);(#,##0)", 42: `"$"#,##0_);("$"#,##0)`, 43: "#,##0.00_);(#,##0.00)", 44: `"$"#,##0.00_);("$"#,##0.00)`,
	45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0",
	27: "yyyy-mm-dd", 28: "yyyy-mm-dd", 29: "yyyy-mm-dd", 30: "yyyy-mm-dd", 31: "yyyy-mm-dd", 36: "yyyy-mm-dd",
	50: "yyyy-mm-dd", 51: "yyyy-mm-dd", 52: "yyyy-mm-dd", 53: "yyyy-mm-dd", 54: "yyyy-mm-dd", 57: "yyyy-mm-dd", 58: "yyyy-mm-dd",
}

// BuiltIn returns the pattern of a number format that Excel knows by its number alone. It returns
// "" for General and for unknown numbers.
func BuiltIn(number int) string { return builtIn[number] }

// Format is a number format. Its zero value shows numbers as General does.
type Format struct{ sections []section }

// Parse parses the pattern of a number format. Unknown parts of a pattern count as literal text.
func Parse(pattern string) Format {
	if pattern == "" || strings.EqualFold(pattern, "General") {
		return Format{}
	}
	return Format{sections(pattern[:min(len(pattern), patternMax)])}
}

// patternMax is the largest number of bytes of a pattern that are read. Excel
// allows 255 characters.
const patternMax = 512

// Show returns a number as the format shows it. since1904 says that dates are counted
// from 1904-01-01, not from 1900-01-01. It returns "" if v is no finite number.
func (f Format) Show(v float64, since1904 bool) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	if f.sections == nil {
		return general(v)
	}
	s, negative := choose(f.sections, v)
	if negative {
		v = -v
	}
	switch {
	case s.general:
		return s.before + general(v) + s.after
	case s.date:
		if out, ok := formatDate(v, s.tokens, since1904); ok {
			return out
		}
		return general(v)
	}
	return strings.TrimSpace(formatDigits(v, s.tokens))
}

// token is one piece of a number format.
type token struct {
	// kind is '"' for literal text, '0' for the place of a digit, '[' for elapsed time such as [h],
	// 'A' for AM or PM, 'm' for months and 'M' for minutes. Otherwise it is the character of the
	// pattern itself.
	kind byte
	text string
}

// section is the part of a number format for one kind of number, such as
// positive numbers, negative numbers, or zero.
type section struct {
	tokens        []token
	date          bool
	general       bool
	before, after string // for general: the literal text before the number, and after it
	condition     string // comparison of the number with bound, such as ">" or "<="; "" if there is none
	bound         float64
}

// sectionsMax is the largest number of sections of a number format.
const sectionsMax = 4

// sections divides code, the pattern of a number format, into sections.
func sections(code string) []section {
	var out []section
	var s section
	rest := code
	literal := func(text string) {
		if s.general {
			s.after += text
		} else {
			s.before += text
		}
		// Literal texts are joined, but digits stay apart: they may be a denominator.
		if n := len(s.tokens); n > 0 && s.tokens[n-1].kind == '"' && isDigits(text) == isDigits(s.tokens[n-1].text) {
			s.tokens[n-1].text += text
			return
		}
		s.tokens = append(s.tokens, token{'"', text})
	}
	end := func() {
		markMinutes(s.tokens)
		out, s = append(out, s), section{}
	}
	for rest != "" && len(out) < sectionsMax {
		c := rest[0]
		switch {
		case c == ';':
			end()
		case c == '"':
			text, _, _ := strings.Cut(rest[1:], `"`)
			literal(text)
			rest = rest[min(len(rest)-1, len(text)+1):]
		case c == '\\' || c == '_' || c == '*':
			_, n := utf8.DecodeRuneInString(rest[1:])
			switch c {
			case '\\':
				literal(rest[1 : 1+n])
			case '_':
				literal(" ") // as wide as the character
			}
			rest = rest[n:]
		case c == '[':
			text, _, _ := strings.Cut(rest[1:], "]")
			s.bracket(text, literal)
			rest = rest[min(len(rest)-1, len(text)+1):]
		case len(rest) >= 7 && strings.EqualFold(rest[:7], "General"):
			s.general = true
			rest = rest[6:]
		case len(rest) >= 5 && strings.EqualFold(rest[:5], "AM/PM"):
			s.tokens, s.date = append(s.tokens, token{'A', "AM/PM"}), true
			rest = rest[4:]
		case len(rest) >= 3 && strings.EqualFold(rest[:3], "A/P"):
			s.tokens, s.date = append(s.tokens, token{'A', "A/P"}), true
			rest = rest[2:]
		case c == '0' || c == '#' || c == '?':
			s.tokens = append(s.tokens, token{'0', rest[:1]})
		case (c == 'E' || c == 'e') && len(rest) > 1 && (rest[1] == '+' || rest[1] == '-'):
			s.tokens = append(s.tokens, token{'E', rest[1:2]})
			rest = rest[1:]
		case strings.IndexByte("ymdhsYMDHSe", c) >= 0:
			c |= 0x20
			n := 1
			for n < len(rest) && rest[n]|0x20 == c {
				n++
			}
			if c == 'e' {
				n = 1
				s.tokens = append(s.tokens, token{'y', "yyyy"})
			} else {
				s.tokens = append(s.tokens, token{c, rest[:n]})
			}
			s.date = true
			rest = rest[n-1:]
		case c == '.' || c == ',' || c == '%' || c == '/':
			s.tokens = append(s.tokens, token{c, rest[:1]})
		case c == '@':
			s.general = true
		default:
			_, n := utf8.DecodeRuneInString(rest)
			literal(rest[:n])
			rest = rest[n-1:]
		}
		rest = rest[1:]
	}
	if len(out) < sectionsMax {
		end()
	}
	if len(out) == 1 && len(out[0].tokens) == 0 {
		out[0].general = true
	}
	return out
}

// bracket handles text, the content of brackets in a number format: a colour, a
// condition, a currency with a language, or elapsed time such as [h]. It calls
// literal with a currency.
func (s *section) bracket(text string, literal func(string)) {
	switch {
	case text == "":
	case text[0] == '$':
		currency, _, _ := strings.Cut(text[1:], "-")
		if currency != "" {
			literal(currency)
		}
	case strings.Trim(strings.ToLower(text), "h") == "" || strings.Trim(strings.ToLower(text), "m") == "" || strings.Trim(strings.ToLower(text), "s") == "":
		s.tokens, s.date = append(s.tokens, token{'[', strings.ToLower(text)}), true
	case text[0] == '<' || text[0] == '>' || text[0] == '=':
		sign := strings.TrimRight(text, "0123456789.-+eE ")
		if bound, err := strconv.ParseFloat(strings.TrimSpace(text[len(sign):]), 64); err == nil {
			s.condition, s.bound = sign, bound
		}
	}
}

// choose returns the section of list that shows the number v. negative says
// that the section shows v without its sign.
func choose(list []section, v float64) (s section, negative bool) {
	numbers := list[:min(len(list), 3)]
	for _, s := range numbers {
		met := false
		switch s.condition {
		case "<":
			met = v < s.bound
		case "<=":
			met = v <= s.bound
		case ">":
			met = v > s.bound
		case ">=":
			met = v >= s.bound
		case "=":
			met = v == s.bound
		case "<>":
			met = v != s.bound
		}
		if met {
			return s, v < 0 && len(numbers) > 1
		}
	}
	if numbers[0].condition != "" {
		return numbers[len(numbers)-1], false
	}
	switch {
	case v < 0 && len(numbers) > 1:
		return numbers[1], true
	case v == 0 && len(numbers) > 2:
		return numbers[2], false
	}
	return numbers[0], false
}

// general returns v as the format General shows it, with at most ten
// significant digits.
func general(v float64) string {
	size := math.Abs(v)
	if v == math.Trunc(v) && size < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 10, 64), 64)
	if size >= 1e15 || size < 1e-9 {
		return strconv.FormatFloat(v, 'E', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// decimal returns the digits of v before and after the point. v is not
// negative, and is rounded half up to the given number of decimals.
func decimal(v float64, decimals int) (whole, fraction string) {
	// A double has 15 digits that are sure; the rest is noise.
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	whole, fraction, _ = strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
	if len(fraction) <= decimals {
		return whole, fraction + strings.Repeat("0", decimals-len(fraction))
	}
	up := fraction[decimals] >= '5'
	digits := []byte(whole + fraction[:decimals])
	for i := len(digits) - 1; up && i >= 0; i-- {
		if digits[i]++; digits[i] <= '9' {
			up = false
		} else {
			digits[i] = '0'
		}
	}
	if up {
		digits = append([]byte{'1'}, digits...)
	}
	n := len(digits) - decimals
	return string(digits[:n]), string(digits[n:])
}

// decimalsMax is the largest number of decimals with which a number is shown.
const decimalsMax = 30

// formatDigits returns v as the digit placeholders in tokens show it, such as 0
// and #.
func formatDigits(v float64, tokens []token) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	// The shape of the format: where its point and exponent are, and its commas.
	point, exponent, slash := -1, -1, -1
	first, last := -1, -1
	firstZero, lastZero := len(tokens), -1 // the first place "0" and the last one before the exponent
	for i, t := range tokens {
		switch t.kind {
		case '0':
			if t.text == "0" {
				firstZero = min(firstZero, i)
				if exponent < 0 {
					lastZero = i
				}
			}
			if first < 0 {
				first = i
			}
			if exponent < 0 {
				last = i
			}
		case '.':
			if point < 0 && exponent < 0 {
				point = i
			}
		case 'E':
			if exponent < 0 {
				exponent = i
			}
		case '/':
			if first >= 0 && slash < 0 {
				slash = i
			}
		case '%':
			v *= 100
		}
	}
	if first < 0 {
		return sign + literals(tokens)
	}
	if slash >= 0 && point < 0 && exponent < 0 && slash+1 < len(tokens) && (tokens[slash+1].kind == '0' || isDigit(tokens[slash+1])) {
		return sign + formatFraction(v, tokens, slash)
	}
	grouped := false
	whole, decimals := 0, 0 // places before and after the point
	for i, t := range tokens[:last+1] {
		switch {
		case t.kind == ',' && i > first && (point < 0 || i < point):
			grouped = true
		case t.kind == '0' && (point < 0 || i < point):
			whole++
		case t.kind == '0':
			decimals++
		}
	}
	for i := last + 1; i < len(tokens) && tokens[i].kind == ','; i++ {
		v /= 1000
	}
	decimals = min(decimals, decimalsMax)
	power := 0
	if exponent >= 0 && v > 0 {
		power = int(math.Floor(math.Log10(v)))
		if whole > 1 {
			power = int(math.Floor(float64(power)/float64(whole))) * whole
		}
		v /= math.Pow10(power)
	}
	integer, fraction := decimal(v, decimals)
	if integer == "0" {
		integer = ""
	}
	var out strings.Builder
	place, skip := 0, len(integer)-whole // places seen; digits that come before the first place
	seen := 0                            // decimals written
	write := func(n int) {
		// The digit that has n digits after it.
		if i := len(integer) - 1 - n; i >= 0 {
			out.WriteByte(integer[i])
		} else {
			out.WriteByte('0')
		}
		if grouped && n > 0 && n%3 == 0 {
			out.WriteByte(',')
		}
	}
	for i, t := range tokens {
		switch {
		case t.kind == '0' && exponent >= 0 && i > exponent:
			if i == exponent+1 || tokens[i-1].kind != '0' {
				out.WriteString(exponentText(power, tokens[exponent].text, tokens[i:]))
			}
		case t.kind == '0' && (point < 0 || i < point):
			place++
			if place == 1 {
				for n := range max(skip, 0) {
					write(len(integer) - 1 - n)
				}
			}
			n := whole - place
			if n < len(integer) || firstZero <= i {
				write(n)
			}
		case t.kind == '0':
			if seen++; seen <= decimals {
				if rest := strings.TrimRight(fraction[seen-1:], "0"); rest != "" || lastZero >= i {
					out.WriteByte(fraction[seen-1])
				}
			}
		case t.kind == '.' && i == point:
			if decimals > 0 && (strings.Trim(fraction, "0") != "" || lastZero > i) || decimals == 0 {
				out.WriteByte('.')
			}
		case t.kind == '"' || t.kind == '%' || t.kind == '/' || t.kind == '.':
			out.WriteString(t.text)
		case t.kind == 'E':
			out.WriteByte('E')
		}
	}
	text := out.String()
	if sign != "" && strings.Trim(integer+fraction, "0") == "" {
		sign = ""
	}
	return sign + text
}

// exponentText returns the exponent power with its sign. The placeholders for
// its digits are at the beginning of places.
func exponentText(power int, sign string, places []token) string {
	n := 0
	for n < len(places) && places[n].kind == '0' {
		n++
	}
	text := strconv.Itoa(max(power, -power))
	if text = strings.Repeat("0", max(0, n-len(text))) + text; power < 0 {
		return "-" + text
	}
	if sign == "+" {
		return "+" + text
	}
	return text
}

// literals returns the literal text of a number format.
func literals(tokens []token) string {
	var out strings.Builder
	for _, t := range tokens {
		if t.kind == '"' || t.kind == '%' {
			out.WriteString(t.text)
		}
	}
	return out.String()
}

// denominatorMax is the largest denominator of a fraction.
const denominatorMax = 9999

// formatFraction returns v as a whole number and a fraction, such as "1 3/4".
// tokens[slash] is the slash of the format. After it come placeholders for the
// denominator, or a fixed denominator such as 16.
func formatFraction(v float64, tokens []token, slash int) string {
	digits := ""
	for _, t := range tokens[slash+1:] {
		if t.kind != '0' && !isDigit(t) {
			break
		}
		digits += t.text
	}
	from, to := 1, min(int(math.Pow10(len(digits)))-1, denominatorMax)
	if isDigit(tokens[slash+1]) {
		fixed, err := strconv.Atoi(digits)
		if from = max(1, fixed); err != nil || from > denominatorMax {
			return general(v)
		}
		to = from
	}
	mixed := false // there are places for the whole before those of the numerator
	for i := 1; i < slash; i++ {
		mixed = mixed || tokens[i].kind == '0' && tokens[i-1].kind != '0' && tokens[0].kind == '0'
	}
	whole := 0.0
	if mixed {
		whole = math.Floor(v)
	}
	over, under := math.Round((v-whole)*float64(from)), from
	if to > from {
		over, under = nearest(v-whole, to)
	}
	if mixed && over == float64(under) {
		whole, over = whole+1, 0
	}
	text := strconv.FormatFloat(whole, 'f', 0, 64)
	if over == 0 {
		return text
	}
	fraction := strconv.FormatFloat(over, 'f', 0, 64) + "/" + strconv.Itoa(under)
	if whole != 0 {
		return text + " " + fraction
	}
	return fraction
}

// nearest returns the fraction over/under that is nearest to v, which is not
// negative, with a denominator of at most denominators. It computes the
// continued fraction of v.
func nearest(v float64, denominators int) (over float64, under int) {
	p0, q0, p1, q1 := 0.0, 1.0, 1.0, 0.0
	for x := v; ; {
		a := math.Floor(x)
		q := q0 + a*q1
		if q > float64(denominators) {
			break
		}
		p0, q0, p1, q1 = p1, q1, p0+a*p1, q
		if x-a < 1e-9 {
			return p1, int(q1)
		}
		x = 1 / (x - a)
	}
	k := math.Floor((float64(denominators) - q0) / q1)
	p, q := p0+k*p1, q0+k*q1
	if math.Abs(p/q-v) < math.Abs(p1/q1-v) {
		return p, int(q)
	}
	return p1, int(q1)
}

// isDigits reports whether text consists of digits only, at least one.
func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// isDigit reports whether a token is literal text that consists of digits.
func isDigit(t token) bool { return t.kind == '"' && isDigits(t.text) }

package ooxml

import (
	"math"
	"strconv"
	"strings"
	"time"

	"infomall/store/document/xmlpull"
)

// numberFormat says how a cell shows a number. nil shows it as Excel's General does.
type numberFormat struct {
	sections []formatSection // for positive numbers, negative numbers and zero
}

// formatSection is one of the sections of a format code. A section that is not simple
// is general.
type formatSection struct {
	general        bool
	tokens         []dateToken // of a date or time; nil for others
	prefix, suffix string
	literal        bool // prefix is all that is shown
	whole          int  // digits before the point at least
	most, least    int  // digits after the point
	thousands      bool
	scale          float64
	exponent       int // digits of the exponent at least; 0 without one
}

// dateToken is a piece of a date: a run of the letter code, or a literal if code is 0.
type dateToken struct {
	code    byte // 'y', 'M' month, 'd', 'h', 'm' minute, 's', 'f' fraction, 'a' AM/PM, 'H' elapsed hours, 'N' elapsed minutes, 'S' elapsed seconds
	n       int
	literal string
}

// isoDate and isoTime are used for the formats that depend on the reader's country.
const (
	isoDate = "yyyy-mm-dd"
	isoTime = "yyyy-mm-dd hh:mm"
)

// builtin are the format codes that have a number and no code in the file.
var builtin = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00",
	14: isoDate, 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
	20: "h:mm", 21: "h:mm:ss", 22: isoTime, 27: isoDate, 28: isoDate, 29: isoDate, 30: isoDate, 31: isoDate,
	32: "h:mm", 33: "h:mm:ss", 34: "h:mm", 35: "h:mm:ss", 36: isoDate,
	37: "#,##0;-#,##0", 38: "#,##0;-#,##0", 39: "#,##0.00;-#,##0.00", 40: "#,##0.00;-#,##0.00",
	45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "0.0E+0",
	50: isoDate, 51: isoDate, 52: isoDate, 53: isoDate, 54: isoDate, 55: isoDate, 56: isoDate, 57: isoDate, 58: isoDate,
}

// readFormats reads the number formats of the cells' styles.
func (r *bookReader) readFormats(part string) {
	s, err := r.p.scan(part)
	if err != nil {
		return
	}
	codes := make(map[int]string)
	parsed := make(map[int]*numberFormat)
	inCells := false
	for s.Next() {
		switch {
		case s.Kind == xmlpull.End && s.Name == "x:cellXfs":
			return
		case s.Kind != xmlpull.Start:
		case s.Name == "x:numFmt":
			if id, err := strconv.Atoi(s.Attr("numFmtId")); err == nil && len(codes) < partsMax {
				codes[id] = s.Attr("formatCode")
			}
		case s.Name == "x:cellXfs":
			inCells = true
		case s.Name == "x:xf" && inCells && len(r.formats) < partsMax:
			id, _ := strconv.Atoi(s.Attr("numFmtId"))
			f, ok := parsed[id]
			if !ok {
				code, own := codes[id]
				if !own {
					code = builtin[id]
				}
				f = parseFormat(code)
				parsed[id] = f
			}
			r.formats = append(r.formats, f)
		}
	}
}

// formatCodeMax is how long a format code may be. Excel allows 255 characters.
const formatCodeMax = 1000

// parseFormat returns the format of a code such as "#,##0.00;[Red]-#,##0.00", or nil
// for General and for what is not understood.
func parseFormat(code string) *numberFormat {
	if code == "" || len(code) > formatCodeMax || strings.EqualFold(code, "general") || code == "@" {
		return nil
	}
	if strings.HasPrefix(code, "[$-F800]") || strings.HasPrefix(code, "[$-x-sysdate]") {
		code = isoDate
	}
	f := &numberFormat{}
	for _, section := range splitFormat(code) {
		if len(f.sections) == 3 {
			break // the fourth section is for text
		}
		f.sections = append(f.sections, parseSection(section))
	}
	return f
}

// splitFormat splits a code at the semicolons that are not quoted.
func splitFormat(code string) []string {
	var out []string
	quoted, from := false, 0
	for i := 0; i < len(code); i++ {
		switch {
		case code[i] == '"':
			quoted = !quoted
		case code[i] == '\\' && !quoted:
			i++
		case code[i] == ';' && !quoted:
			out, from = append(out, code[from:i]), i+1
		}
	}
	return append(out, code[min(from, len(code)):])
}

// parseSection parses one section of a code.
func parseSection(code string) formatSection {
	general := formatSection{general: true}
	var literals strings.Builder
	var pattern []byte // the digits' part of a number
	var tokens []dateToken
	dates, after := false, false // after: a literal stands after the digits
	sec := formatSection{scale: 1}
	literal := func(text string) {
		if len(pattern) > 0 {
			after = true
		}
		literals.WriteString(text)
		tokens = append(tokens, dateToken{literal: text})
	}
	for i := 0; i < len(code); i++ {
		c := code[i]
		switch c {
		case '"':
			end := strings.IndexByte(code[i+1:], '"')
			if end < 0 {
				return general
			}
			literal(code[i+1 : i+1+end])
			i += end + 1
		case '\\':
			if i++; i < len(code) {
				literal(code[i : i+1])
			}
		case '_':
			i++ // a blank as wide as the next character
		case '*':
			i++ // fills the cell
		case '[':
			end := strings.IndexByte(code[i:], ']')
			if end < 0 {
				return general
			}
			in := code[i+1 : i+end]
			i += end
			switch l := strings.ToLower(in); {
			case strings.HasPrefix(in, "$"):
				symbol, _, _ := strings.Cut(in[1:], "-")
				literal(symbol)
			case l != "" && (strings.Trim(l, "h") == "" || strings.Trim(l, "m") == "" || strings.Trim(l, "s") == ""):
				tokens, dates = append(tokens, dateToken{code: map[byte]byte{'h': 'H', 'm': 'N', 's': 'S'}[l[0]], n: len(l)}), true
			case strings.ContainsAny(in, "<>="):
				return general
			}
		case '0', '#', '?', '.', ',':
			if dates || c == '.' && i+1 < len(code) && code[i+1] == '0' && dates {
				n := 0
				for c == '.' && i+1 < len(code) && code[i+1] == '0' {
					i, n = i+1, n+1
				}
				if n > 0 {
					tokens = append(tokens, dateToken{code: 'f', n: n})
				} else {
					literal(string(c))
				}
				continue
			}
			if after {
				return general // digits with text between them
			}
			if len(pattern) == 0 {
				sec.prefix = literals.String()
				literals.Reset()
			}
			pattern = append(pattern, c)
		case '%':
			sec.scale *= 100
			literal("%")
		case 'E', 'e':
			if len(pattern) == 0 || i+1 >= len(code) || code[i+1] != '+' && code[i+1] != '-' {
				literal(string(c))
				continue
			}
			for i++; i+1 < len(code) && code[i+1] == '0'; i++ {
				sec.exponent++
			}
		case 'y', 'Y', 'm', 'M', 'd', 'D', 'h', 'H', 's', 'S':
			n := 1
			for i+1 < len(code) && code[i+1]|0x20 == c|0x20 {
				i, n = i+1, n+1
			}
			tokens, dates = append(tokens, dateToken{code: c | 0x20, n: n}), true
		case 'A', 'a':
			if rest := strings.ToUpper(code[i:]); strings.HasPrefix(rest, "AM/PM") {
				tokens, i = append(tokens, dateToken{code: 'a'}), i+4
			} else if strings.HasPrefix(rest, "A/P") {
				tokens, i = append(tokens, dateToken{code: 'a'}), i+2
			} else {
				return general
			}
		case '@':
			return general
		case '/':
			if len(pattern) > 0 && !dates {
				return general // a fraction
			}
			literal("/")
		default:
			literal(string(c))
		}
	}
	if dates {
		sec.tokens = minutes(tokens)
		return sec
	}
	if len(pattern) == 0 {
		sec.literal, sec.prefix = true, literals.String()
		return sec
	}
	sec.suffix = literals.String()
	return sec.digits(string(pattern))
}

// digits reads the pattern of a number's digits, such as "#,##0.00".
func (sec formatSection) digits(pattern string) formatSection {
	whole, fraction, _ := strings.Cut(pattern, ".")
	for strings.HasSuffix(whole, ",") || strings.HasSuffix(fraction, ",") {
		whole, fraction = strings.TrimSuffix(whole, ","), strings.TrimSuffix(fraction, ",")
		sec.scale /= 1000
	}
	sec.thousands = strings.Contains(whole, ",")
	sec.whole = min(strings.Count(whole, "0"), 30)
	sec.most = min(len(fraction), 30)
	sec.least = min(strings.Count(fraction, "0"), sec.most)
	return sec
}

// minutes decides which "m" are minutes: those after hours and before seconds. The
// others are months.
func minutes(tokens []dateToken) []dateToken {
	last := byte(0)
	for i, t := range tokens {
		if t.code == 'm' {
			next := byte(0)
			for _, u := range tokens[i+1:] {
				if u.code != 0 {
					next = u.code
					break
				}
			}
			if last != 'h' && last != 'H' && next != 's' && next != 'S' {
				tokens[i].code = 'M'
			}
		}
		if t.code != 0 {
			last = t.code
		}
	}
	return tokens
}

// append appends what a cell shows for a number to dst. since04 says that days are
// counted from 1904.
func (f *numberFormat) append(dst []byte, number string, since04 bool) []byte {
	number = strings.TrimSpace(number)
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return append(dst, number...)
	}
	if f == nil {
		return appendGeneral(dst, v)
	}
	sec, size := &f.sections[0], v
	switch {
	case v < 0 && len(f.sections) > 1:
		sec, size = &f.sections[1], -v
	case v == 0 && len(f.sections) > 2:
		sec = &f.sections[2]
	}
	switch {
	case sec.general:
		return appendGeneral(dst, v)
	case sec.literal:
		return append(dst, sec.prefix...)
	case sec.tokens != nil:
		return sec.appendDate(dst, v, since04)
	}
	if size < 0 {
		dst, size = append(dst, '-'), -size
	}
	dst = append(dst, sec.prefix...)
	size *= sec.scale
	if sec.exponent > 0 {
		text := strconv.FormatFloat(size, 'E', sec.most, 64)
		return append(append(dst, text...), sec.suffix...)
	}
	if size >= 1e21 {
		return appendGeneral(dst, size)
	}
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(size, 'f', sec.most, 64), ".")
	for len(fraction) > sec.least && fraction[len(fraction)-1] == '0' {
		fraction = fraction[:len(fraction)-1]
	}
	if whole == "0" && sec.whole == 0 && fraction != "" {
		whole = ""
	}
	for len(whole) < sec.whole {
		whole = "0" + whole
	}
	for i := range len(whole) {
		if dst = append(dst, whole[i]); sec.thousands && i < len(whole)-1 && (len(whole)-1-i)%3 == 0 {
			dst = append(dst, ',')
		}
	}
	if fraction != "" {
		dst = append(append(dst, '.'), fraction...)
	}
	return append(dst, sec.suffix...)
}

// appendGeneral appends a number with at most 10 digits, as Excel shows numbers
// without a format.
func appendGeneral(dst []byte, v float64) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.AppendInt(dst, int64(v), 10)
	}
	if size := math.Abs(v); size < 1e-5 || size >= 1e15 {
		return append(dst, strings.ToUpper(strconv.FormatFloat(v, 'e', -1, 64))...)
	}
	text := strconv.FormatFloat(v, 'f', 10, 64)
	return append(dst, strings.TrimRight(strings.TrimRight(text, "0"), ".")...)
}

// lastDay is the 31 December 9999 as a number of days.
const lastDay = 2_958_466

// appendDate appends a number of days as a date or time.
func (sec *formatSection) appendDate(dst []byte, days float64, since04 bool) []byte {
	if days < 0 || days >= lastDay {
		return appendGeneral(dst, days)
	}
	base := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case since04:
		base = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days < 60: // Excel takes 1900 for a leap year
		base = base.AddDate(0, 0, 1)
	}
	step := int64(1000)
	for _, t := range sec.tokens {
		if t.code == 'f' {
			step = 1
		}
	}
	ms := int64(math.Round(days*86_400_000/float64(step))) * step
	t := base.Add(time.Duration(ms%86_400_000)*time.Millisecond).AddDate(0, 0, int(ms/86_400_000))
	pm := false
	for _, tok := range sec.tokens {
		pm = pm || tok.code == 'a'
	}
	for _, tok := range sec.tokens {
		dst = appendToken(dst, tok, t, ms, pm)
	}
	return dst
}

// appendToken appends one piece of a date. ms is the time since day 0 in milliseconds.
func appendToken(dst []byte, tok dateToken, t time.Time, ms int64, pm bool) []byte {
	number := func(n int64) []byte {
		if tok.n >= 2 && n < 10 {
			dst = append(dst, '0')
		}
		return strconv.AppendInt(dst, n, 10)
	}
	switch tok.code {
	case 'y':
		if tok.n <= 2 {
			return t.AppendFormat(dst, "06")
		}
		return t.AppendFormat(dst, "2006")
	case 'M', 'd':
		layouts := [...]string{"1", "01", "Jan", "January"}
		if tok.code == 'd' {
			layouts = [...]string{"2", "02", "Mon", "Monday"}
		}
		if tok.code == 'M' && tok.n == 5 {
			return append(dst, t.Month().String()[0])
		}
		return t.AppendFormat(dst, layouts[min(tok.n, 4)-1])
	case 'h':
		h := t.Hour()
		if pm {
			h = (h+11)%12 + 1
		}
		return number(int64(h))
	case 'm':
		return number(int64(t.Minute()))
	case 's':
		return number(int64(t.Second()))
	case 'f':
		text := strconv.Itoa(1000 + t.Nanosecond()/1_000_000)
		return append(append(dst, '.'), text[1:1+min(tok.n, 3)]...)
	case 'a':
		return t.AppendFormat(dst, "PM")
	case 'H':
		return number(ms / 3_600_000)
	case 'N':
		return number(ms / 60_000)
	case 'S':
		return number(ms / 1000)
	}
	return append(dst, tok.literal...)
}

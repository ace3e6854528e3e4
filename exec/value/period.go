package value

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"infomall/lang/ast"
	"infomall/store/record"
)

// Period is a range of times: From <= time < To. A time literal names a period:
// 2008-06 is all of June 2008.
type Period struct {
	From, To record.Time
}

// periodForms says in error messages how a time is written.
const periodForms = "write 2008, 2008-06, 2008-06-15 or 2008-06-15T10:30:00"

// IsPeriod reports whether the expression e is written like a time in a time
// clause: a period literal, a number, a string, a parameter, NOW or TODAY, with
// or without durations added or subtracted.
func IsPeriod(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.String, *ast.Number, *ast.Period, *ast.Param, *ast.Now, *ast.Today:
		return true
	case *ast.Binary:
		_, ok := e.Y.(*ast.Duration)
		return ok && (e.Op == "+" || e.Op == "-") && IsPeriod(e.X)
	}
	return false
}

// PeriodOf returns the period that e names: all of June for 2008-06. IsPeriod
// must be true for e. NOW is a period of one millisecond. Adding or subtracting
// a duration keeps the length: TODAY - 7d is a whole day, and 2008-03 - 1mo is
// all of February. Each error is an *ast.Error.
func PeriodOf(e ast.Expr, env *Env) (Period, error) {
	w, err := wholeOf(e, env)
	if err != nil {
		return Period{}, err
	}
	p, ok := w.period()
	if !ok {
		return Period{}, ast.Errorf(e, "%s lies outside the years 1 to 9999", e)
	}
	return p, nil
}

// ParsePeriod returns the period that the text s names: all of June for
// 2008-06. s is a time literal, or 4, 6, 8, 10, 12 or 14 digits: 200806 is
// 2008-06. zone is the time zone if s has no offset from UTC.
func ParsePeriod(s string, zone *time.Location) (Period, error) {
	w, err := parseWhole(s, zone)
	if err != nil {
		return Period{}, err
	}
	p, ok := w.period()
	if !ok {
		return Period{}, fmt.Errorf("%q lies outside the years 1 to 9999", s)
	}
	return p, nil
}

// whole is a period given as its start and its length, one calendar unit: for
// example one month from 1 June 2008.
type whole struct {
	start time.Time
	unit  ast.Unit
}

// period returns w as a Period. It returns false if w does not lie within the
// years 1 to 9999.
func (w whole) period() (Period, bool) {
	p := Period{From: record.At(w.start), To: record.At(w.end())}
	return p, p.From >= record.MinTime && p.To <= record.MaxTime+1
}

// end returns the end of the period w: the first moment after it.
func (w whole) end() time.Time {
	switch w.unit {
	case ast.UnitYear:
		return AddMonths(w.start, 12)
	case ast.UnitMonth:
		return AddMonths(w.start, 1)
	case ast.UnitDay:
		return addDays(w.start, 1)
	case ast.UnitHour:
		return w.start.Add(time.Hour)
	case ast.UnitMinute:
		return w.start.Add(time.Minute)
	case ast.UnitSecond:
		return w.start.Add(time.Second)
	}
	return w.start.Add(time.Millisecond)
}

// AddMonths returns t moved by a number of calendar months, which may be
// negative, in the zone of t. If the new month does not have the day of t, the
// result is the last day of that month: 31 January plus one month is 28 or 29
// February.
func AddMonths(t time.Time, months int) time.Time {
	y, m, d := t.Date()
	m += time.Month(months)
	last := time.Date(y, m+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return onDate(t, y, m, min(d, last))
}

// wholeOf returns the period that e names. The error, an *ast.Error, points at
// the part of e that is not a time.
func wholeOf(e ast.Expr, env *Env) (whole, error) {
	zone := env.Location()
	switch e := e.(type) {
	case *ast.String:
		if strings.EqualFold(strings.TrimSpace(e.Value), "now") {
			return wholeOf(&ast.Now{Span: e.Span}, env)
		}
		if days, ok := dayWords[strings.ToLower(strings.TrimSpace(e.Value))]; ok {
			now := env.Now.Std().In(zone)
			return whole{addDays(StartOf("day", now), days), ast.UnitDay}, nil
		}
		return placed(e, e.Value, zone)
	case *ast.Number:
		return placed(e, e.Text, zone)
	case *ast.Param:
		s, err := env.Param(e)
		if err != nil {
			return whole{}, err
		}
		w, err := parseWhole(s, zone)
		if err != nil {
			return whole{}, ast.Errorf(e, "parameter $%s: %v", e.Name, err)
		}
		return w, nil
	case *ast.Period:
		return wholeOfLiteral(e, zone)
	case *ast.Now:
		return whole{env.Now.Std().In(zone), ast.UnitMilli}, nil
	case *ast.Today:
		now := env.Now.Std().In(zone)
		return whole{StartOf("day", now), ast.UnitDay}, nil
	case *ast.Binary:
		if d, ok := e.Y.(*ast.Duration); ok && (e.Op == "+" || e.Op == "-") {
			return moved(e, d, env)
		}
	}
	err := ast.Errorf(e, "%s is no time", e)
	err.Hint = periodForms
	return whole{}, err
}

// day is a duration of 24 hours. A calendar day may be longer or shorter, when
// clocks change.
const day = 24 * time.Hour

// moved returns the period that e names, which is e.X plus or minus the
// duration d. Whole days are calendar days: TODAY - 7d begins at midnight, even
// if the clocks changed in between.
func moved(e *ast.Binary, d *ast.Duration, env *Env) (whole, error) {
	w, err := wholeOf(e.X, env)
	if err != nil {
		return whole{}, err
	}
	sign := 1
	if e.Op == "-" {
		sign = -1
	}
	const monthsMax = 12 * 10000 // more would leave the calendar in any case
	if d.Months > monthsMax || d.Months < -monthsMax {
		return whole{}, ast.Errorf(d, "%s is too long", d.Text)
	}
	w.start = AddMonths(w.start, sign*d.Months)
	if d.Length%day == 0 {
		w.start = addDays(w.start, sign*int(d.Length/day))
	} else {
		w.start = w.start.Add(time.Duration(sign) * d.Length)
	}
	return w, nil
}

// Param returns the text of the parameter p, such as $x. It returns an
// *ast.Error if the parameter has no value.
func (e *Env) Param(p *ast.Param) (string, error) {
	s, ok := e.Params[p.Name]
	if !ok {
		err := ast.Errorf(p, "parameter $%s has no value", p.Name)
		err.Hint = fmt.Sprintf("give it with --param %s=… or SET $%s = …", p.Name, p.Name)
		if e.Run != "" {
			err.Hint = fmt.Sprintf("write %s (%s = …)", e.Run, p.Name)
		}
		return "", err
	}
	return s, nil
}

// placed returns the period that the text s names. An error of parseWhole becomes an *ast.Error
// that points at e.
func placed(e ast.Expr, s string, zone *time.Location) (whole, error) {
	w, err := parseWhole(s, zone)
	if err != nil {
		return whole{}, ast.Errorf(e, "%v", err)
	}
	return w, nil
}

// wholeOfLiteral returns the period that the time literal p names. zone is the
// time zone if p has no offset from UTC.
func wholeOfLiteral(p *ast.Period, zone *time.Location) (whole, error) {
	if p.HasZone {
		zone = time.FixedZone("", p.Offset)
	}
	f := fields{p.Year, p.Month, p.Day, p.Hour, p.Minute, p.Second, p.Milli}
	if why := f.fault(); why != "" {
		return whole{}, ast.Errorf(p, "%s is no time: %s", p.Text, why)
	}
	return whole{f.in(zone), p.Unit}, nil
}

// fields holds the parts of a time, in this order: year, month, day, hour,
// minute, second, millisecond.
type fields [7]int

// fault returns why f is not a valid time, such as "there is no month 13". It
// returns "" if f is valid.
func (f fields) fault() string {
	names := [...]string{"year", "month", "day", "hour", "minute", "second"}
	low := [...]int{1, 1, 1, 0, 0, 0}
	high := [...]int{9999, 12, 31, 23, 59, 59}
	for i, name := range names {
		if f[i] < low[i] || f[i] > high[i] {
			return fmt.Sprintf("there is no %s %d", name, f[i])
		}
	}
	if days := time.Date(f[0], time.Month(f[1])+1, 0, 0, 0, 0, 0, time.UTC).Day(); f[2] > days {
		return fmt.Sprintf("that month has %d days", days)
	}
	return ""
}

// in returns the time with the fields f in the given zone.
func (f fields) in(zone *time.Location) time.Time {
	return onClock(time.Date(f[0], time.Month(f[1]), f[2], f[3], f[4], f[5], f[6]*int(time.Millisecond), time.UTC), zone)
}

// parseWhole returns the period that a time literal in a text names. zone is
// the time zone if the text has no offset from UTC. A space may replace the T
// between day and hour. Digits of a second beyond the millisecond are dropped,
// because the archive stores no finer time. The day may have another form, see dateForms.
func parseWhole(text string, zone *time.Location) (whole, error) {
	s := strings.TrimSpace(text)
	fail := func(why string) (whole, error) {
		return whole{}, fmt.Errorf("%q is no time: %s", text, why)
	}
	f, unit, rest, ok := scanDigits(s)
	if !ok {
		f, unit, rest, ok = scanFields(s)
	}
	if !ok || rest != "" && !strings.ContainsRune("Zz+-", rune(rest[0])) {
		if other := numericDate(s); other != "" {
			f, unit, rest, ok = scanFields(other)
		}
	}
	if ok && rest != "" {
		zone, ok = scanOffset(rest)
		ok = ok && unit >= ast.UnitMinute
	}
	if !ok {
		return fail(periodForms)
	}
	if why := f.fault(); why != "" {
		return fail(why)
	}
	return whole{f.in(zone), unit}, nil
}

// dayWords maps words that stand for a day to the number of days between today and that day.
var dayWords = map[string]int{"yesterday": -1, "today": 0, "tomorrow": 1}

// dateForms are the forms of dates, besides 2008-06-15, that a text may have. Each has the numbers
// of the groups of its regular expression that hold the year, the month and the day; 0 means that
// the form has no day. A form such as 02/06/2008 is not among them, because its meaning differs
// from country to country. The forms are compiled when the first of these texts is read.
var dateForms = sync.OnceValue(func() []dateForm {
	return []dateForm{
		{regexp.MustCompile(`^(\d{4})[-/](\d\d?)[-/](\d\d?)\b`), 1, 2, 3},
		{regexp.MustCompile(`^(\d{4})/(\d\d?)$`), 1, 2, 0},
		{regexp.MustCompile(`^(\d{4}) ?年 ?(\d\d?) ?月 ?(\d\d?) ?日?`), 1, 2, 3},
		{regexp.MustCompile(`^(\d{4}) ?年 ?(\d\d?) ?月$`), 1, 2, 0},
		{regexp.MustCompile(`^(\d\d?)[- ]([A-Za-z]{3,9})\.?[- ,]+(\d{4})\b`), 3, 2, 1},
		{regexp.MustCompile(`^([A-Za-z]{3,9})\.? (\d\d?),? (\d{4})\b`), 3, 1, 2},
		{regexp.MustCompile(`^([A-Za-z]{3,9})\.?,? (\d{4})$`), 2, 1, 0},
	}
})

type dateForm struct {
	re               *regexp.Regexp
	year, month, day int
}

// numericDate replaces a date in one of dateForms at the start of s by the same date in the form
// 2008-06-15, or 2008-06 if it has no day. It returns "" if s does not begin with a date in one of
// these forms.
func numericDate(s string) string {
	for _, form := range dateForms() {
		m := form.re.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		date := m[form.year]
		month := m[form.month]
		if !allDigits(month) {
			if month = monthNumber(month); month == "" {
				return ""
			}
		}
		date += "-" + twoDigits(month)
		if form.day > 0 {
			date += "-" + twoDigits(m[form.day])
		}
		return date + s[len(m[0]):]
	}
	return ""
}

// monthNumber returns the number of a month as text, such as "6" for June or Jun. name is its
// English name or the first three letters. The result is "" if there is no such month.
func monthNumber(name string) string {
	for m := time.January; m <= time.December; m++ {
		if full := m.String(); strings.EqualFold(name, full) || strings.EqualFold(name, full[:3]) || strings.EqualFold(name, "sept") && m == time.September {
			return strconv.Itoa(int(m))
		}
	}
	return ""
}

// twoDigits returns n, a number of one or two digits, with a zero in front if it has one digit.
func twoDigits(n string) string {
	if len(n) == 1 {
		return "0" + n
	}
	return n
}

// scanDigits reads a text of 4, 6, 8, 10, 12 or 14 digits: a year, then two
// digits for each further field, such as 200806 for June 2008. unit is the
// finest field given, and rest is always "". For any other text, ok is false.
func scanDigits(s string) (f fields, unit ast.Unit, rest string, ok bool) {
	if len(s) < 4 || len(s) > 14 || len(s)%2 != 0 || !allDigits(s) {
		return f, 0, "", false
	}
	f = fields{0, 1, 1, 0, 0, 0, 0}
	f[0], s = atoi(s[:4]), s[4:]
	for i := 1; s != ""; i++ {
		f[i], s = atoi(s[:2]), s[2:]
		unit = ast.Unit(i)
	}
	return f, unit, "", true
}

// scanFields reads 2008-06-15T10:30:00.123, or the beginning of such a text up
// to a separator. Hours without minutes are not accepted. unit is the finest
// field given, and rest is the text that follows, which may be an offset from
// UTC. ok is false if s does not begin like a time.
func scanFields(s string) (f fields, unit ast.Unit, rest string, ok bool) {
	f = fields{0, 1, 1, 0, 0, 0, 0}
	seps := [...]string{"", "-", "-", "Tt ", ":", ":"}
	widths := [...]int{4, 2, 2, 2, 2, 2}
	for i, sep := range seps {
		part := s
		if i > 0 {
			if s == "" || strings.IndexByte(sep, s[0]) < 0 {
				break
			}
			part = s[1:]
		}
		if len(part) < widths[i] || !allDigits(part[:widths[i]]) {
			return f, 0, "", false
		}
		f[i], s = atoi(part[:widths[i]]), part[widths[i]:]
		unit = ast.Unit(i)
	}
	if unit == ast.UnitHour {
		return f, 0, "", false
	}
	if unit == ast.UnitSecond && strings.HasPrefix(s, ".") {
		digits := s[1:]
		n := 0
		for n < len(digits) && isDigit(digits[n]) {
			n++
		}
		if n == 0 || n > 9 {
			return f, 0, "", false
		}
		f[6] = atoi((digits[:n] + "00")[:3])
		unit, s = ast.UnitMilli, digits[n:]
	}
	return f, unit, s, true
}

// scanOffset returns the time zone for an offset from UTC, written Z, +08:00 or
// +0800. It returns false if s, which is not empty, is not such an offset.
func scanOffset(s string) (*time.Location, bool) {
	if s == "Z" || s == "z" {
		return time.UTC, true
	}
	digits := strings.Replace(s[1:], ":", "", 1)
	if s[0] != '+' && s[0] != '-' || len(digits) != 4 || !allDigits(digits) {
		return nil, false
	}
	hours, minutes := atoi(digits[:2]), atoi(digits[2:])
	if hours > 23 || minutes > 59 {
		return nil, false
	}
	seconds := hours*3600 + minutes*60
	if s[0] == '-' {
		seconds = -seconds
	}
	return time.FixedZone("", seconds), true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// allDigits reports whether every byte of s is a digit.
func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

// atoi returns the number that s, which consists of digits only, stands for.
func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

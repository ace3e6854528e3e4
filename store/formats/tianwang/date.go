package tianwang

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// dateLayout is the form in which dates are written: RFC 1123, in GMT, such as
// "Tue, 15 Apr 2003 08:13:06 GMT".
const dateLayout = "Mon, 02 Jan 2006 15:04:05 GMT"

// zones maps the name of a time zone in lower case to its offset in seconds east of
// Greenwich. It has the names of RFC 822 and others found in files from Asia and
// Europe.
var zones = map[string]int{
	"gmt": 0, "ut": 0, "utc": 0, "z": 0, "wet": 0,
	"est": -5 * 3600, "edt": -4 * 3600, "cst": -6 * 3600, "cdt": -5 * 3600,
	"mst": -7 * 3600, "mdt": -6 * 3600, "pst": -8 * 3600, "pdt": -7 * 3600,
	"bst": 3600, "cet": 3600, "met": 3600, "cest": 2 * 3600, "mest": 2 * 3600,
	"eet": 2 * 3600, "eest": 3 * 3600, "msk": 3 * 3600,
	"hkt": 8 * 3600, "cct": 8 * 3600, "jst": 9 * 3600, "kst": 9 * 3600,
}

var months = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

// writtenDate parses s, a date that has exactly the form of dateLayout. ok is false
// for any other form, and for a date that would be written differently, such as one
// with a wrong weekday. It is fast, because nearly all dates have this form and
// every record has a date.
func writtenDate(s string) (t time.Time, ok bool) {
	if len(s) != len(dateLayout) || s[3:5] != ", " || s[7] != ' ' || s[11] != ' ' || s[16] != ' ' || s[19] != ':' || s[22] != ':' || s[25:] != " GMT" {
		return t, false
	}
	digits := func(from, to int) (n int) {
		for _, c := range []byte(s[from:to]) {
			if c < '0' || c > '9' {
				ok = false
			}
			n = 10*n + int(c-'0')
		}
		return n
	}
	ok = true
	day, year, hour, minute, second := digits(5, 7), digits(12, 16), digits(17, 19), digits(20, 22), digits(23, 25)
	month := time.Month(monthOf(s[8:11]))
	if !ok || month == 0 || hour > 23 || minute > 59 || second > 59 {
		return t, false
	}
	t = time.Date(year, month, day, hour, minute, second, 0, time.UTC)
	return t, t.Day() == day && t.Month().String()[:3] == s[8:11] && t.Weekday().String()[:3] == s[:3]
}

// parseDate parses s, a date in one of these forms: RFC 822, RFC 1123, RFC 850,
// asctime, and 2003-04-15 08:13:06. It ignores weekdays. A year of two digits is in
// 1950 to 2049.
//
// local is the zone of a date that has no zone or an unknown one. local also
// decides what an abbreviation means: CST is +0800 if local is Asia/Shanghai, and
// otherwise -0600, as RFC 822 says.
func parseDate(s string, local *time.Location) (time.Time, error) {
	if t, err := time.Parse(dateLayout, s); err == nil {
		return t, nil
	}
	var d dateParts
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' }) {
		if !d.take(word) {
			return time.Time{}, badDate(s)
		}
	}
	if d.day == 0 || d.month == 0 || !d.hasYear || !d.hasClock {
		return time.Time{}, badDate(s)
	}
	t := time.Date(d.year, time.Month(d.month), d.day, d.hour, d.minute, d.second, 0, time.UTC)
	if t.Day() != d.day {
		return time.Time{}, badDate(s)
	}
	return d.in(t, local), nil
}

func badDate(s string) error {
	return fmt.Errorf("can't read date %q: want one like %q", s, "Tue, 15 Apr 2003 08:13:06 GMT")
}

// dateParts collects the parts of a date, which parseDate reads word by word.
type dateParts struct {
	year, month, day     int
	hour, minute, second int
	hasYear, hasClock    bool
	zone                 string
	offset               int // of the zone, in seconds east of Greenwich
	hasOffset            bool
}

// take adds one word of a date to d. It returns false if the word cannot be a part of
// the date after the words before it.
func (d *dateParts) take(word string) bool {
	switch {
	case strings.Contains(word, ":") && !d.hasClock:
		return d.clock(word)
	case strings.Count(word, "-") == 2:
		return d.dashed(word)
	case d.hasClock && (word[0] == '+' || word[0] == '-'):
		return d.zoneOffset(word)
	case word[0] >= '0' && word[0] <= '9':
		return d.number(word)
	case word[0] == '(':
		return true // a comment
	}
	if m := monthOf(word); m > 0 && d.month == 0 {
		d.month = m
		return true
	}
	if d.hasClock && d.zone == "" {
		return d.zoneName(word)
	}
	return isWeekday(word)
}

// dashed adds a day, month and year joined by dashes to d, such as 06-Nov-94 or
// 2003-04-15. It returns false if word is no such date.
func (d *dateParts) dashed(word string) bool {
	p := strings.Split(word, "-")
	if m := monthOf(p[1]); m > 0 {
		d.month = m
		return d.number(p[0]) && d.number(p[2])
	}
	m, err := strconv.Atoi(p[1])
	if err != nil || m < 1 || m > 12 || len(p[0]) != 4 {
		return false
	}
	d.month = m
	return d.setYear(p[0]) && d.number(p[2])
}

// number adds word to d as the day of the month or, if the day is already known or
// word has more than two digits, as the year. It returns false if word is neither.
func (d *dateParts) number(word string) bool {
	if d.day != 0 || len(word) > 2 {
		return d.setYear(word)
	}
	day, err := strconv.Atoi(word)
	d.day = day
	return err == nil && day >= 1 && day <= 31
}

func (d *dateParts) setYear(word string) bool {
	year, err := strconv.Atoi(word)
	if err != nil || d.hasYear || year < 0 || len(word) != 2 && len(word) != 4 {
		return false
	}
	if len(word) == 2 {
		year += 1900
		if year < 1950 {
			year += 100
		}
	}
	d.year, d.hasYear = year, true
	return year >= 1
}

// clock adds a time of day to d, such as 08:13 or 08:13:06. A zone may be joined to
// it, as in 08:13+0800. It returns false if word is no time of day.
func (d *dateParts) clock(word string) bool {
	if i := strings.IndexAny(word, "+-Zz"); i > 0 {
		if zone := word[i:]; zone == "Z" || zone == "z" {
			d.zone = "z"
		} else if !d.zoneOffset(zone) {
			return false
		}
		word = word[:i]
	}
	p := strings.Split(word, ":")
	if len(p) > 3 {
		return false
	}
	var n [3]int
	for i, s := range p {
		v, err := strconv.Atoi(s)
		if err != nil || v < 0 || len(s) > 2 {
			return false
		}
		n[i] = v
	}
	d.hour, d.minute, d.second, d.hasClock = n[0], n[1], n[2], true
	return n[0] < 24 && n[1] < 60 && n[2] <= 60
}

// zoneOffset adds an offset from Greenwich to d, such as +0800, +08:00 or +8. It
// returns false if word is no offset, or if d already has one.
func (d *dateParts) zoneOffset(word string) bool {
	digits := strings.ReplaceAll(word[1:], ":", "")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || d.hasOffset || len(digits) > 4 {
		return false
	}
	if len(digits) <= 2 {
		n *= 100
	}
	if n/100 > 15 || n%100 > 59 {
		return false
	}
	d.offset, d.hasOffset = n/100*3600+n%100*60, true
	if word[0] == '-' {
		d.offset = -d.offset
	}
	return true
}

// zoneName adds the name of a zone to d, such as GMT, with or without an offset, as
// in GMT+8. It returns false if the offset is invalid.
func (d *dateParts) zoneName(word string) bool {
	if i := strings.IndexAny(word, "+-"); i > 0 {
		if !d.zoneOffset(word[i:]) {
			return false
		}
		word = word[:i]
	}
	d.zone = strings.ToLower(word)
	return true
}

// in converts t, which has the date and the time of day of d as if they were in UTC, to
// the moment that d means in its own zone. If d has no zone or an unknown one, the zone
// is local.
func (d *dateParts) in(t time.Time, local *time.Location) time.Time {
	if d.hasOffset {
		return t.Add(-time.Duration(d.offset) * time.Second)
	}
	there := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, local)
	if name, _ := there.Zone(); d.zone == "" || strings.EqualFold(name, d.zone) {
		return there.UTC()
	}
	if east, ok := zones[d.zone]; ok {
		return t.Add(-time.Duration(east) * time.Second)
	}
	return there.UTC()
}

func monthOf(word string) int {
	word = strings.ToLower(strings.TrimSuffix(word, "."))
	if len(word) >= 3 {
		for i, m := range months {
			if strings.HasPrefix(word, m) {
				return i + 1
			}
		}
	}
	return 0
}

func isWeekday(word string) bool {
	if len(word) < 3 {
		return false
	}
	switch strings.ToLower(word[:3]) {
	case "mon", "tue", "wed", "thu", "fri", "sat", "sun":
		return true
	}
	return false
}

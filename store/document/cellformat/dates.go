package cellformat

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// serialMax is the serial number (day number of Excel) of the first day after
// the year 9999.
const serialMax = 2958466

// formatDate returns v, a serial number of Excel, as a date or time in the
// format of tokens. ok is false if v is no valid serial number.
func formatDate(v float64, tokens []token, since1904 bool) (text string, ok bool) {
	if v < 0 || v >= serialMax {
		return "", false
	}
	precision := 0 // decimals of seconds
	half, fractions := false, false
	for _, t := range tokens {
		switch {
		case t.kind == 'A':
			half = true
		case t.kind == '.':
			fractions = true
		case t.kind == '0' && fractions:
			precision++
		}
	}
	precision = min(precision, 3)
	unit := math.Pow10(precision)
	ticks := int64(math.Round(v * 86400 * unit)) // of the unit, since the start of day 0
	per := int64(unit)
	day, inDay := ticks/(86400*per), ticks%(86400*per)
	date := dateOf(day, since1904)
	seconds, part := inDay/per, inDay%per
	hour, minute, second := seconds/3600, seconds/60%60, seconds%60
	var out strings.Builder
	for i, t := range tokens {
		n := len(t.text)
		switch t.kind {
		case 'y':
			if n <= 2 {
				fmt.Fprintf(&out, "%02d", date.Year()%100)
			} else {
				fmt.Fprintf(&out, "%04d", date.Year())
			}
		case 'm':
			switch name := date.Month().String(); n {
			case 1, 2:
				padded(&out, int64(date.Month()), n)
			case 3:
				out.WriteString(name[:3])
			case 5:
				out.WriteString(name[:1])
			default:
				out.WriteString(name)
			}
		case 'M':
			padded(&out, minute, n)
		case 'd':
			switch name := date.Weekday().String(); n {
			case 1, 2:
				padded(&out, int64(date.Day()), n)
			case 3:
				out.WriteString(name[:3])
			default:
				out.WriteString(name)
			}
		case 'h':
			h := hour
			if half {
				h = (hour+11)%12 + 1
			}
			padded(&out, h, n)
		case 's':
			padded(&out, second, n)
		case '[':
			total := ticks / per
			switch t.text[0] {
			case 'h':
				total /= 3600
			case 'm':
				total /= 60
			}
			padded(&out, total, n)
		case 'A':
			a, p, _ := strings.Cut(t.text, "/")
			if hour >= 12 {
				a = p
			}
			out.WriteString(a)
		case '.':
			if precision == 0 || i+1 == len(tokens) || tokens[i+1].kind != '0' {
				out.WriteByte('.')
				break
			}
			digits := strconv.FormatInt(part+per, 10)
			out.WriteString("." + digits[1:])
		case '0':
		default:
			out.WriteString(t.text)
		}
	}
	return strings.TrimSpace(out.String()), true
}

// dateOf returns the date for a day number of Excel. Day 1 is 1900-01-01, and Excel counts a day
// 1900-02-29 that did not exist. If since1904 is set, day 0 is 1904-01-01.
func dateOf(day int64, since1904 bool) time.Time {
	from := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case since1904:
		from = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case day < 60:
		from = from.AddDate(0, 0, 1)
	}
	return from.AddDate(0, 0, int(day))
}

// markMinutes finds the tokens "m" that mean minutes and not months, because they follow hours or
// precede seconds, and changes their kind to 'M'.
func markMinutes(tokens []token) {
	unit := func(t token) byte {
		switch {
		case t.kind == '[':
			return t.text[0]
		case strings.IndexByte("ymMdhs", t.kind) >= 0:
			return t.kind
		}
		return 0
	}
	before := -1 // the last token that is a part of a date or time
	for i := range tokens {
		u := unit(tokens[i])
		switch {
		case u == 0:
			continue
		case u == 'm' && tokens[i].kind == 'm' && before >= 0 && unit(tokens[before]) == 'h':
			tokens[i].kind = 'M'
		case u == 's' && before >= 0 && tokens[before].kind == 'm':
			tokens[before].kind = 'M'
		}
		before = i
	}
}

// padded writes x to out. If n is 2 or more, it writes at least two digits.
func padded(out *strings.Builder, x int64, n int) {
	if n >= 2 && x < 10 {
		out.WriteByte('0')
	}
	out.WriteString(strconv.FormatInt(x, 10))
}

// Package dates reads the dates in documents: dates of mails (RFC 5322) and
// feeds, dates of ISO 8601 in all its shortened forms, and similar forms that
// programs write by mistake.
package dates

import (
	"strings"
	"time"

	"infomall/store/record"
)

// layouts are the forms of dates, without the name of the weekday and the zone.
// A date without a day or month stands for the first moment of its period.
// time.Parse also accepts a fraction after the seconds.
var layouts = []string{
	"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
	"2 Jan 2006 15:04:05", "2 Jan 2006 15:04", "2 Jan 2006", "2 Jan 06 15:04:05", "2 Jan 06 15:04", "2-Jan-2006 15:04:05", "2-Jan-06 15:04:05",
	"2 January 2006 15:04:05", "2 January 2006 15:04", "2 January 2006",
	"Jan 2 15:04:05 2006", "Jan 2 2006 15:04:05", "Jan 2 2006", "January 2 2006 15:04:05", "January 2 2006",
	"2006/1/2 15:04:05", "2006/1/2 15:04", "2006/1/2", "2006年1月2日 15:04:05", "2006年1月2日 15:04", "2006年1月2日", "2006-1-2 15:04:05", "2006-1-2",
	"20060102T150405", "20060102150405", "20060102", "2006-01", "2006",
}

// zones maps the names of time zones in mails and feeds to hours east of UTC.
var zones = map[string]int{
	"UTC": 0, "UT": 0, "GMT": 0, "Z": 0, "WET": 0, "BST": 1, "CET": 1, "MET": 1, "WEST": 1, "CEST": 2, "MEST": 2, "EET": 2, "EEST": 3, "MSK": 3,
	"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
	"JST": 9, "KST": 9, "HKT": 8, "SGT": 8, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13,
}

// dateBytesMax is the size in bytes of the longest text that is read as a date.
const dateBytesMax = 100

// Parse returns the moment that a text names, or record.NoTime if it names none. A
// date without a zone is taken as UTC.
func Parse(text string) record.Time {
	if len(text) > dateBytesMax {
		return record.NoTime
	}
	text, _, _ = strings.Cut(text, "(") // a comment, such as (CEST)
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, ",", " ")), " ")
	if day, rest, ok := strings.Cut(text, " "); ok && weekday(strings.TrimSuffix(day, ".")) {
		text = rest
	}
	text, east := cutZone(text)
	for _, l := range layouts {
		if t, err := time.Parse(l, text); err == nil {
			at := record.At(t.Add(-east))
			if at < record.MinTime || at > record.MaxTime {
				return record.NoTime
			}
			return at
		}
	}
	return record.NoTime
}

// cutZone returns text without the zone at its end, and how far the zone is east of
// UTC.
func cutZone(text string) (string, time.Duration) {
	end := strings.TrimRight(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	if hours, ok := zones[text[len(end):]]; ok {
		text = strings.TrimRight(end, " ")
		if i := strings.LastIndexByte(text, ' '); i < 0 || !strings.ContainsAny(text[i:], "+-") {
			return text, time.Duration(hours) * time.Hour
		}
		// "+0800 CST": the number says it.
	}
	// A sign after a clock begins the zone; "2008-06-12" has no clock.
	i := strings.LastIndexAny(text, "+-")
	if i < 0 || !strings.Contains(text[:i], ":") && !strings.Contains(text[:i], "T") {
		return text, 0
	}
	number := strings.Replace(text[i+1:], ":", "", 1)
	if len(number) == 2 {
		number += "00"
	}
	if len(number) != 4 || !digits(number) {
		return text, 0
	}
	minutes := int(number[0]-'0')*600 + int(number[1]-'0')*60 + int(number[2]-'0')*10 + int(number[3]-'0')
	east := time.Duration(minutes) * time.Minute
	if text[i] == '-' {
		east = -east
	}
	return strings.TrimRight(text[:i], " "), east
}

func weekday(name string) bool {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if long := d.String(); strings.EqualFold(name, long) || strings.EqualFold(name, long[:3]) {
			return true
		}
	}
	return false
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

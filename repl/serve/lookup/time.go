package lookup

import (
	"strings"
	"time"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// Stamp returns a time as 14 digits, such as 20080602011717.
func Stamp(t record.Time) string { return t.Std().Format("20060102150405") }

// Time returns the time that 4 to 14 digits name, in UTC. Of a shorter text, such
// as 2008, it returns the middle of the period, so that the nearest capture is one
// of that year. "" means now. It returns false if the digits name no time.
func Time(digits string, now time.Time) (record.Time, bool) {
	if digits == "" {
		return record.At(now), true
	}
	from, to, ok := Period(digits)
	if !ok {
		return 0, false
	}
	if len(digits) >= 14 {
		return from, true
	}
	return from + (to-from)/2, true
}

// Period returns the period that 4 or more digits name: from <= t < to. 2008 is the year.
// Of more than 14 digits the rest is ignored, and so is the last of an odd number of digits.
func Period(digits string) (from, to record.Time, ok bool) {
	if len(digits) < 4 || strings.Trim(digits, "0123456789") != "" {
		return 0, 0, false
	}
	if len(digits) > 14 {
		digits = digits[:14] // such as a time with milliseconds
	}
	if len(digits)%2 != 0 {
		digits = digits[:len(digits)-1]
	}
	const layout = "20060102150405"
	t, err := time.Parse(layout[:len(digits)], digits)
	if err != nil {
		return 0, 0, false
	}
	var end time.Time
	switch len(digits) {
	case 4:
		end = t.AddDate(1, 0, 0)
	case 6:
		end = t.AddDate(0, 1, 0)
	case 8:
		end = t.AddDate(0, 0, 1)
	case 10:
		end = t.Add(time.Hour)
	case 12:
		end = t.Add(time.Minute)
	default:
		end = t.Add(time.Second)
	}
	return record.At(t), record.At(end), true
}

// Canonical returns the canonical form of a URL as people and clients write it:
// without a scheme it is one of http.
func Canonical(text string) (string, error) {
	text = strings.TrimSpace(text)
	if scheme, _, ok := strings.Cut(text, ":"); !ok || strings.ContainsAny(scheme, "./?[") || scheme == "localhost" {
		text = "http://" + strings.TrimPrefix(text, "//")
	} else if rest, ok := strings.CutPrefix(text, scheme+":/"); ok && !strings.HasPrefix(rest, "/") {
		text = scheme + "://" + rest // a proxy has merged the slashes
	}
	return urlkey.Canonical(text)
}

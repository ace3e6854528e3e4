package media

import (
	"math"
	"strconv"
	"strings"
	"time"

	"infomall/store/record"
)

// layouts are the forms of a time that tags have, after "/", "." and ":" between the
// numbers of a date have become "-", and "T" has become a blank.
var layouts = []string{
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05 Z07:00",
	"2006-01-02 15:04:05-0700",
	"2006-01-02 15:04:05 -0700",
	"2006-01-02 15:04:05",
	"2006-01-02 15:04Z07:00",
	"2006-01-02 15:04",
	"2006-01-02",
	"2006-1-2",
	"2006-01",
	"2006",
	"20060102",
	"20060102 150405",
	"20060102150405",
	"Mon Jan _2 15:04:05 2006",
	"Mon, _2 Jan 2006 15:04:05 -0700",
	"Mon, _2 Jan 2006 15:04:05 MST",
	"_2 Jan 2006 15:04:05 -0700",
	"_2 Jan 2006",
}

// Time returns the time that a tag has as text, such as "2004", "2004:05:06 07:08:09" or
// "2004-05-06T07:08:09+02:00". A time without a zone is read as UTC. Time returns
// record.NoTime if the text is not a time.
func Time(text string) record.Time {
	text = strings.TrimSpace(strings.Trim(text, "\x00"))
	if len(text) < 4 || len(text) > 64 {
		return record.NoTime
	}
	b := []byte(text)
	if digits(text[:4]) {
		for _, i := range []int{4, 7} {
			if i < len(b) && strings.IndexByte(":/.", b[i]) >= 0 {
				b[i] = '-'
			}
		}
		for _, i := range []int{8, 10} {
			if i < len(b) && b[i] == 'T' {
				b[i] = ' '
			}
		}
	}
	for _, l := range layouts {
		if t, err := time.Parse(l, string(b)); err == nil {
			return At(t)
		}
	}
	return record.NoTime
}

// digits reports whether text consists of decimal digits.
func digits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// At returns t as a record.Time. It returns record.NoTime if the year is before 1000 or after
// 9999, because writers use such years as placeholders.
func At(t time.Time) record.Time {
	if y := t.UTC().Year(); y < 1000 || y > 9999 {
		return record.NoTime
	}
	return record.At(t)
}

// since1904 returns the time that is the given number of seconds after the start of 1904,
// as QuickTime counts. It returns record.NoTime for zero and for times before 1970, which
// are faults of writers.
func since1904(seconds uint64) record.Time {
	const to1970 = 2_082_844_800
	if seconds <= to1970 || seconds > 1<<36 {
		return record.NoTime
	}
	return At(time.Unix(int64(seconds-to1970), 0))
}

// Place returns a place as a document has it, such as "48.8566,2.3522", or "" if the
// numbers are not degrees of latitude and longitude.
func Place(lat, lon float64) string {
	if !(math.Abs(lat) <= 90 && math.Abs(lon) <= 180) || lat == 0 && lon == 0 {
		return ""
	}
	return degrees(lat) + "," + degrees(lon)
}

func degrees(x float64) string { return strconv.FormatFloat(math.Round(x*1e6)/1e6, 'f', -1, 64) }

// placeISO6709 returns the place of a text such as "+48.8566+002.3522+035/", or "".
func placeISO6709(text string) string {
	lat, rest := signed(text)
	lon, _ := signed(rest)
	y, err1 := strconv.ParseFloat(lat, 64)
	x, err2 := strconv.ParseFloat(lon, 64)
	if err1 != nil || err2 != nil {
		return ""
	}
	return Place(y, x)
}

// signed returns the number with a sign at the start of text, and the rest of text.
func signed(text string) (number, rest string) {
	if text == "" || text[0] != '+' && text[0] != '-' {
		return "", ""
	}
	end := 1
	for end < len(text) && (text[end] == '.' || text[end] >= '0' && text[end] <= '9') {
		end++
	}
	return text[:end], text[end:]
}

// Milliseconds returns n/perSecond seconds in milliseconds, or -1 if that is not a
// length of time that a recording can have.
func Milliseconds(n, perSecond float64) int64 {
	ms := n * 1000 / perSecond
	if !(ms > 0 && ms < 1e12) {
		return -1
	}
	return int64(math.Round(ms))
}

package value

import (
	"math"
	"strconv"
	"strings"
	"time"

	"infomall/store/record"
)

// AppendTime appends t to dst in RFC 3339 format in the given zone, and returns
// dst. It writes milliseconds only if they are not 0.
func AppendTime(dst []byte, t record.Time, zone *time.Location) []byte {
	if t%1000 == 0 {
		return t.Std().In(zone).AppendFormat(dst, time.RFC3339)
	}
	return t.Std().In(zone).AppendFormat(dst, "2006-01-02T15:04:05.000Z07:00")
}

// Counted returns n and what it counts as a text: "1 capture" or "3 captures".
// noun is the singular of a noun whose plural ends in s.
func Counted[N int | int32 | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(int64(n), 10) + " " + noun
}

// units lists the units in which durations are written, the longest first.
// length is in milliseconds.
var units = [...]struct {
	name   string
	length int64
}{
	{"d", 24 * 60 * 60 * 1000}, {"h", 60 * 60 * 1000}, {"m", 60 * 1000}, {"s", 1000}, {"ms", 1},
}

// AppendDuration appends a duration of ms milliseconds to dst, such as 1d 2h,
// and returns dst. A minus applies to the whole: -1d 2h is minus 26 hours.
func AppendDuration(dst []byte, ms int64) []byte {
	if ms == 0 {
		return append(dst, "0s"...)
	}
	rest := uint64(ms)
	if ms < 0 {
		dst = append(dst, '-')
		rest = -rest
	}
	space := false
	for _, u := range units {
		n := rest / uint64(u.length)
		if n == 0 {
			continue
		}
		rest -= n * uint64(u.length)
		if space {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendUint(dst, n, 10)
		dst = append(dst, u.name...)
		space = true
	}
	return dst
}

// AppendSeconds appends a duration of ms milliseconds to dst as a number of
// seconds, such as 93600 or 0.25, and returns dst.
func AppendSeconds(dst []byte, ms int64) []byte {
	rest := uint64(ms)
	if ms < 0 {
		dst = append(dst, '-')
		rest = -rest
	}
	dst = strconv.AppendUint(dst, rest/1000, 10)
	milli := rest % 1000
	if milli == 0 {
		return dst
	}
	dst = append(dst, '.', byte('0'+milli/100), byte('0'+milli/10%10), byte('0'+milli%10))
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// appendFloat appends to dst the shortest decimal number that reads back as f,
// and returns dst. Like JSON and ECMAScript, it writes numbers from 1e-6 up to
// 1e21 without an exponent.
func appendFloat(dst []byte, f float64) []byte {
	abs := math.Abs(f)
	format := byte('f')
	if abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, 64)
}

// Append appends v to dst as text, as CAST converts it, and returns dst. Times
// are in the given zone, and durations look like 1d 2h. For NULL it appends
// nothing.
func (v Value) Append(dst []byte, zone *time.Location) []byte {
	switch v.Type {
	case Bool:
		return strconv.AppendBool(dst, v.Bool)
	case Int:
		return strconv.AppendInt(dst, v.Int, 10)
	case Float:
		return appendFloat(dst, v.Float)
	case Text, URL:
		return append(dst, v.Text...)
	case Time:
		return AppendTime(dst, record.Time(v.Int), zone)
	case Duration:
		return AppendDuration(dst, v.Int)
	}
	return dst
}

// AppendText appends the value in row i of v to dst as text, in the same form
// as Value.Append, and returns dst. For NULL it appends nothing.
func (v *Vector) AppendText(dst []byte, i int, zone *time.Location) []byte {
	if v.IsNull(i) {
		return dst
	}
	switch v.Type {
	case Text, URL:
		return append(dst, v.Texts[i]...)
	case Int:
		return strconv.AppendInt(dst, v.Ints[i], 10)
	case Time:
		return AppendTime(dst, record.Time(v.Ints[i]), zone)
	}
	return v.At(i).Append(dst, zone)
}

// String returns v as a constant of the query language: texts in quotes, times
// in UTC, and NULL, TRUE or FALSE as words.
func (v Value) String() string {
	switch v.Type {
	case Null:
		return "NULL"
	case Bool:
		return strings.ToUpper(strconv.FormatBool(v.Bool))
	case Text, URL:
		return "'" + strings.ReplaceAll(v.Text, "'", "''") + "'"
	}
	return string(v.Append(nil, time.UTC))
}

// Size returns a number of bytes as text for people, in the largest unit that is
// not above it: "312 B", "1.5 MB". The units are powers of 1024.
func Size(bytes int64) string {
	f, names := float64(bytes), []string{"B", "KB", "MB", "GB", "TB"}
	i := 0
	for f >= 1024 && i < len(names)-1 {
		f /= 1024
		i++
	}
	if i == 0 {
		return strconv.FormatInt(bytes, 10) + " B"
	}
	return strconv.FormatFloat(f, 'f', 1, 64) + " " + names[i]
}

package value

import (
	"math"
	"strconv"
	"strings"
	"time"

	"infomall/store/record"
)

// AppendTime appends t as RFC 3339 in zone, with milliseconds only if it has
// any.
func AppendTime(dst []byte, t record.Time, zone *time.Location) []byte {
	if t%1000 == 0 {
		return t.Std().In(zone).AppendFormat(dst, time.RFC3339)
	}
	return t.Std().In(zone).AppendFormat(dst, "2006-01-02T15:04:05.000Z07:00")
}

// Counted returns a count and what is counted for a reader: 1 capture, 3 captures. The
// noun is one whose plural ends in s.
func Counted[N int | int32 | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(int64(n), 10) + " " + noun
}

// units are the fixed lengths that a duration is written with, in
// milliseconds.
var units = [...]struct {
	name   string
	length int64
}{
	{"d", 24 * 60 * 60 * 1000}, {"h", 60 * 60 * 1000}, {"m", 60 * 1000}, {"s", 1000}, {"ms", 1},
}

// AppendDuration appends a duration of ms milliseconds for a reader, such as
// 1d 2h; -1d 2h is minus the whole of it.
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

// AppendSeconds appends a duration of ms milliseconds as a number of seconds,
// such as 93600 or 0.25.
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

// AppendFloat appends the shortest digits that read back as f: without an
// exponent from 1e-6 up to 1e21, as JSON and ECMAScript write numbers.
func AppendFloat(dst []byte, f float64) []byte {
	abs := math.Abs(f)
	format := byte('f')
	if abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, 64)
}

// Append appends v as CAST to text gives it: times in zone, durations as
// AppendDuration. Of NULL it appends nothing.
func (v Value) Append(dst []byte, zone *time.Location) []byte {
	switch v.Type {
	case Bool:
		return strconv.AppendBool(dst, v.Bool)
	case Int:
		return strconv.AppendInt(dst, v.Int, 10)
	case Float:
		return AppendFloat(dst, v.Float)
	case Text, URL:
		return append(dst, v.Text...)
	case Time:
		return AppendTime(dst, record.Time(v.Int), zone)
	case Duration:
		return AppendDuration(dst, v.Int)
	}
	return dst
}

// AppendText appends row i as Value.Append does.
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

// String is v as a constant of the language: texts in quotes, times in UTC.
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

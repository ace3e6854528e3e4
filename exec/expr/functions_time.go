package expr

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

func now(env *Env, _ []value.Value) (value.Value, error) { return value.OfTime(env.Now), nil }

func age(env *Env, a []value.Value) (value.Value, error) {
	if len(a) == 1 {
		return value.OfDuration(int64(env.Now) - a[0].Int), nil
	}
	return value.OfDuration(a[0].Int - a[1].Int), nil
}

// prepareEpoch returns an error if the argument of epoch is neither a time nor a duration. Its
// applier is always nil: the function needs no preparation.
func prepareEpoch(_ *Env, args []Expr) (applier, error) {
	if t := args[0].Type(); t != value.Time && t != value.Duration && t != value.Null {
		return nil, fmt.Errorf("takes a time or a duration, not %s", t)
	}
	return nil, nil
}

// epoch computes the function epoch: a time or a duration in seconds.
func epoch(_ *Env, a []value.Value) (value.Value, error) {
	return value.OfFloat(float64(a[0].Int) / 1000), nil
}

// in returns the value v, a Time, as a time.Time in the time zone of the
// statement.
func in(env *Env, v value.Value) time.Time {
	return record.Time(v.Int).Std().In(env.Location())
}

func year(env *Env, a []value.Value) (value.Value, error) {
	return value.OfInt(int64(in(env, a[0]).Year())), nil
}

func month(env *Env, a []value.Value) (value.Value, error) {
	return value.OfInt(int64(in(env, a[0]).Month())), nil
}

// day computes the function day: the day of the month of a time, or the whole days of a duration.
func day(env *Env, a []value.Value) (value.Value, error) {
	if a[0].Type == value.Duration {
		return value.OfInt(a[0].Int / (24 * time.Hour).Milliseconds()), nil
	}
	return value.OfInt(int64(in(env, a[0]).Day())), nil
}

// makeDate computes the function make_date.
func makeDate(env *Env, a []value.Value) (value.Value, error) {
	if a[0].Int < 1 || a[0].Int > 9999 || a[1].Int < 1 || a[1].Int > 12 || a[2].Int < 1 || a[2].Int > 31 {
		return value.Value{}, fmt.Errorf("there is no day %d-%d-%d", a[0].Int, a[1].Int, a[2].Int)
	}
	return value.Cast(value.OfText(fmt.Sprintf("%04d-%02d-%02d", a[0].Int, a[1].Int, a[2].Int)), value.Time, env.Location())
}

func hour(env *Env, a []value.Value) (value.Value, error) {
	return value.OfInt(int64(in(env, a[0]).Hour())), nil
}

func dayOfWeek(env *Env, a []value.Value) (value.Value, error) {
	return value.OfInt(int64(in(env, a[0]).Weekday())), nil
}

// truncUnits lists the units that date_trunc accepts. A query may write them in
// any case, and with an s at the end.
var truncUnits = []string{"year", "quarter", "month", "week", "day", "hour", "minute", "second"}

// truncUnit returns the unit in truncUnits that name stands for: "day" for
// "Days". The error suggests the nearest unit.
func truncUnit(name string) (string, error) {
	unit := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), "s")
	if slices.Contains(truncUnits, unit) {
		return unit, nil
	}
	if n := ast.Nearest(unit, truncUnits); n != "" {
		return "", fmt.Errorf("no unit %q; did you mean '%s'?", name, n)
	}
	return "", fmt.Errorf("no unit %q; there are %s", name, strings.Join(truncUnits, ", "))
}

// prepareTrunc returns an applier for date_trunc that has a constant unit built
// in, so that it is looked up once. It returns nil if the unit is not constant.
func prepareTrunc(_ *Env, args []Expr) (applier, error) {
	name, ok := constantText(args, 0)
	if !ok {
		return nil, nil
	}
	unit, err := truncUnit(name)
	if err != nil {
		return nil, err
	}
	return func(env *Env, a []value.Value) (value.Value, error) { return truncated(unit, in(env, a[1])), nil }, nil
}

func dateTrunc(env *Env, a []value.Value) (value.Value, error) {
	unit, err := truncUnit(a[0].Text)
	if err != nil {
		return value.Value{}, err
	}
	return truncated(unit, in(env, a[1])), nil
}

// truncated returns, as a Time, the start of the unit (one of truncUnits) that
// contains t, in the zone of t.
//
// Hours and shorter units are cut off the time itself: local time is ambiguous
// when clocks are set back, because an hour repeats. They are units of local
// time, because zones can differ by part of an hour.
func truncated(unit string, t time.Time) value.Value {
	switch unit {
	case "hour":
		return cut(t, time.Hour)
	case "minute":
		return cut(t, time.Minute)
	case "second":
		return cut(t, time.Second)
	}
	return value.OfTime(max(record.At(value.StartOf(unit, t)), record.MinTime))
}

// dateDiff computes the function date_diff: how many units begin between two times.
func dateDiff(env *Env, a []value.Value) (value.Value, error) {
	unit, err := truncUnit(a[0].Text)
	if err != nil {
		return value.Value{}, err
	}
	from, to := in(env, truncated(unit, in(env, a[1]))), in(env, truncated(unit, in(env, a[2])))
	months := int64(to.Year()-from.Year())*12 + int64(to.Month()) - int64(from.Month())
	switch unit {
	case "year":
		return value.OfInt(months / 12), nil
	case "quarter":
		return value.OfInt(months / 3), nil
	case "month":
		return value.OfInt(months), nil
	case "week":
		return value.OfInt(dayNumber(to)/7 - dayNumber(from)/7), nil
	case "day":
		return value.OfInt(dayNumber(to) - dayNumber(from)), nil
	}
	seconds := to.Unix() - from.Unix() // a time.Duration holds only 292 years
	switch unit {
	case "hour":
		return value.OfInt(seconds / 3600), nil
	case "minute":
		return value.OfInt(seconds / 60), nil
	}
	return value.OfInt(seconds), nil
}

// dayNumber returns how many days lie between the local date of t and a fixed Monday that is before
// all times.
func dayNumber(t time.Time) int64 {
	const monday = 3 + 7*200_000 // 1 January 1970 was a Thursday
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix()/(24*60*60) + monday
}

// cut returns, as a Time, the start of the hour, minute or second of local time
// that contains t. length is the length of this unit.
func cut(t time.Time, length time.Duration) value.Value {
	_, offset := t.Zone()
	shift := time.Duration(offset) * time.Second
	return value.OfTime(record.At(t.Add(shift).Truncate(length).Add(-shift)))
}

// prepareStrftime returns an error if a constant format of strftime is not
// valid. Its applier is always nil: the function needs no preparation.
func prepareStrftime(_ *Env, args []Expr) (applier, error) {
	format, ok := constantText(args, 1)
	if !ok {
		return nil, nil
	}
	_, err := appendStrftime(nil, time.Time{}, format)
	return nil, err
}

func strftime(env *Env, a []value.Value) (value.Value, error) {
	out, err := appendStrftime(nil, in(env, a[0]), a[1].Text)
	return value.OfText(string(out)), err
}

// strftimeLayouts maps directives of strftime, such as Y for %Y, to the layouts
// of package time that print the same.
var strftimeLayouts = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "_2", 'j': "002",
	'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM",
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'h': "Jan", 'B': "January",
	'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04", 'D': "01/02/06",
	'z': "-0700", 'Z': "MST",
}

// appendStrftime appends t to dst, formatted as strftime of the C library does
// with English names, and returns dst. The error says that the format has an
// unknown directive.
func appendStrftime(dst []byte, t time.Time, format string) ([]byte, error) {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			dst = append(dst, format[i])
			continue
		}
		i++
		if i == len(format) {
			return nil, errors.New("the format ends with %; write %% for the sign itself")
		}
		plain := format[i] == '-' && i+1 < len(format)
		if plain { // %-d is the day without a zero
			i++
		}
		layout, ok := strftimeLayouts[format[i]]
		if ok {
			before := len(dst)
			dst = t.AppendFormat(dst, layout)
			if plain && len(dst) > before+1 && (dst[before] == '0' || dst[before] == ' ') {
				dst = append(dst[:before], dst[before+1:]...)
			}
			continue
		}
		switch format[i] {
		case '%':
			dst = append(dst, '%')
		case 'L': // milliseconds
			dst = fmt.Appendf(dst, "%03d", t.Nanosecond()/int(time.Millisecond))
		case 'f': // microseconds
			dst = fmt.Appendf(dst, "%06d", t.Nanosecond()/int(time.Microsecond))
		case 's':
			dst = strconv.AppendInt(dst, t.Unix(), 10)
		case 'u': // Monday is 1
			dst = strconv.AppendInt(dst, int64(t.Weekday()+6)%7+1, 10)
		case 'w': // Sunday is 0
			dst = strconv.AppendInt(dst, int64(t.Weekday()), 10)
		case 'G':
			year, _ := t.ISOWeek()
			dst = fmt.Appendf(dst, "%04d", year)
		case 'V':
			_, week := t.ISOWeek()
			dst = fmt.Appendf(dst, "%02d", week)
		default:
			return nil, fmt.Errorf("no directive %%%c in the format; there are Y y m d e j H I M S L f p a A b B F T R D G V u w s z Z and %%%%", format[i])
		}
	}
	return dst, nil
}

// strptimeLayouts maps directives to layouts of package time that strptime uses in place of those
// in strftimeLayouts. They accept a month or a day of one digit.
var strptimeLayouts = map[byte]string{'m': "1", 'd': "2", 'e': "_2"}

// prepareStrptime returns an error if a constant format of strptime is not valid. Its applier is
// always nil.
func prepareStrptime(_ *Env, args []Expr) (applier, error) {
	format, ok := constantText(args, 1)
	if !ok {
		return nil, nil
	}
	_, err := layoutOf(format)
	return nil, err
}

// strptime computes the function strptime.
func strptime(env *Env, a []value.Value) (value.Value, error) {
	layout, err := layoutOf(a[1].Text)
	if err != nil {
		return value.Value{}, err
	}
	t, err := time.ParseInLocation(layout, strings.TrimSpace(a[0].Text), env.Location())
	if at := record.At(t); err == nil && fitsTime(int64(at)) {
		return value.OfTime(at), nil
	}
	return value.Value{}, nil
}

// layoutOf returns the layout of package time that reads what the strptime format describes. The
// error says that the format is not valid.
func layoutOf(format string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		layout, ok := strptimeLayouts[format[i]]
		if !ok {
			layout, ok = strftimeLayouts[format[i]]
		}
		if !ok {
			return "", fmt.Errorf("no directive %%%c in the format of a text; there are Y y m d e j H I M S p a A b B F T R D z and Z", format[i])
		}
		b.WriteString(layout)
	}
	return b.String(), nil
}

// timeFunctions declares the functions that take times.
var timeFunctions = []Function{
	{Name: "age", Example: `age(2008-06-15, 2008-06-01)`, Doc: "The time from t until now, now() - t; or from the time from until t, t - from.",
		params: []param{{"t", timeKind}, {"from", timeKind}}, min: 1, result: value.Duration, apply: age},
	{Name: "date_diff", Example: `date_diff('day', 2008-06-01, 2008-06-15)`, Doc: "How many starts of the unit (as of date_trunc) lie after from and not after to; negative if to is before from.",
		params: []param{{"unit", textKind}, {"from", timeKind}, {"to", timeKind}}, result: value.Int, apply: dateDiff},
	{Name: "date_trunc", Example: `date_trunc('month', 2008-06-15)`, Doc: "The start of the year, quarter, month, week (from Monday), day, hour, minute or second that contains t.",
		params: []param{{"unit", textKind}, {"t", timeKind}}, result: value.Time, prepare: prepareTrunc, apply: dateTrunc},
	{Name: "day", Example: `day(2008-06-15)`, Doc: "The day of the month, from 1, or the whole days of a duration.",
		params: []param{{"x", spanKind}}, result: value.Int, apply: day},
	{Name: "dayofweek", Example: `dayofweek(2008-06-15)`, Doc: "The day of the week, from 0 for Sunday to 6.",
		params: []param{{"t", timeKind}}, result: value.Int, apply: dayOfWeek},
	{Name: "epoch", Example: `epoch(2008-06-15 - 2008-06-01)`, Doc: "The seconds since the start of 1970, or the seconds of a duration.",
		params: []param{{"x", anyKind}}, result: value.Float, apply: epoch, prepare: prepareEpoch},
	{Name: "hour", Example: `hour(2008-06-15T10:30)`, Doc: "The hour of the day, from 0 to 23.",
		params: []param{{"t", timeKind}}, result: value.Int, apply: hour},
	{Name: "make_date", Example: `make_date(2008, 6, 15)`, Doc: "The start of the day with this year, month and day.",
		params: []param{{"year", intKind}, {"month", intKind}, {"day", intKind}}, result: value.Time, apply: makeDate},
	{Name: "month", Example: `month(2008-06-15)`, Doc: "The month, from 1 to 12.",
		params: []param{{"t", timeKind}}, result: value.Int, apply: month},
	{Name: "now", Example: `now() > 2008`, Doc: "The time when the statement began.",
		result: value.Time, apply: now},
	{Name: "strftime", Example: `strftime(2008-06-15, '%d.%m.%Y')`, Doc: "The time formatted by a pattern such as %Y-%m-%d %H:%M:%S.",
		params: []param{{"t", timeKind}, {"format", textKind}}, result: value.Text, prepare: prepareStrftime, apply: strftime},
	{Name: "strptime", Example: `strptime('15.6.2008', '%d.%m.%Y')`, Doc: "The time that a text gives in the form of a pattern, as of strftime; NULL if the text has another form.",
		params: []param{{"s", textKind}, {"format", textKind}}, result: value.Time, prepare: prepareStrptime, apply: strptime},
	{Name: "year", Example: `year(2008-06-15)`, Doc: "The year.",
		params: []param{{"t", timeKind}}, result: value.Int, apply: year},
}

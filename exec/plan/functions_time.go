package plan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"infomall/exec/value"
	"infomall/store/record"
)

func now(env *Env, _ []value.Value) (value.Value, error) { return value.OfTime(env.Now), nil }

func age(env *Env, a []value.Value) (value.Value, error) {
	if len(a) == 1 {
		return value.OfDuration(int64(env.Now) - a[0].Int), nil
	}
	return value.OfDuration(a[0].Int - a[1].Int), nil
}

// in is the time v in the zone of the statement.
func in(env *Env, v value.Value) time.Time {
	return record.Time(v.Int).Std().In(env.Location())
}

func year(env *Env, a []value.Value) (value.Value, error) {
	return value.OfInt(int64(in(env, a[0]).Year())), nil
}

func month(env *Env, a []value.Value) (value.Value, error) {
	return value.OfInt(int64(in(env, a[0]).Month())), nil
}

func day(env *Env, a []value.Value) (value.Value, error) {
	return value.OfInt(int64(in(env, a[0]).Day())), nil
}

// truncUnits are what date_trunc takes, in any case and with s at the end.
var truncUnits = []string{"year", "quarter", "month", "week", "day", "hour", "minute", "second"}

func truncUnit(name string) string {
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), "s")
}

func checkUnit(args []Expr) error {
	c, ok := args[0].(*Const)
	if !ok || c.V.IsNull() {
		return nil
	}
	return unitFault(c.V.Text)
}

func unitFault(name string) error {
	unit := truncUnit(name)
	for _, u := range truncUnits {
		if u == unit {
			return nil
		}
	}
	if n := value.Nearest(unit, truncUnits); n != "" {
		return fmt.Errorf("no unit %q; did you mean '%s'?", name, n)
	}
	return fmt.Errorf("no unit %q; there are %s", name, strings.Join(truncUnits, ", "))
}

func dateTrunc(env *Env, a []value.Value) (value.Value, error) {
	if err := unitFault(a[0].Text); err != nil {
		return value.Value{}, err
	}
	t := truncate(truncUnit(a[0].Text), in(env, a[1]))
	return value.OfTime(max(record.At(t), record.MinTime)), nil
}

func truncate(unit string, t time.Time) time.Time {
	y, m, d := t.Date()
	switch unit {
	case "year":
		m, d = 1, 1
	case "quarter":
		m, d = (m-1)/3*3+1, 1
	case "month":
		d = 1
	case "week":
		d -= (int(t.Weekday()) + 6) % 7
	case "day":
	default:
		// Hours and less are cut from the moment itself: a clock that is put back
		// shows an hour twice. The cut is of local time, as zones differ by parts
		// of an hour.
		length := map[string]time.Duration{"hour": time.Hour, "minute": time.Minute, "second": time.Second}[unit]
		_, offset := t.Zone()
		shift := time.Duration(offset) * time.Second
		return t.Add(shift).Truncate(length).Add(-shift)
	}
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location())
}

func checkStrftime(args []Expr) error {
	c, ok := args[1].(*Const)
	if !ok || c.V.IsNull() {
		return nil
	}
	_, err := appendStrftime(nil, time.Time{}, c.V.Text)
	return err
}

func strftime(env *Env, a []value.Value) (value.Value, error) {
	out, err := appendStrftime(nil, in(env, a[0]), a[1].Text)
	return value.OfText(string(out)), err
}

// strftimeLayouts are the directives that package time has a layout for.
var strftimeLayouts = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "_2", 'j': "002",
	'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM",
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'h': "Jan", 'B': "January",
	'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04", 'D': "01/02/06",
	'z': "-0700", 'Z': "MST",
}

// appendStrftime formats t as C's strftime does, in English.
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
		layout, ok := strftimeLayouts[format[i]]
		if ok {
			dst = t.AppendFormat(dst, layout)
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

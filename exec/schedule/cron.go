package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Cron is a rule in the five fields of crontab(5): minute, hour, day of the
// month, month, day of the week. It is read off the clock on the wall of a
// zone. An hour that this clock skips has its moments when it ends; of an hour
// that it has twice the first counts, unless any hour would do.
type Cron struct {
	zone                           *time.Location
	minute, hour, day, month, week uint64 // bit n: n is planned
	anyHour, anyDay, anyWeek       bool   // the field begins with *
}

// field is one of the five, with the names that numbers have from low on.
type field struct {
	name      string
	low, high int
	names     []string
}

var fields = [...]field{
	{"minute", 0, 59, nil},
	{"hour", 0, 23, nil},
	{"day of the month", 1, 31, nil},
	{"month", 1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{"day of the week", 0, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

// macros are words for five fields.
var macros = map[string]string{
	"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
	"@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}

// cronBytesMax bounds a rule: all numbers of all fields take less.
const cronBytesMax = 1000

// ParseCron reads a rule. Its error says what is wrong with it.
func ParseCron(text string, zone *time.Location) (*Cron, error) {
	if len(text) > cronBytesMax {
		return nil, fmt.Errorf("it has %d bytes, and %d is the most", len(text), cronBytesMax)
	}
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 1 && strings.HasPrefix(words[0], "@") {
		long, ok := macros[words[0]]
		if !ok {
			return nil, fmt.Errorf("there is no %s; write @hourly, @daily, @weekly, @monthly, @yearly or five fields", words[0])
		}
		words = strings.Fields(long)
	}
	if len(words) != len(fields) {
		return nil, fmt.Errorf("it has %d fields, and five are wanted: minute, hour, day of the month, month, day of the week, as in '0 3 * * *'", len(words))
	}
	c := &Cron{zone: zone}
	for i, to := range []*uint64{&c.minute, &c.hour, &c.day, &c.month, &c.week} {
		bits, err := fields[i].parse(words[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fields[i].name, err)
		}
		*to = bits
	}
	c.week |= c.week >> 7 & 1 // 7 is Sunday, as 0 is
	for i, to := range map[int]*bool{1: &c.anyHour, 2: &c.anyDay, 4: &c.anyWeek} {
		*to = strings.HasPrefix(words[i], "*")
	}
	if _, ok := c.Next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)); !ok {
		return nil, fmt.Errorf("no such day ever comes")
	}
	return c, nil
}

// parse reads one field: a list of numbers, ranges and *, each with a step.
func (f *field) parse(text string) (bits uint64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		span, step, stepped := strings.Cut(part, "/")
		low, high := f.low, f.high
		if span != "*" {
			from, to, ranged := strings.Cut(span, "-")
			if low, err = f.number(from); err != nil {
				return 0, err
			}
			switch {
			case ranged:
				if high, err = f.number(to); err != nil {
					return 0, err
				}
			case !stepped:
				high = low
			}
			if low > high {
				return 0, fmt.Errorf("%s runs backwards", span)
			}
		}
		by := 1
		if stepped {
			if by, err = strconv.Atoi(step); err != nil || by < 1 || by > f.high {
				return 0, fmt.Errorf("a step is a number from 1 to %d, not %q", f.high, step)
			}
		}
		for n := low; n <= high; n += by {
			bits |= 1 << n
		}
	}
	return bits, nil
}

func (f *field) number(text string) (int, error) {
	if i := slices.Index(f.names, text); i >= 0 {
		return f.low + i, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < f.low || n > f.high {
		err = fmt.Errorf("write a number from %d to %d, not %q", f.low, f.high, text)
		if f.names != nil {
			err = fmt.Errorf("%w; %s and so on will do too", err, f.names[1])
		}
		return 0, err
	}
	return n, nil
}

// yearsMax is how far apart two leap days may be, and a year.
const yearsMax = 9

// Next implements Rule. There is none only where no day fits.
func (c *Cron) Next(t time.Time) (time.Time, bool) {
	year, month, day := t.In(c.zone).Date()
	for i := range yearsMax * 366 {
		d := time.Date(year, month, day+i, 12, 0, 0, 0, time.UTC)
		if !c.onDay(d) {
			continue
		}
		if m, ok := c.within(d, t); ok {
			return m, true
		}
	}
	return time.Time{}, false
}

// onDay reports whether a day is planned. Where both days of the month and of
// the week are given, either will do.
func (c *Cron) onDay(d time.Time) bool {
	if c.month>>d.Month()&1 == 0 {
		return false
	}
	day, week := c.day>>d.Day()&1 != 0, c.week>>d.Weekday()&1 != 0
	if c.anyDay || c.anyWeek {
		return day && week
	}
	return day || week
}

// shiftMax is more than a clock on the wall is ever set forward or back, short of
// going over the date line.
const shiftMax = 3 * time.Hour

// within is the first moment after t on day d. Where the clock on the wall is set
// that day, it goes through the minutes of the world, and looks at each on it.
func (c *Cron) within(d, t time.Time) (time.Time, bool) {
	year, month, day := d.Date()
	midnight := wall(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
	from := time.Date(year, month, day, 0, 0, 0, 0, c.zone).Truncate(time.Minute).Add(-shiftMax)
	end := from.Add(24*time.Hour + 2*shiftMax)
	steady := offset(from.In(c.zone)) == offset(end.In(c.zone))
	if after := t.Truncate(time.Minute); after.After(from) {
		from = after
	}
	before := wall(from.In(c.zone))
	if steady {
		for w := max(before+1, midnight); w < midnight+24*60; w++ {
			if c.atMinute(w) {
				return from.Add(time.Duration(w-before) * time.Minute).In(c.zone), true
			}
		}
		return time.Time{}, false
	}
	for m := from.Add(time.Minute); m.Before(end); m = m.Add(time.Minute) {
		now := wall(m.In(c.zone))
		first := before + 1
		if c.anyHour || now < first {
			first = now // nothing was skipped, or it does not matter
		}
		before = now
		if now < midnight || now >= midnight+24*60 || !c.anyHour && c.again(m, now) {
			continue
		}
		for w := max(first, midnight); w <= now; w++ {
			if c.atMinute(w) {
				return m.In(c.zone), true
			}
		}
	}
	return time.Time{}, false
}

// wall is what the clock on the wall shows, in minutes.
func wall(local time.Time) int64 { return (local.Unix() + offset(local)) / 60 }

// offset is how far that clock is from Greenwich's, in seconds.
func offset(local time.Time) int64 {
	_, o := local.Zone()
	return int64(o)
}

func (c *Cron) atMinute(w int64) bool {
	const day = 24 * 60
	w = (w%day + day) % day // also before 1970
	return c.minute>>(w%60)&1 != 0 && c.hour>>(w/60)&1 != 0
}

// again reports whether the clock on the wall has shown now before, as it was
// set back not long ago.
func (c *Cron) again(m time.Time, now int64) bool {
	back := time.Duration(offset(m.Add(-shiftMax).In(c.zone))-offset(m.In(c.zone))) * time.Second
	return back > 0 && wall(m.Add(-back).In(c.zone)) == now
}

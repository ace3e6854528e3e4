package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Cron is a Rule of five fields, as in crontab(5): minute, hour, day of the
// month, month, day of the week. The fields are compared with local time in a
// time zone. If local time skips an hour, as when summer time begins, the
// moments in that hour come when the skipped hour ends. If local time repeats
// an hour, the moments in this hour come only the first time. A rule whose hour
// field begins with * is an exception from both: its moments come whenever the
// clock shows a time that fits.
type Cron struct {
	zone                           *time.Location
	minute, hour, day, month, week uint64 // bit n is set if the field allows n
	anyHour, anyDay, anyWeek       bool   // whether the field begins with *
}

// field describes one of the five fields of a rule: its name, its smallest and
// largest number, and names that may replace its numbers from low on, such as
// "jan" for 1.
type field struct {
	name      string
	low, high int
	names     []string
}

// fields are the five fields of a rule, in their order.
var fields = [...]field{
	{"minute", 0, 59, nil},
	{"hour", 0, 23, nil},
	{"day of the month", 1, 31, nil},
	{"month", 1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{"day of the week", 0, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

// macros maps words that may replace a whole rule, such as @daily, to the five
// fields they mean.
var macros = map[string]string{
	"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
	"@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}

// cronBytesMax is the greatest length of a rule, in bytes. A rule that lists
// every number of every field is shorter.
const cronBytesMax = 1000

// ParseCron returns the rule that text describes, in local time of zone. The
// error says what is wrong with the rule, such as "hour: write a number from 0
// to 23, not \"24\"". A rule that fits no day, such as 30 February, is an
// error.
func ParseCron(text string, zone *time.Location) (*Cron, error) {
	if len(text) > cronBytesMax {
		return nil, fmt.Errorf("it has %d bytes; at most %d are allowed", len(text), cronBytesMax)
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
		return nil, fmt.Errorf("five fields are wanted, not %d: minute, hour, day of the month, month, day of the week, as in '0 3 * * *'", len(words))
	}
	c := &Cron{zone: zone}
	for i, to := range []*uint64{&c.minute, &c.hour, &c.day, &c.month, &c.week} {
		bits, err := fields[i].parse(words[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fields[i].name, err)
		}
		*to = bits
	}
	c.week |= c.week >> 7 & 1 // 7 is Sunday, like 0
	for i, to := range map[int]*bool{1: &c.anyHour, 2: &c.anyDay, 4: &c.anyWeek} {
		*to = strings.HasPrefix(words[i], "*")
	}
	if _, ok := c.Next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)); !ok {
		return nil, fmt.Errorf("no such day ever comes")
	}
	return c, nil
}

// parse reads the text of one field: numbers, ranges such as 1-5, and *,
// separated by commas, each optionally with a step such as /2. Bit n of the
// result is set if the field allows the number n.
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

// number returns the number in field f that text names: digits, or a name such
// as "jan". A number out of the field's range is an error.
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

// yearsMax is how many years Next searches. Two leap days may be eight years
// apart, and one more year is needed.
const yearsMax = 9

// Next returns the first moment of the rule after t, in the zone of the rule.
// It implements Rule. The bool is false only if no day fits the fields.
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

// onDay reports whether the fields allow the day d. If both the day of the
// month and the day of the week are restricted, one of them is enough, as in
// crontab(5).
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

// shiftMax is longer than any change of local time, such as the start of summer
// time. Only a country that crosses the date line changes its local time by
// more.
const shiftMax = 3 * time.Hour

// within returns the first moment of the rule after t that is on the day d, and
// reports whether there is one. On a day when local time changes, it goes
// through the real minutes of the day and compares the local time of each with
// the fields.
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
			first = now // no minute was skipped, or skipping does not matter
		}
		before = now
		if now < midnight || now >= midnight+24*60 || !c.anyHour && c.isSecondTime(m, now) {
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

// wall returns the number of minutes since 1970 that a clock on the wall shows
// at the moment local, in local time.
func wall(local time.Time) int64 { return (local.Unix() + offset(local)) / 60 }

// offset returns by how many seconds the local time of the moment local is
// ahead of UTC.
func offset(local time.Time) int64 {
	_, o := local.Zone()
	return int64(o)
}

// atMinute reports whether the minute and hour fields allow w, a number of
// minutes that wall returned.
func (c *Cron) atMinute(w int64) bool {
	const day = 24 * 60
	w = (w%day + day) % day // positive also before 1970
	return c.minute>>(w%60)&1 != 0 && c.hour>>(w/60)&1 != 0
}

// isSecondTime reports whether a clock on the wall shows the local time now for the
// second time at the moment m, because it was set back less than shiftMax
// before m. now is in minutes since 1970, as wall returns it.
func (c *Cron) isSecondTime(m time.Time, now int64) bool {
	back := time.Duration(offset(m.Add(-shiftMax).In(c.zone))-offset(m.In(c.zone))) * time.Second
	return back > 0 && wall(m.Add(-back).In(c.zone)) == now
}

package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// layout is the format of times in these tests.
const layout = "2006-01-02 15:04 -0700"

func zone(t interface{ Fatal(...any) }, name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// next returns the first n planned moments after t, as text in the zone in.
func next(r Rule, t time.Time, n int, in *time.Location) string {
	var list []string
	for range n {
		m, ok := r.Next(t)
		if !ok {
			list = append(list, "never")
			break
		}
		list = append(list, m.In(in).Format(layout))
		t = m
	}
	return strings.Join(list, ", ")
}

// TestCron computes moments of rules in local time, also when local time
// changes.
func TestCron(t *testing.T) {
	for _, c := range []struct{ rule, zone, after, want string }{
		{"0 3 * * *", "UTC", "2008-06-01 02:59 +0000", "2008-06-01 03:00 +0000, 2008-06-02 03:00 +0000"},
		{"0 3 * * *", "UTC", "2008-06-01 03:00 +0000", "2008-06-02 03:00 +0000, 2008-06-03 03:00 +0000"},
		{"@hourly", "UTC", "2008-12-31 22:30 +0000", "2008-12-31 23:00 +0000, 2009-01-01 00:00 +0000"},
		{"*/20 9-10 * * mon-fri", "Asia/Shanghai", "2008-06-06 09:30 +0800", "2008-06-06 09:40 +0800, 2008-06-06 10:00 +0800, 2008-06-06 10:20 +0800, 2008-06-06 10:40 +0800, 2008-06-09 09:00 +0800"},
		{"0 0 29 2 *", "UTC", "2096-03-01 00:00 +0000", "2104-02-29 00:00 +0000"},
		{"0 0 31 * *", "UTC", "2008-06-01 00:00 +0000", "2008-07-31 00:00 +0000, 2008-08-31 00:00 +0000, 2008-10-31 00:00 +0000"},
		{"0 0 13 * fri", "UTC", "2008-06-10 00:00 +0000", "2008-06-13 00:00 +0000, 2008-06-20 00:00 +0000, 2008-06-27 00:00 +0000, 2008-07-04 00:00 +0000, 2008-07-11 00:00 +0000, 2008-07-13 00:00 +0000"},
		{"0 0 */10 * 7", "UTC", "2008-05-31 00:00 +0000", "2008-06-01 00:00 +0000, 2008-08-31 00:00 +0000"},
		// The hour from 2 to 3 is skipped on 30 March, and there twice on 26 October.
		{"30 2 * * *", "Europe/Berlin", "2008-03-29 12:00 +0100", "2008-03-30 03:00 +0200, 2008-03-31 02:30 +0200"},
		{"30 2,3 * * *", "Europe/Berlin", "2008-03-29 12:00 +0100", "2008-03-30 03:00 +0200, 2008-03-30 03:30 +0200, 2008-03-31 02:30 +0200"},
		{"30 * * * *", "Europe/Berlin", "2008-03-30 01:00 +0100", "2008-03-30 01:30 +0100, 2008-03-30 03:30 +0200"},
		{"30 2 * * *", "Europe/Berlin", "2008-10-25 12:00 +0200", "2008-10-26 02:30 +0200, 2008-10-27 02:30 +0100"},
		{"30 * * * *", "Europe/Berlin", "2008-10-26 01:50 +0200", "2008-10-26 02:30 +0200, 2008-10-26 02:30 +0100, 2008-10-26 03:30 +0100"},
		// Midnight is skipped; half an hour is; a whole day is.
		{"0 0 * * *", "America/Sao_Paulo", "2017-10-14 12:00 -0300", "2017-10-15 01:00 -0200, 2017-10-16 00:00 -0200"},
		{"15 2 * * *", "Australia/Lord_Howe", "2008-10-04 12:00 +1030", "2008-10-05 02:30 +1100, 2008-10-06 02:15 +1100"},
		{"0 6 * * *", "Pacific/Apia", "2011-12-29 12:00 -1000", "2011-12-31 06:00 +1400, 2012-01-01 06:00 +1400"},
	} {
		z := zone(t, c.zone)
		rule, err := ParseCron(c.rule, z)
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		after, err := time.Parse(layout, c.after)
		if err != nil {
			t.Fatal(err)
		}
		if got := next(rule, after, strings.Count(c.want, ",")+1, z); got != c.want {
			t.Errorf("%s in %s after %s:\n got %s\nwant %s", c.rule, c.zone, c.after, got, c.want)
		}
	}
}

// TestCronErrors shows the messages for rules that are wrong.
func TestCronErrors(t *testing.T) {
	for _, c := range []struct{ rule, want string }{
		{"", "five fields are wanted, not 0"},
		{"0 3 * *", "five fields are wanted, not 4"},
		{"60 3 * * *", `minute: write a number from 0 to 59, not "60"`},
		{"0 3 * foo *", `month: write a number from 1 to 12, not "foo"; feb and so on will do too`},
		{"0 5-3 * * *", "hour: 5-3 runs backwards"},
		{"*/0 * * * *", `minute: a step is a number from 1 to 59, not "0"`},
		{"0 0 31 2 *", "no such day ever comes"},
		{"@often", "there is no @often"},
		{"0 0 * * " + strings.Repeat("1,", 1000), "it has 2008 bytes"},
	} {
		if _, err := ParseCron(c.rule, time.UTC); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want %q", c.rule, err, c.want)
		}
	}
}

// FuzzCron parses any text. A rule that it accepts has a next moment, which is
// after the time given.
func FuzzCron(f *testing.F) {
	for _, s := range []string{"0 3 * * *", "*/5 0-23/2 1,15 jan-dec 1-5", "@daily", "59 23 29 2 7", "0 0 30 2 *"} {
		f.Add(s, int64(1212278400))
	}
	berlin := zone(f, "Europe/Berlin")
	f.Fuzz(func(t *testing.T, rule string, at int64) {
		c, err := ParseCron(rule, berlin)
		if err != nil {
			return
		}
		after := time.Unix(at%(1<<33), 0)
		if m, ok := c.Next(after); !ok || !m.After(after) {
			t.Errorf("%q after %v: %v, %v", rule, after, m, ok)
		}
	})
}

// TestCronModel compares Next with the local time of every minute of some days,
// in zones that change their time in all ways.
func TestCronModel(t *testing.T) {
	changes := []struct {
		zone string
		near time.Time
	}{
		{"Europe/Berlin", time.Date(2008, 3, 29, 20, 0, 0, 0, time.UTC)},
		{"Europe/Berlin", time.Date(2008, 10, 25, 20, 0, 0, 0, time.UTC)},
		{"America/Sao_Paulo", time.Date(2017, 10, 14, 20, 0, 0, 0, time.UTC)},
		{"America/Sao_Paulo", time.Date(2018, 2, 17, 20, 0, 0, 0, time.UTC)},
		{"Australia/Lord_Howe", time.Date(2008, 10, 4, 10, 0, 0, 0, time.UTC)},
		{"Australia/Lord_Howe", time.Date(2008, 4, 5, 10, 0, 0, 0, time.UTC)},
		{"Asia/Shanghai", time.Date(2008, 2, 28, 10, 0, 0, 0, time.UTC)},
	}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(changes).Draw(t, "change")
		z := zone(t, c.zone)
		list := func(from, to, most int, name string) string {
			var items []string
			for _, n := range rapid.SliceOfN(rapid.IntRange(from, to), 1, most).Draw(t, name) {
				items = append(items, fmt.Sprint(n))
			}
			return strings.Join(items, ",")
		}
		hours := list(0, 4, 3, "hours")
		if rapid.Bool().Draw(t, "any hour") {
			hours = "*"
		}
		text := list(0, 59, 2, "minutes") + " " + hours + " * * *"
		if rapid.Bool().Draw(t, "days") {
			text = list(0, 59, 2, "minutes") + " " + hours + " * * " + list(0, 6, 5, "week")
		}
		rule, err := ParseCron(text, z)
		if err != nil {
			t.Fatal(err)
		}
		from := c.near.Add(time.Duration(rapid.IntRange(-600, 600).Draw(t, "minutes before")) * time.Minute)
		want := modelled(rule, from, z)
		got, ok := rule.Next(from)
		if want.IsZero() {
			if ok && got.Before(from.Add(30*time.Hour)) {
				t.Fatalf("%s in %s after %v: %v, want none for 30 hours", text, c.zone, from.In(z), got)
			}
			return
		}
		if !got.Equal(want) {
			t.Fatalf("%s in %s after %v:\n got %v\nwant %v", text, c.zone, from.In(z), got, want.In(z))
		}
	})
}

// modelled returns the first planned moment in the 30 hours after from,
// computed from the local time of every minute.
func modelled(c *Cron, from time.Time, z *time.Location) time.Time {
	shown := map[string][]time.Time{}
	const minute = "2006-01-02 15:04"
	start := from.Add(-30 * time.Hour).Truncate(time.Minute)
	for m := start; m.Before(from.Add(60 * time.Hour)); m = m.Add(time.Minute) {
		w := m.In(z).Format(minute)
		shown[w] = append(shown[w], m)
	}
	var best time.Time
	first, _ := time.Parse(minute, start.In(z).Format(minute))
	last := start // the real time of the last local minute that was not skipped
	for w := first; w.Before(first.Add(80 * time.Hour)); w = w.Add(time.Minute) {
		at := shown[w.Format(minute)]
		if len(at) > 0 {
			last = at[0]
		}
		if !c.onDay(w) || c.hour>>w.Hour()&1 == 0 || c.minute>>w.Minute()&1 == 0 {
			continue
		}
		switch {
		case len(at) == 0 && c.anyHour:
		case len(at) == 0:
			at = []time.Time{last.Add(time.Minute)}
		case !c.anyHour:
			at = at[:1]
		}
		for _, m := range at {
			if m.After(from) && m.Before(from.Add(30*time.Hour)) && (best.IsZero() || m.Before(best)) {
				best = m
			}
		}
	}
	return best
}

// TestEvery computes moments before and after the anchor, and months by the
// calendar.
func TestEvery(t *testing.T) {
	at := func(s string) time.Time {
		m, err := time.Parse(layout, s)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, c := range []struct {
		rule        Every
		after, want string
	}{
		{Every{Anchor: at("2008-06-01 03:00 +0000"), Length: 24 * time.Hour}, "2008-06-01 03:00 +0000", "2008-06-02 03:00 +0000, 2008-06-03 03:00 +0000"},
		{Every{Anchor: at("2008-06-01 03:00 +0000"), Length: 24 * time.Hour}, "2008-05-01 04:00 +0000", "2008-05-02 03:00 +0000"},
		{Every{Anchor: at("2008-06-01 03:00 +0000"), Length: 7 * time.Hour}, "2008-05-31 19:00 +0000", "2008-05-31 20:00 +0000, 2008-06-01 03:00 +0000"},
		{Every{Anchor: at("2008-01-31 03:00 +0000"), Months: 1}, "2008-01-31 03:00 +0000", "2008-02-29 03:00 +0000, 2008-03-31 03:00 +0000, 2008-04-30 03:00 +0000"},
		{Every{Anchor: at("2008-02-29 03:00 +0000"), Months: 12}, "2000-01-01 00:00 +0000", "2000-02-29 03:00 +0000, 2001-02-28 03:00 +0000"},
		{Every{Anchor: at("2008-11-30 03:00 +0000"), Months: 3}, "2009-01-01 00:00 +0000", "2009-02-28 03:00 +0000, 2009-05-30 03:00 +0000"},
	} {
		if got := next(c.rule, at(c.after), strings.Count(c.want, ",")+1, time.UTC); got != c.want {
			t.Errorf("%v after %s:\n got %s\nwant %s", c.rule, c.after, got, c.want)
		}
	}
}

// TestDue shows that Due corrects only moments that a clock ahead of time has
// stored.
func TestDue(t *testing.T) {
	r := Every{Anchor: time.Date(2008, 6, 1, 0, 0, 0, 0, time.UTC), Length: 24 * time.Hour}
	at := func(day int) time.Time { return time.Date(2008, 6, day, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct{ stored, now, want time.Time }{
		{at(5), at(4), at(5)},
		{at(5), at(9), at(5)}, // due since 5, and runs once
		{at(5), at(3).Add(time.Hour), at(5)},
		{at(5), at(2).Add(time.Hour), at(3)},
		{at(5).AddDate(30, 0, 0), at(5), at(6)},
	} {
		if got := Due(r, c.stored, c.now); !got.Equal(c.want) {
			t.Errorf("noted for %v, and now %v: %v, want %v", c.stored, c.now, got, c.want)
		}
	}
}

package value

import (
	"strings"
	"testing"
	"time"

	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
)

// periodText prints a period in UTC.
func periodText(p Period) string {
	return string(AppendTime(nil, p.From, time.UTC)) + " " + string(AppendTime(nil, p.To, time.UTC))
}

// TestParsePeriod parses all forms of a time literal, and shows the messages
// for others.
func TestParsePeriod(t *testing.T) {
	china := time.FixedZone("CST", 8*3600)
	forms := "is no time: write 2008, 2008-06, 2008-06-15 or 2008-06-15T10:30:00"
	for _, c := range []struct {
		text string
		zone *time.Location
		want string
	}{
		{"2008", time.UTC, "2008-01-01T00:00:00Z 2009-01-01T00:00:00Z"},
		{"2008-06", time.UTC, "2008-06-01T00:00:00Z 2008-07-01T00:00:00Z"},
		{"2008-06", china, "2008-05-31T16:00:00Z 2008-06-30T16:00:00Z"},
		{" 2008-02-29 ", time.UTC, "2008-02-29T00:00:00Z 2008-03-01T00:00:00Z"},
		{"2008-06-15T10:30", time.UTC, "2008-06-15T10:30:00Z 2008-06-15T10:31:00Z"},
		{"2008-06-15 10:30:05", china, "2008-06-15T02:30:05Z 2008-06-15T02:30:06Z"},
		{"2008-06-15T10:30:05Z", china, "2008-06-15T10:30:05Z 2008-06-15T10:30:06Z"},
		{"2008-06-15T10:30:05.1+08:00", time.UTC, "2008-06-15T02:30:05.100Z 2008-06-15T02:30:05.101Z"},
		{"2008-06-15T10:30:05.123456-0130", time.UTC, "2008-06-15T12:00:05.123Z 2008-06-15T12:00:05.124Z"},
		{"200806", time.UTC, "2008-06-01T00:00:00Z 2008-07-01T00:00:00Z"},
		{"20080615", time.UTC, "2008-06-15T00:00:00Z 2008-06-16T00:00:00Z"},
		{"2008061510", time.UTC, "2008-06-15T10:00:00Z 2008-06-15T11:00:00Z"},
		{"200806151030", time.UTC, "2008-06-15T10:30:00Z 2008-06-15T10:31:00Z"},
		{"20080615103059", time.UTC, "2008-06-15T10:30:59Z 2008-06-15T10:31:00Z"},
		{"9999", time.UTC, "9999-01-01T00:00:00Z 10000-01-01T00:00:00Z"},
		{"", time.UTC, `"" ` + forms},
		{"June 2008", time.UTC, "2008-06-01T00:00:00Z 2008-07-01T00:00:00Z"},
		{"june 2, 2008", time.UTC, "2008-06-02T00:00:00Z 2008-06-03T00:00:00Z"},
		{"2 Jun 2008", time.UTC, "2008-06-02T00:00:00Z 2008-06-03T00:00:00Z"},
		{"02-Jun-2008 10:30", time.UTC, "2008-06-02T10:30:00Z 2008-06-02T10:31:00Z"},
		{"2008/6/2", time.UTC, "2008-06-02T00:00:00Z 2008-06-03T00:00:00Z"},
		{"2008/06", time.UTC, "2008-06-01T00:00:00Z 2008-07-01T00:00:00Z"},
		{"2008-6-2", china, "2008-06-01T16:00:00Z 2008-06-02T16:00:00Z"},
		{"2008年6月2日", time.UTC, "2008-06-02T00:00:00Z 2008-06-03T00:00:00Z"},
		{"2008年12月", time.UTC, "2008-12-01T00:00:00Z 2009-01-01T00:00:00Z"},
		{"2 sept 2008", time.UTC, "2008-09-02T00:00:00Z 2008-09-03T00:00:00Z"},
		{"2 Juni 2008", time.UTC, `"2 Juni 2008" ` + forms},
		{"02/06/2008", time.UTC, `"02/06/2008" ` + forms},
		{"2008年13月", time.UTC, `"2008年13月" is no time: there is no month 13`},
		{"2008-6", time.UTC, `"2008-6" ` + forms},
		{"2008-060", time.UTC, `"2008-060" ` + forms},
		{"2008-06-15T10", time.UTC, `"2008-06-15T10" ` + forms},
		{"2008-06-15Z", time.UTC, `"2008-06-15Z" ` + forms},
		{"2008-06-15T10:30:05.", time.UTC, `"2008-06-15T10:30:05." ` + forms},
		{"2008-06-15T10:30:05+25:00", time.UTC, `"2008-06-15T10:30:05+25:00" ` + forms},
		{"2008061", time.UTC, `"2008061" ` + forms},
		{"2008061510305900", time.UTC, `"2008061510305900" ` + forms},
		{"２００８", time.UTC, `"２００８" ` + forms},
		{"2008-13", time.UTC, `"2008-13" is no time: there is no month 13`},
		{"20080631", time.UTC, `"20080631" is no time: that month has 30 days`},
		{"2009-02-29", time.UTC, `"2009-02-29" is no time: that month has 28 days`},
		{"2008-06-15T24:00", time.UTC, `"2008-06-15T24:00" is no time: there is no hour 24`},
		{"0000", time.UTC, `"0000" is no time: there is no year 0`},
		{"0001-01-01T00:00+08:00", time.UTC, `"0001-01-01T00:00+08:00" lies outside the years 1 to 9999`},
	} {
		p, err := ParsePeriod(c.text, c.zone)
		got := periodText(p)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestPeriodOf reads all expressions that a time clause may contain.
func TestPeriodOf(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zone data on this system")
	}
	env := &Env{
		Now:    record.At(time.Date(2008, 3, 31, 1, 30, 0, 5e6, time.UTC)), // a day after clocks went forward
		Zone:   berlin,
		Params: map[string]string{"t": "2008-06", "bad": "x"},
	}
	for _, c := range [][2]string{
		{"2008", "2007-12-31T23:00:00Z 2008-12-31T23:00:00Z"},
		{"2008-06", "2008-05-31T22:00:00Z 2008-06-30T22:00:00Z"},
		{"2008-06-15T10:30Z", "2008-06-15T10:30:00Z 2008-06-15T10:31:00Z"},
		{"'20080615'", "2008-06-14T22:00:00Z 2008-06-15T22:00:00Z"},
		{"$t", "2008-05-31T22:00:00Z 2008-06-30T22:00:00Z"},
		{"NOW", "2008-03-31T01:30:00.005Z 2008-03-31T01:30:00.006Z"},
		{"TODAY", "2008-03-30T22:00:00Z 2008-03-31T22:00:00Z"},
		{"TODAY - 7d", "2008-03-23T23:00:00Z 2008-03-24T23:00:00Z"},
		{"TODAY - 1mo", "2008-02-28T23:00:00Z 2008-02-29T23:00:00Z"},
		{"NOW - 36h", "2008-03-29T13:30:00.005Z 2008-03-29T13:30:00.006Z"},
		{"NOW + 1y - 1d", "2009-03-30T01:30:00.005Z 2009-03-30T01:30:00.006Z"},
		{"2008-03 - 1mo", "2008-01-31T23:00:00Z 2008-02-29T23:00:00Z"},
		{"$bad", `1:8: parameter $bad: "x" is no time: write 2008, 2008-06, 2008-06-15 or 2008-06-15T10:30:00`},
		{"$none", "1:8: parameter $none has no value (give it with --param none=… or SET $none = …)"},
		{"1.5", `1:8: "1.5" is no time: write 2008, 2008-06, 2008-06-15 or 2008-06-15T10:30:00`},
		{"NOW + 9000y", "1:8: NOW + 9000y lies outside the years 1 to 9999"},
		{"status", "1:8: status is no time (write 2008, 2008-06, 2008-06-15 or 2008-06-15T10:30:00)"},
	} {
		e := parseExpr(t, c[0])
		p, err := PeriodOf(e, env)
		got := periodText(p)
		if err != nil {
			got = err.Error()
		}
		if got != c[1] {
			t.Errorf("%s\n got %s\nwant %s", c[0], got, c[1])
		}
		if !IsPeriod(e) && err == nil {
			t.Errorf("IsPeriod(%s) is false, yet it is read", c[0])
		}
	}
	long := &ast.Binary{Op: "+", X: &ast.Now{}, Y: &ast.Duration{Text: "999999999mo", Months: 999999999}}
	if _, err := PeriodOf(long, env); err == nil || err.Error() != "999999999mo is too long" {
		t.Errorf("%s: got the error %v", long, err)
	}
	for _, src := range []string{"status", "NOW - status", "lower(kind)", "2 * 3", "7d + NOW", "NULL"} {
		if IsPeriod(parseExpr(t, src)) {
			t.Errorf("IsPeriod(%s) is true", src)
		}
	}
}

func parseExpr(t *testing.T, src string) ast.Expr {
	t.Helper()
	s, err := lang.ParseOne("SELECT "+src, "")
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return s.(*ast.Query).Select.Items[0].Expr
}

// TestAddMonths shows that the result lies in the month that is counted to.
func TestAddMonths(t *testing.T) {
	for _, c := range []struct {
		from   string
		months int
		want   string
	}{
		{"2008-01-31", 1, "2008-02-29"}, {"2009-01-31", 1, "2009-02-28"}, {"2008-03-31", -1, "2008-02-29"},
		{"2008-01-31", 13, "2009-02-28"}, {"2008-12-15", 1, "2009-01-15"}, {"2008-08-31", -2, "2008-06-30"},
	} {
		from, err := time.Parse(time.DateOnly, c.from)
		if err != nil {
			t.Fatal(err)
		}
		if got := AddMonths(from, c.months).Format(time.DateOnly); got != c.want {
			t.Errorf("%s and %d months: got %s, want %s", c.from, c.months, got, c.want)
		}
	}
}

// FuzzParsePeriod parses any text. A period that it returns begins before it
// ends, lies within the years 1 to 9999 in its own zone, and its start, printed
// as RFC 3339, parses as a period with that start.
func FuzzParsePeriod(f *testing.F) {
	for _, s := range []string{"2008", "2008-06-15T10:30:05.123+08:00", "20080615103059", "2008-02-30", "0001-01-01", "9999-12-31T23:59:59.999-23:59", "2008-06-15 10:30", "-", "2008-06-15T10:30:05.+"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePeriod(s, time.UTC)
		if err != nil {
			if !strings.Contains(err.Error(), "is no time: ") && !strings.Contains(err.Error(), "lies outside the years") {
				t.Errorf("%q: the error does not say what is wrong: %v", s, err)
			}
			return
		}
		if p.From >= p.To {
			t.Fatalf("%q: from %d to %d", s, p.From, p.To)
		}
		again, err := ParsePeriod(string(AppendTime(nil, p.From, time.UTC)), time.UTC)
		if err != nil || again.From != p.From {
			t.Errorf("%q begins at %s, which is read as %s, %v", s, periodText(p), periodText(again), err)
		}
	})
}

// TestSkippedMidnight shows days whose midnight the clocks of São Paulo skipped: on 4 November 2018 they
// went from 23:59 to 01:00. The day, and all that begins with it, begins at 01:00, and not an hour
// before, on another day.
func TestSkippedMidnight(t *testing.T) {
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Skip(err)
	}
	check := func(name string, got time.Time, want string) {
		t.Helper()
		if got := got.In(zone).Format("2006-01-02T15:04"); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	noon := time.Date(2018, 11, 4, 12, 0, 0, 0, zone)
	check("StartOf", StartOf("day", noon), "2018-11-04T01:00")
	check("After", After("day", StartOf("day", noon)), "2018-11-05T00:00")
	check("After the day before", After("day", noon.AddDate(0, 0, -1).Add(-12*time.Hour)), "2018-11-04T01:00")
	check("AddMonths", AddMonths(time.Date(2018, 10, 4, 0, 0, 0, 0, zone), 1), "2018-11-04T01:00")
	check("AddMonths at noon", AddMonths(time.Date(2018, 10, 4, 12, 0, 0, 0, zone), 1), "2018-11-04T12:00")
	for _, c := range [][3]string{
		{"2018-11-04", "2018-11-04T01:00", "2018-11-05T00:00"},
		{"2018-11-03", "2018-11-03T00:00", "2018-11-04T01:00"},
		{"2018-11-04T00:30", "2018-11-04T01:30", "2018-11-04T01:31"},
		{"2018-11", "2018-11-01T00:00", "2018-12-01T00:00"},
	} {
		p, err := ParsePeriod(c[0], zone)
		if err != nil {
			t.Fatal(err)
		}
		check(c[0], p.From.Std(), c[1])
		check("the end of "+c[0], p.To.Std(), c[2])
	}
}

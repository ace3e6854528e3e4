package value

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestCast casts values between all types for which that is possible.
func TestCast(t *testing.T) {
	june := OfTime(1212278400000)
	for _, c := range []struct {
		v    Value
		to   Type
		want string
	}{
		{OfText(" 12 "), Int, "12"}, {OfText("-9223372036854775808"), Int, "-9223372036854775808"},
		{OfText("1.5"), Int, "'1.5' is no whole number"}, {OfText(""), Int, "'' is no whole number"},
		{OfText("9223372036854775808"), Int, "'9223372036854775808' is no whole number that fits in 64 bits"},
		{OfFloat(2.5), Int, "3"}, {OfFloat(-2.5), Int, "-3"}, {OfFloat(math.NaN()), Int, "NaN is out of the range of int"},
		{OfFloat(9223372036854775807), Int, "9223372036854776000 is out of the range of int"},
		{OfBool(true), Int, "1"}, {OfBool(false), Int, "0"}, {OfDuration(1500), Int, "2"},
		{OfInt(2), Float, "2"}, {OfText("1e3"), Float, "1000"}, {OfText("0x10"), Float, "'0x10' is no number"},
		{OfText("1_0"), Float, "'1_0' is no number"}, {OfDuration(1500), Float, "1.5"},
		{OfText("Yes"), Bool, "TRUE"}, {OfText("0"), Bool, "FALSE"}, {OfText("maybe"), Bool, "'maybe' is no bool: write true or false"}, {OfInt(5), Bool, "TRUE"},
		{OfInt(5), Text, "'5'"}, {OfFloat(0.1), Text, "'0.1'"}, {june, Text, "'2008-06-01T08:00:00+08:00'"}, {OfURL("http://a.cn/"), Text, "'http://a.cn/'"}, {OfBool(true), Text, "'true'"},
		{OfText("2008-06"), Time, "2008-05-31T16:00:00Z"}, {OfInt(200806), Time, "2008-05-31T16:00:00Z"},
		{OfInt(-2008), Time, `"-2008" is no time: write 2008, 2008-06, 2008-06-15 or 2008-06-15T10:30:00`},
		{OfText("1d 2h"), Duration, "1d 2h"}, {OfText("-1.5h"), Duration, "-1h 30m"}, {OfText("90 s 5 ms"), Duration, "1m 30s 5ms"}, {OfInt(60), Duration, "1m"}, {OfFloat(0.25), Duration, "250ms"},
		{OfText("2mo"), Duration, "'2mo' is no duration: write a number with ms, s, m, h, d or w, such as 36h"},
		{OfText("1e9w"), Duration, "'1e9w' is no duration: write a number with ms, s, m, h, d or w, such as 36h"},
		{OfText("99999999999999999w"), Duration, "'99999999999999999w' is too long for a duration"},
		{OfInt(math.MaxInt64), Duration, "9223372036854776000 s is out of the range of duration"},
		{OfText("PKU.edu.cn"), URL, "'http://pku.edu.cn/'"},
		{Value{}, Int, "NULL"},
	} {
		if !Castable(c.v.Type, c.to) {
			t.Errorf("%s can't be made %s", c.v.Type, c.to)
		}
		v, err := Cast(c.v, c.to, time.FixedZone("", 8*3600))
		got := v.String()
		if err != nil {
			got = err.Error()
		} else if v.Type != c.to && !v.IsNull() {
			t.Errorf("%s made %s is %s", c.v, c.to, v.Type)
		}
		if got != c.want {
			t.Errorf("%s made %s: got %s, want %s", c.v, c.to, got, c.want)
		}
	}
}

// TestCastableTable shows that a cast that Castable allows gives a value of the
// type, or an error.
func TestCastableTable(t *testing.T) {
	var allowed []string
	for from := Bool; from <= Duration; from++ {
		for to := Bool; to <= Duration; to++ {
			if Castable(from, to) && from != to && from != Text && from != URL && to != Text {
				allowed = append(allowed, from.String()+">"+to.String())
			}
		}
	}
	want := "bool>int int>bool int>float int>time int>duration float>int float>duration duration>int duration>float"
	if got := strings.Join(allowed, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCastRound shows that every value survives a cast to text and back.
func TestCastRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom([]Type{Bool, Int, Float, Duration, URL}).Draw(t, "type")
		v := values(typ).Draw(t, "value")
		if typ == Duration && (v.Int > 1<<52 || v.Int < -1<<52) {
			return // durations are read as floats, which are exact up to 140,000 years
		}
		text, err := Cast(v, Text, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Cast(text, typ, time.UTC)
		if err != nil || !equal(back, v) {
			t.Fatalf("%v as text is %s, which is read as %v, %v", v, text, back, err)
		}
	})
}

// TestParseType accepts the names of SQL too, and suggests the nearest name.
func TestParseType(t *testing.T) {
	for _, c := range [][2]string{
		{"int", "int"}, {"INTEGER", "int"}, {"timestamp", "time"}, {"Varchar", "text"},
		{"flaot", `no type "flaot"; did you mean float?`},
		{"null", `no type "null"; there are bool, int, float, text, url, time, duration`},
		{"blob", `no type "blob"; there are bool, int, float, text, url, time, duration`},
	} {
		typ, err := ParseType(c[0])
		got := typ.String()
		if err != nil {
			got = err.Error()
		}
		if got != c[1] {
			t.Errorf("%s: got %s, want %s", c[0], got, c[1])
		}
	}
}

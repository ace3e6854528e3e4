package value

import (
	"math"
	"testing"
	"time"
)

// TestFormat prints each type as text.
func TestFormat(t *testing.T) {
	china := time.FixedZone("CST", 8*3600)
	for _, c := range []struct{ got, want string }{
		{string(AppendTime(nil, 1213525800000, time.UTC)), "2008-06-15T10:30:00Z"},
		{string(AppendTime(nil, 1213525800005, china)), "2008-06-15T18:30:00.005+08:00"},
		{string(AppendTime(nil, -62135596800000, time.UTC)), "0001-01-01T00:00:00Z"},
		{string(AppendDuration(nil, 0)), "0s"},
		{string(AppendDuration(nil, 93600000)), "1d 2h"},
		{string(AppendDuration(nil, -90061001)), "-1d 1h 1m 1s 1ms"},
		{string(AppendDuration(nil, math.MinInt64)), "-106751991167d 7h 12m 55s 808ms"},
		{string(AppendSeconds(nil, 93600000)), "93600"},
		{string(AppendSeconds(nil, 250)), "0.25"},
		{string(AppendSeconds(nil, -1005)), "-1.005"},
		{string(AppendSeconds(nil, math.MinInt64)), "-9223372036854775.808"},
		{string(appendFloat(nil, 0.1)), "0.1"},
		{string(appendFloat(nil, 1e20)), "100000000000000000000"},
		{string(appendFloat(nil, 1e21)), "1e+21"},
		{string(appendFloat(nil, 1e-7)), "1e-07"},
		{string(appendFloat(nil, math.NaN())), "NaN"},
		{OfText("it's").String(), "'it''s'"},
		{Value{}.String(), "NULL"},
		{OfBool(true).String(), "TRUE"},
		{OfDuration(1000).String(), "1s"},
		{string(Value{}.Append([]byte("x"), time.UTC)), "x"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

// TestVectorAppendText shows that a row is printed like a single value.
func TestVectorAppendText(t *testing.T) {
	for _, v := range []Value{OfBool(true), OfInt(-5), OfFloat(1.5), OfText("x"), OfURL("http://a.cn/"), OfTime(5), OfDuration(5), {}} {
		vec := NewVector(v.Type, 0)
		vec.AppendValue(v)
		if got, want := string(vec.AppendText(nil, 0, time.UTC)), string(v.Append(nil, time.UTC)); got != want {
			t.Errorf("%s: got %q, want %q", v.Type, got, want)
		}
	}
}

package cellformat

import (
	"math"
	"strings"
	"testing"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		v       float64
		pattern string
		want    string
	}{
		{1234.5, "", "1234.5"},
		{1234.5, "General", "1234.5"},
		{0.1 + 0.2, "", "0.3"},
		{1.0 / 3, "", "0.3333333333"},
		{1e20, "", "1E+20"},
		{-12, "General", "-12"},
		{2.675, "0.00", "2.68"},
		{-2.675, "0.00", "-2.68"},
		{-0.001, "0.00", "0.00"},
		{999.995, "0.00", "1000.00"},
		{1234567.891, "#,##0.00", "1,234,567.89"},
		{12, "#,##0", "12"},
		{1234567, "#,##0,", "1,235"},
		{0.5, "#.##", ".5"},
		{0.5, "0.##", "0.5"},
		{3, "0.##", "3"},
		{7, "000", "007"},
		{5551234567, "(000) 000-0000", "(555) 123-4567"},
		{0.125, "0.0%", "12.5%"},
		{12345, "0.00E+00", "1.23E+04"},
		{0.00012, "0.0E-0", "1.2E-4"},
		{-5, "#,##0_);(#,##0)", "(5)"},
		{5, "#,##0_);(#,##0)", "5"},
		{0, `0;-0;"none"`, "none"},
		{5, `[$€-407] 0.00`, "€ 5.00"},
		{5, `0 "kg"`, "5 kg"},
		{5, `0\h`, "5h"},
		{150, `[>100]"high";"low"`, "high"},
		{50, `[>100]"high";"low"`, "low"},
		{1.75, "# ?/?", "1 3/4"},
		{0.3, "# ??/??", "3/10"},
		{-1.05, "# ?/16", "-1 1/16"},
		{2, "# ?/?", "2"},
		{1, `[Red]0;[Blue]-0`, "1"},
		{3.14159, "@", "3.14159"},
	} {
		if got := Parse(c.pattern).Show(c.v, false); got != c.want {
			t.Errorf("%v by %q: %q, want %q", c.v, c.pattern, got, c.want)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := Parse("0.00").Show(v, false); got != "" {
			t.Errorf("%v: %q", v, got)
		}
	}
}

func TestDates(t *testing.T) {
	for _, c := range []struct {
		v       float64
		pattern string
		since04 bool
		want    string
	}{
		{39521, "yyyy-mm-dd", false, "2008-03-14"},
		{38059, "yyyy-mm-dd", true, "2008-03-14"},
		{1, "yyyy-mm-dd", false, "1900-01-01"},
		{59, "d.m.yy", false, "28.2.00"},
		{61, "d.m.yy", false, "1.3.00"},
		{39521.75, "m/d/yyyy h:mm AM/PM", false, "3/14/2008 6:00 PM"},
		{39521, "dddd, d mmmm yyyy", false, "Friday, 14 March 2008"},
		{39521, `yyyy"年"m"月"d"日"`, false, "2008年3月14日"},
		{0.5, "h:mm:ss", false, "12:00:00"},
		{1.5, "[h]:mm", false, "36:00"},
		{0.5, "mm:ss", false, "00:00"},
		{0.0001, "mm:ss.0", false, "00:08.6"},
		{0.999999, "h:mm", false, "0:00"},
		{-1, "yyyy-mm-dd", false, "-1"},
		{1e9, "yyyy-mm-dd", false, "1000000000"},
	} {
		if got := Parse(c.pattern).Show(c.v, c.since04); got != c.want {
			t.Errorf("%v by %q: %q, want %q", c.v, c.pattern, got, c.want)
		}
	}
	if got := Parse(BuiltIn(14)).Show(39521, false); got != "2008-03-14" {
		t.Errorf("number format 14: %q", got)
	}
}

// TestOddPatterns shows numbers by patterns that are no patterns. They must not panic.
func TestOddPatterns(t *testing.T) {
	pieces := []string{"0", "#", "?", ".", ",", "/", "%", "E+", "e-", ";", "[", "]", "[h]", "[>1]", "[$", `"`, `\`, "_", "*", "y", "m", "d", "h", "s", "AM/PM", "General", "@", "年", "1", "-"}
	for _, a := range pieces {
		for _, b := range pieces {
			for _, c := range pieces {
				f := Parse(a + b + c)
				for _, v := range []float64{0, -1.5, 39521.3, 1e300, 1e-300} {
					f.Show(v, false)
				}
			}
		}
	}
	long := Parse(strings.Repeat("0.", 5000))
	if n := len(long.Show(math.MaxFloat64, false)); n > 4*patternMax {
		t.Errorf("%d bytes", n)
	}
}

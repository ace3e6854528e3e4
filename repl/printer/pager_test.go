package printer

import "testing"

// TestPagerName shows that a variable PAGER of blanks names no program.
func TestPagerName(t *testing.T) {
	for value, want := range map[string]string{"": PagerDefault, "  ": PagerDefault, " more  -s ": "more -s"} {
		when := PagerAuto
		getenv := func(name string) string { return map[string]string{"PAGER": value}[name] }
		if got := NewPager(nil, getenv, &when, nil, nil).Command(); got != want {
			t.Errorf("PAGER=%q: %q, want %q", value, got, want)
		}
	}
}

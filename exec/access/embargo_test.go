package access

import (
	"testing"
	"time"

	"infomall/lang/ast"
	"infomall/store/record"
)

// TestEmbargoMonths shows that an embargo of months begins within the month that is counted back to. A
// month before 31 March is the end of February, and not 3 March, which would show younger captures.
func TestEmbargoMonths(t *testing.T) {
	for _, c := range []struct {
		now    string
		months int
		want   string
	}{
		{"2009-03-31T10:30:00Z", 1, "2009-02-28T10:00:00Z"},
		{"2008-02-29T10:30:00Z", 12, "2007-02-28T10:00:00Z"},
		{"2008-06-15T10:30:00Z", 1, "2008-05-15T10:00:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := embargoed(record.At(now), &ast.Duration{Months: c.months}).Std().Format(time.RFC3339); got != c.want {
			t.Errorf("%d months before %s: %s, want %s", c.months, c.now, got, c.want)
		}
	}
}

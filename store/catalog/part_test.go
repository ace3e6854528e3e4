package catalog

import (
	"slices"
	"strings"
	"testing"
)

// TestNextPart lists the names of parts.
func TestNextPart(t *testing.T) {
	pool := "200806"
	var got []string
	for range 27 {
		pool = NextPart(pool)
		got = append(got, strings.TrimPrefix(pool, "200806"))
	}
	want := strings.Fields("A B C D E F G H I J K L M N O P Q R S T U V W X Y ZA ZB")
	if !slices.Equal(got, want) || !slices.IsSorted(got) {
		t.Errorf("got %v, want %v, in order", got, want)
	}
	if MonthOf("200806ZB") != "200806" {
		t.Errorf("200806ZB is of month %s", MonthOf("200806ZB"))
	}
}

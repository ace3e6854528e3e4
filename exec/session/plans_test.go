package session

import (
	"fmt"
	"testing"
)

// TestPoolNames shows that a line names a few pools, and of many the first and the last.
func TestPoolNames(t *testing.T) {
	var many []string
	for n := range 104 {
		many = append(many, fmt.Sprint(201000+n))
	}
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{nil, "none"},
		{many[:2], "201000, 201001"},
		{many, "201000 … 201103"},
	} {
		if got := PoolNames(tt.names); got != tt.want {
			t.Errorf("%d pools: got %q, want %q", len(tt.names), got, tt.want)
		}
	}
}

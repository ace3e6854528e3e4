package ast

import (
	"strings"
	"testing"
)

// TestNearest finds slips of the finger and beginnings, and nothing far off.
func TestNearest(t *testing.T) {
	names := []string{"title", "time", "url", "urlkey", "status", "last_seen", "first_seen", "host", "changed", "标题"}
	for name, want := range map[string]string{
		"tittle": "title", "TITLE": "title", "titel": "title", "tiem": "time", "stauts": "status",
		"ulr": "url", "u": "", "xyz": "", "hos": "host", "hots": "host", "last": "last_seen", "first": "first_seen",
		"seen": "", "lastseen": "last_seen", "": "", "标题": "标题", "正题": "标题", "TIME": "time", "chnagde": "changed", "bytes": "", strings.Repeat("x", 1000): "",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("%.20q: got %q, want %q", name, got, want)
		}
	}
}

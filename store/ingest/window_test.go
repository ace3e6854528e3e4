package ingest

import (
	"testing"

	"infomall/store/record"
	"infomall/store/timeline"
)

// TestWindowKeep keeps the captures of many URLs in a window, twice in the same memory. What is kept
// stays as it is while more is kept.
func TestWindowKeep(t *testing.T) {
	var w window
	for round := range 2 {
		w = window{rooms: w.rooms}
		var kept [][]timeline.Capture
		all := 0
		for url := range 500 {
			list := make([]timeline.Capture, url%7)
			if url%100 == 50 {
				list = make([]timeline.Capture, roomCaptures+url)
			}
			for i := range list {
				list[i].Time = record.Time(1000*round + url)
			}
			kept, all = append(kept, w.keep(list, "key")), all+len(list)
			if n := len(kept[url]); n != len(list) || cap(kept[url]) != n {
				t.Fatalf("kept %d captures in room for %d, want %d", n, cap(kept[url]), len(list))
			}
		}
		for url, list := range kept {
			for _, c := range list {
				if c.Time != record.Time(1000*round+url) || c.Key != "key" {
					t.Fatalf("round %d: a capture of URL %d is one of URL %d, with key %q", round, url, c.Time, c.Key)
				}
			}
		}
		if w.captures != all {
			t.Errorf("%d captures are counted, want %d", w.captures, all)
		}
	}
}

package events

import (
	"reflect"
	"slices"
	"testing"
)

// TestWindow finds the events of the last 60 days from the documents of these days and the
// history before them. They must be those of a run over all documents.
func TestWindow(t *testing.T) {
	for _, name := range []string{"zipf", "topics", "leaves"} {
		m := variants(11)[name]
		m.docs, m.events = 6000, map[string]int{"big": 60, "small": 60}
		p := m.make()
		const from = 305
		var before History
		var window planted = *p
		window.docs = nil
		for i := range p.docs {
			if d := &p.docs[i]; d.Period < from {
				before.Add(d)
			} else {
				window.docs = append(window.docs, *d)
			}
		}
		again, err := ParseHistory(before.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(again.Words, before.Words) || !slices.Equal(again.Documents, before.Documents) {
			t.Fatal("the history is another one when it is read again")
		}
		found, err := Find(t.Context(), window.stream, Options{Periods: p.periods, Coverage: p.coverage, Cycle: p.cycle, From: from, Before: again})
		if err != nil {
			t.Fatal(err)
		}
		in := func(p *planted, all []Event) (keys [][]uint64) {
			for _, e := range all {
				// The first days of the window are those of events that began before.
				if e.Start > from+3 {
					var own []uint64
					for _, d := range e.Documents {
						own = append(own, p.docs[d].Key)
					}
					slices.Sort(own)
					keys = append(keys, own)
				}
			}
			return keys
		}
		got, want := in(&window, found), in(p, p.find(t))
		if len(want) < 10 {
			t.Fatalf("%s: only %d events in the window: the test shows little", name, len(want))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: in the window got %d events, of all documents %d", name, len(got), len(want))
		}
	}
}

// TestParseHistoryRefuses gives ParseHistory damaged bytes.
func TestParseHistoryRefuses(t *testing.T) {
	var h History
	h.Add(&Document{Period: 2, Words: []uint32{7, 300, 7}})
	data := h.Append(nil)
	for n := range data {
		if _, err := ParseHistory(data[:n]); err == nil {
			t.Errorf("%d of %d bytes are read as a history", n, len(data))
		}
	}
	if _, err := ParseHistory(append(data, 0)); err == nil {
		t.Error("a history with a byte after it is read")
	}
}

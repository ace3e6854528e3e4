package timeline

import (
	"testing"

	"infomall/store/record"
	"infomall/store/segment"
)

// captureAt returns a capture of one URL with the body id, stored in segment s. prev is
// the time of the version that its writer saw before it.
func captureAt(s *segment.Reader, time record.Time, id byte, prev record.Time, sense record.Sense) Capture {
	e := Capture{Entry: segment.Entry{Key: "k", Time: time, ID: segment.ID{id}, Body: segment.BodyOwn, Change: record.ChangeFirst, Sense: sense}, Place: Place{Seg: s}}
	e.Previous, e.PreviousVersion, e.VersionTime = prev, prev, time
	if prev != record.NoTime {
		e.Change = record.ChangeChanged
	}
	return e
}

// TestSense shows when the sense of a version is believed: only if the version before it
// is the one that its writer saw.
func TestSense(t *testing.T) {
	segmentOf := func(born, seen uint64) *segment.Reader {
		return &segment.Reader{Info: &segment.Info{Born: born, Seen: seen}}
	}
	old, mid, last := segmentOf(1, 0), segmentOf(2, 1), segmentOf(3, 2)
	first := captureAt(old, 10, 1, record.NoTime, record.SenseContent)
	second := captureAt(mid, 20, 2, 10, record.SenseNoise)
	visit := captureAt(old, 15, 1, record.NoTime, record.SenseUnknown)
	for _, c := range []struct {
		name string
		all  []Capture
		want record.Sense // of the capture at 20
	}{
		{"as written", []Capture{first, second}, record.SenseNoise},
		{"a visit of the version before lies between", []Capture{first, visit, second}, record.SenseNoise},
		{"a version came in between", []Capture{first, captureAt(last, 15, 3, 10, record.SenseContent), second}, record.SenseUnknown},
		{"another capture of the same time came in", []Capture{first, captureAt(last, 10, 3, record.NoTime, record.SenseContent), second}, record.SenseUnknown},
		{"the version before came in later", []Capture{captureAt(last, 10, 3, record.NoTime, record.SenseContent), second}, record.SenseUnknown},
		{"the version before is not open", []Capture{second, captureAt(last, 30, 4, 20, record.SenseContent)}, record.SenseNoise},
	} {
		for _, e := range Settle(c.all) {
			if e.Time == 20 && e.Sense != c.want {
				t.Errorf("%s: sense %d, want %d", c.name, e.Sense, c.want)
			}
		}
	}
	hidden := captureAt(old, 5, 9, record.NoTime, record.SenseContent)
	hidden.Hidden = 7
	for _, e := range SettleVisible([]Capture{hidden, first, second}) {
		if e.Sense != record.SenseUnknown {
			t.Errorf("a capture was removed: sense %d at %d", e.Sense, e.Time)
		}
	}
}

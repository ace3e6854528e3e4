package tianwang

import (
	"testing"

	"pgregory.net/rapid"
)

// TestNearSum looks for the name of a checksum's line in drawn heads, place by
// place.
func TestNearSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := []byte(rapid.StringOfN(rapid.SampledFrom([]rune("cr32: \n")), 0, 30, -1).Draw(t, "before"))
		name := []byte(sumName)
		for range rapid.IntRange(0, 2).Draw(t, "damaged") {
			name[rapid.IntRange(0, len(name)-1).Draw(t, "place")] = rapid.Byte().Draw(t, "byte")
		}
		head = append(append(head, name...), "0123\n"...)
		want := false
		for i := range len(head) - len(sumName) + 1 {
			wrong := 0
			for j := range sumName {
				if head[i+j] != sumName[j] {
					wrong++
				}
			}
			want = want || wrong < 2
		}
		if got := nearSum(head); got != want {
			t.Fatalf("%q: got %v, want %v", head, got, want)
		}
	})
}

package about

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestNotice compares notice with a search for each phrase in the text in lower case.
func TestNotice(t *testing.T) {
	if len(noticeTexts) > 32 {
		t.Fatal("noticeBegins has 32 bits for each pair of bytes")
	}
	rapid.Check(t, func(t *rapid.T) {
		var text []byte
		for range rapid.IntRange(0, 6).Draw(t, "parts") {
			part := rapid.SampledFrom(noticeTexts).Draw(t, "phrase")
			part = part[rapid.IntRange(0, 1).Draw(t, "from"):]
			part = part[:rapid.IntRange(len(part)-1, len(part)).Draw(t, "to")]
			if rapid.Bool().Draw(t, "upper") {
				part = append(bytes.ToUpper(part[:1]), part[1:]...)
			}
			text = append(append(text, part...), rapid.SampledFrom([]string{"", " ", "the"}).Draw(t, "gap")...)
		}
		low := bytes.Clone(text)
		for i := range low {
			low[i] = small(low[i])
		}
		want := false
		for _, n := range noticeTexts {
			want = want || bytes.Contains(low, n)
		}
		r := lineRun{words: 5, end: int32(len(text))}
		if got := r.notice(text); got != want {
			t.Fatalf("%q: got %t, want %t", text, got, want)
		}
	})
}

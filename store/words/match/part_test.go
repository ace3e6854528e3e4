package match

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestPartOf holds that PartOf, which remembers Parts, returns the same as Part, which reads the text. The texts
// consist of few words, so that many of them have equal Parts.
func TestPartOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, question := range []string{`"a b" OR c`, `"a* b c" d`, "a 北京 -b", "a* OR b* OR c*", "a b -c 北"} {
		q, err := Parse(question)
		if err != nil {
			t.Fatal(err)
		}
		for range 5000 {
			text := ""
			for range r.IntN(8) {
				text += []string{"a", "aa", "b", "c", "d", "北", "京", "。"}[r.IntN(8)]
				if r.IntN(3) > 0 {
					text += " "
				}
			}
			var terms Terms
			var words []Word
			for terms.ReadPart(text); terms.Next(); {
				if bits := q.Bits(terms.Term()); bits != 0 {
					words = append(words, Word{N: terms.Count - 1, Bits: bits, Joined: terms.Joined})
				}
			}
			got, ok := q.PartOf(terms.Shape(), words)
			if want := q.Part(text); !ok || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s in %q: got %+v (%t), want %+v", question, text, got, ok, want)
			}
		}
	}
}

package match

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestPartsOf holds that Parts, which remembers Parts, returns the same as Query.Part, which reads the text, and that
// equal Parts have one number. The texts consist of few words, so that many of them have equal Parts.
func TestPartsOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, question := range []string{`"a b" OR c`, `"a* b c" d`, "a 北京 -b", "a* OR b* OR c*", "a b -c 北", "NEAR(a* b*, 3) OR c"} {
		q, err := Parse(question)
		if err != nil {
			t.Fatal(err)
		}
		parts := q.Parts()
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
			n, ok := parts.Of(terms.Shape(), words)
			if want := q.Part(text); !ok || !reflect.DeepEqual(parts.At(n), want) {
				t.Fatalf("%s in %q: got %+v (%t), want %+v", question, text, parts.At(n), ok, want)
			}
			if read := parts.Read(text); read != n {
				t.Fatalf("%s in %q: got number %d for the words, and %d for the text", question, text, n, read)
			}
		}
		for n, p := range parts.list {
			for _, other := range parts.list[:n] {
				if reflect.DeepEqual(p, other) {
					t.Fatalf("%s has %+v twice", question, p)
				}
			}
		}
	}
}

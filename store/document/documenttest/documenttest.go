// Package documenttest tests the readers of documents: with damaged bodies, and by
// comparing their text with a text that another program found.
package documenttest

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"infomall/store/document"
)

// mutations is how many damaged bodies Mutate reads of each kind.
var mutations = flag.Int("mutations", 200, "how many damaged bodies the tests of a kind of document read")

// Read reads a body by one kind. It fails the test if the kind does not take the body.
func Read(t testing.TB, k document.Kind, in document.Input) *document.Document {
	t.Helper()
	if !k.Is(&in) {
		t.Fatalf("%s: is not of this kind", k.Name)
	}
	b := document.NewBuilder(in.Limits, nil)
	if err := k.Read(b, &in); err != nil {
		b.Doc.Reason = err.Error()
	}
	return b.Doc
}

// Mutate reads damaged copies of the given bodies: with bytes flipped, cut out, repeated
// and inserted, and with pieces of other bodies. A reader must not panic, and what it
// found must survive packing.
func Mutate(t *testing.T, k document.Kind, mime string, bodies ...[]byte) {
	t.Helper()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	for range *mutations {
		body := mutate(r, bodies)
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("%s: seed %d: panic: %v\nbody of %d bytes", k.Name, seed, p, len(body))
				}
			}()
			b := document.NewBuilder(document.Limits{}, nil)
			_ = k.Read(b, &document.Input{Body: body, Mime: mime})
			if _, err := document.Unpack(b.Doc.Append(nil)); err != nil {
				t.Fatalf("%s: seed %d: %v", k.Name, seed, err)
			}
		}()
	}
}

// mutate returns a damaged copy of one of the bodies.
func mutate(r *rand.Rand, bodies [][]byte) []byte {
	b := slices.Clone(bodies[r.IntN(len(bodies))])
	for range 1 + r.IntN(8) {
		if len(b) == 0 {
			return b
		}
		at := r.IntN(len(b))
		n := min(len(b)-at, 1+r.IntN(64))
		switch r.IntN(6) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = []byte{0, 1, 0x7f, 0x80, 0xff}[r.IntN(5)]
		case 2:
			b = slices.Delete(b, at, at+n)
		case 3:
			b = slices.Insert(b, at, slices.Clone(b[at:at+n])...)
		case 4:
			o := bodies[r.IntN(len(bodies))]
			from := r.IntN(max(1, len(o)))
			copy(b[at:], o[from:min(len(o), from+n)])
		case 5:
			b = b[:at]
		}
	}
	return b
}

// Text returns the text of a document: its parts, one on a line, without what a tracked
// change has removed.
func Text(d *document.Document) string {
	var out strings.Builder
	for _, s := range d.Sections {
		for _, p := range s.Parts {
			if p.Kind != document.Deleted {
				out.WriteString(p.Text + "\n")
			}
		}
	}
	return out.String()
}

// F1 returns how well the words of got fit those of want: the harmonic mean of
// precision and recall, from 0 to 1. Words count as often as they occur. A word is
// letters and digits in a row; each Chinese or Japanese character is a word.
func F1(got, want string) float64 {
	g, w := wordCounts(got), wordCounts(want)
	both, all := 0, 0
	for word, n := range g {
		both += min(n, w[word])
		all += n
	}
	for _, n := range w {
		all += n
	}
	if all == 0 {
		return 1
	}
	return 2 * float64(both) / float64(all)
}

func wordCounts(text string) map[string]int {
	out := make(map[string]int)
	for f := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
		from := 0
		for i, r := range f {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
				if i > from {
					out[f[from:i]]++
				}
				out[string(r)]++
				from = i + len(string(r))
			}
		}
		if from < len(f) {
			out[f[from:]]++
		}
	}
	return out
}

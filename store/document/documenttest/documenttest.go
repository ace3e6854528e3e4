// Package documenttest has helpers for tests of the readers of documents. They
// read damaged bodies, and compare the text of a document with the text that
// another program found.
package documenttest

import (
	"cmp"
	"flag"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"infomall/store/document"
)

// Mutations is how many damaged bodies a test reads for each kind of document.
var Mutations = flag.Int("mutations", 200, "how many damaged bodies the tests of a kind of document read")

// mutationsSeed is the seed of the random damage to bodies; 0 stands for a
// random seed.
var mutationsSeed = flag.Uint64("mutations.seed", 0, "the seed from which bodies are damaged; 0: one by chance")

// Seed returns the seed of the random damage to bodies in a test. If the test
// fails, it prints the seed.
func Seed(t testing.TB) uint64 {
	seed := cmp.Or(*mutationsSeed, rand.Uint64())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("again with -mutations.seed %d", seed)
		}
	})
	return seed
}

// Read reads a body with the kind k. It fails the test if the body is not of
// this kind.
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

// CheckLimit reads a document that has more text than its limit of a million bytes, and checks that
// the reading ends at the limit and takes at most 50 MB of memory.
func CheckLimit(t testing.TB, k document.Kind, body []byte) {
	t.Helper()
	const limit = 1_000_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d := Read(t, k, document.Input{Body: body, Limits: document.Limits{Text: limit}})
	runtime.ReadMemStats(&after)
	if n, used := len(Text(d)), after.TotalAlloc-before.TotalAlloc; d.Reason != document.ErrLimit.Error() || n > limit+1 || used > 50<<20 {
		t.Errorf("reason %q, %d bytes of text, %d bytes of memory", d.Reason, n, used)
	}
}

// Mutate reads damaged copies of the given bodies, see Damage. It fails the test if the reader
// panics, or if a document that it made cannot be packed and unpacked.
func Mutate(t *testing.T, k document.Kind, mime string, bodies ...[]byte) {
	t.Helper()
	r := rand.New(rand.NewPCG(Seed(t), 0))
	for range *Mutations {
		body := Damage(r, bodies)
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("%s: panic: %v\nbody of %d bytes", k.Name, p, len(body))
				}
			}()
			b := document.NewBuilder(document.Limits{}, nil)
			_ = k.Read(b, &document.Input{Body: body, Mime: mime})
			if _, err := document.Unpack(b.Doc.Append(nil)); err != nil {
				t.Fatalf("%s: %v", k.Name, err)
			}
		}()
	}
}

// Damage returns a damaged copy of one of the bodies: with bytes flipped, cut out, repeated
// and inserted, and with pieces of other bodies.
func Damage(r *rand.Rand, bodies [][]byte) []byte {
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

// Text returns the text of a document: its parts, each on a line of its own. It
// leaves out text that a tracked change has removed.
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

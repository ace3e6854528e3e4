package dedup

import (
	"archive/tar"
	"bufio"
	"fmt"
	"html"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// setOf returns the set of shingles of words.
func setOf(words ...string) []uint32 {
	var s Shingler
	for _, w := range words {
		h := uint64(14695981039346656037)
		for _, c := range []byte(w) {
			h = (h ^ uint64(c)) * 1099511628211
		}
		s.Word(h)
	}
	return s.Set()
}

// TestShingles computes the similarity of texts that share some shingles.
func TestShingles(t *testing.T) {
	a := strings.Fields("one two three four five six seven")
	for _, c := range []struct {
		b                    string
		jaccard, containment float64
	}{
		{"one two three four five six seven", 1, 1},
		{"zero one two three four five six seven", 3. / 4, 1},
		{"one two three four five", 1. / 3, 1. / 3},
		{"seven six five four three two one", 0, 0},
		{"one two", 0, 0},
		{"", 0, 0},
	} {
		b := setOf(strings.Fields(c.b)...)
		if j, k := Jaccard(setOf(a...), b), Containment(setOf(a...), b); j != c.jaccard || k != c.containment {
			t.Errorf("%q: similarity %v and containment %v, want %v and %v", c.b, j, k, c.jaccard, c.containment)
		}
	}
	if n := len(setOf("one", "two")); n != 1 {
		t.Errorf("a text of two words has %d shingles, want 1", n)
	}
}

// TestBands shows that nearly all pairs of random sets with the similarity are
// found, and few with a much lower one.
func TestBands(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, want := range []float64{.5, .8, .95} {
		b := NewBands(want)
		share := func(similarity float64) float64 {
			found := 0
			for range 300 {
				var x, y []uint32
				for range 400 {
					n := r.Uint32()
					switch own := (1 - similarity) / 2 / (1 + (similarity-1)/2); {
					case r.Float64() < 2*own/(1+own):
						if r.IntN(2) == 0 {
							x = append(x, n)
						} else {
							y = append(y, n)
						}
					default:
						x, y = append(x, n), append(y, n)
					}
				}
				slices.Sort(x)
				slices.Sort(y)
				p, q := b.Of(x, nil), b.Of(y, nil)
				if len(p) != b.Count() {
					t.Fatalf("%d numbers, want %d", len(p), b.Count())
				}
				for i := range p {
					if p[i] == q[i] {
						found++
						break
					}
				}
			}
			return float64(found) / 300
		}
		if got := share(want); got < .95 {
			t.Errorf("of pairs of similarity %v %v are found", want, got)
		}
		if got := share(want / 4); got > .35 {
			t.Errorf("of pairs of similarity %v %v are found by bands for %v", want/4, got, want)
		}
	}
}

// TestGroups joins numbers at random and compares with sets.
func TestGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		g := NewGroups(n)
		of := make([]int, n)
		for i := range of {
			of[i] = i
		}
		for range rapid.IntRange(0, 40).Draw(t, "joins") {
			i, j := rapid.IntRange(0, n-1).Draw(t, "i"), rapid.IntRange(0, n-1).Draw(t, "j")
			g.Join(uint32(i), uint32(j))
			low, high := min(of[i], of[j]), max(of[i], of[j])
			for k := range of {
				if of[k] == high {
					of[k] = low
				}
			}
		}
		for i, want := range of {
			if got := g.Of(uint32(i)); int(got) != want {
				t.Fatalf("%d is in group %d, want %d", i, got, want)
			}
		}
	})
}

var (
	script = regexp.MustCompile(`(?is)<(script|style).*?</(script|style)>`)
	tag    = regexp.MustCompile(`(?s)<[^>]*>`)
	word   = regexp.MustCompile(`\w+`)
)

// pages returns the texts of the pages by family, and the file of pairs with
// their true similarity.
func pages(t *testing.T) (texts map[string][]string, pairs io.Reader) {
	t.Helper()
	root := os.Getenv("INFOMALL_SHARED")
	if root == "" {
		root = "../../../shared"
	}
	dir := filepath.Join(root, "data", "neardup")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no shared data: %v", err)
	}
	f, err := os.Open(filepath.Join(dir, "kafka-dev-families.tar.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(1<<31))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	texts = make(map[string][]string)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		text := html.UnescapeString(tag.ReplaceAllString(script.ReplaceAllString(string(b), " "), " "))
		texts[h.Name] = word.FindAllString(strings.ToLower(text), -1)
	}
	list, err := os.Open(filepath.Join(dir, "kafka-neardup-pairs.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { list.Close() })
	return texts, list
}

// TestSharedPairs shows, with real pages in many versions, that pairs whose
// true similarity is .8 or more are found, and none below .5.
func TestSharedPairs(t *testing.T) {
	texts, list := pages(t)
	bands := NewBands(.8)
	sets, numbers := map[string][]uint32{}, map[string][]uint64{}
	for name, words := range texts {
		sets[name] = setOf(words...)
		numbers[name] = bands.Of(sets[name], nil)
	}
	alike := func(a, b string) bool {
		for i, n := range numbers[a] {
			if n == numbers[b][i] {
				return Jaccard(sets[a], sets[b]) >= .75
			}
		}
		return false
	}
	wanted, found, reported, wrong, missing, off := 0, 0, 0, 0, 0, 0.0
	for lines := bufio.NewScanner(list); lines.Scan(); {
		var same, wordsA, wordsB int
		var jaccard float64
		var a, b string
		if n, _ := fmt.Sscan(lines.Text(), &same, &jaccard, &wordsA, &wordsB, &a, &b); n != 6 {
			continue
		}
		if sets[a] == nil || sets[b] == nil {
			missing++
			continue
		}
		off = max(off, math.Abs(Jaccard(sets[a], sets[b])-jaccard))
		is := alike(a, b)
		if jaccard >= .8 {
			wanted++
			if is {
				found++
			}
		}
		if is {
			reported++
			if jaccard < .5 {
				wrong++
			}
		}
	}
	recall, precision := float64(found)/float64(wanted), 1-float64(wrong)/float64(reported)
	t.Logf("recall %.3f of %d, precision %.3f of %d; similarity is off by %.3f at most; of %d pairs the pages are not there", recall, wanted, precision, reported, off, missing)
	if missing > wanted {
		t.Errorf("of %d pairs the pages are not there", missing)
	}
	if recall < .95 || precision < .97 {
		t.Errorf("recall %.3f, want .95; precision %.3f, want .97", recall, precision)
	}
}

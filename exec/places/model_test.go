package places

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// TestFindLikeModel compares Find with a search that tries every name of a user's list at
// every word of random texts. The test prints its seed; PLACES_SEED sets it.
func TestFindLikeModel(t *testing.T) {
	seed := rand.Uint64()
	if s := os.Getenv("PLACES_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	vocabulary := []string{"Aa", "aa", "Bb", "bb", "Cc", "Dd", "Ü", "ü", "u", "山", "水", "国", "國", "大"}
	for range 300 {
		// Names of one to three words, and texts of a few dozen.
		pick := func(n int) []string {
			words := make([]string, n)
			for i := range words {
				words[i] = vocabulary[r.IntN(len(vocabulary))]
			}
			return words
		}
		var list []Place
		names := map[string][]string{}
		for i := range 1 + r.IntN(12) {
			words := pick(1 + r.IntN(3))
			name := join(words)
			if other := slices.ContainsFunc(slices.Collect(maps.Values(names)), func(w []string) bool { return foldedAll(w) == foldedAll(words) }); other {
				continue // the case of one name of several that fold alike is another test's
			}
			names[fmt.Sprint(i)] = words
			list = append(list, Place{Name: fmt.Sprint(i), Variants: []string{name}})
		}
		g := newGazetteer(nil).With(list)
		text := pick(r.IntN(60))
		var got []string
		for _, f := range g.find(join(text), "") {
			got = append(got, fmt.Sprint(f.place.Name, "×", f.mentions))
		}
		if want := model(text, names); !slices.Equal(got, want) {
			t.Fatalf("PLACES_SEED=%d: names %v\ntext %v\ngot  %v\nwant %v", seed, names, join(text), got, want)
		}
	}
}

// join joins words by blanks, except letters of Chinese.
func join(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 && !(wideWord(w) && wideWord(words[i-1])) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

func wideWord(w string) bool { return strings.ContainsAny(w, "山水国國大") }

// folds are the words of the vocabulary whose folded form is another.
var folds = strings.NewReplacer("A", "a", "B", "b", "C", "c", "D", "d", "Ü", "u", "ü", "u", "國", "国")

func foldedAll(words []string) string { return folds.Replace(strings.Join(words, " ")) }

// model returns the names in a text and how often each is there, in the order of their first
// mention: at each word the longest name that fits, and then on after it.
func model(text []string, names map[string][]string) (out []string) {
	counts := map[string]int{}
	var order []string
	for i := 0; i < len(text); {
		best, length := "", 0
		for id, words := range names {
			if len(words) <= length || i+len(words) > len(text) {
				continue
			}
			fits := true
			for k, w := range words {
				x := text[i+k]
				fits = fits && foldedAll([]string{w}) == foldedAll([]string{x}) && (!unicode.IsUpper([]rune(w)[0]) || unicode.IsUpper([]rune(x)[0]))
			}
			if fits {
				best, length = id, len(words)
			}
		}
		if length == 0 {
			i++
			continue
		}
		if counts[best] == 0 {
			order = append(order, best)
		}
		counts[best]++
		i += length
	}
	for _, id := range order {
		out = append(out, fmt.Sprint(id, "×", counts[id]))
	}
	return out
}

// TestPieces shows that names are found on both sides of the border of two pieces of a long
// text, and that letters at the border are not cut.
func TestPieces(t *testing.T) {
	for _, filler := range []string{"x ", "字", "x\n"} {
		for cut := range 4 {
			text := "Beijing " + strings.Repeat(filler, (pieceBytes-cut)/len(filler)) + " 上海，" + strings.Repeat(filler, pieceBytes/len(filler)) + " London"
			var got []string
			for _, p := range Shipped().Find(text, "") {
				got = append(got, p.Name)
			}
			if want := []string{"Beijing", "Shanghai", "London"}; !slices.Equal(got, want) {
				t.Errorf("filler %q, cut %d: got %v, want %v", filler, cut, got, want)
			}
		}
	}
}

func BenchmarkFind(b *testing.B) {
	texts := map[string]string{
		"english": "The Olympic Games opened in Beijing on Friday, and athletes of many countries, such as Germany and Japan, came to the capital. He said that it was a good day for all of them, and nobody disagreed with what he had said before.\n",
		"german":  "Am Freitag wurden in Peking die Olympischen Spiele eröffnet. Die Bundesregierung in Berlin sprach von einem Erfolg, aus München und Hamburg kamen Glückwünsche. Das Wetter blieb gut, und die Zuschauer waren zufrieden.\n",
		"chinese": "第二十九届夏季奥林匹克运动会八日晚在北京开幕，来自世界各地的运动员参加了开幕式。记者从有关部门了解到，上海、广州等地的群众通过电视观看了比赛，大家都说这是难忘的一天。\n",
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := strings.Repeat(texts[name], 1<<20/len(texts[name]))
		b.Run(name, func(b *testing.B) {
			Shipped().Find(text[:1000], "")
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Shipped().Find(text, "")
			}
		})
	}
}

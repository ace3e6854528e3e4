package keyword

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestOf holds the keywords of texts in several languages.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"", 5, ""},
		{"The of and 1998 a 7.", 5, ""},
		{"The New Library opens. Readers love the New Library, and new readers come.", 2, "Library, Readers"},
		{"The New Library opens. Readers love the New Library, and readers come.", 2, "New Library, Readers"},
		{"Water rises. The water of the river rises and rises.", 3, "rises, Water, river"},
		{"Der Fluss steigt, und das Wasser des Flusses steigt auf die Wiese. Wiese und Wasser und Wasser.", 2, "Wasser, Wiese"},
		{"Le chat dort dans la maison, et la souris danse dans la maison avec les souris.", 2, "maison, souris"},
		{"北京大学校园里的图书馆，图书馆新馆启用。", 2, "图书馆, 新馆"},
		{"臺灣大學的圖書館，圖書館有一百二十万册书，八张桌子。", 1, "圖書館"},
		{"e-mail is e-mail", 1, "e mail"},
		{"Kafka kafka KAFKA broker", 1, "Kafka"},
	} {
		if got := strings.Join(Of(c.text, c.n), ", "); got != c.want {
			t.Errorf("%q: keywords %s, want %s", c.text, got, c.want)
		}
	}
}

// TestOfAny holds for all texts: there are at most n keywords, all different, and each word
// of them is in the text.
func TestOfAny(t *testing.T) {
	words := strings.Fields("the New Library river 图书馆 图书 新馆 的 一百 2008 x Über-uns e-mail и река")
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(words), rapid.StringN(0, 4, -1))).Draw(t, "words"), rapid.SampledFrom([]string{" ", "", ". "}).Draw(t, "between"))
		n := rapid.IntRange(1, 8).Draw(t, "n")
		got := Of(text, n)
		if len(got) > n {
			t.Fatalf("%d keywords, want at most %d", len(got), n)
		}
		if sorted := slices.Sorted(slices.Values(got)); len(slices.Compact(sorted)) < len(got) {
			t.Fatalf("a keyword comes twice: %q", got)
		}
		for _, k := range got {
			for _, w := range strings.Fields(k) {
				if !strings.Contains(text, w) && !isRun(text, w) {
					t.Fatalf("%q is not in %q", w, text)
				}
			}
		}
	})
}

// isRun reports whether all letters of a Chinese run are in the text.
func isRun(text, run string) bool {
	for _, r := range run {
		if !strings.ContainsRune(text, r) {
			return false
		}
	}
	return true
}

// TestStops holds that every list of stop words is there, and that the language of a text is
// found.
func TestStops(t *testing.T) {
	if n := len(stops()); n != 24 {
		t.Errorf("%d languages, want 24", n)
	}
	for text, want := range map[string]string{
		"the river and the water of the town":     "en",
		"der fluss und das wasser von der stadt":  "de",
		"la rivière et les eaux de la ville avec": "fr",
		"река и вода в городе не только":          "ru",
		"fluss": "en",
	} {
		counts := map[string]int{}
		for _, w := range strings.Fields(text) {
			counts[w]++
		}
		if got := stopsOf(counts).language; got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	for word, want := range map[string]bool{"the": false, "river": true, "1998": false, "x": false, "的": false, "我们": false, "八张": false, "一百二十万": false, "图书馆": true, "三峡": true} {
		if got := Says(word); got != want {
			t.Errorf("%s says something: %v", word, got)
		}
	}
}

// BenchmarkOf reads 7 KB of English.
func BenchmarkOf(b *testing.B) {
	text := strings.Repeat("The New Library opens in June. Readers love the river, and the water of the town rises again. ", 80)
	b.SetBytes(int64(len(text)))
	for range b.N {
		Of(text, 5)
	}
}

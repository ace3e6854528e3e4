package life

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/words"
)

// plainNoise is readNoise without barriers: it tries all rules everywhere.
func plainNoise(text string) (out []noiseWord) {
	add := func(text string) {
		for _, w := range words.Of(text) {
			out = append(out, noiseWord{text: w})
		}
	}
	end := 0
	for _, m := range rules().match.FindAllStringSubmatchIndex(text, -1) {
		add(text[end:m[0]])
		end = m[1]
		for i, reason := range rules().reasons {
			if m[2*i+2] >= 0 {
				out = append(out, noiseWord{reason, text[m[0]:m[1]]})
			}
		}
	}
	add(text[end:])
	return out
}

// plainSubstantial is Substantial for whole texts, without barriers and cuts.
func plainSubstantial(old, new string) (string, bool) {
	a, b := plainNoise(old), plainNoise(new)
	reasons := map[string]bool{}
	if !slices.EqualFunc(a, b, noiseWord.like) {
		slices.SortFunc(a, noiseWord.compare)
		slices.SortFunc(b, noiseWord.compare)
		if !slices.EqualFunc(a, b, noiseWord.like) {
			return "", true
		}
		reasons[reasonOrder] = true
	}
	for i := range a {
		if a[i].text != b[i].text {
			reasons[a[i].reason] = true
		}
	}
	if len(reasons) == 0 {
		return reasonMarkup, false
	}
	return strings.Join(slices.Sorted(maps.Keys(reasons)), ", "), false
}

// drawNoisy draws a text of pieces that rules name, pieces that are like them, words
// and signs.
func drawNoisy(t *rapid.T, name string) string {
	named := slices.Sorted(maps.Keys(rules().words))
	var letters []string
	for _, c := range slices.Sorted(maps.Keys(rules().letters)) {
		letters = append(letters, string(c))
	}
	piece := rapid.OneOf(
		rapid.SampledFrom(named), rapid.SampledFrom(letters),
		rapid.SampledFrom([]string{"2008-06-01", "12:30", "1,204", "7", "42", "2008", "June 3rd, 2008", "3 Jun 2008", "Friday, 6 June 2008", "访问量：12 次", "第 12 位访客", "12时30分", "© 2001-2008", "(c) 1999", "Copyright 2001 - 2004", "0f3a9b2c4d5e6f708192", "sid=ab12", "PHPSESSID=x", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", "12 minutes ago", "been viewed 12 times", "2008年6月1日 星期日", "5:30 p.m."}),
		rapid.SampledFrom([]string{"library", "open", "closed", "the", "deadbeef", "café", "ſ", "K", "图", "書館", "Ω", "x", "a"}),
		rapid.SampledFrom([]string{"-", "=", ":", "：", ".", ",", "(", ")", "\"", "'", "_", "#", "/", "+", "\n", "\t", "\u00a0", "\u3000", "\xff", "é"}),
	)
	var b strings.Builder
	for range rapid.IntRange(0, 14).Draw(t, name+" length") {
		b.WriteString(piece.Draw(t, name))
		b.WriteString(rapid.SampledFrom([]string{" ", " ", " ", "", "  ", "\n"}).Draw(t, "between"))
	}
	return b.String()
}

// TestSubstantialPlain compares texts with parts in common, and finds what the plain
// way finds, which tries all rules everywhere.
func TestSubstantialPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head, tail := drawNoisy(t, "head"), drawNoisy(t, "tail")
		old := head + drawNoisy(t, "old") + tail
		new := head + drawNoisy(t, "new") + tail
		checkPlain(t, old, new)
		parts := strings.SplitAfter(old, " ")
		checkPlain(t, old, strings.Join(rapid.Permutation(parts).Draw(t, "order"), ""))
	})
}

func checkPlain(t rapid.TB, old, new string) {
	for _, text := range []string{old, new} {
		if got, want := readNoise(text), plainNoise(text); !slices.Equal(got, want) {
			t.Fatalf("%q:\ngot  %q\nwant %q", text, got, want)
		}
	}
	reason, ok := substantial(Edited, old, new)
	if want, is := plainSubstantial(old, new); reason != want || ok != is {
		t.Fatalf("%q to\n%q:\ngot %q, %v, want %q, %v", old, new, reason, ok, want, is)
	}
}

func FuzzSubstantial(f *testing.F) {
	f.Add("Updated 2008-06-01 by the office", "Updated 2008-07-14 by the office")
	f.Add("本页访问量：10233 次", "本页访问量：10240 次")
	f.Fuzz(func(t *testing.T, old, new string) { checkPlain(t, old, new) })
}

// BenchmarkSubstantial compares two long texts that differ in a date near the end, in
// the plain way and as Substantial does. For how long it takes to read a page of that
// length see BenchmarkDivide of package divide.
func BenchmarkSubstantial(b *testing.B) {
	text := strings.Repeat("The brokers keep 168 hours of records - and the log of 2008-06-01 says so. ", 400)
	old, new := text+"Updated 2008-06-01 by the office", text+"Updated 2008-07-14 by the office"
	for _, c := range []struct {
		name string
		f    func(old, new string) (string, bool)
	}{
		{"plain", plainSubstantial},
		{"cut", func(old, new string) (string, bool) { return substantial(Edited, old, new) }},
		{"changed", func(old, new string) (string, bool) { return substantial(Edited, "x "+old, new+" x") }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(old) + len(new)))
			for range b.N {
				c.f(old, new)
			}
		})
	}
}

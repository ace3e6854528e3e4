package life

import (
	"maps"
	"slices"
	"strings"

	"infomall/store/words"
)

// The reasons why a change is not substantial, that is, does not change the
// content of the page. The file noise.txt has further reasons, such as "date".
const (
	reasonMarkup = "markup" // the text has the same words, in the same order
	reasonOrder  = "order"  // the text has the same words in another order, or the block moved
)

// substantial reports in ok whether a change of a block changes the content of the page. old
// and new are the text of the block before and after the change; old is "" for an added block,
// and new is "" for a removed one. A change is not substantial if only markup, the order of
// words, or the dates, times, counters and tokens that noise.txt describes have changed. reason
// then says which of these, such as "markup" or "counter, date". A change of other words is
// always substantial. A move never is; its reason is "order".
func substantial(op Op, old, new string) (reason string, ok bool) {
	if op == Moved {
		return reasonOrder, false
	}
	if old == new {
		return reasonMarkup, false
	}
	old, new = withoutCommon(old, new)
	if (old == "") != (new == "") && words.Least(old+new, 1) || hasOther(new, old) || hasOther(old, new) {
		return "", true
	}
	a, b := readNoise(old), readNoise(new)
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

// noiseWord is a word of a text, or a piece of a text that a rule of noise.txt
// matches, such as a date. reason is the reason of the rule; it is "" for a
// word.
type noiseWord struct{ reason, text string }

// like reports whether w and o count as equal: they are the same word, or rules
// with the same reason matched both.
func (w noiseWord) like(o noiseWord) bool {
	return w.reason == o.reason && (w.reason != "" || w.text == o.text)
}

// compare orders noiseWords by reason, then by text. The result is negative if w
// comes first, 0 if both are equal, and positive otherwise.
func (w noiseWord) compare(o noiseWord) int {
	if c := strings.Compare(w.reason, o.reason); c != 0 {
		return c
	}
	return strings.Compare(w.text, o.text)
}

// readNoise splits a text into its words and the pieces that rules of noise.txt
// match, in order.
func readNoise(text string) []noiseWord {
	out := make([]noiseWord, 0, 8)
	words := func(text string) {
		for _, w := range words.Of(text) {
			out = append(out, noiseWord{text: w})
		}
	}
	end := 0
	eachNoise(text, func(from, to int, reason string) {
		words(text[end:from])
		out = append(out, noiseWord{reason, text[from:to]})
		end = to
	})
	words(text[end:])
	return out
}

package block

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"infomall/store/page"
)

// Reasons for which a change is none of what a page says, beside those of
// data/noise.txt.
const (
	reasonMarkup = "markup" // the same words
	reasonOrder  = "order"  // the same words in another order
)

// Substantial reports whether a change is one of what a page says. Else reason
// names why not, several by commas: the words are the same, or in another
// order, or what differs is dates, times, counters and tokens that data/noise.txt
// describes. No change of other words is ever called noise. Old is "" for a
// block that was added, new for one that was removed; one that moved is of
// another order.
func Substantial(op Op, old, new string) (reason string, ok bool) {
	if op == Moved {
		return reasonOrder, false
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

// noiseWord is a word, or what stands in its stead with the reason of a rule.
type noiseWord struct{ reason, text string }

// like reports whether two words are the same, but for what a rule allows.
func (w noiseWord) like(o noiseWord) bool {
	return w.reason == o.reason && (w.reason != "" || w.text == o.text)
}

func (w noiseWord) compare(o noiseWord) int {
	if c := strings.Compare(w.reason, o.reason); c != 0 {
		return c
	}
	return strings.Compare(w.text, o.text)
}

//go:embed data/noise.txt
var noiseList string

// noiseRules is all rules as one expression, a group for each, and their
// reasons.
var noiseRules = sync.OnceValues(func() (*regexp.Regexp, []string) {
	var names, groups, reasons []string
	for line := range strings.Lines(noiseList) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if name, list, ok := strings.Cut(line, " = "); ok {
			names = append(names, "${"+name+"}", list)
			continue
		}
		reason, rule, _ := strings.Cut(line, ": ")
		groups = append(groups, "("+strings.NewReplacer(names...).Replace(rule)+")")
		reasons = append(reasons, reason)
	}
	return regexp.MustCompile("(?i)" + strings.Join(groups, "|")), reasons
})

// readNoise cuts a text into words and what rules describe.
func readNoise(text string) (out []noiseWord) {
	rules, reasons := noiseRules()
	words := func(text string) {
		for _, w := range page.Words(text) {
			out = append(out, noiseWord{text: w})
		}
	}
	end := 0
	for _, m := range rules.FindAllStringSubmatchIndex(text, -1) {
		words(text[end:m[0]])
		end = m[1]
		for i, reason := range reasons {
			if m[2*i+2] >= 0 {
				out = append(out, noiseWord{reason, text[m[0]:m[1]]})
			}
		}
	}
	words(text[end:])
	return out
}

package event

import (
	"strings"
	"unicode"
)

// A rubric is a part of headlines that names a column and not what the text is about, such as
// "Letter of the day" in "Letter of the day: More trees". A site that begins a column would else
// seem to have an event.
//
// A part of a headline is what stands between colons, dashes and bars, and its first three words.
// It is a rubric if several headlines have it, and if it has a word that hardly any other text
// has. The name of an event, such as "War in Ukraine", is no rubric: other texts have its words,
// too.

const (
	rubricLeast = 4  // headlines that have the part
	rubricShare = .8 // share of the occurrences of its rarest word that are in the part
	rubricFirst = 3  // words at the beginning that may be a rubric
)

// partsOf calls f with each part of a headline that may be a rubric.
func partsOf(title string, f func(part string)) {
	parts := strings.FieldsFunc(title, func(r rune) bool { return r == ':' || r == '|' || r == '–' || r == '—' || r == '：' || r == '｜' })
	for _, p := range parts {
		if len(parts) > 1 {
			f(strings.TrimSpace(p))
		}
	}
	n := 0
	for at, r := range title {
		if unicode.IsSpace(r) {
			if n++; n == rubricFirst {
				f(title[:at])
				return
			}
		}
	}
}

// rubrics has the parts of headlines that are rubrics.
type rubrics map[string]bool

// findRubrics returns the rubrics of the headlines.
func (c *collection) findRubrics() (rubrics, error) {
	counts := make(map[string]int)
	err := c.eachText(false, func(i int, t *text) error {
		if e := &c.list[i]; t.headline && !e.left && e.order == 0 {
			partsOf(t.title, func(part string) { counts[strings.Clone(part)]++ })
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	found := make(rubrics)
	for part, n := range counts {
		if n < rubricLeast {
			continue
		}
		for word := range c.words.reader.Of(part) {
			number, ok := c.words.numbers[string(word)]
			if ok && telling(word, "") && float64(n) >= rubricShare*float64(c.words.counts[number]) {
				found[part] = true
				break
			}
		}
	}
	return found, nil
}

// without returns a headline without rubrics.
func (r rubrics) without(title string) string {
	rest := title
	partsOf(title, func(part string) {
		if r[part] {
			rest = strings.Replace(rest, part, " ", 1)
		}
	})
	return rest
}

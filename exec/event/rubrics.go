package event

import (
	"context"
	"slices"
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

// leaveRubrics leaves the words of rubrics out of the uses of words.
func (c *collection) leaveRubrics(ctx context.Context) error {
	headline := func(e *entry) bool { return e.headline && !e.left && e.order == 0 }
	if !slices.ContainsFunc(c.list, func(e entry) bool { return headline(&e) }) {
		return nil
	}
	counts := make(map[string]int)
	var t text
	err := c.eachRow(ctx, func(i int, row []byte) error {
		if !headline(&c.list[i]) {
			return nil
		}
		err := t.parse(row)
		partsOf(t.title, func(part string) { counts[part]++ })
		return err
	})
	if err != nil {
		return err
	}
	found := c.findRubrics(counts)
	if len(found) == 0 {
		return nil
	}
	return c.eachRow(ctx, func(i int, row []byte) error {
		if !headline(&c.list[i]) {
			return nil
		}
		err := t.parse(row)
		if rest := found.without(t.title); rest != t.title {
			c.cut = c.words.known(c.cut[:0], rest, t.lang)
			c.uses.replace(i, c.cut)
		}
		return err
	})
}

// findRubrics returns the rubrics among the parts of headlines, given how many headlines have each
// part.
func (c *collection) findRubrics(counts map[string]int) rubrics {
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
	return found
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

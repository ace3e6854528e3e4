package event

import (
	"context"
	"strings"
	"unicode"
)

// A rubric is a part of headlines that names a column and not what the text is about, such as
// "Letter of the day" in "Letter of the day: More trees". A site that begins a column would else
// seem to have an event.
//
// A part of a headline is what stands between colons, dashes, bars and the
// marks of a question or an exclamation, and its first three words.
// It is a rubric if several headlines have it, and if it has a word that hardly any other text
// has. The name of an event, such as "War in Ukraine", is no rubric: other texts have its words,
// too. Headlines that differ only in their numbers, such as "The day of 27.01.2022", are a column,
// too, if there are several: the template is a rubric.

const (
	rubricLeast = 4  // a rubric is a part of at least this many headlines
	rubricShare = .7 // at least this share of the occurrences of one word of a rubric is in the rubric
	rubricFirst = 3  // the first words of a headline, this many, may be a rubric
)

// partsOf calls f with each part of a headline that may be a rubric: the texts between separators
// such as a colon, and the first words.
func partsOf(title string, f func(part string)) {
	parts := strings.FieldsFunc(title, func(r rune) bool { return strings.ContainsRune(":|–—：｜!?！？", r) })
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

// countParts adds 1 to counts for each part of a headline, and for its template.
func countParts(counts map[string]int, title string) {
	partsOf(title, func(part string) { counts[part]++ })
	if template := templateOf(title); template != "" {
		counts[template]++
	}
}

// templateOf returns the template of a headline: templateMark, then the headline with 0 in place of
// each number. Headlines that differ only in their numbers have the same template. It returns "" if
// the headline has no number.
func templateOf(title string) string {
	var b strings.Builder
	number, has := false, false
	for _, r := range title {
		digit := unicode.IsDigit(r)
		switch {
		case !digit:
			b.WriteRune(r)
		case !number:
			b.WriteByte('0')
		}
		number, has = digit, has || digit
	}
	if !has {
		return ""
	}
	return templateMark + b.String()
}

// templateMark is the first byte of a template, so that no part of a headline equals a template.
const templateMark = "\x00"

// rubrics has the parts of headlines that are rubrics, and the templates of headlines that are
// columns.
type rubrics map[string]bool

// leaveRubrics removes the words of rubrics from the headlines: it replaces the uses of words of
// each headline that has a rubric.
func (c *collection) leaveRubrics(ctx context.Context) error {
	headline := func(i int) bool { e := &c.list[i]; return e.headline && !e.left && e.order == 0 }
	counts := make(map[string]int)
	var t text
	err := c.eachRow(ctx, headline, func(_ int, row []byte) error {
		err := t.parse(row)
		countParts(counts, t.title)
		return err
	})
	if err != nil {
		return err
	}
	found := c.findRubrics(counts)
	if len(found) == 0 {
		return nil
	}
	return c.eachRow(ctx, headline, func(i int, row []byte) error {
		err := t.parse(row)
		if rest := found.without(t.title); rest != t.title {
			c.cut = c.words.known(c.cut[:0], rest, t.lang)
			c.uses.replace(i, c.cut)
		}
		return err
	})
}

// findRubrics returns the rubrics among the keys of counts, which are parts and templates of
// headlines. counts says how many headlines have each. Words in headlines of a template that is a
// rubric do not count for other rubrics.
func (c *collection) findRubrics(counts map[string]int) rubrics {
	found := make(rubrics)
	templated := make(map[uint32]int) // occurrences in headlines of templates, by number of the word
	for part, n := range counts {
		if n >= rubricLeast && strings.HasPrefix(part, templateMark) {
			found[part] = true
			for word := range c.words.reader.Of(part) {
				if number, ok := c.words.find(word); ok {
					templated[number] += n
				}
			}
		}
	}
	for part, n := range counts {
		if n < rubricLeast || found[part] {
			continue
		}
		for word := range c.words.reader.Of(part) {
			number, ok := c.words.find(word)
			if ok && telling(word, "") && float64(n) >= rubricShare*float64(int(c.words.counts[number])-templated[number]) {
				found[part] = true
				break
			}
		}
	}
	return found
}

// without returns a headline without its rubrics, or "" if its template is a rubric.
func (r rubrics) without(title string) string {
	if r[templateOf(title)] {
		return ""
	}
	rest := title
	partsOf(title, func(part string) {
		if r[part] {
			rest = strings.Replace(rest, part, " ", 1)
		}
	})
	return rest
}

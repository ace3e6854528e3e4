package match

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// The bounds of a list of synonyms, and of the queries that use it.
const (
	synonymsBytesMax = 16 << 20 // bytes of the file with the list
	synonymsLineMax  = 50       // the greatest number of words of a line
	synonymTermsMax  = 16       // the greatest number of terms of a word
	// formsMax is the largest number of forms of a phrase of a query. A form is the phrase with
	// one combination of synonyms in place of its words.
	formsMax = 64
)

// Synonyms is a list of lines of words that mean the same. A word may consist of several terms.
// Synonyms does not change, and several goroutines may use it. Nil is a list without lines.
type Synonyms struct {
	lines [][]Phrase // the words of each line, the base word first
	bases []string   // the base word of each line, as it is written there
	// at has the words of the list by their first term: the longest first, and equal words in
	// the order of their lines.
	at      map[string][]synonym
	longest int // number of terms of the longest word
}

// synonym is a word in a line of the list.
type synonym struct {
	terms []Term
	line  int
}

// ReadSynonyms reads a list of synonyms from r. Each line has words that mean the same, with
// the base word first. The words are separated by commas, or by blanks in a line without a
// comma. A line that begins with # is a comment. The text is UTF-8. An error names the faulty
// line.
func ReadSynonyms(r io.Reader) (*Synonyms, error) {
	text, err := io.ReadAll(io.LimitReader(r, synonymsBytesMax+1))
	if err != nil {
		return nil, err
	}
	if len(text) > synonymsBytesMax {
		return nil, fmt.Errorf("the list of synonyms has more than %d bytes", synonymsBytesMax)
	}
	s := &Synonyms{at: make(map[string][]synonym)}
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	lines.Buffer(nil, synonymsBytesMax+1)
	for n := 1; lines.Scan(); n++ {
		if err := s.add(lines.Text()); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	for _, list := range s.at {
		slices.SortStableFunc(list, func(a, b synonym) int { return len(b.terms) - len(a.terms) })
	}
	return s, lines.Err()
}

// commas are the characters that separate words of a line.
const commas = ",，、"

// add adds a line to the list.
func (s *Synonyms) add(line string) error {
	line = strings.TrimSpace(line)
	switch {
	case !utf8.ValidString(line):
		return fmt.Errorf("the text is not UTF-8: save the file as UTF-8")
	case line == "" || line[0] == '#':
		return nil
	}
	words := strings.Fields(line)
	if strings.ContainsAny(line, commas) {
		words = strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(commas, r) })
	}
	var phrases []Phrase
	var terms Terms
	base := ""
	for _, word := range words {
		ph := Phrase{}
		for terms.Read(word); terms.Next(); {
			ph.Terms = append(ph.Terms, Term{Text: string(terms.Term()), Joined: terms.Joined, Letter: terms.Letter})
		}
		switch {
		case len(ph.Terms) == 0 && strings.TrimSpace(word) == "":
			continue
		case len(ph.Terms) == 0:
			return fmt.Errorf("%q has no letter or digit", strings.TrimSpace(word))
		case len(ph.Terms) > synonymTermsMax:
			return fmt.Errorf("%q has more than %d words", strings.TrimSpace(word), synonymTermsMax)
		case !slices.ContainsFunc(phrases, func(o Phrase) bool { return sameTerms(o.Terms, ph.Terms) }):
			if len(phrases) == 0 {
				base = strings.TrimSpace(word)
			}
			phrases = append(phrases, ph)
		}
	}
	switch {
	case len(phrases) < 2:
		return fmt.Errorf("%q has one word only: write a base word and its synonyms, separated by commas or blanks", line)
	case len(phrases) > synonymsLineMax:
		return fmt.Errorf("a line has at most %d words, and this one has %d", synonymsLineMax, len(phrases))
	}
	for _, ph := range phrases {
		first := ph.Terms[0].Text
		s.at[first] = append(s.at[first], synonym{ph.Terms, len(s.lines)})
		s.longest = max(s.longest, len(ph.Terms))
	}
	s.lines, s.bases = append(s.lines, phrases), append(s.bases, base)
	return nil
}

// Len returns the number of lines with words.
func (s *Synonyms) Len() int {
	if s == nil {
		return 0
	}
	return len(s.lines)
}

// sameTerms reports whether two sequences have the same terms.
func sameTerms(a, b []Term) bool {
	return slices.EqualFunc(a, b, func(a, b Term) bool { return a.Text == b.Text })
}

// find looks for the longest word of the list with which terms begin. It returns the number n
// of its terms, and the lines that have it. n is 0 if there is none. A term that is written
// with * or ~ is part of no word.
func (s *Synonyms) find(terms []Term) (n int, lines []int) {
	if s == nil {
		return 0, nil
	}
	for _, x := range s.at[terms[0].Text] {
		if len(x.terms) < n {
			break
		}
		if len(x.terms) > len(terms) || !sameTerms(x.terms, terms[:len(x.terms)]) ||
			slices.ContainsFunc(terms[:len(x.terms)], func(t Term) bool { return t.Prefix || t.Language != "" }) {
			continue
		}
		n, lines = len(x.terms), append(lines, x.line)
	}
	return n, lines
}

// Base returns text with each word of the list replaced by the base word of its line (of the
// first such line). It looks for words from left to right, and takes the longest word that
// begins at a term. A base word stays as it is written in text.
func (s *Synonyms) Base(text string) string {
	if s.Len() == 0 {
		return text
	}
	var out strings.Builder
	at := 0 // what stands before is in out
	var terms []Term
	var places [][2]int // of the terms in the text
	r := Terms{}
	r.Read(text)
	for more := true; ; {
		for more && len(terms) < s.longest {
			if more = r.Next(); more {
				terms = append(terms, Term{Text: string(r.Term())})
				places = append(places, [2]int{r.From, r.To})
			}
		}
		if len(terms) == 0 {
			break
		}
		n, lines := s.find(terms)
		if n > 0 && !sameTerms(s.lines[lines[0]][0].Terms, terms[:n]) && places[0][0] >= at {
			out.WriteString(text[at:places[0][0]])
			out.WriteString(s.bases[lines[0]])
			at = places[n-1][1]
		}
		terms, places = terms[max(n, 1):], places[max(n, 1):]
	}
	out.WriteString(text[at:])
	return out.String()
}

// others returns the words of the lines with these numbers, each word once. It leaves out the word
// that consists of terms.
func (s *Synonyms) others(lines []int, terms []Term) (list []Phrase) {
	for _, line := range lines {
		for _, ph := range s.lines[line] {
			if !sameTerms(ph.Terms, terms) && !slices.ContainsFunc(list, func(o Phrase) bool { return sameTerms(o.Terms, ph.Terms) }) {
				list = append(list, ph)
			}
		}
	}
	return list
}

// forms returns the phrase ph, and the phrases that result if words of the list in it are
// replaced by their synonyms. It looks for words from left to right, and takes the longest word
// that begins at a term. tooMany is true if there would be more than formsMax phrases.
func (s *Synonyms) forms(ph Phrase) (list []Phrase, tooMany bool) {
	if s == nil || ph.Exact != "" {
		return []Phrase{ph}, false
	}
	list = []Phrase{{}}
	for i := 0; i < len(ph.Terms); {
		n, lines := s.find(ph.Terms[i:])
		words := []Phrase{{Terms: ph.Terms[i : i+max(n, 1)]}}
		if n > 0 {
			words = append(words, s.others(lines, words[0].Terms)...)
		}
		if len(list)*len(words) > formsMax {
			return nil, true
		}
		longer := make([]Phrase, 0, len(list)*len(words))
		for _, before := range list {
			for _, w := range words {
				longer = append(longer, joined(before, w, ph.Terms[i].Joined))
			}
		}
		list = longer
		i += max(n, 1)
	}
	return list, false
}

// joined returns a phrase with the terms of a and then the terms of b. They are joined as if a
// blank were between a and b, or nothing if follows is set.
func joined(a, b Phrase, follows bool) Phrase {
	terms := slices.Concat(a.Terms, b.Terms)
	if n := len(a.Terms); n > 0 {
		last, next := &terms[n-1], &terms[n]
		next.Joined = last.Letter && next.Letter && (follows || last.chinese() && next.chinese())
	}
	return Phrase{Terms: terms}
}

// chinese reports whether the term is a letter of a script in which blanks mean nothing:
// Chinese or Japanese.
func (t *Term) chinese() bool {
	r, _ := utf8.DecodeRuneInString(t.Text)
	return t.Letter && formOf(r).to.sort == chinese
}

// Parse parses a query as the function Parse does, with synonyms. A word of the query that is
// in the list stands for all words of its line, as if they were written with OR. So do several
// words, in quotes or side by side, that are one word of the list; the longest word of the list
// counts. Words in ="…", words with ~, and the last word before * have no synonyms.
func (s *Synonyms) Parse(question string) (*Query, error) { return parse(question, s) }

// bareAt reports whether a word without quotes, = or ~ begins at p.at.
func (p *queryParser) bareAt() bool {
	return p.at < len(p.text) && inWordAt(p.text[p.at:]) && !p.nearAt()
}

func inWordAt(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return inWord(r)
}

// sideBySide parses several words, with blanks between them, that together are one word of the list
// of synonyms. If there are none at p.at, found is false and p.at does not change.
func (p *queryParser) sideBySide() (_ node, found bool, _ error) {
	if p.synonyms == nil || !p.bareAt() {
		return node{}, false, nil
	}
	start, terms := p.at, p.terms
	var words []Phrase
	var all []Term
	var best, bestTerms, end, endTerms int // of words, and the place after them
	var lines []int
	for len(all) < p.synonyms.longest {
		if p.blanks(); len(words) > 0 && (p.done() || !p.bareAt() || p.ahead("OR") || p.ahead("AND") || p.ahead("NOT")) {
			break
		}
		phrases, err := p.phrase()
		if err != nil {
			return node{}, false, err
		}
		if len(phrases) == 0 {
			break
		}
		words, all = append(words, phrases[0]), append(all, phrases[0].Terms...)
		if n, at := p.synonyms.find(all); n == len(all) && len(words) > 1 {
			best, bestTerms, lines, end, endTerms = len(words), n, at, p.at, p.terms
		}
	}
	if best == 0 {
		p.at, p.terms = start, terms
		return node{}, false, nil
	}
	p.at, p.terms = end, endTerms
	var kids []node
	for _, ph := range words[:best] {
		kids = append(kids, p.atom(ph))
	}
	kids = []node{group(opAnd, kids)}
	for _, ph := range p.synonyms.others(lines, all[:bestTerms]) {
		if err := p.also(start, ph); err != nil {
			return node{}, false, err
		}
		kids = append(kids, p.atom(ph))
	}
	return group(opOr, kids), true, nil
}

// atom adds an atom for the phrase ph to the query, and returns its node.
func (p *queryParser) atom(ph Phrase) node {
	p.q.atoms = append(p.q.atoms, Atom{Phrases: []Phrase{ph}, Within: -1})
	return node{op: opAtom, atom: len(p.q.atoms) - 1}
}

// also adds the phrase ph to the phrases that Query.Added returns, and counts its terms. ph is
// a form, with synonyms, of the phrase at offset start. The error says that the query then has
// too many terms.
func (p *queryParser) also(start int, ph Phrase) error {
	if p.terms += len(ph.Terms); p.terms > TermsMax {
		return p.fault(start, p.at-start, fmt.Sprintf("more than %d words are asked for with their synonyms", TermsMax), "ask for fewer words, or write =\"word\" without synonyms")
	}
	if text := ph.String(); !slices.Contains(p.q.added, text) {
		p.q.added = append(p.q.added, text)
	}
	return nil
}

// withSynonyms returns the forms of a phrase at offset start of the query, see Synonyms.forms.
func (p *queryParser) withSynonyms(start int, ph Phrase) ([]Phrase, error) {
	forms, tooMany := p.synonyms.forms(ph)
	if tooMany {
		return nil, p.fault(start, p.at-start, fmt.Sprintf("the phrase has more than %d forms with synonyms", formsMax), "write a shorter phrase, or =\"…\" without synonyms")
	}
	for _, f := range forms[1:] {
		if err := p.also(start, f); err != nil {
			return nil, err
		}
	}
	return forms, nil
}

// nearForms returns all forms of a NEAR: its phrases with each combination of their synonyms.
// start is the offset of the NEAR in the query.
func (p *queryParser) nearForms(start int, phrases []Phrase) ([][]Phrase, error) {
	lists := [][]Phrase{nil}
	for _, ph := range phrases {
		forms, err := p.withSynonyms(start, ph)
		if err != nil {
			return nil, err
		}
		if len(lists)*len(forms) > formsMax {
			return nil, p.fault(start, p.at-start, fmt.Sprintf("NEAR has more than %d forms with synonyms", formsMax), "name fewer words, or write =\"word\" without synonyms")
		}
		var longer [][]Phrase
		for _, list := range lists {
			for _, f := range forms {
				longer = append(longer, append(slices.Clip(list), f))
			}
		}
		lists = longer
	}
	return lists, nil
}

// Added returns the words and phrases that the list of synonyms added to the query, as they
// could stand in a query.
func (q *Query) Added() []string { return q.added }

package match

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"infomall/store/words/stem"
)

// The bounds of a query. Parse refuses a query that exceeds them.
const (
	QueryBytesMax = 64 << 10 // the greatest number of bytes of a query
	TermsMax      = 1000     // the greatest number of terms of a query
	depthMax      = 100      // how deep brackets may be nested
	nearDefault   = 10       // how many terms may lie between the words of NEAR if it has no number
	NearMax       = 10_000   // the most terms over which NEAR may reach
	// nearPhrasesMax is the largest number of words and phrases in one NEAR. Each place of one
	// of them is compared with the places of all others.
	nearPhrasesMax = 50
)

// Query is a parsed query. It never changes, so many goroutines may use it.
type Query struct {
	atoms  []Atom
	root   node
	source string
	added  []string // what Added returns
	table  table

	finders sync.Pool // searches (of type *search) that are not in use
}

// Atom is a part of a query that a text has or does not have: a word, a phrase, or several of
// them in a NEAR.
type Atom struct {
	Phrases []Phrase // one, or the parts of NEAR
	// Within is how many terms may stand between the first and the last phrase of
	// NEAR. It is -1 for a single phrase.
	Within int

	first int // number of the first phrase among the phrases of the query
}

// String returns the atom as it could stand in a query, such as "tiered storage" in quotes,
// with its letters folded.
func (a *Atom) String() string {
	if a.Within < 0 {
		return a.Phrases[0].String()
	}
	var s strings.Builder
	s.WriteString("NEAR(")
	for _, ph := range a.Phrases {
		s.WriteString(ph.String() + " ")
	}
	return strings.TrimSuffix(s.String(), " ") + fmt.Sprintf(", %d)", a.Within)
}

// String returns the phrase as it could stand in a query, with its letters folded. A phrase of
// exact letters keeps them.
func (p *Phrase) String() string {
	if p.Exact != "" {
		return `="` + p.Exact + `"`
	}
	var s strings.Builder
	apart := false
	for i, t := range p.Terms {
		if i > 0 && !t.Joined {
			s.WriteByte(' ')
			apart = true
		}
		s.WriteString(t.Text)
	}
	text := s.String()
	if apart {
		text = `"` + text + `"`
	}
	if p.Terms[len(p.Terms)-1].Prefix {
		text += "*"
	}
	return text
}

// Phrase is a sequence of terms that must follow each other in a text. A word is a phrase of
// one term.
type Phrase struct {
	Terms []Term
	Exact string // the text must have exactly these letters; "" if any form will do
}

// Term is a term of a phrase.
type Term struct {
	Text   string // the text of the term, folded
	Prefix bool   // every term that begins with Text matches
	Joined bool   // the term must be joined to the one before, as letters of a run are
	Letter bool   // the term is a letter of a script without spaces between words
	// Language is the code of a language if every term with the same stem as Text in that
	// language matches. It is "" for other terms. Package stem has the languages.
	Language string
}

// stem returns the stem of Text in t.Language, which must not be "".
func (t *Term) stem() string { return stem.Of(t.Language, t.Text) }

// Answer says whether a text has what a query asks for.
type Answer uint8

const (
	No Answer = iota
	Maybe
	Yes
	// Null says that there is no text to search. No query gives this answer by itself.
	Null
)

// node is a node of the tree of a query: an operator with its operands, or an atom.
type node struct {
	op   nodeOp
	atom int // number of the atom, for opAtom
	kids []node
}

type nodeOp uint8

const (
	opAtom nodeOp = iota
	opAnd
	opOr
	opNot
)

// Error is a fault in a query.
type Error struct {
	At, Len int // where the fault is, in bytes of the query
	Problem string
	Remedy  string // what to write instead; may be ""
}

func (e *Error) Error() string {
	if e.Remedy == "" {
		return e.Problem
	}
	return e.Problem + ": " + e.Remedy
}

// Parse parses question, a search query as a user writes it after MATCH. An error is an *Error,
// which says where the fault is.
//
//	kafka streams          every word
//	"tiered storage"       the words one after the other
//	kafka OR pulsar        one of both; words that stand side by side bind tighter
//	kafka -beta            kafka, and not beta
//	(kafka OR pulsar) 2.0  brackets group
//	stream* "tiered stor"* words that begin so
//	~running ~de:laufen    words with the same stem, in English or the language named
//	="Müller"              these letters and no others
//	NEAR(kafka broker, 5)  at most five words between them, in any order
//
// AND between two words changes nothing. Words that other characters part, such as
// v2.1, are a phrase. OR, AND and NEAR are operators only in capital letters.
func Parse(question string) (*Query, error) { return parse(question, nil) }

// parse parses question, a query, with a list of synonyms, which may be nil.
func parse(question string, synonyms *Synonyms) (*Query, error) {
	if len(question) > QueryBytesMax {
		return nil, &Error{0, 0, fmt.Sprintf("the words asked for take %d bytes, and at most %d are allowed", len(question), QueryBytesMax), "ask for fewer words"}
	}
	p := &queryParser{text: question, synonyms: synonyms, q: &Query{source: question}}
	root, err := p.any(0)
	if err == nil && p.at < len(p.text) {
		err = p.faultAt(p.at, "a bracket is closed that was not opened", "remove it, or write ( before")
	}
	if err != nil {
		return nil, err
	}
	p.q.root = root
	p.q.table.make(p.q.atoms)
	return p.q, nil
}

// queryParser parses a query from left to right.
type queryParser struct {
	text  string
	at    int // offset of the next byte
	q     *Query
	terms int // number of terms so far
	words Terms

	synonyms *Synonyms // nil if there are none
}

func (p *queryParser) fault(at, n int, problem, remedy string) error {
	return &Error{at, n, problem, remedy}
}

// faultAt returns an *Error at the character at offset at.
func (p *queryParser) faultAt(at int, problem, remedy string) error {
	_, n := utf8.DecodeRuneInString(p.text[at:])
	return p.fault(at, n, problem, remedy)
}

// any parses alternatives (parts of a query with OR between them), up to the end of the query or
// a closing bracket. depth is the number of brackets around them.
func (p *queryParser) any(depth int) (node, error) {
	if depth > depthMax {
		_, open := utf8.DecodeLastRuneInString(p.text[:p.at])
		return node{}, p.faultAt(p.at-open, fmt.Sprintf("brackets are nested more than %d deep", depthMax), "write the question with fewer brackets")
	}
	var kids []node
	for {
		from := p.at
		kid, found, err := p.all(depth)
		if err != nil {
			return node{}, err
		}
		or, hasOr := p.operator("OR")
		switch {
		case !found && hasOr:
			return node{}, p.fault(or, 2, "OR has nothing before it", `write a word there, or "OR" in quotes to find the word`)
		case !found && len(kids) > 0:
			return node{}, p.fault(p.lastOr(from), 2, "OR has nothing after it", `write a word there, or "OR" in quotes to find the word`)
		case !found:
			to := p.at
			if depth > 0 { // with its brackets
				_, open := utf8.DecodeLastRuneInString(p.text[:from])
				_, closed := utf8.DecodeRuneInString(p.text[to:])
				from, to = from-open, to+closed
			}
			return node{}, p.fault(from, to-from, "there is no word to look for", "a word has letters or digits")
		}
		kids = append(kids, kid)
		if !hasOr {
			return group(opOr, kids), nil
		}
	}
}

// lastOr returns the offset in the query of the last OR before the offset at, or 0 if there is
// none.
func (p *queryParser) lastOr(at int) int { return max(0, strings.LastIndex(p.text[:at], "OR")) }

// group returns a node with the operator op for kids. If there is only one kid, it returns the
// kid.
func group(op nodeOp, kids []node) node {
	if len(kids) == 1 {
		return kids[0]
	}
	return node{op: op, kids: kids}
}

// all parses the part of a query between two ORs: words and phrases that a text must all have.
// found is false if the part has no word. depth is the number of brackets around it.
func (p *queryParser) all(depth int) (_ node, found bool, _ error) {
	var kids []node
	positive := false
	without := -1 // offset of the first -
	for {
		p.blanks()
		if p.done() || p.ahead("OR") {
			break
		}
		if at, ok := p.operator("AND"); ok {
			if p.blanks(); len(kids) == 0 || p.done() || p.ahead("OR") || p.ahead("AND") {
				return node{}, false, p.fault(at, 3, "AND needs a word on both sides", `write a word there, or "AND" in quotes to find the word`)
			}
			continue
		}
		if p.ahead("NOT") {
			return node{}, false, p.fault(p.at, 3, "words to exclude are marked by -, not by NOT", `write kafka -beta, or "NOT" in quotes to find the word`)
		}
		start := p.at
		minus := p.text[p.at] == '-' && (p.at == 0 || p.parted(p.at)) && p.begins(p.at+1)
		if minus {
			p.at++
		}
		kid, ok, err := p.item(depth, minus)
		switch {
		case err != nil:
			return node{}, false, err
		case !ok:
		case minus:
			if without < 0 {
				without = start
			}
			kids = append(kids, node{op: opNot, kids: []node{kid}})
		default:
			positive = true
			kids = append(kids, kid)
		}
	}
	if len(kids) > 0 && !positive {
		return node{}, false, p.fault(without, p.at-without, "only words to exclude are asked for", "name a word that must be there, or write NOT text MATCH 'word'")
	}
	return group(opAnd, kids), len(kids) > 0, nil
}

// begins reports whether a word, a quote, a bracket or = stands at offset at.
func (p *queryParser) begins(at int) bool {
	if strings.HasPrefix(p.text[at:], "~") {
		return p.wordAt(at + 1)
	}
	r, _ := utf8.DecodeRuneInString(p.text[at:])
	return opensQuote(r) || r == '(' || r == '（' || r == '=' || inWord(r)
}

// inWord reports whether the letter r is part of a word or run.
func inWord(r rune) bool {
	f := formOf(r)
	for _, l := range f.more {
		if l.sort >= letter && l.sort != nothing {
			return true
		}
	}
	return f.more == nil && f.to.sort >= letter && f.to.sort != nothing
}

// parted reports whether a blank or an opening bracket is directly before the offset at.
func (p *queryParser) parted(at int) bool {
	r, _ := utf8.DecodeLastRuneInString(p.text[:at])
	return unicode.IsSpace(r) || r == '(' || r == '（'
}

func (p *queryParser) blanks() {
	for p.at < len(p.text) {
		r, n := utf8.DecodeRuneInString(p.text[p.at:])
		if !unicode.IsSpace(r) {
			return
		}
		p.at += n
	}
}

// done reports whether the query ends at p.at, or a closing bracket stands there.
func (p *queryParser) done() bool {
	return p.at == len(p.text) || p.text[p.at] == ')' || strings.HasPrefix(p.text[p.at:], "）")
}

// ahead reports whether the operator that the parameter word names, such as OR, is at p.at. A
// blank, a bracket, a quote or an end of the query must be on both sides of it.
func (p *queryParser) ahead(word string) bool {
	rest, ok := strings.CutPrefix(p.text[p.at:], word)
	if !ok || p.at > 0 && !p.parted(p.at) && !p.closed(p.at) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || unicode.IsSpace(r) || strings.ContainsRune(`()（）"“”`, r)
}

// closed reports whether a closing bracket or quote is directly before the offset at.
func (p *queryParser) closed(at int) bool {
	r, _ := utf8.DecodeLastRuneInString(p.text[:at])
	return strings.ContainsRune(`)）"”`, r)
}

// operator skips blanks, and then the operator that the parameter word names, if it is next. at
// is the offset of that operator, and ok reports whether it was there.
func (p *queryParser) operator(word string) (at int, ok bool) {
	p.blanks()
	if !p.ahead(word) {
		return 0, false
	}
	at = p.at
	p.at += len(word)
	return at, true
}

func opensQuote(r rune) bool { return r == '"' || r == '“' || r == '”' || r == '„' }

// item parses a word, a phrase, a NEAR or a group in brackets. If alone is false, it also takes
// several words together if they are one word of the synonyms. found is false if there is no
// letter here.
func (p *queryParser) item(depth int, alone bool) (_ node, found bool, _ error) {
	start := p.at
	if n := p.bracket(); n > 0 {
		p.at += n
		switch p.blanks(); {
		case p.at == len(p.text):
			return node{}, false, p.closeBracket(start)
		case p.done():
			return node{}, false, p.fault(start, p.at+1-start, "there is no word to look for", "write words between the brackets, or remove them")
		}
		kid, err := p.any(depth + 1)
		if err == nil {
			err = p.closeBracket(start)
		}
		return kid, err == nil, err
	}
	if p.nearAt() {
		return p.near()
	}
	if !alone {
		if n, found, err := p.sideBySide(); found || err != nil {
			return n, found, err
		}
	}
	phrases, err := p.phrase()
	if err != nil || len(phrases) == 0 {
		return node{}, false, err
	}
	n, err := p.atoms(start, phrases)
	return n, err == nil, err
}

// bracket returns how many bytes the opening bracket at p.at has, or 0 if there is none.
func (p *queryParser) bracket() int {
	switch {
	case strings.HasPrefix(p.text[p.at:], "("):
		return 1
	case strings.HasPrefix(p.text[p.at:], "（"):
		return len("（")
	}
	return 0
}

func (p *queryParser) closeBracket(open int) error {
	p.blanks()
	switch {
	case strings.HasPrefix(p.text[p.at:], ")"):
		p.at++
	case strings.HasPrefix(p.text[p.at:], "）"):
		p.at += len("）")
	default:
		return p.faultAt(open, "a bracket is not closed", "write ) where the group ends")
	}
	return nil
}

// atoms adds an atom for each form of each phrase (the phrase with each combination of
// synonyms). It returns the node that requires one form of each phrase. start is the offset of
// the phrases in the query.
func (p *queryParser) atoms(start int, phrases []Phrase) (node, error) {
	var kids []node
	for _, ph := range phrases {
		forms, err := p.withSynonyms(start, ph)
		if err != nil {
			return node{}, err
		}
		var any []node
		for _, f := range forms {
			any = append(any, p.atom(f))
		}
		kids = append(kids, group(opOr, any))
	}
	return group(opAnd, kids), nil
}

// phrase parses a text in quotes, or what stands up to the next blank, bracket or quote. The
// result is empty if there is no letter in it.
func (p *queryParser) phrase() ([]Phrase, error) {
	start := p.at
	byStem, language, err := p.stems()
	if err != nil {
		return nil, err
	}
	exact := p.text[p.at] == '=' && p.at+1 < len(p.text) && p.quoteAt(p.at+1)
	if exact {
		p.at++
	}
	var inside string
	if p.quoteAt(p.at) {
		_, n := utf8.DecodeRuneInString(p.text[p.at:])
		p.at += n
		end := strings.IndexAny(p.text[p.at:], `"“”`)
		if end < 0 {
			return nil, p.fault(start, len(p.text)-start, "a quote is not closed", `write " where the phrase ends`)
		}
		inside = p.text[p.at : p.at+end]
		_, n = utf8.DecodeRuneInString(p.text[p.at+end:])
		p.at += end + n
	} else {
		inside = p.bare()
	}
	ph := Phrase{}
	for p.words.Read(inside); p.words.Next(); {
		if p.terms++; p.terms > TermsMax {
			return nil, p.fault(start, p.at-start, fmt.Sprintf("more than %d words are asked for", TermsMax), "ask for fewer words")
		}
		term := Term{Text: string(p.words.Term()), Joined: p.words.Joined, Letter: p.words.Letter}
		if byStem && !term.Letter {
			term.Language = language
			if language == "" {
				term.Language = languageOf(term.Text)
			}
		}
		ph.Terms = append(ph.Terms, term)
	}
	star := p.at < len(p.text) && p.text[p.at] == '*'
	if star {
		p.at++
	}
	if len(ph.Terms) == 0 {
		return nil, nil
	}
	if exact {
		ph.Exact = canonical(inside)
	} else if last := &ph.Terms[len(ph.Terms)-1]; star && !last.Letter {
		last.Prefix, last.Language = true, ""
	}
	return []Phrase{ph}, nil
}

// stems skips a ~ before a word or quote, and the code of a language with its colon if one
// follows. byStem reports whether there was a ~. language is "" if no code was given.
func (p *queryParser) stems() (byStem bool, language string, _ error) {
	rest, ok := strings.CutPrefix(p.text[p.at:], "~")
	if !ok {
		return false, "", nil
	}
	start := p.at
	if code, after, ok := strings.Cut(rest, ":"); ok && isCode(code) && p.wordAt(len(p.text)-len(after)) {
		language = strings.ToLower(code)
		if !stem.Known(language) {
			return false, "", p.fault(start, len("~:")+len(code), fmt.Sprintf("the stems of the language %s are not known", code), "write one of "+strings.Join(stem.Languages(), ", "))
		}
		p.at = len(p.text) - len(after)
		return true, language, nil
	}
	if !p.wordAt(start + 1) {
		return false, "", nil
	}
	p.at++
	return true, "", nil
}

// isCode reports whether s looks like the code of a language: two or three letters.
func isCode(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return len(s) == 2 || len(s) == 3
}

// wordAt reports whether a word or quote begins at this offset.
func (p *queryParser) wordAt(at int) bool {
	r, _ := utf8.DecodeRuneInString(p.text[at:])
	return opensQuote(r) || inWord(r)
}

// languageOf returns the code of the language whose stems count for a word after ~ that names
// no language: Russian for Cyrillic letters, otherwise English.
func languageOf(word string) string {
	if r, _ := utf8.DecodeRuneInString(word); unicode.Is(unicode.Cyrillic, r) {
		return "ru"
	}
	return "en"
}

func (p *queryParser) quoteAt(at int) bool {
	r, _ := utf8.DecodeRuneInString(p.text[at:])
	return opensQuote(r)
}

// bare skips the characters before the next blank, bracket, quote or *, or before the comma that
// ends the words of a NEAR, and returns them. If one of these ends is at p.at, bare skips that
// character and returns "".
func (p *queryParser) bare() string {
	from := p.at
	for p.at < len(p.text) {
		r, n := utf8.DecodeRuneInString(p.text[p.at:])
		if unicode.IsSpace(r) || opensQuote(r) || strings.ContainsRune("()（）*", r) || r == ',' && p.inNear(from) {
			break
		}
		p.at += n
	}
	if p.at == from {
		_, n := utf8.DecodeRuneInString(p.text[p.at:])
		p.at += n
		return ""
	}
	return p.text[from:p.at]
}

// String returns the query as it was written.
func (q *Query) String() string { return q.source }

// Atoms returns the atoms of the query. The caller must not change them.
func (q *Query) Atoms() []Atom { return q.atoms }

// Eval returns the answer of the query for a text. It calls the function of with the number of an
// atom to get the answer of that atom for the text.
func (q *Query) Eval(of func(atom int) Answer) Answer { return q.root.eval(of) }

// eval returns the answer of the part of the query below n, see Query.Eval. It calls itself at
// most 2*depthMax deep.
func (n *node) eval(of func(atom int) Answer) Answer {
	switch n.op {
	case opAtom:
		return of(n.atom)
	case opNot:
		return Yes - n.kids[0].eval(of)
	}
	least, most := Yes, No
	for i := range n.kids {
		a := n.kids[i].eval(of)
		least, most = min(least, a), max(most, a)
		if n.op == opAnd && least == No || n.op == opOr && most == Yes {
			break
		}
	}
	if n.op == opAnd {
		return least
	}
	return most
}

// Needed calls f for each atom that the query does not exclude, as -beta does. The places of
// these atoms show why a text matches.
func (q *Query) Needed(f func(atom int)) { q.root.needed(f) }

func (n *node) needed(f func(atom int)) {
	switch n.op {
	case opAtom:
		f(n.atom)
	case opAnd, opOr:
		for i := range n.kids {
			n.kids[i].needed(f)
		}
	}
}

// SingleWords reports whether each atom of the query is a single word, and not a phrase or a
// NEAR. Several letters of a script without spaces, such as 北京, are a phrase.
func (q *Query) SingleWords() bool {
	for i := range q.atoms {
		if a := &q.atoms[i]; len(a.Phrases) > 1 || len(a.Phrases[0].Terms) > 1 || a.Phrases[0].Exact != "" {
			return false
		}
	}
	return true
}

// Positive reports whether the query excludes nothing. Then, if one text has all that another
// text has, and the other text matches, the first text matches too.
func (q *Query) Positive() bool { return q.root.positive() }

func (n *node) positive() bool {
	for i := range n.kids {
		if n.op == opNot || !n.kids[i].positive() {
			return false
		}
	}
	return true
}

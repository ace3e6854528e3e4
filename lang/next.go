package lang

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Place is the kind of name or text that may come next in a statement.
type Place uint8

// The values of Place.
const (
	PlaceNone         Place = iota // only words, or a new name that the writer chooses
	PlaceExpr                      // a column or a function
	PlaceColumn                    // a column, after the name of a source and a dot
	PlaceSource                    // a relation, or a scope in quotes
	PlaceScope                     // a scope or a URL in quotes
	PlaceFile                      // the name of a file or a folder in quotes
	PlacePool                      // the name of a pool in quotes
	PlaceList                      // a list of SHOW, such as POOLS
	PlaceDescribed                 // a relation, a function or a setting
	PlaceSetting                   // a setting
	PlaceValue                     // a value of the setting Subject
	PlaceTopic                     // a topic of HELP
	PlaceFormat                    // a format of files to import
	PlaceExportFormat              // a format of files to export
	PlaceForm                      // a form of SHOW PAGE
	PlaceType                      // a type, in a CAST
	PlaceView                      // a view
	PlaceMetadata                  // the name of metadata
	PlaceQuery                     // a saved query
	PlaceGraph                     // a graph
	PlaceParam                     // a parameter of the saved query Subject
)

// Next says what may come next at the cursor in a statement that is being
// typed.
type Next struct {
	// From is the offset of the first byte of the word or text at the cursor.
	// Without one, From is the length of the text before the cursor.
	From int
	// Quoted: the text at the cursor is in single quotes, of which the first is
	// typed.
	Quoted bool
	// Words are the words of the language that may come there, in upper case,
	// in the order of the grammar. If the writer may choose a new name there,
	// only reserved words are listed.
	Words   []string
	Place   Place
	Subject string // depends on Place: the setting whose value, the source whose column, or the query whose parameter comes next; else the first word of the statement
	// Sources are the relations that the SELECT around the cursor reads,
	// including those after the cursor. FROM with only a scope reads versions.
	Sources []SourceName
}

// SourceName is the relation and the alias of a source of a SELECT. The alias
// may be "".
type SourceName struct{ Relation, Alias string }

// AtCursor returns what may come next between before and after, the texts on
// both sides of the cursor. It looks at the last statement that begins in
// before and ignores complete statements ahead of it.
func AtCursor(before, after string) Next {
	s := newScanner(before, "")
	for s.next() && s.ended {
	}
	n := Next{From: len(before)}
	tokens := slices.Clone(s.tokens)
	if s.ended {
		tokens = nil
	}
	if k := len(tokens); k > 0 && tokens[k-1].Type == lexer.EOF {
		tokens = tokens[:k-1]
	}
	switch s.open {
	case openComment, openName:
		return n
	case openString:
		n.Quoted = true
		n.From = openQuote(before, tokens) + 1
	default:
		if inLineComment(before, tokens) {
			return n
		}
		if k := len(tokens); k > 0 && isWordToken(&tokens[k-1]) && endOf(&tokens[k-1]).Offset == len(before) {
			n.From = startOf(&tokens[k-1]).Offset
			tokens = tokens[:k-1]
		}
	}
	if len(tokens) > probeTokensMax {
		return n
	}
	rest := newScanner(after, "")
	rest.next()
	n.Sources = sourcesAround(tokens, rest.tokens)
	newProber(append(slices.Clone(tokens), lexer.Token{Type: lexer.EOF})).fill(&n, len(tokens))
	for i := range tokens {
		if n.Place == PlaceTopic && i > 0 && isWord(&tokens[i-1], "HELP") {
			n.From = startOf(&tokens[i]).Offset // of the topic, which may have several words
			break
		}
	}
	return n
}

func isWordToken(t *lexer.Token) bool { return t.Type == tokIdent || t.Type == tokKeyword }

// openQuote returns the offset of the quote that is never closed.
func openQuote(src string, tokens []lexer.Token) int {
	from := 0
	if k := len(tokens); k > 0 {
		from = endOf(&tokens[k-1]).Offset
	}
	s := &scanner{src: src, pos: from, line: 1, col: 1}
	s.skipBlanks()
	return min(s.pos, len(src)-1)
}

// inLineComment reports whether src ends inside a -- comment. tokens are the
// tokens of src.
func inLineComment(src string, tokens []lexer.Token) bool {
	from := 0
	if k := len(tokens); k > 0 {
		from = endOf(&tokens[k-1]).Offset
	}
	tail := src[from:]
	return strings.Contains(tail[strings.LastIndexByte(tail, '\n')+1:], "--")
}

// fill sets Words and Place of n for what may come at index i.
func (p *prober) fill(n *Next, i int) {
	can := func(t lexer.Token) bool { return p.accepts(i, t) }
	name, text, number := can(aName), can(aString), can(aNumber)
	n.Place = p.place(i, n, name, text, number)
	if n.Quoted || n.Place == PlaceTopic || n.Place == PlaceValue {
		return
	}
	for _, w := range words() {
		t := wordToken(w)
		if name && t.Type == tokIdent && !(n.Place == PlaceList && (w == "PAGE" || w == "PATH")) {
			continue // where any name goes, a word of the language is one
		}
		if can(t) {
			n.Words = append(n.Words, w)
		}
	}
}

// placeOf maps the tag names of a field to its Place. The fields of textPlaces
// are typed in quotes.
var (
	placeOf = map[string]Place{
		"list": PlaceList, "described": PlaceDescribed, "setting": PlaceSetting, "value": PlaceValue, "topic": PlaceTopic,
		"format": PlaceFormat, "export format": PlaceExportFormat, "form": PlaceForm,
		"view": PlaceView, "metadata": PlaceMetadata, "query": PlaceQuery, "graph": PlaceGraph, "param": PlaceParam,
	}
	textPlaces = map[string]Place{"file": PlaceFile, "pool": PlacePool, "none": PlaceNone}
)

// place returns the Place at index i. It depends on what the grammar accepts
// there (name, text and number), on the tags of the statement and on the words
// before.
func (p *prober) place(i int, n *Next, name, text, number bool) Place {
	if i > 0 && isWordToken(&p.tokens[0]) {
		n.Subject = upperASCII(p.tokens[0].Value)
	}
	if name && i > 1 && isOp(&p.tokens[i-1], ".") {
		n.Subject = newName(&p.tokens[i-2]).Text
		return PlaceColumn
	}
	offered := offersAt(p.tokens[:i])
	for _, names := range offered {
		if place, ok := textPlaces[names]; ok && text && (n.Quoted || !name) {
			return place
		}
	}
	for _, names := range offered {
		if place, ok := placeOf[names]; ok && name && !(place == PlaceParam && text) {
			n.Subject = p.subject(i, n.Subject, place)
			return place
		}
	}
	before := func(word string) bool {
		return i > 0 && isWordToken(&p.tokens[i-1]) && equalFold(p.tokens[i-1].Value, word)
	}
	switch {
	case name && before("AS") && !p.accepts(i, aQuoted):
		return PlaceType // an alias may be quoted, a type may not
	case text && n.Quoted && p.comparesURL(i):
		return PlaceScope
	case text && number && name:
		return PlaceExpr
	case name && text:
		return PlaceSource
	case text && !number && before("FILE"):
		return PlaceFile
	case text && !number:
		return PlaceScope
	}
	return PlaceNone
}

// subject returns the Subject of the place at index i: what the names of that
// place belong to, or else first, the first word of the statement.
func (p *prober) subject(i int, first string, place Place) string {
	switch place {
	case PlaceValue:
		return foldASCII(p.tokens[i-2].Value)
	case PlaceParam:
		return p.runName(i)
	}
	return first
}

// runName returns the name after RUN, if it comes before index i, or "".
func (p *prober) runName(i int) string {
	for k := 1; k < i; k++ {
		if t := &p.tokens[k]; isWord(&p.tokens[k-1], "RUN") && (t.Type == tokIdent || t.Type == tokQuoted) {
			return newName(t).Text
		}
	}
	return ""
}

// comparesURL reports whether the token at i is compared with a URL or a host.
func (p *prober) comparesURL(i int) bool {
	if i < 2 {
		return false
	}
	op := &p.tokens[i-1]
	if !isOp(op, "=") && !isOp(op, "<>") && !isOp(op, "!=") && !isKeyword(op, "LIKE") {
		return false
	}
	name := &p.tokens[i-2]
	return isWord(name, "URL") || isWord(name, "HOST") || isWord(name, "TARGET")
}

// sourcesAround returns the sources of the SELECT that contains the end of
// before.
func sourcesAround(before, after []lexer.Token) []SourceName {
	tokens := slices.Concat(before, after)
	from, to := selectAround(tokens, len(before))
	if on := metadataOn(tokens[from:to]); on != "" {
		return []SourceName{{Relation: on}}
	}
	var list []SourceName
	depth := 0
	for i := from; i < to; i++ {
		t := &tokens[i]
		switch {
		case isOp(t, "("):
			depth++
		case isOp(t, ")"):
			depth--
		case depth == 0 && (isKeyword(t, "FROM") || isKeyword(t, "JOIN")) && i+1 < to:
			if s, ok := sourceAt(tokens[i+1 : to]); ok {
				list = append(list, s)
			}
		}
	}
	return list
}

// metadataOn returns the relation that CREATE METADATA … ON names, such as
// "pages" for ON page, or "".
func metadataOn(tokens []lexer.Token) string {
	if len(tokens) == 0 || !isWord(&tokens[0], "CREATE") {
		return ""
	}
	for i := range tokens[:len(tokens)-1] {
		if isKeyword(&tokens[i], "ON") {
			return foldASCII(tokens[i+1].Value) + "s"
		}
	}
	return ""
}

// selectAround returns the range of tokens, from up to to, of the innermost
// SELECT in brackets around index at, or of the whole statement.
func selectAround(tokens []lexer.Token, at int) (from, to int) {
	to = len(tokens)
	if i := slices.IndexFunc(tokens[at:], func(t lexer.Token) bool { return t.Type == lexer.EOF }); i >= 0 {
		to = at + i
	}
	depth := 0
	for i := at - 1; i >= 0; i-- {
		switch {
		case isOp(&tokens[i], ")"):
			depth++
		case isOp(&tokens[i], "(") && depth > 0:
			depth--
		case isOp(&tokens[i], "(") && i+1 < len(tokens) && isKeyword(&tokens[i+1], "SELECT"):
			return i + 1, closing(tokens[:to], i+1)
		}
	}
	return 0, to
}

// closing returns the index of the bracket that closes the bracket before from.
func closing(tokens []lexer.Token, from int) int {
	depth := 0
	for i := from; i < len(tokens); i++ {
		switch {
		case isOp(&tokens[i], "("):
			depth++
		case isOp(&tokens[i], ")") && depth == 0:
			return i
		case isOp(&tokens[i], ")"):
			depth--
		}
	}
	return len(tokens)
}

// sourceAt reads the source at the start of tokens. ok is false if none begins
// there.
func sourceAt(tokens []lexer.Token) (s SourceName, ok bool) {
	switch tokens[0].Type {
	case tokString, tokParam:
		s.Relation = "versions"
	case tokIdent:
		s.Relation = foldASCII(tokens[0].Value)
	default:
		return s, false // the FROM of a time clause, or a query in brackets
	}
	for i, t := range tokens[:len(tokens)-1] {
		switch {
		case t.Type == tokKeyword && slices.Contains([]string{"WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "JOIN", "ON", "UNION"}, t.Value):
			return s, true
		case isKeyword(&t, "AS") && tokens[i+1].Type == tokIdent && !isWord(&tokens[i+1], "OF"):
			s.Alias = tokens[i+1].Value
			return s, true
		}
	}
	return s, true
}

// Class is the kind of a piece of source, for colouring it.
type Class uint8

// The values of Class.
const (
	ClassWord    Class = iota // a word of the language
	ClassString               // text in quotes
	ClassNumber               // numbers, sizes, durations, TRUE, NULL
	ClassTime                 // times
	ClassParam                // parameters
	ClassComment              // comments
)

// Token is a piece of source that has a class: the bytes From up to, not
// including, To.
type Token struct {
	From, To int
	Class    Class
}

// Tokens returns the pieces of src to colour, in order of place. Names and
// operators have no class. A word that may also be a name counts as a word if a
// statement cannot have a name at its place.
func Tokens(src string) []Token {
	var list []Token
	s := newScanner(src, "")
	end := 0 // up to this offset src is done
	add := func(from, to int, c Class) {
		list = append(list, Token{from, to, c})
	}
	for more := true; more; {
		more = s.next()
		for i := range s.tokens {
			t := &s.tokens[i]
			if t.Type == lexer.EOF && t.Value == "" {
				continue // the end of the source, which may come after a fault
			}
			from := startOf(t).Offset
			list = appendComments(list, src, end, from)
			end = max(end, min(from+len(t.Value), len(src)))
			if t.Type == lexer.EOF {
				continue
			}
			if c, ok := classOf(s.tokens, i); ok {
				add(from, from+len(t.Value), c)
			}
		}
		for _, e := range s.errs {
			if s.open == openString && e.Start.Offset >= end {
				list = appendComments(list, src, end, e.Start.Offset)
				add(e.Start.Offset, len(src), ClassString)
				end = len(src)
			}
		}
	}
	return appendComments(list, src, end, len(src))
}

// classOf returns the class of token i of a statement, and false if it has
// none.
func classOf(tokens []lexer.Token, i int) (Class, bool) {
	t := &tokens[i]
	switch t.Type {
	case tokKeyword:
		if t.Value == "TRUE" || t.Value == "FALSE" || t.Value == "NULL" {
			return ClassNumber, true
		}
		return ClassWord, true
	case tokString:
		return ClassString, true
	case tokNumber, tokSize, tokDuration:
		return ClassNumber, true
	case tokPeriod:
		return ClassTime, true
	case tokParam:
		return ClassParam, true
	case tokIdent:
		return ClassWord, isLanguageWord(t.Value) && !isNamePlace(tokens, i)
	}
	return 0, false
}

// isNamePlace reports whether a word is at a place where a name is more likely
// than a word of the language: among items, beside an operator or a dot, before
// a bracket.
func isNamePlace(tokens []lexer.Token, i int) bool {
	if i == 0 {
		return false
	}
	before, after := &tokens[i-1], &tokens[min(i+1, len(tokens)-1)]
	switch {
	case before.Type == tokOp && before.Value != ")" && before.Value != "*":
		return true
	case after.Type == tokOp && (after.Value == "." || after.Value == "=" || after.Value == "("):
		return true
	case isKeyword(before, "AS"):
		return !isWord(&tokens[i], "OF")
	case before.Type == tokKeyword:
		return slices.Contains([]string{"SELECT", "DISTINCT", "WHERE", "BY", "AND", "OR", "NOT", "HAVING", "ON", "JOIN", "WHEN", "THEN", "ELSE"}, before.Value) ||
			before.Value == "FROM"
	}
	return false
}

// appendComments appends the comments between two offsets of src to list.
func appendComments(list []Token, src string, from, to int) []Token {
	s := &scanner{src: src[:to], pos: from, line: 1, col: 1}
	for s.pos < to {
		start := s.pos
		switch {
		case s.peek(0) == '-' && s.peek(1) == '-', start == 0 && s.peek(0) == '#' && s.peek(1) == '!':
			s.skipLine()
		case s.peek(0) == '/' && s.peek(1) == '*':
			s.skipComment()
		default:
			s.pos++
			continue
		}
		list = append(list, Token{start, s.pos, ClassComment})
	}
	return list
}

// Package cursor says what may come next at the cursor while a statement is being
// typed, and which pieces of a source get which colour. At finds the place of the cursor,
// and Tokens the pieces. Package complete offers the names that fit the place.
package cursor

import (
	"slices"

	"infomall/lang/grammar"
	"infomall/lang/scan"
)

// Place is the kind of name or text that may come next in a statement, such as
// a column or a file name.
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
	PlaceUnit                      // a unit of BLAME
	PlaceType                      // a type, in a CAST
	PlaceView                      // a view
	PlaceMetadata                  // the name of metadata
	PlaceWatch                     // the name of a watch
	PlaceSchedule                  // the name of a schedule
	PlaceCrawl                     // the name of a crawl
	PlaceRule                      // the name of an access rule
	PlaceQuery                     // a saved query
	PlaceGraph                     // a graph
	PlaceClassifier                // a classifier
	PlaceRanking                   // a ranking that PAGERANK or HITS has kept
	PlaceClusters                  // the name of a run of CLUSTER
	PlaceEvents                    // the name of a run of EVENTS
	PlaceParam                     // a parameter of the saved query Subject
)

// Next says what may come next at the cursor in a statement that is being
// typed: words of the language, and a kind of name or text. At returns it.
type Next struct {
	// From is the offset of the first byte of the word or text that the cursor
	// ends. If the cursor is after no word or text, From is the length of the
	// text before the cursor.
	From int
	// Quoted reports whether the text at the cursor is a string whose opening
	// quote is typed and whose closing quote is not.
	Quoted bool
	// Words are the words of the language that may come at the cursor, in upper
	// case, in the order of the grammar. If any name may come at the cursor,
	// Words has reserved words only.
	Words []string
	Place Place
	// Subject is a name that says more about Place: for PlaceValue the setting, for PlaceColumn the
	// source before the dot, for PlaceParam the saved query. For other places it is the first word of
	// the statement.
	Subject string
	// Sources are the relations that the SELECT around the cursor reads,
	// including relations that are named after the cursor. FROM with only a
	// scope (a string that names URLs) reads the relation versions.
	Sources []Source
}

// At returns what may come next between before and after, the texts on both
// sides of the cursor. It looks only at the last statement that begins in
// before; complete statements ahead of that statement do not matter.
func At(before, after string) Next {
	s := scan.New(before, "")
	for s.Next() && s.Ended {
	}
	n := Next{From: len(before)}
	tokens := slices.Clone(s.Tokens)
	if s.Ended {
		tokens = nil
	}
	if k := len(tokens); k > 0 && tokens[k-1].Type == scan.EOF {
		tokens = tokens[:k-1]
	}
	switch s.Open {
	case scan.OpenComment, scan.OpenName:
		return n
	case scan.OpenString:
		n.Quoted = true
		n.From = scan.OpenQuote(before, tokens) + 1
	default:
		if scan.InLineComment(before, tokens) {
			return n
		}
		if k := len(tokens); k > 0 && scan.IsWordToken(&tokens[k-1]) && scan.EndOf(&tokens[k-1]).Offset == len(before) {
			n.From = scan.StartOf(&tokens[k-1]).Offset
			tokens = tokens[:k-1]
		}
	}
	if len(tokens) > grammar.ProbeTokensMax {
		return n
	}
	rest := scan.New(after, "")
	rest.Next()
	n.Sources = sourcesAround(tokens, rest.Tokens)
	finder{grammar.NewProber(append(slices.Clone(tokens), scan.Token{Type: scan.EOF}))}.fill(&n, len(tokens))
	for i := range tokens {
		if n.Place == PlaceTopic && i > 0 && scan.IsWord(&tokens[i-1], "HELP") {
			n.From = scan.StartOf(&tokens[i]).Offset // of the topic, which may have several words
			break
		}
	}
	return n
}

// finder finds out what may come after the first tokens of one statement.
type finder struct{ *grammar.Prober }

// fill sets the fields Place, Subject and Words of n to what may come after the
// first i tokens of the statement. n.Quoted must be set.
func (p finder) fill(n *Next, i int) {
	can := func(t scan.Token) bool { return p.Accepts(i, t) }
	name, text, number := can(grammar.AName), can(grammar.AString), can(grammar.ANumber)
	n.Place = p.place(i, n, name, text, number)
	if n.Quoted || n.Place == PlaceTopic || n.Place == PlaceValue || n.Place == PlaceParam {
		return
	}
	for _, w := range grammar.Words() {
		t := scan.WordToken(w)
		ahead := slices.Contains(grammar.LookAhead, w)
		if name && t.Type == scan.Ident && grammar.ReadAsName(w, can) && !p.second(i, n.Place, w) {
			// At a place for any name, the word is read as a name. It is offered only if
			// something may follow it that may not follow a name.
			if n.Place == PlaceList || !ahead || p.goesOn(i, t)&^p.goesOn(i, grammar.AName) == 0 {
				continue
			}
		}
		if can(t) || ahead && p.goesOn(i, t) != 0 {
			n.Words = append(n.Words, w)
		}
	}
}

// second reports whether the word w after the first i tokens would be the second word of a
// statement, such as PAGE after SHOW, at a place where a name may follow too.
func (p finder) second(i int, place Place, w string) bool {
	return (place == PlaceList || place == PlaceSource) && i > 0 && slices.Contains(grammar.SecondWords(scan.Upper(p.Tokens[i-1].Value)), w)
}

// seconds are tokens that may follow a word of grammar.LookAhead.
var seconds = []scan.Token{{Type: scan.Op, Value: "("}, grammar.AString, grammar.ANumber, grammar.AName, grammar.APeriod, grammar.ADuration}

// goesOn returns which tokens of seconds the grammar accepts after the first i
// tokens of the statement and the token t. Bit k of the result is set if it accepts
// seconds[k].
func (p finder) goesOn(i int, t scan.Token) (bits uint) {
	for k, second := range seconds {
		if p.ReachWith(i, len(p.Tokens)-1, t, second) > i+1 {
			bits |= 1 << k
		}
	}
	return bits
}

// placeOf maps a value of the struct tag `names` of a grammar field, such as
// "view", to the Place of that field. textPlaces does the same for fields that are
// typed in quotes, such as "file".
var (
	placeOf = map[string]Place{
		"list": PlaceList, "described": PlaceDescribed, "relation": PlaceSource, "setting": PlaceSetting, "value": PlaceValue, "topic": PlaceTopic,
		"format": PlaceFormat, "export format": PlaceExportFormat, "form": PlaceForm, "unit": PlaceUnit,
		"view": PlaceView, "rule": PlaceRule, "watch": PlaceWatch, "schedule": PlaceSchedule, "crawl": PlaceCrawl, "metadata": PlaceMetadata, "query": PlaceQuery, "graph": PlaceGraph, "classifier": PlaceClassifier, "ranking": PlaceRanking, "clusters": PlaceClusters, "events": PlaceEvents, "param": PlaceParam,
	}
	textPlaces = map[string]Place{"file": PlaceFile, "pool": PlacePool, "none": PlaceNone}
)

// place returns the Place after the first i tokens of the statement. It sets
// n.Subject. name, text and number report whether the grammar accepts a name, a
// string and a number there. The result also depends on the tags of the
// statement and on the words before.
func (p finder) place(i int, n *Next, name, text, number bool) Place {
	if i > 0 && scan.IsWordToken(&p.Tokens[0]) {
		n.Subject = scan.Upper(p.Tokens[0].Value)
	}
	if name && i > 1 && scan.IsOp(&p.Tokens[i-1], ".") {
		n.Subject = scan.Name(&p.Tokens[i-2]).Text
		return PlaceColumn
	}
	offered := grammar.NamesAt(p.Tokens[:i])
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
		return i > 0 && scan.IsWordToken(&p.Tokens[i-1]) && scan.EqualFold(p.Tokens[i-1].Value, word)
	}
	switch {
	case name && before("AS") && !p.Accepts(i, grammar.AQuoted):
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

// subject returns the Subject of a Place after the first i tokens. For PlaceValue it is the name
// of the setting, for PlaceParam the name of the saved query. For other places it returns first,
// which is the first word of the statement.
func (p finder) subject(i int, first string, place Place) string {
	switch place {
	case PlaceValue:
		return scan.Lower(p.Tokens[i-2].Value)
	case PlaceParam:
		return p.runName(i)
	}
	return first
}

// runName returns the name of the saved query after RUN, or "" if no such name
// comes before token i.
func (p finder) runName(i int) string {
	for k := 1; k < i; k++ {
		if t := &p.Tokens[k]; scan.IsWord(&p.Tokens[k-1], "RUN") && (t.Type == scan.Ident || t.Type == scan.Quoted) {
			return scan.Name(t).Text
		}
	}
	return ""
}

// comparesURL reports whether the token at index i is compared with a column of
// URLs or hosts: the two tokens before i are url, host or target, and an
// operator such as =.
func (p finder) comparesURL(i int) bool {
	if i < 2 {
		return false
	}
	op := &p.Tokens[i-1]
	if !scan.IsOp(op, "=") && !scan.IsOp(op, "<>") && !scan.IsOp(op, "!=") && !scan.IsKeyword(op, "LIKE") {
		return false
	}
	name := &p.Tokens[i-2]
	return scan.IsWord(name, "URL") || scan.IsWord(name, "HOST") || scan.IsWord(name, "TARGET")
}

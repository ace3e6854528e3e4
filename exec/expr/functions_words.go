package expr

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/words/keyword"
	"infomall/store/words/match"
)

// wordFunctions declares the functions that show where and how well a text matches a search query,
// which is written as for MATCH, and the function keywords.
var wordFunctions = []Function{
	{Name: "highlight", Example: `highlight('the new library', 'library', '<', '>')`, Doc: "The text with marks around the words that MATCH q finds: ⸨ and ⸩, which a terminal shows as colour, or before and after (the same as before if it is missing). Without q, it takes MATCH from WHERE.",
		params: []param{{"text", textKind}, {"q", textKind}, {"before", textKind}, {"after", textKind}}, min: 1, asked: true, marks: true,
		result: value.Text, prepare: prepareAsked(highlight), apply: unprepared(highlight)},
	{Name: "keywords", Example: `keywords('The New Library opens. Readers love the New Library.', 2)`, Doc: "The n most telling words of the text, the most telling first; 5 if n is missing. A word counts if the text uses it often, and it is not a common word of the language. Words that always occur together are one.",
		params: []param{{"text", textKind}, {"n", intKind}}, min: 1, result: value.Text, apply: keywords},
	{Name: "score", Example: `score('the new library', 'library') > 0`, Doc: "How well the text answers MATCH q: more of the words, in a shorter text, give a greater number (BM25). Without text and q, it takes MATCH from WHERE.",
		params: []param{{"text", textKind}, {"q", textKind}}, asked: true,
		result: value.Float, prepare: prepareAsked(score), apply: unprepared(score)},
	{Name: "snippet", Example: `snippet('the new library', 'library')`, Doc: "An excerpt of at most 160 characters around words that MATCH q finds, which are marked as highlight does; the beginning of the text if it has none. Without q, it takes MATCH from WHERE.",
		params: []param{{"text", textKind}, {"q", textKind}}, min: 1, asked: true, marks: true,
		result: value.Text, prepare: prepareAsked(snippet), apply: unprepared(snippet)},
}

// asking computes a function of a text and a search query. args are the further arguments.
type asking func(text string, q *match.Query, args []value.Value) value.Value

// prepareAsked returns a function for the field prepare of a Function whose second argument is a
// search query. It parses the query once if it is constant.
func prepareAsked(f asking) func(*Env, []Expr) (applier, error) {
	return func(_ *Env, args []Expr) (applier, error) {
		question, ok := constantText(args, 1)
		if !ok {
			return nil, nil
		}
		if _, err := match.Parse(question); err != nil {
			return nil, err
		}
		var once sync.Once // the synonyms come with the first row
		var q *match.Query
		var fault error
		return func(env *Env, a []value.Value) (value.Value, error) {
			once.Do(func() { q, fault = env.Question(question) })
			if fault != nil {
				return value.Value{}, fault
			}
			return f(a[0].Text, q, a[2:]), nil
		}, nil
	}
}

// unprepared returns a function for the field apply of a Function whose second argument is a search
// query. It parses the query for each row.
func unprepared(f asking) applier {
	return func(env *Env, a []value.Value) (value.Value, error) {
		q, err := env.Question(a[1].Text)
		if err != nil {
			return value.Value{}, err
		}
		return f(a[0].Text, q, a[2:]), nil
	}
}

// withQuestion returns the call e of f after adding the arguments that it lacks. It takes them from
// a MATCH in the WHERE of the query.
func (b *Binder) withQuestion(f *Function, e *ast.Call) (*ast.Call, error) {
	var asked *ast.Binary
	if b.Asked != nil {
		var x ast.Expr
		if len(e.Args) > 0 {
			x = e.Args[0]
		}
		asked = b.Asked(x)
	}
	if asked == nil {
		err := ast.Errorf(e, "%s is about the words that MATCH finds, and WHERE has no MATCH", f.Name)
		err.Hint = "write " + f.Name + "(text, 'words')"
		return nil, err
	}
	full := *e
	if len(e.Args) == 0 {
		full.Args = []ast.Expr{asked.X, asked.Y}
	} else {
		full.Args = []ast.Expr{e.Args[0], asked.Y}
	}
	return &full, nil
}

// TakesMatch reports whether e calls a function without a search query, such as snippet(text), that
// takes the search query from a MATCH in WHERE.
func TakesMatch(e *ast.Call) bool {
	f := FindFunction(e.Name.Text)
	return f != nil && f.asked
}

// Marked reports whether the texts of e have marks around the words that were found, see
// value.MarkFrom.
func Marked(e Expr) bool {
	c, ok := e.(*Call)
	return ok && c.Func.marks && len(c.Args) < 3
}

// unmarked removes the characters value.MarkFrom and value.MarkTo that a page itself contains, so
// that only a function puts them into a text. Few pages contain them.
func unmarked(text string) string {
	if !strings.Contains(text, value.MarkFrom) && !strings.Contains(text, value.MarkTo) {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, value.MarkFrom, ""), value.MarkTo, "")
}

// keywordsUsual is how many words the function keywords returns if its argument n is missing, and
// keywordsMax is the greatest n.
const (
	keywordsUsual = 5
	keywordsMax   = 100
)

func keywords(_ *Env, a []value.Value) (value.Value, error) {
	n := int64(keywordsUsual)
	if len(a) > 1 {
		if n = a[1].Int; n < 1 || n > keywordsMax {
			return value.Value{}, fmt.Errorf("n is from 1 to %d, not %d", keywordsMax, n)
		}
	}
	list := keyword.Of(a[0].Text, int(n))
	if list == nil {
		return value.Value{}, nil
	}
	return value.OfText(strings.Join(list, ", ")), nil
}

func highlight(text string, q *match.Query, args []value.Value) value.Value {
	before, after := value.MarkFrom, value.MarkTo
	if len(args) > 0 {
		before, after = args[0].Text, args[0].Text
	} else {
		text = unmarked(text)
	}
	if len(args) > 1 {
		after = args[1].Text
	}
	places := q.Places(nil, text)
	if len(text)+len(places)*(len(before)+len(after)) > textMax {
		return value.OfText(text)
	}
	return value.OfText(marked(text, 0, len(text), places, before, after))
}

// marked returns text[from:to] with the text before put before each of the places in it, and the
// text after put after it.
func marked(text string, from, to int, places []match.Place, before, after string) string {
	var out strings.Builder
	at := from
	for _, p := range places {
		if p.To <= from || p.From >= to {
			continue
		}
		start, end := max(p.From, from), min(p.To, to)
		out.WriteString(text[at:start])
		out.WriteString(before)
		out.WriteString(text[start:end])
		out.WriteString(after)
		at = end
	}
	out.WriteString(text[at:to])
	return out.String()
}

// snippetAround is the most characters that a snippet shows before the first word that was found.
// snippetLength is the most that it shows in all, not counting marks.
const (
	snippetAround = 40
	snippetLength = 160
)

func snippet(text string, q *match.Query, _ []value.Value) value.Value {
	return value.OfText(Snippet(text, q))
}

// Snippet returns an excerpt of the text, with marks around the words of the search query q. It
// begins shortly before the word that is followed by the most different words of q within the
// length of a snippet. White space becomes one blank.
func Snippet(text string, q *match.Query) string { return SnippetOf(OneLine(text), q) }

// OneLine returns a text in the form that a snippet shows: each piece of white space is one blank,
// and characters that serve as marks in snippets are removed.
func OneLine(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for word := range strings.FieldsSeq(text) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return unmarked(b.String())
}

// SnippetOf returns the snippet of a text in the form that OneLine returns.
func SnippetOf(text string, q *match.Query) string {
	places := q.Places(nil, text)
	first := bestPlace(text, places, len(q.Atoms()))
	start := 0
	if first < len(places) {
		start = back(text, places[first].From, snippetAround)
	}
	end := forth(text, start, snippetLength)
	if end == len(text) { // nothing follows, so more can be shown before
		start = min(start, back(text, end, snippetLength))
	}
	out := marked(text, start, end, places, value.MarkFrom, value.MarkTo)
	if start > 0 {
		out = "…" + strings.TrimLeft(out, " ")
	}
	if end < len(text) {
		out = strings.TrimRight(out, " ") + "…"
	}
	return out
}

// bestPlace returns the index of the first place that is followed by the most different words of
// the search query within the length of a snippet. It returns 0 if there is no place.
func bestPlace(text string, places []match.Place, atoms int) int {
	best, most := 0, 0
	counts := make([]int, atoms)
	different, to := 0, 0
	for from := range places {
		end := forth(text, places[from].From, snippetLength-snippetAround)
		for to < len(places) && places[to].To <= end {
			if counts[places[to].Atom]++; counts[places[to].Atom] == 1 {
				different++
			}
			to++
		}
		if different > most {
			best, most = from, different
		}
		if to == from {
			to++ // a place that is longer than a snippet
		} else if counts[places[from].Atom]--; counts[places[from].Atom] == 0 {
			different--
		}
	}
	return best
}

// back returns the offset of the character that is n characters before the offset at. If a word
// begins between the two offsets, back returns the start of that word.
func back(text string, at, n int) int {
	start := at
	for ; n > 0 && start > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	if start == 0 {
		return 0
	}
	if blank := strings.IndexByte(text[start:at], ' '); blank >= 0 {
		return start + blank + 1
	}
	return start
}

// forth returns the offset of the character that is n characters after the offset at. If a word
// ends in the last fifth of these characters, forth returns the end of that word.
func forth(text string, at, n int) int {
	end, last := at, at
	for i := 0; i < n && end < len(text); i++ {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
		if i == n-n/5 {
			last = end
		}
	}
	if end == len(text) {
		return end
	}
	if blank := strings.LastIndexByte(text[last:end], ' '); blank >= 0 && last > at {
		return last + blank
	}
	return end
}

// termsPage is how many words a usual page has.
const termsPage = 400

// score returns the BM25 score of the text for the search query q, see match.Query.BM25.
func score(text string, q *match.Query, _ []value.Value) value.Value {
	counts := make([]int, len(q.Atoms()))
	return value.OfFloat(q.BM25(counts, q.Count(text, counts), termsPage))
}

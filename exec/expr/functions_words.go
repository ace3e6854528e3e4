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

// wordFunctions declares the functions that show where and how well a text matches
// a question, as MATCH reads it, and the function keywords.
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

// asking is a function of a text and a question. The further arguments are args.
type asking func(text string, q *match.Query, args []value.Value) value.Value

// prepareAsked returns the field prepare of a function whose second argument is a
// question: it parses the question once if it is constant.
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

// unprepared returns the field apply of a function whose second argument is a
// question: it parses the question for each row.
func unprepared(f asking) applier {
	return func(env *Env, a []value.Value) (value.Value, error) {
		q, err := env.Question(a[1].Text)
		if err != nil {
			return value.Value{}, err
		}
		return f(a[0].Text, q, a[2:]), nil
	}
}

// withQuestion returns the call e of f with the arguments that it lacks, which are
// those of a MATCH in WHERE.
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

// TakesMatch reports whether the call e is of a function that may take its question from
// a MATCH in WHERE, such as snippet(text).
func TakesMatch(e *ast.Call) bool {
	f := FindFunction(e.Name.Text)
	return f != nil && f.asked
}

// Marked reports whether the texts of e have marks around words, see
// value.MarkFrom.
func Marked(e Expr) bool {
	c, ok := e.(*Call)
	return ok && c.Func.marks && len(c.Args) < 3
}

// unmarked removes the marks of value.MarkFrom from a text of a page, so that they
// stand only where a function puts them.
var unmarked = strings.NewReplacer(value.MarkFrom, "", value.MarkTo, "")

// keywordsUsual and keywordsMax are how many words the function keywords returns if n is
// missing, and at most.
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
		text = unmarked.Replace(text)
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

// marked returns text[from:to] with marks around the places in it.
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

// snippetAround is how many characters a snippet shows before the first word that
// was found, at most. snippetLength is how many it shows in all, without marks.
const (
	snippetAround = 40
	snippetLength = 160
)

func snippet(text string, q *match.Query, _ []value.Value) value.Value {
	return value.OfText(Snippet(text, q))
}

// Snippet returns an excerpt of the text, with marks around the words of the question.
// It begins shortly before the word that has the most different words of the question
// after it. White space becomes one blank.
func Snippet(text string, q *match.Query) string { return SnippetOf(OneLine(text), q) }

// OneLine returns a text as it stands in a snippet: white space is one blank, and the marks
// that a snippet puts around words are left out.
func OneLine(text string) string { return unmarked.Replace(strings.Join(strings.Fields(text), " ")) }

// SnippetOf returns the snippet of a text that OneLine returned.
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

// bestPlace returns the index of the first place that has the most different atoms
// after it within a snippet, or 0.
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

// back returns the offset of the character n characters before the offset at of the
// text, moved to the beginning of a word if one begins in between.
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

// forth returns the offset of the character n characters after the offset at of the
// text, moved back to the end of a word if one ends in the last fifth.
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

// score returns BM25 of the text for the words of the question, see match.Query.BM25.
func score(text string, q *match.Query, _ []value.Value) value.Value {
	counts := make([]int, len(q.Atoms()))
	return value.OfFloat(q.BM25(counts, q.Count(text, counts), termsPage))
}

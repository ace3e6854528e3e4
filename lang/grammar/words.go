package grammar

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"infomall/lang/scan"
)

// These words are in no struct tag, because the type parser reads them: the words
// of queries, of their clauses (sources, times, sort keys) and of expressions.
var (
	queryWords = []string{
		"WITH", "SELECT", "SEARCH", "DISTINCT", "FROM", "LEFT", "JOIN", "INNER", "OUTER", "CROSS", "USING", "WHERE", "GROUP", "BY", "HAVING", "UNION", "EXCEPT", "INTERSECT", "ORDER", "LIMIT", "OFFSET",
	}
	clauseWords = []string{
		"IN", "BETWEEN", "SINCE", "UNTIL", "AT", "NEAREST", "FIRST", "LATEST", "TO", "OF", "AS", "DURING", "EACH", "KNOWN",
		"YEAR", "MONTH", "WEEK", "DAY", "FILE", "KEY", "ASC", "DESC", "NULLS", "LAST",
	}
	exprWords = []string{
		"AND", "OR", "NOT", "IS", "LIKE", "ILIKE", "ESCAPE", "CONTAINS", "MATCH", "WITHIN", "FILTER", "OVER", "PARTITION", "WINDOW",
		"EXISTS", "CASE", "WHEN", "THEN", "ELSE", "END", "CAST", "NULL", "TRUE", "FALSE", "NOW", "TODAY", "ON",
	}
)

// Words returns all words of the language, reserved or not, in upper case, each
// once. Messages name the words in this order: the words of queries, of
// statements in the order of HELP, of clauses, of the statements with the flag
// late, and of expressions.
var Words = sync.OnceValue(func() []string {
	known := make(map[string]bool)
	for _, w := range slices.Concat(clauseWords, exprWords) {
		known[w] = true
	}
	list := slices.Clone(queryWords)
	for _, w := range list {
		known[w] = true
	}
	add := func(late bool) {
		for _, s := range statements {
			if s.late == late {
				readTags(s.tags, "", func(w string) {
					if !known[w] {
						known[w] = true
						list = append(list, w)
					}
				}, func(offer) {})
			}
		}
	}
	add(false)
	list = append(list, clauseWords...)
	add(true)
	return append(list, exprWords...)
})

// tagPart matches one part of a struct tag: a word or an operator in quotes, a
// sign such as @ or |, or the name of a type of token.
var tagPart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`'[^']*'|@@|@|\(\?!|[()|]|\w+`) })

// readTags reads the tags of the struct t, and of the structs in its fields, in order. It
// calls the function word for each word of the language. It calls the function name for
// each field that has a struct tag `names`, and passes the word after which the field
// comes. The parameter last is the word before the first field of t, or "".
func readTags(t reflect.Type, last string, word func(string), name func(offer)) {
	var groups []string // the last word before each open group
	start := last
	for i := range t.NumField() {
		f := t.Field(i)
		parts := tagPart().FindAllString(f.Tag.Get("parser"), -1)
		for k := 0; k < len(parts); k++ {
			switch part := parts[k]; part {
			case "(?!":
				for parts[k] != ")" { // a negative lookahead is no part of the statement
					k++
				}
			case "(":
				groups = append(groups, last)
			case ")":
				groups = groups[:len(groups)-1]
			case "|":
				if last = start; len(groups) > 0 {
					last = groups[len(groups)-1]
				}
			case "@@":
				if names := f.Tag.Get("names"); names != "" {
					name(offer{last, names})
				}
				if inner := structOf(f.Type); inner != nil {
					readTags(inner, last, word, name)
				}
				last = ""
			case "@":
			default:
				if text, quoted := strings.CutPrefix(part, "'"); quoted {
					last = strings.TrimSuffix(text, "'")
					if isUpper(last) {
						word(last)
					}
					continue
				}
				if names := f.Tag.Get("names"); names != "" {
					name(offer{last, names})
					if f.Type.Kind() == reflect.Slice {
						name(offer{"", names})
					}
				}
				last = ""
			}
		}
	}
}

func isUpper(text string) bool {
	return text != "" && 'A' <= text[0] && text[0] <= 'Z'
}

// structOf returns t if it is a struct, or the struct that t points to or is a
// slice of. It returns nil if there is none.
func structOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		return t
	}
	return nil
}

// LookAhead are words that are not reserved and that the grammar takes for words of
// the language only if the right token follows. Otherwise they are names, such as in
// SELECT count(*) over FROM captures.
var LookAhead = []string{
	"SEARCH", "FILE", "FILTER", "OVER", "FOR", "WORKERS", "DELAY", "SCHEDULE", "WATCH", "KEY",
	"AT", "SINCE", "UNTIL", "DURING", "NEAREST", "FIRST", "LATEST", "EACH", "KNOWN",
}

// IsWord reports whether text is a word of the language, in upper or lower
// case.
func IsWord(text string) bool {
	return slices.Contains(Words(), scan.Upper(text))
}

// offer says which kind of names completion offers, and at which place of a statement.
type offer struct {
	after string // the word or operator before the place, such as "POOL"; "" means anywhere else
	names string // the kind of names, a value of the struct tag `names` such as "pool"
}

// offers returns the names that completion offers in a statement of kind s, and
// at which places.
func (s *statement) offers() (list []offer) {
	readTags(s.tags, "", func(string) {}, func(o offer) { list = append(list, o) })
	return list
}

// NamesAt returns the kinds of names, such as "pool", that may come after
// tokens, the beginning of a statement. Each is a value of the struct tag
// names. Kinds that may come anywhere in the statement are last.
func NamesAt(tokens []scan.Token) (names []string) {
	s := statementAt(tokens)
	if s == nil {
		return nil
	}
	last := len(tokens) - 1
	for last > 1 && scan.IsOp(&tokens[last], ",") {
		last -= 2 // the item of the list before the comma
	}
	anywhere := []string{}
	for _, o := range s.offers() {
		switch {
		case o.after == "":
			anywhere = append(anywhere, o.names)
		case scan.EqualFold(tokens[last].Value, o.after):
			names = append(names, o.names)
		}
	}
	return append(names, anywhere...)
}

// statementAt returns the kind of the innermost statement that tokens begin,
// such as SELECT in EXPLAIN SELECT. It returns nil if they begin none.
func statementAt(tokens []scan.Token) (found *statement) {
	end := scan.Token{Type: scan.EOF}
	for i := range tokens {
		if i > 0 && !scan.IsWord(&tokens[i-1], "EXPLAIN") && !scan.IsWord(&tokens[i-1], "ANALYZE") && !scan.IsKeyword(&tokens[i-1], "AS") {
			continue
		}
		second := &end
		if i+1 < len(tokens) {
			second = &tokens[i+1]
		}
		fit, _ := startsAt(&tokens[i], second)
		if len(fit) == 0 {
			return found
		}
		found = fit[0].statement
		if _, nests := reflect.New(found.tags).Interface().(nesting); !nests {
			return found
		}
	}
	return found
}

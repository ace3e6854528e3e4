package cursor

import (
	"slices"

	"infomall/lang/grammar"
	"infomall/lang/scan"
)

// Source is a relation that a SELECT reads, and the alias that the SELECT gives
// the relation. Alias is "" if there is none.
type Source struct{ Relation, Alias string }

// sourcesAround returns the sources of the innermost SELECT around the cursor.
// In CREATE METADATA it returns the relation after ON. before and after are the
// tokens on both sides of the cursor.
func sourcesAround(before, after []scan.Token) []Source {
	tokens := slices.Concat(before, after)
	from, to := selectAround(tokens, len(before))
	if on := metadataOn(tokens[from:to]); on != "" {
		return []Source{{Relation: on}}
	}
	var list []Source
	depth := 0
	for i := from; i < to; i++ {
		t := &tokens[i]
		switch {
		case scan.IsOp(t, "("):
			depth++
		case scan.IsOp(t, ")"):
			depth--
		case depth == 0 && i+1 < to && (scan.IsKeyword(t, "FROM") || scan.IsKeyword(t, "JOIN") || joinsNext(tokens[from:to], i-from)):
			if s, ok := sourceIn(tokens[i+1 : to]); ok {
				list = append(list, s)
			}
		}
	}
	return list
}

// joinsNext reports whether token i is a comma in FROM that joins the next
// source. A comma between two scopes does not.
func joinsNext(tokens []scan.Token, i int) bool {
	if i == 0 || !scan.IsOp(&tokens[i], ",") || isText(&tokens[i-1]) && isText(&tokens[i+1]) {
		return false
	}
	depth := 0
	for k := i - 1; k >= 0; k-- {
		t := &tokens[k]
		switch {
		case scan.IsOp(t, ")"):
			depth++
		case scan.IsOp(t, "("):
			depth--
		case depth == 0 && scan.IsKeyword(t, "FROM"):
			return true
		case depth == 0 && t.Type == scan.Keyword && slices.Contains(clauses, t.Value):
			return false
		}
	}
	return false
}

func isText(t *scan.Token) bool { return t.Type == scan.String || t.Type == scan.Param }

// clauses are the reserved words that end a source of FROM.
var clauses = []string{"SELECT", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "JOIN", "LEFT", "ON", "UNION"}

// metadataOn returns the relation that CREATE METADATA … ON names, such as
// "pages" for ON page. It returns "" for any other statement.
func metadataOn(tokens []scan.Token) string {
	if len(tokens) == 0 || !scan.IsWord(&tokens[0], "CREATE") {
		return ""
	}
	for i := range tokens[:len(tokens)-1] {
		if scan.IsKeyword(&tokens[i], "ON") {
			return scan.Lower(tokens[i+1].Value) + "s"
		}
	}
	return ""
}

// selectAround returns the range of the innermost SELECT in brackets around
// index at, as tokens[from:to]. If there is none, the range is the whole
// statement.
func selectAround(tokens []scan.Token, at int) (from, to int) {
	to = len(tokens)
	if i := slices.IndexFunc(tokens[at:], func(t scan.Token) bool { return t.Type == scan.EOF }); i >= 0 {
		to = at + i
	}
	depth := 0
	for i := at - 1; i >= 0; i-- {
		switch {
		case scan.IsOp(&tokens[i], ")"):
			depth++
		case scan.IsOp(&tokens[i], "(") && depth > 0:
			depth--
		case scan.IsOp(&tokens[i], "(") && i+1 < len(tokens) && scan.IsKeyword(&tokens[i+1], "SELECT"):
			return i + 1, closing(tokens[:to], i+1)
		}
	}
	return 0, to
}

// closing returns the index of the ) that closes the ( at index from-1, or
// len(tokens) if there is none.
func closing(tokens []scan.Token, from int) int {
	depth := 0
	for i := from; i < len(tokens); i++ {
		switch {
		case scan.IsOp(&tokens[i], "("):
			depth++
		case scan.IsOp(&tokens[i], ")") && depth == 0:
			return i
		case scan.IsOp(&tokens[i], ")"):
			depth--
		}
	}
	return len(tokens)
}

// sourceIn returns the source that tokens begin with: its relation, and its
// alias if it has one. ok is false if tokens begin with something else, such as
// a query in brackets.
func sourceIn(tokens []scan.Token) (s Source, ok bool) {
	switch tokens[0].Type {
	case scan.String, scan.Param:
		s.Relation = "versions"
	case scan.Ident:
		s.Relation = scan.Lower(tokens[0].Value)
	default:
		return s, false // the FROM of a time clause, or a query in brackets
	}
	depth := 0
	for i := 1; i < len(tokens); i++ {
		t, before := &tokens[i], &tokens[i-1]
		switch {
		case scan.IsOp(t, "("):
			depth++
		case scan.IsOp(t, ")"):
			depth--
		case depth > 0:
		case t.Type == scan.Keyword && slices.Contains(clauses, t.Value), scan.IsOp(t, ",") && !isText(before):
			return s, true
		case t.Type == scan.Ident && !scan.IsWord(before, "EACH") && !scan.IsWord(t, "OF") &&
			(scan.IsKeyword(before, "AS") || grammar.MayBeAlias(t.Value)):
			s.Alias = t.Value
			return s, true
		}
	}
	return s, true
}

package cursor

import (
	"slices"

	"infomall/lang/grammar"
	"infomall/lang/scan"
)

// Class is the kind of a piece of source, such as a string or a comment. An
// editor chooses a colour by it.
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

// Token is a piece of source that has a class. It is the bytes from offset From
// up to, not including, offset To.
type Token struct {
	From, To int
	Class    Class
}

// Tokens returns the pieces of src to colour, in order of place. Names and
// operators are left out. A word that may also be a name is left out at a place
// where a name is more likely.
func Tokens(src string) []Token {
	var list []Token
	s := scan.New(src, "")
	end := 0 // the offset in src up to which list is complete
	add := func(from, to int, c Class) {
		list = append(list, Token{from, to, c})
	}
	for more := true; more; {
		more = s.Next()
		for i := range s.Tokens {
			t := &s.Tokens[i]
			if t.Type == scan.EOF && t.Value == "" {
				continue // the end of the source, which may come after a fault
			}
			from := scan.StartOf(t).Offset
			list = appendComments(list, src, end, from)
			end = max(end, min(from+len(t.Value), len(src)))
			if t.Type == scan.EOF {
				continue
			}
			if c, ok := ClassOf(s.Tokens, i); ok {
				add(from, from+len(t.Value), c)
			}
		}
		for _, e := range s.Errs {
			if s.Open == scan.OpenString && e.Start.Offset >= end {
				list = appendComments(list, src, end, e.Start.Offset)
				add(e.Start.Offset, len(src), ClassString)
				end = len(src)
			}
		}
	}
	return appendComments(list, src, end, len(src))
}

// ClassOf returns the class of tokens[i], a token of one statement, and true.
// For a name or an operator, which have no class, it returns false.
func ClassOf(tokens []scan.Token, i int) (Class, bool) {
	t := &tokens[i]
	switch t.Type {
	case scan.Keyword:
		if t.Value == "TRUE" || t.Value == "FALSE" || t.Value == "NULL" {
			return ClassNumber, true
		}
		return ClassWord, true
	case scan.String:
		return ClassString, true
	case scan.Number, scan.Size, scan.Duration:
		return ClassNumber, true
	case scan.Period:
		return ClassTime, true
	case scan.Param:
		return ClassParam, true
	case scan.Ident:
		return ClassWord, grammar.IsWord(t.Value) && !isNamePlace(tokens, i)
	}
	return 0, false
}

// isNamePlace reports whether tokens[i] is at a place where a name is more
// likely than a word of the language: among the items of a SELECT, beside an
// operator or a dot, or before a bracket.
func isNamePlace(tokens []scan.Token, i int) bool {
	if i == 0 {
		return false
	}
	before, after := &tokens[i-1], &tokens[min(i+1, len(tokens)-1)]
	switch {
	case before.Type == scan.Op && before.Value != ")" && before.Value != "*":
		return true
	case after.Type == scan.Op && (after.Value == "." || after.Value == "=" || after.Value == "("):
		return true
	case scan.IsKeyword(before, "AS"):
		return !scan.IsWord(&tokens[i], "OF")
	case before.Type == scan.Keyword:
		return slices.Contains([]string{"SELECT", "DISTINCT", "FROM", "WHERE", "BY", "AND", "OR", "NOT", "HAVING", "ON", "JOIN", "WHEN", "THEN", "ELSE"}, before.Value)
	}
	return false
}

// appendComments appends one Token to list for each comment between the offsets
// from and to of src, and returns the longer list.
func appendComments(list []Token, src string, from, to int) []Token {
	for _, c := range scan.Comments(src, from, to) {
		list = append(list, Token{c[0], c[1], ClassComment})
	}
	return list
}

package ast

import (
	"unicode"
	"unicode/utf8"
)

// Reserved lists the reserved words, in upper case. A reserved word is a name only
// in double quotes. Every other keyword is a keyword only where the grammar
// expects it, and a name elsewhere.
var Reserved = []string{
	"AND", "AS", "BETWEEN", "BY", "CASE", "CAST", "CONTAINS", "DISTINCT",
	"ELSE", "END", "EXISTS", "FALSE", "FROM", "GROUP", "HAVING", "ILIKE",
	"IN", "IS", "JOIN", "LEFT", "LIKE", "LIMIT", "NOT", "NOW", "NULL",
	"OFFSET", "ON", "OR", "ORDER", "SELECT", "THEN", "TODAY", "TRUE",
	"UNION", "WHEN", "WHERE", "WITH", "WITHIN",
}

// IsIdentStart reports whether an unquoted name may begin with r.
func IsIdentStart(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' ||
		r >= utf8.RuneSelf && unicode.IsLetter(r)
}

// IsIdentPart reports whether r may follow the first character of an unquoted
// name.
func IsIdentPart(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || '0' <= r && r <= '9' ||
		r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

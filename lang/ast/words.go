package ast

import (
	"unicode"
	"unicode/utf8"
)

// Reserved are the words that are a name only in double quotes, in upper case.
// Every other word of the language means something only in its place.
var Reserved = []string{
	"AND", "AS", "BETWEEN", "BY", "CASE", "CAST", "CONTAINS", "DISTINCT",
	"ELSE", "END", "EXISTS", "FALSE", "FROM", "GROUP", "HAVING", "ILIKE",
	"IN", "IS", "JOIN", "LEFT", "LIKE", "LIMIT", "NOT", "NOW", "NULL",
	"OFFSET", "ON", "OR", "ORDER", "SELECT", "THEN", "TODAY", "TRUE",
	"UNION", "WHEN", "WHERE", "WITH", "WITHIN",
}

// IsIdentStart tells whether an unquoted name may begin with r.
func IsIdentStart(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' ||
		r >= utf8.RuneSelf && unicode.IsLetter(r)
}

// IsIdentPart tells whether an unquoted name may go on with r.
func IsIdentPart(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || '0' <= r && r <= '9' ||
		r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

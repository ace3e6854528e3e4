package ast

import (
	"unicode"
	"unicode/utf8"
)

// Reserved lists the reserved words, in upper case. A reserved word is a name
// only in double quotes. Every other word of the language is a keyword only if
// the grammar expects it at its place, and a name elsewhere.
var Reserved = []string{
	"AND", "AS", "BETWEEN", "BY", "CASE", "CAST", "CONTAINS", "DISTINCT",
	"ELSE", "END", "EXISTS", "FALSE", "FROM", "GROUP", "HAVING", "ILIKE",
	"IN", "IS", "JOIN", "LEFT", "LIKE", "LIMIT", "MATCH", "NOT", "NOW", "NULL",
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

// SizeUnit is a unit of a size literal, such as the KB of 64KB.
type SizeUnit struct {
	Name  string // in upper case
	Bytes int64
}

// SizeUnits lists all units of sizes, the largest first. The bytes of each are
// a power of 1024.
var SizeUnits = []SizeUnit{{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}}

// UnitBytes returns how many bytes the unit of the given name has, such as 1024
// for "KB". name must be in upper case. UnitBytes returns 0 if there is no such
// unit.
func UnitBytes(name string) int64 {
	for _, u := range SizeUnits {
		if u.Name == name {
			return u.Bytes
		}
	}
	return 0
}

package article

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed months.txt
var monthList string

// monthName is a month that a word names in one language. The same word may
// name another month in another language: listopad is November in Polish, and
// October in Croatian.
type monthName struct {
	lang  string // code of the language in two letters; "" if the word names the same month in all languages that have it
	month int8
}

// monthNames has the months that each word of months.txt names.
var monthNames = sync.OnceValue(func() map[string][]monthName {
	names := make(map[string][]monthName, 1024)
	for line := range strings.Lines(monthList) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		lang, months, _ := strings.Cut(strings.TrimSpace(line), " ")
		month := int8(0)
		for forms := range strings.SplitSeq(months, "|") {
			month++
			for form := range strings.FieldsSeq(forms) {
				names[form] = append(names[form], monthName{lang, month})
			}
		}
	}
	for form, list := range names {
		same := true
		for _, n := range list {
			same = same && n.month == list[0].month
		}
		if same {
			names[form] = []monthName{{month: list[0].month}}
		}
	}
	return names
})

// monthWordMax is the largest size in bytes of a month's name.
const monthWordMax = 32

// monthOf returns the month, from 1 to 12, that a word names, or 0 if it names none. lang is
// the language of the page in two letters, or "". If languages disagree and lang does not
// decide, the first language in months.txt does.
func monthOf(word, lang string) int {
	if len(word) < 3 || len(word) > monthWordMax {
		return 0
	}
	var list []monthName
	if ascii(word) {
		var lower [monthWordMax]byte
		for i := range len(word) {
			c := word[i]
			if c-'A' < 26 {
				c |= 0x20
			}
			lower[i] = c
		}
		list = monthNames()[string(lower[:len(word)])]
	} else {
		list = monthNames()[strings.ToLower(word)]
	}
	if len(list) == 0 {
		return 0
	}
	for _, n := range list {
		if n.lang == lang {
			return int(n.month)
		}
	}
	return int(list[0].month)
}

// ascii reports whether all bytes of s are ASCII.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

package article

import (
	"slices"
	"strings"
	"time"

	"infomall/store/record"
)

// expression is one date in a text, such as "8 August 2008, 20:00".
type expression struct {
	start, end       int // the date is text[start:end]
	year, month, day int // 0 if the text does not have it
	hour, minute     int // hour is -1 if the text does not have a time
	zone             int // minutes east of UTC; zoneNone if the text does not have a zone
	// swap means that day and month may also be the other way round.
	swap bool
	// short means that the year has two digits.
	short bool
	// dotted means that points separate the numbers: the day then comes first.
	dotted bool
}

// zoneNone is the value of expression.zone for a date without a time zone.
const zoneNone = 1 << 16

// valid reports whether the date exists in the calendar. Parts that the text lacks are not
// checked.
func (e *expression) valid() bool {
	if e.year != 0 && (e.year < yearLeast || e.year > yearMost) || e.month < 0 || e.month > 12 || e.day < 0 || e.day > 31 {
		return false
	}
	if e.month != 0 && e.day != 0 {
		year := e.year
		if year == 0 {
			year = 2000 // has a 29 February
		}
		return e.day <= time.Date(year, time.Month(e.month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	}
	return e.month != 0 || e.day == 0
}

// yearLeast and yearMost bound the years of dates. There were hardly any pages before yearLeast,
// and a year outside the bounds is an error of the page.
const (
	yearLeast = 1990
	yearMost  = 2099
)

// date returns e as a Date whose From is empty. The day is always the day in the text: if the time
// of day would fall on another day in UTC, it is left out.
func (e *expression) date() Date {
	d := Date{Time: record.NoTime}
	if e.year == 0 {
		return d
	}
	month, day := max(1, e.month), max(1, e.day)
	at := time.Date(e.year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	switch {
	case e.month == 0:
		d.Precision = Year
	case e.day == 0:
		d.Precision = Month
	default:
		d.Precision = Day
		if e.hour < 0 {
			break
		}
		moment := at.Add(time.Duration(e.hour)*time.Hour + time.Duration(e.minute)*time.Minute)
		if e.zone != zoneNone {
			moment = moment.Add(-time.Duration(e.zone) * time.Minute)
		}
		if moment.Truncate(24*time.Hour).Equal(at) && (e.hour != 0 || e.minute != 0) {
			at, d.Precision = moment, Minute
		}
	}
	d.Time = record.At(at)
	return d
}

// scanner finds dates in texts. It may be used again for another text.
type scanner struct {
	text   string
	lang   string // language of the page in two letters, such as de; or ""
	tokens []token
	found  []expression
}

// scan returns the dates in text in their order. The result is valid until the next call.
func (s *scanner) scan(text string) []expression {
	s.text = text
	s.tokens = tokens(s.tokens[:0], text)
	s.found = s.found[:0]
	for i := 0; i < len(s.tokens); {
		e, next := s.dateAt(i)
		if next == i {
			i++
			continue
		}
		if next = s.timeAfter(&e, next); e.hour < 0 {
			s.timeBefore(&e, i)
		}
		e.end = int(s.tokens[next-1].end)
		s.found = append(s.found, e)
		i = next
	}
	return s.found
}

// hasNumber reports whether the text that was scanned last has a number.
func (s *scanner) hasNumber() bool {
	return slices.ContainsFunc(s.tokens, func(t token) bool { return t.kind == number })
}

// skipText sets s to the state that a scan of text would leave, without
// scanning it. text must not contain a number, so that it has no date.
func (s *scanner) skipText(text string) {
	s.text, s.tokens, s.found = text, s.tokens[:0], s.found[:0]
}

// is reports whether token i is one of signs.
func (s *scanner) is(i int, signs ...rune) bool {
	if i < 0 || i >= len(s.tokens) || s.tokens[i].kind != sign {
		return false
	}
	for _, r := range signs {
		if s.tokens[i].sign == r {
			return true
		}
	}
	return false
}

// word returns token i if it is a word, or else "".
func (s *scanner) word(i int) string {
	if i < 0 || i >= len(s.tokens) || s.tokens[i].kind != word {
		return ""
	}
	return s.text[s.tokens[i].start:s.tokens[i].end]
}

// unit reports whether token i is a unit of dates, such as 年 or 년: one of
// signs, or a word that begins with the Korean text korean.
func (s *scanner) unit(i int, korean string, signs ...rune) bool {
	return s.is(i, signs...) || strings.HasPrefix(s.word(i), korean)
}

// num returns the value of token i if it is a number of at most the given
// number of digits, and otherwise -1.
func (s *scanner) num(i, digits int) int {
	if i < 0 || i >= len(s.tokens) || s.tokens[i].kind != number || int(s.tokens[i].digits) > digits {
		return -1
	}
	return int(s.tokens[i].value)
}

// year returns the year that token i is, if it is a number of four digits from
// yearLeast to yearMost, and otherwise 0.
func (s *scanner) year(i int) int {
	if n := s.num(i, 4); n >= yearLeast && n <= yearMost && s.tokens[i].digits == 4 {
		return n
	}
	return 0
}

// month returns the month that token i names, from 1 to 12, or 0 if it names
// none.
func (s *scanner) month(i int) int {
	if w := s.word(i); w != "" {
		return monthOf(w, s.lang)
	}
	return 0
}

// century returns the year that n, a year written with two digits, means: 2008
// for 8.
func century(n int) int {
	if n >= yearLeast%100 {
		return 1900 + n
	}
	return 2000 + n
}

// dateAt returns the date that begins at token i. next is the index of the
// token after the date, or i if no date begins at token i.
func (s *scanner) dateAt(i int) (e expression, next int) {
	e = expression{start: int(s.tokens[i].start), hour: -1, zone: zoneNone}
	t := &s.tokens[i]
	switch t.kind {
	case number:
		if i > 0 && !t.spaced && (s.is(i-1, '-', '/', '.', ':', ',', '_') && i > 1 && s.num(i-2, 20) >= 0 && !s.tokens[i-1].spaced) {
			return e, i // a part of a longer number, such as a telephone number
		}
		if y := s.year(i); y != 0 {
			next = s.fromYear(&e, i, y)
		} else if n := s.num(i, 2); n >= 1 && n <= 99 {
			next = s.fromSmall(&e, i, n)
		} else if t.digits == 2 && t.value == 0 {
			next = s.fromSmall(&e, i, 0)
		}
	case word:
		next = s.fromMonth(&e, i)
	case sign:
		next = s.fromEra(&e, i)
	}
	if next == 0 || next == i || !e.valid() {
		return e, i
	}
	return e, next
}

// fromYear reads into e a date that begins with a year of four digits at token
// i. It returns the index of the token after the date, or 0 if there is no
// date.
func (s *scanner) fromYear(e *expression, i, year int) int {
	e.year = year
	if s.unit(i+1, "년", '年') {
		return s.afterYear(e, i+2)
	}
	if s.is(i+1, '-', '/', '.', '‑', '–', '．', '／') {
		if m := s.num(i+2, 2); m >= 1 && m <= 12 {
			if s.is(i+3, s.tokens[i+1].sign) {
				if d := s.num(i+4, 2); d >= 1 && d <= 31 {
					e.month, e.day = m, d
					return i + 5
				}
			}
			return 0
		}
		if m := s.month(i + 2); m != 0 {
			if d := s.num(i+3+s.skip(i+3, '-', '/', '.'), 2); d >= 1 && d <= 31 {
				e.month, e.day = m, d
				return i + 4 + s.skip(i+3, '-', '/', '.')
			}
		}
		return 0
	}
	j := i + 1
	j += s.skip(j, '.', ',')
	if w := s.word(j); w == "m" || w == "gada" { // Lithuanian, Latvian
		j++
		j += s.skip(j, '.')
	}
	if m := s.month(j); m != 0 {
		if d := s.num(j+1, 2); d >= 1 && d <= 31 {
			e.month, e.day = m, d
			return j + 2
		}
	}
	return 0
}

// afterYear reads the month and the day of a date such as 2008年8月8日 into e. i
// is the index of the first token after the year. It returns the index of the
// token after what it has read.
func (s *scanner) afterYear(e *expression, i int) int {
	m := s.num(i, 2)
	if m < 1 || m > 12 || !s.unit(i+1, "월", '月') {
		return i
	}
	e.month = m
	if d := s.num(i+2, 2); d >= 1 && d <= 31 {
		if s.unit(i+3, "일", '日', '号', '號') {
			e.day = d
			return i + 4
		}
		if i+3 >= len(s.tokens) || s.tokens[i+3].kind == sign || s.tokens[i+3].spaced {
			e.day = d // the unit is missing
			return i + 3
		}
	}
	return i + 2
}

// skip returns 1 if token i is one of signs, and otherwise 0. The caller adds
// the result to i.
func (s *scanner) skip(i int, signs ...rune) int {
	if s.is(i, signs...) {
		return 1
	}
	return 0
}

// ordinals are words that may follow the number of a day.
var ordinals = map[string]bool{"st": true, "nd": true, "rd": true, "th": true, "er": true, "º": true, "ª": true, "de": true, "di": true, "do": true, "of": true,
	"den": true, "ème": true, "DE": true, "De": true, "ST": true, "ND": true, "RD": true, "TH": true}

// yearWords are words that may come between the name of a month and the year.
var yearWords = map[string]bool{"de": true, "del": true, "of": true, "do": true, "DE": true, "De": true}

// fromSmall reads into e a date that begins with a number n below 100 at token
// i. It returns the index of the token after the date, or 0 if there is no
// date.
func (s *scanner) fromSmall(e *expression, i, n int) int {
	if s.unit(i+1, "월", '月') && n >= 1 && n <= 12 { // 8月8日
		if d := s.num(i+2, 2); d >= 1 && d <= 31 && s.unit(i+3, "일", '日', '号', '號') {
			e.month, e.day = n, d
			return i + 4
		}
		return 0
	}
	if s.unit(i+1, "년", '年') && s.tokens[i].digits == 2 { // 08年8月8日
		e.year, e.short = century(n), true
		if next := s.afterYear(e, i+2); e.day != 0 {
			return next
		}
		return 0
	}
	if s.is(i+1, '-', '/', '.', '‑', '–') && !s.tokens[i+1].spaced || s.is(i+1, '/', '.', '|') {
		sep := s.tokens[i+1].sign
		if second := s.num(i+2, 2); second >= 1 && s.is(i+3, sep) {
			if y := s.year(i + 4); y != 0 {
				e.dotted = sep == '.'
				return s.numbers(e, n, second, y, i+5)
			}
			if third := s.num(i+4, 2); third >= 0 && s.tokens[i+4].digits == 2 && (s.tokens[i+2].digits == 2 || sep != '-') && !s.tokens[i+4].spaced {
				if e.dotted = sep == '.'; e.dotted && s.version(i) {
					return 0
				}
				return s.threeSmall(e, n, second, third, i+5)
			}
			return 0
		}
	}
	if n < 1 || n > 31 {
		return 0
	}
	j := i + 1
	j += s.skip(j, '.', '-', '/', ',', '–', 'º', 'ª', '°')
	if ordinals[s.word(j)] && s.month(j) == 0 {
		j++
		j += s.skip(j, '.')
		if ordinals[s.word(j)] {
			j++
		}
	}
	m := s.month(j)
	if m == 0 {
		return 0
	}
	e.day, e.month = n, m
	return s.yearAfter(e, j+1)
}

// version reports whether the three numbers with points that begin at token i are, or begin, the
// version of a program, such as 3.6.23.1, or 2.4.19 in a language that does not write dates like that.
func (s *scanner) version(i int) bool {
	if s.is(i+5, '.') && !s.tokens[i+5].spaced && s.num(i+6, 20) >= 0 && !s.tokens[i+6].spaced {
		return true
	}
	switch s.lang {
	case "en", "fr", "zh", "ja", "ko":
		return s.tokens[i].digits == 1 && s.tokens[i+2].digits == 1
	}
	return false
}

// yearAfter sets the year of e to the year that follows its day and its month, from token i on. It
// returns the index of the token after the year. If no year follows, e keeps the year 0.
func (s *scanner) yearAfter(e *expression, i int) int {
	j := i
	j += s.skip(j, '.')
	j += s.skip(j, ',', '-', '/', '–', '،')
	if yearWords[s.word(j)] {
		j++
	}
	if y := s.year(j); y != 0 && !s.is(j+1, ':') {
		e.year = y
		return j + 1
	}
	quoted := s.is(j, '\'', '’', '‘')
	if quoted {
		j++
	}
	if n := s.num(j, 2); n >= 0 && s.tokens[j].digits == 2 && (quoted || s.is(j-1, '-', '/')) && !s.is(j+1, ':') {
		e.year, e.short = century(n), true
		return j + 1
	}
	return i
}

// numbers sets day, month and year of e, a date of two numbers and a year such
// as 8/9/2008. It returns next, or 0 if the numbers are no date.
func (s *scanner) numbers(e *expression, first, second, year, next int) int {
	e.year = year
	switch {
	case first < 1 || second < 1 || first > 31 || second > 31 || first > 12 && second > 12:
		return 0
	case second > 12:
		e.month, e.day = first, second
	default:
		e.day, e.month = first, second
		e.swap = !e.dotted && first <= 12 && first != second
	}
	return next
}

// threeSmall sets day, month and year of e, a date of three numbers of two
// digits such as 08-08-08. The year is the first number in Chinese, Japanese
// and Korean, and the last number in other languages. It returns next, or 0 if
// the numbers are no date.
func (s *scanner) threeSmall(e *expression, first, second, third, next int) int {
	e.short = true
	switch s.lang {
	case "zh", "ja", "ko":
		if second < 1 || second > 12 || third < 1 || third > 31 {
			return 0
		}
		e.year, e.month, e.day = century(first), second, third
		return next
	}
	if third > 40 && third < yearLeast%100 || first < 1 {
		return 0
	}
	return s.numbers(e, first, second, century(third), next)
}

// fromMonth reads into e a date that begins with the name of a month at token
// i. It returns the index of the token after the date, or 0 if there is no
// date.
func (s *scanner) fromMonth(e *expression, i int) int {
	j := i + 1
	j += s.skip(j, '.')
	j += s.skip(j, '-', '/', ',')
	if s.num(j, 4) < 0 {
		return 0
	}
	m := s.month(i)
	if m == 0 {
		return 0
	}
	e.month = m
	if y := s.year(j); y != 0 {
		e.year = y
		return j + 1
	}
	d := s.num(j, 2)
	if d < 1 || d > 31 || s.is(j+1, ':') {
		return 0
	}
	e.day = d
	j++
	if ordinals[s.word(j)] {
		j++
	}
	next := s.yearAfter(e, j)
	if e.year == 0 { // Fri Aug 08 20:00:00 CST 2008
		k := s.timeAfter(e, next)
		if y := s.year(k); y != 0 && e.hour >= 0 {
			e.year = y
			return k + 1
		}
	}
	return next
}

// eras are the names of eras, such as 民國, each with the year before the first year of the era.
var eras = []struct {
	first, second rune
	before        int
}{{'民', '國', 1911}, {'民', '国', 1911}, {'平', '成', 1988}, {'令', '和', 2018}}

// fromEra reads into e a date whose era begins at token i, such as 民國97年8月8日.
// It returns the index of the token after the date, or 0 if there is no date.
func (s *scanner) fromEra(e *expression, i int) int {
	for _, era := range eras {
		if s.is(i, era.first) && s.is(i+1, era.second) {
			if n := s.num(i+2, 3); n >= 1 && s.is(i+3, '年') {
				e.year = era.before + n
				return s.afterYear(e, i+4)
			}
		}
	}
	return 0
}

package article

import "strings"

// timeWords and timeSigns are words and signs that may come between a date and
// its time of day.
var timeWords = map[string]bool{"t": true, "um": true, "at": true, "à": true, "às": true, "as": true, "ore": true, "alle": true, "kl": true, "klo": true, "o": true,
	"om": true, "a": true, "в": true, "о": true, "la": true, "las": true, "uhr": true, "ora": true, "saat": true, "time": true}

var timeSigns = []rune{',', '|', '-', '–', '—', '·', '•', '(', ')', '（', '）', '.', '，', '/', '，'}

// timeGapMax is how many tokens may be between a date and its time of day.
const timeGapMax = 4

// timeAfter reads the time of day with its zone that follows the date e, and
// sets hour, minute and zone of e. i is the index of the first token after the
// date. The result is the index of the first token after the time, or i if
// there is no time.
func (s *scanner) timeAfter(e *expression, i int) int {
	j := i
	for j < len(s.tokens) && j < i+timeGapMax && (s.is(j, timeSigns...) || s.word(j) != "" && (timeWords[strings.ToLower(s.word(j))] || weekday(s.word(j)))) {
		j++
	}
	if s.is(j, '星') && s.is(j+1, '期') {
		j += 3
	}
	half := ""
	switch {
	case s.is(j, '下', '晚') && s.is(j+1, '午', '上'):
		half, j = "pm", j+2
	case s.is(j, '上', '早') && s.is(j+1, '午', '上'):
		half, j = "am", j+2
	}
	next := s.clock(e, j, half)
	if next == j {
		return i
	}
	return next
}

// clock reads a time of day with its zone at token i, such as 20:00, 20h00, 8
// pm or 20时05分, and sets hour, minute and zone of e. half is "am" or "pm" if
// this word comes before the time, and otherwise "". The result is the index of
// the first token after the time, or i if there is no time.
func (s *scanner) clock(e *expression, i int, half string) int {
	h := s.num(i, 2)
	if h < 0 || h > 24 {
		return i
	}
	next, minute, sure := i+1, 0, false
	if s.is(next, ':', '：', '.', '时', '時', '点', '點') || strings.EqualFold(s.word(next), "h") {
		dot := s.is(next, '.')
		if m := s.num(next+1, 2); m >= 0 && m < 60 && s.tokens[next+1].digits != 1 {
			minute, next, sure = m, next+2, !dot
			next += s.skip(next, '分')
			if s.is(next, ':', '：') && s.num(next+1, 2) >= 0 {
				next += 2
				if s.is(next, '.', ',') && s.num(next+1, 9) >= 0 && !s.tokens[next+1].spaced {
					next += 2
				}
			}
			if dot && strings.EqualFold(s.word(next), "uhr") {
				sure = true
			}
		} else if !dot {
			next, sure = next+1, !s.is(next, ':', '：')
		}
	}
	if w := strings.ToLower(s.word(next)); w == "am" || w == "pm" {
		half, next, sure = w, next+1, true
	} else if (w == "a" || w == "p") && s.is(next+1, '.') && strings.EqualFold(s.word(next+2), "m") {
		half, next, sure = w+"m", next+3, true
		next += s.skip(next, '.')
	} else if w == "uhr" {
		next, sure = next+1, true
	}
	if !sure {
		return i
	}
	if half == "pm" && h < 12 {
		h += 12
	} else if half == "am" && h == 12 {
		h = 0
	}
	if h == 24 {
		h = 0
	}
	e.hour, e.minute = h, minute
	return s.zone(e, next)
}

// zones maps the names of time zones to minutes east of UTC.
var zones = map[string]int{"Z": 0, "UTC": 0, "GMT": 0, "CET": 60, "CEST": 120, "MEZ": 60, "MESZ": 120, "EST": -300, "EDT": -240, "CDT": -300, "MST": -420,
	"MDT": -360, "PST": -480, "PDT": -420, "ET": -300, "PT": -480, "BST": 60, "MSK": 180, "JST": 540, "KST": 540, "HKT": 480}

// zone reads the time zone at token i, which follows a time of day, and sets
// e.zone. The result is the index of the first token after the zone, or i if
// there is no zone.
func (s *scanner) zone(e *expression, i int) int {
	if z, ok := zones[s.word(i)]; ok {
		e.zone = z
		i++
		if z != 0 {
			return i
		}
	}
	if s.is(i, '+', '-', '−') && i+1 < len(s.tokens) && !s.tokens[i+1].spaced {
		z := -1
		next := i + 2
		switch n := s.num(i+1, 4); {
		case n < 0:
		case s.tokens[i+1].digits == 4:
			z = n/100*60 + n%100
		case s.tokens[i+1].digits == 2 && s.is(i+2, ':'):
			if m := s.num(i+3, 2); m >= 0 {
				z, next = n*60+m, i+4
			}
		case s.tokens[i+1].digits <= 2 && n <= 14:
			z = n * 60
		}
		if z >= 0 && z <= 14*60 {
			if !s.is(i, '+') {
				z = -z
			}
			e.zone = z
			return next
		}
	}
	return i
}

// timeBefore reads the time of day that ends before token i, as in "20:00, 8
// August 2008", and sets hour and minute of e.
func (s *scanner) timeBefore(e *expression, i int) {
	for back := 3; back <= 7 && back <= i; back++ {
		j := i - back
		if s.num(j, 2) < 0 || s.is(j-1, ':', '.', '-', '/') {
			continue
		}
		c := expression{hour: -1, zone: zoneNone}
		if next := s.clock(&c, j, ""); next > j && next <= i && i-next <= 2 {
			for k := next; k < i; k++ {
				if !s.is(k, timeSigns...) && !timeWords[strings.ToLower(s.word(k))] {
					return
				}
			}
			e.hour, e.minute, e.zone = c.hour, c.minute, c.zone
			return
		}
	}
}

// weekdays are the beginnings, in lower case, of the names of weekdays that may
// be between a date and its time.
var weekdays = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun", "die", "mit", "don", "fre", "sam", "son", "lun", "mar", "mer", "jeu", "ven", "dim", "dom"}

// weekday reports whether the word w may be the name of a weekday.
func weekday(w string) bool {
	if len(w) < 3 || len(w) > 10 {
		return false
	}
	w = strings.ToLower(w[:3])
	for _, d := range weekdays {
		if d == w {
			return true
		}
	}
	return false
}

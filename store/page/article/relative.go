package article

import (
	"slices"
	"strings"
	"time"
)

// unitNames are the beginnings of the names of units of time, each with the
// number of minutes in the unit.
var unitNames = []struct {
	name    string
	minutes int
}{
	{"min", 1}, {"минут", 1}, {"хвилин", 1}, {"dakika", 1}, {"perc", 1}, {"分钟", 1}, {"分鐘", 1}, {"分前", 1}, {"분", 1},
	{"hour", 60}, {"hr", 60}, {"stunde", 60}, {"std", 60}, {"heure", 60}, {"hora", 60}, {"ore", 60}, {"ora", 60}, {"uur", 60}, {"uren", 60}, {"godzin", 60}, {"час", 60}, {"годин", 60},
	{"hodin", 60}, {"timm", 60}, {"time", 60}, {"tunti", 60}, {"saat", 60}, {"óra", 60}, {"órá", 60}, {"小时", 60}, {"小時", 60}, {"時間", 60}, {"시간", 60}, {"ώρ", 60},
	{"day", 1440}, {"tag", 1440}, {"jour", 1440}, {"día", 1440}, {"dia", 1440}, {"giorn", 1440}, {"dag", 1440}, {"dni", 1440}, {"dzień", 1440}, {"дн", 1440}, {"день", 1440},
	{"dny", 1440}, {"gün", 1440}, {"nap", 1440}, {"天", 1440}, {"日", 1440}, {"일", 1440}, {"päivä", 1440},
	{"week", 10080}, {"woche", 10080}, {"semaine", 10080}, {"semana", 10080}, {"settiman", 10080}, {"недел", 10080}, {"周前", 10080},
}

// agoWords are words before or after an amount of time, such as "3 hours", that
// make it a time in the past.
var agoWords = []string{" ago", "vor ", "il y a ", "hace ", " fa", "há ", " atrás", " geleden", " temu", " назад", " тому", "před ", " sedan", " siden", " sitten", " önce", "ezelőtt", "前", "전", "πριν"}

// dayWords are words such as "yesterday", each with the number of days before the capture.
var dayWords = []struct {
	word string
	ago  int
}{
	{"yesterday", 1}, {"vorgestern", 2}, {"gestern", 1}, {"avant-hier", 2}, {"hier", 1}, {"anteayer", 2}, {"ayer", 1}, {"ieri", 1}, {"ontem", 1}, {"gisteren", 1}, {"wczoraj", 1},
	{"позавчера", 2}, {"вчера", 1}, {"вчора", 1}, {"včera", 1}, {"igår", 1}, {"i går", 1}, {"dün", 1}, {"tegnap", 1}, {"昨天", 1}, {"昨日", 1}, {"前天", 2}, {"어제", 1},
	{"today", 0}, {"heute", 0}, {"aujourd'hui", 0}, {"hoy", 0}, {"oggi", 0}, {"hoje", 0}, {"vandaag", 0}, {"dzisiaj", 0}, {"dziś", 0}, {"сегодня", 0}, {"сьогодні", 0}, {"dnes", 0}, {"idag", 0},
	{"bugün", 0}, {"今天", 0}, {"今日", 0}, {"오늘", 0},
}

// relativeTextMax is the largest size in bytes of a line with a relative date.
const relativeTextMax = 120

// readRelative adds a relative date such as "3 hours ago" or "昨天 20:00" to r.dates. text is the
// text of line i, which r.scan scanned last. The date is counted back from the time of this
// capture, in the time zone of the page.
func (r *reader) readRelative(i int, text string) {
	if !known(r.in.Captured) || len(text) > relativeTextMax {
		return
	}
	minutes, ok := ago(strings.ToLower(text), r.scan.hasNumber())
	if !ok {
		return
	}
	at := r.in.Captured.Std().Add(time.Duration(r.pageZone()-minutes) * time.Minute)
	w := r.trust(i, r.lines[i].node) * .8
	r.add(candidate{
		expression: expression{year: at.Year(), month: int(at.Month()), day: at.Day(), hour: -1, zone: zoneNone},
		from:       FromText, weight: w, line: i,
	})
}

// ago returns how many minutes before the capture a relative date in text lies. text is in lower
// case. numbers says whether text may have numbers. ok is false if text has no relative date.
func ago(text string, numbers bool) (minutes int, ok bool) {
	if numbers {
		if minutes, ok = unitsAgo(text); ok {
			return minutes, ok
		}
	}
	return daysAgo(text)
}

// unitsAgo does what ago does, for dates with a number and a unit, such as "3
// hours ago".
func unitsAgo(text string) (minutes int, ok bool) {
	if !slices.ContainsFunc(agoWords, func(w string) bool { return strings.Contains(text, w) }) {
		return 0, false
	}
	var some [64]token
	list := tokens(some[:0], text)
	for k := 0; k+1 < len(list); k++ {
		if list[k].kind != number || list[k].value > 400 {
			continue
		}
		rest := strings.TrimLeft(text[list[k].end:], " \u00a0")
		for _, u := range unitNames {
			if strings.HasPrefix(rest, u.name) {
				return int(list[k].value) * u.minutes, true
			}
		}
	}
	return 0, false
}

// dayWordReach is the largest offset in a text at which a word of dayWords counts, in bytes.
const dayWordReach = 30

// dayWordsBy has, for each byte, the indexes of the dayWords that begin with it.
var dayWordsBy = func() (by [256][]int) {
	for i, d := range dayWords {
		by[d.word[0]] = append(by[d.word[0]], i)
	}
	return by
}()

// daysAgo does what ago does, for dates with a word for a day, such as
// "yesterday, 20:00".
func daysAgo(text string) (minutes int, ok bool) {
	first := len(dayWords) // the first of dayWords that says the day
	for k := 0; k < len(text) && k <= dayWordReach; k++ {
		for _, i := range dayWordsBy[text[k]] {
			if word := dayWords[i].word; i < first && strings.HasPrefix(text[k:], word) && strings.Index(text, word) == k && saysDay(text, k, k+len(word)) {
				first = i
			}
		}
	}
	if first == len(dayWords) {
		return 0, false
	}
	return dayWords[first].ago * 1440, true
}

// saysDay reports whether text[from:to], a word such as "yesterday", is a date:
// it is the whole text, or a time of day follows it.
func saysDay(text string, from, to int) bool {
	if strings.Trim(text[:from]+text[to:], " \t\n:：,.|-") == "" {
		return true
	}
	s := scanner{text: text[to:]}
	s.tokens = tokens(nil, s.text)
	e := expression{hour: -1, zone: zoneNone}
	return s.timeAfter(&e, 0) > 0
}

// langZones maps the code of a language to the time zone in which most of its
// pages are made, in minutes east of UTC.
var langZones = map[string]int{"zh": 480, "ja": 540, "ko": 540, "de": 60, "fr": 60, "it": 60, "es": 60, "nl": 60, "pl": 60, "cs": 60, "sk": 60, "hu": 60, "sv": 60, "da": 60, "no": 60,
	"nb": 60, "hr": 60, "sr": 60, "sl": 60, "el": 120, "fi": 120, "ro": 120, "bg": 120, "uk": 120, "ru": 180, "tr": 180, "th": 420, "vi": 420, "id": 420, "hi": 330}

// pageZone returns the time zone of the page, in minutes east of UTC: the zone
// that a date of the page has; otherwise the zone in langZones of its language;
// otherwise 0.
func (r *reader) pageZone() int {
	if z := r.saidZone(); z != 0 {
		return z
	}
	return langZones[r.scan.lang]
}

// saidZone returns the time zone that a date of the page has, in minutes east
// of UTC, or 0 if none has a zone other than UTC.
func (r *reader) saidZone() int {
	for i := range r.dates {
		if z := r.dates[i].zone; z != zoneNone && z != 0 {
			return z
		}
	}
	return 0
}

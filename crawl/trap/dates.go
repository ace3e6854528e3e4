package trap

import "strings"

// dateWords holds the hashes of the names of months and days, in the
// languages in which calendars are common on the web. Calendars without end
// consist of these names. In other languages the names count as ordinary
// words. That does little harm, because a language has only nineteen of
// them.
var dateWords = func() map[uint32]bool {
	m := make(map[uint32]bool)
	for w := range strings.FieldsSeq(dateNames) {
		m[readToken([]byte(w), 0).hash] = true
	}
	return m
}()

// maybeDate is a bit set with which most words need no look-up in dateWords. A word whose bit is
// not set is not in dateWords. The bit of a word is chosen by the last bits of its hash.
var maybeDate = func() (m [dateFilter / 8]uint8) {
	for w := range dateWords {
		m[w%dateFilter/8] |= 1 << (w % 8)
	}
	return m
}()

// dateFilter is the number of bits in maybeDate.
const dateFilter = 1 << 16

// dateNames is the list of words for dateWords.
const dateNames = `
	january february march april may june july august september october november december
	jan feb mar apr jun jul aug sep sept oct nov dec
	monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
	mo tu we th fr sa su st nd rd th today am pm
	januar februar märz maerz mai juni juli oktober dezember jän jänner mär okt dez
	montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag di mi do so heute uhr
	janvier février fevrier mars avril juin juillet août aout septembre octobre novembre décembre decembre
	lundi mardi mercredi jeudi vendredi samedi dimanche lun mer jeu ven sam dim
	enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre ene abr ago dic
	lunes martes miércoles miercoles jueves viernes sábado sabado domingo mié jue vie sáb
	gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre gen mag giu lug set ott
	lunedì lunedi martedì martedi mercoledì mercoledi giovedì giovedi venerdì venerdi sabato domenica gio dom
	janeiro fevereiro março marco maio junho julho setembro outubro novembro dezembro fev mai out
	segunda terça terca quarta quinta sexta
	januari februari maart mei augustus maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
	январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
	января февраля марта апреля мая июня июля августа сентября октября ноября декабря
	понедельник вторник среда четверг пятница суббота воскресенье пн вт ср чт пт сб вс
	styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
	年 月 日 号 星期 星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天 周一 周二 周三 周四 周五 周六 周日
	一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月 一 二 三 四 五 六
	月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日 火 水 木 金 土`

// dateParts holds words in URLs that mean a part of a date, such as month,
// or a page that shows dates, such as calendar.
var dateParts = map[string]bool{
	"year": true, "month": true, "day": true, "date": true, "week": true, "yr": true, "mon": true, "calendar": true, "cal": true, "calendars": true,
	"jahr": true, "monat": true, "tag": true, "woche": true, "datum": true, "kalender": true, "agenda": true,
	"annee": true, "mois": true, "jour": true, "calendrier": true, "ano": true, "mes": true, "dia": true, "calendario": true, "fecha": true,
}

// isDated reports whether the path and query of a URL contain a date: one of
// dateParts, as in "?month=5", or numbers, as in "/2008/06" or
// "d=2008-06-12".
func isDated(path string) bool {
	inYear := false // the previous number is a year
	for i := 0; i < len(path); {
		from := i
		for i < len(path) && class[path[i]] == letter {
			i++
		}
		if i > from {
			if inYear = false; i-from <= 10 && dateParts[strings.ToLower(path[from:i])] && !hasOtherMeaning(path, from, i) {
				return true
			}
			continue
		}
		for i < len(path) && class[path[i]] == digit {
			i++
		}
		switch n := i - from; {
		case n == 0:
			if path[i] != '/' && path[i] != '-' {
				inYear = false
			}
			i++
		case inYear && n <= 2:
			return true
		default:
			inYear = n == 4 && (path[from:from+2] == "19" || path[from:from+2] == "20") && (from == 0 || class[path[from-1]] == other)
		}
	}
	return false
}

// hasOtherMeaning reports whether the word path[from:to], which is one of
// dateParts, does not mean a date here: it is also a word for something else,
// such as "tag" (German for day), and no "=" follows it.
func hasOtherMeaning(path string, from, to int) bool {
	switch path[from:to] {
	case "tag", "mon", "mes", "ano", "dia":
		return to >= len(path) || path[to] != '='
	}
	return false
}

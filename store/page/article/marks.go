package article

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// periodWords are words, in lower case, that may stand between the first and
// the last day of a period.
var periodWords = []string{"至", "到", "~", "～", "bis ", "to ", "until ", "till ", "through ", "au ", "al ", "до ", "から", "부터"}

// period reports whether a date is the first day of a period, such as that of
// an event. after is the text after the date.
func period(after string) bool {
	after = strings.ToLower(strings.TrimLeft(after, " \u00a0,."))
	for _, w := range periodWords {
		if strings.HasPrefix(after, w) {
			return true
		}
	}
	return false
}

// dateline reports whether e is the date of a dateline at the beginning of
// text, such as 新华网北京8月8日电.
func dateline(text string, e *expression) bool {
	if e.start > 90 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[e.end:])
	return r == '电' || r == '電' || r == '讯' || r == '訊'
}

// mark says what a date is, such as the day of publication, by the words next to it.
type mark uint8

const (
	markNone mark = iota
	markPublished
	markChanged
	markOther // the date is about something else than the article, such as a copyright
)

// markReach and markAfter are how many bytes before and after a date are searched for words that
// say what the date is, such as "updated".
const (
	markReach = 48
	markAfter = 40
)

// markWords are the words, in lower case, that say what a date next to them is.
var markWords = []struct {
	mark  mark
	words []string
}{
	{markChanged, []string{"updated", "update:", "modified", "last changed", "revised", "edited", "aktualisiert", "aktualisierung", "geändert", "letzte änderung", "überarbeitet", "mis à jour",
		"mise à jour", "màj", "modifié", "actualizado", "actualización", "modificado", "aggiornato", "aggiornamento", "modifica", "atualizado", "bijgewerkt", "gewijzigd",
		"aktualizacja", "zaktualizowano", "обновлено", "изменено", "оновлено", "aktualizováno", "uppdaterad", "opdateret", "oppdatert", "päivitetty", "güncelleme", "güncellendi", "更新",
		"修改", "最終更新", "수정", "ενημέρωση", "frissítve", "actualizat"}},
	{markOther, []string{"©", "(c)", "copyright", "版权", "rights reserved", "expires", "deadline", "valid until", "gültig bis", "born", "geboren", "since ", "seit ", "depuis ",
		"joined", "member since", "registriert", "mitglied", "bis ", "until ", "jusqu'au", "hasta ", "注册", "截止", "登録", "有效期", "ab dem", "anmeldeschluss", "现在时间", "当前时间", "今天是", "今天：", "today is", "heute ist", "current time", "findet ", "finden ", "takes place", "next ", "nächste"}},
	{markPublished, []string{"publish", "posted", "post date", "released", "date:", "datum:", "written", "created", "veröffentlicht", "erschienen", "erstellt", "geschrieben", "verfasst", "veröffentlichung", "eingestellt", "pressemitteilung", "publié", "paru", "mis en ligne", "mise en ligne",
		"publicado", "publicada", "fecha", "pubblicato", "pubblicata", "data:", "gepubliceerd", "geplaatst", "opublikowano", "dodano", "data publikacji", "опубликовано", "дата", "vydáno",
		"publikováno", "publicerad", "publiceret", "publisert", "julkaistu", "yayın", "giriş", "发布", "发表", "發佈", "發布", "發表", "时间", "時間", "日期", "来源", "掲載", "公開", "投稿", "입력",
		"등록", "δημοσίευση", "megjelent", "publikuar", "stand:", "stand ", "online seit", "by "}},
}

// labelsBefore reports whether the words between two dates say what the first
// date is. If it is false, they say what the second date is. The result is true
// for Chinese and Japanese words, as in "8日发布 9日更新", unless they end in a
// colon.
func labelsBefore(between string) bool {
	between = strings.TrimSpace(between)
	r, _ := utf8.DecodeRuneInString(between)
	return unicode.Is(unicode.Han, r) && !strings.HasSuffix(between, ":") && !strings.HasSuffix(between, "：")
}

// markStarts has the words of markWords, indexed by their first byte.
var markStarts = func() (starts [256][]markWord) {
	for _, m := range markWords {
		for _, w := range m.words {
			starts[w[0]] = append(starts[w[0]], markWord{m.mark, w})
		}
	}
	return starts
}()

type markWord struct {
	mark mark
	word string
}

// markOf returns what the words in text say of the date next to text. text is
// in lower case. If it has several words of markWords, the one that ends last
// counts; if two end at the same place, the longer one counts.
func markOf(text string) mark {
	found, end := markNone, 0
	for i := range len(text) {
		for _, m := range markStarts[text[i]] {
			if i+len(m.word) > end && strings.HasPrefix(text[i:], m.word) {
				found, end = m.mark, i+len(m.word)
			}
		}
	}
	return found
}

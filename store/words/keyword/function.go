package keyword

import (
	"strings"
	"sync"
)

// functionWords returns, by language, the words that say nothing of what a text
// is about, folded. Package cut has these words of Chinese. The lists of
// stop.txt, from which keywords are chosen, are longer: they also have words
// that an event may be about, such as fire.
var functionWords = sync.OnceValue(func() map[string]map[string]bool {
	lists := make(map[string]map[string]bool)
	for lang, list := range map[string]string{"en": english, "de": german, "fr": french, "es": spanish} {
		m := make(map[string]bool)
		for w := range strings.FieldsSeq(list) {
			m[w] = true
		}
		lists[lang] = m
	}
	return lists
})

// IsFunctionWord reports whether a word says nothing of what a text in the language lang is about,
// such as "the". lang is a code such as "en"; for languages other than en, de, fr and es it reports
// false. The word is folded, as package term yields it.
func IsFunctionWord(word []byte, lang string) bool { return functionWords()[lang][string(word)] }

const (
	english = `about after again all also am an and any are as at be been before being but by can could did do does done
down even for from get had has have he her here hers him his how if in into is it its just like made may me more most much my
new no not now of off on one only or other our out over said says she should so some such than that the their them then there
these they this those through to too under up us very was we were what when where which while who why will with would you your`
	german = `ab aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da dabei damit
dann darf darum das dass dem den denn der des die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen
einer eines er erst es etwas fur gegen geht gibt habe haben hat hatte heute hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im
immer in ins ist ja jede jeden jeder jetzt kann kein keine keinen kommt konnen konnte konnten lasst lauft machen macht man mehr
mit muss mussen nach neue neuen neuer neues nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner
seit sich sie sind so soll sollen sollte sollten sowie steht thema uber um und uns unser unter viel viele vom von vor wann war
waren warum was weg wegen weil wenn wer werden wie wieder will wir wird wissen wo wohl wollen wurde wurden zu zum zur zwei zwischen`
	french = `au aux avec ce ces cette comme dans de des du elle elles en est et eux il ils je la le les leur leurs lui mais me
meme mes mon ne nos notre nous on ont ou par pas plus pour qu que qui sa sans se ses si son sont sur ta te tes ton tout tous tres
tu un une vos votre vous y`
	spanish = `al como con cual cuando de del desde donde el ella ellas ellos en entre era es esa ese eso esta este esto ha han hay
la las le les lo los mas me mi muy ni no nos o para pero por porque que quien se ser si sin sobre son su sus tambien te tiene un
una uno unos y ya yo`
)

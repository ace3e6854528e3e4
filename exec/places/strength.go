package places

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"

	"infomall/store/words/match"
)

// strength says how certain it is that a name means a place, see the package comment.
type strength uint8

const (
	weak strength = iota
	medium
	strong
)

//go:embed lists.txt
var listsText string

// wordLists are lists of words that decide what a mention is.
type wordLists struct {
	weak         map[string]bool   // names of places that are usual words
	person       map[string]bool   // names of places that are names of persons too
	given        map[string]bool   // given names and titles; a place after one is a person
	clubBefore   map[string]bool   // a place after one of these is a club
	clubAfter    map[string]bool   // a place before one of these is a club
	after        map[string]bool   // a place before one of these is part of the name of a company, newspaper or the like
	beforeOf     map[string]bool   // a place after one of these and a small word is part of the name of a university or the like
	afterChinese map[string]bool   // words after a Chinese place that make it part of the name of something else; package cut divides the text into these words
	at           map[string]string // words that stand before places, and the languages in which they do so before weak names
	clubChinese  []string          // what follows a place in the name of a club in Chinese
	never        map[string]bool   // names that are left out
	phrases      map[string]bool   // phrases that have a name in them and do not mean the place
	function     map[string]string // frequent words of a language, and the language
}

// lists returns the lists of lists.txt.
var lists = sync.OnceValue(func() *wordLists {
	l := &wordLists{at: map[string]string{}, function: map[string]string{}}
	sets := map[string]*map[string]bool{"weak": &l.weak, "person": &l.person, "given": &l.given, "club before": &l.clubBefore, "club after": &l.clubAfter, "after": &l.after, "after chinese": &l.afterChinese, "before of": &l.beforeOf, "never": &l.never, "phrases": &l.phrases}
	for _, s := range sets {
		*s = map[string]bool{}
	}
	title := ""
	for line := range strings.Lines(listsText) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			title = strings.Trim(line, "[]")
		default:
			for w := range strings.FieldsSeq(line) {
				w = strings.ReplaceAll(w, "_", " ")
				if title == "club chinese" {
					l.clubChinese = append(l.clubChinese, w)
				} else if language, ok := strings.CutPrefix(title, "at "); ok {
					l.at[w] += " " + language
				} else if language, ok := strings.CutPrefix(title, "function "); ok {
					l.function[w] = language
				} else {
					(*sets[title])[w] = true
				}
			}
		}
	}
	return l
})

// simplified returns a text in simplified Chinese letters, the form in which lists.txt has its
// words.
func simplified(text string) string { return strings.Map(match.Simplified, text) }

// strongPopulation is the least number of inhabitants that makes the name of a city strong.
const strongPopulation = 500_000

// strengthOf returns the strength of a name of p. wide says that the name is in a script without
// spaces.
func (p *Place) strengthOf(name string, wide bool) strength {
	l := lists()
	if wide {
		name = simplified(name)
	}
	switch {
	case p.User:
		return strong
	case l.weak[name], l.person[name] && p.Kind != "country" && p.population < strongPopulation:
		return weak
	case p.Kind == "country" || p.Kind == "province":
		return strong
	case p.Kind == "county":
		if wide && (utf8.RuneCountInString(name) < 3 || !strings.HasSuffix(name, "县") && !strings.HasSuffix(name, "市") && !strings.HasSuffix(name, "旗")) || !wide && !strings.Contains(name, " ") {
			return weak
		}
		return strong
	case wide:
		if utf8.RuneCountInString(name) < 2 {
			return weak
		}
		return strong
	case p.Kind == "prefecture" && strings.Contains(name, " "), p.population >= strongPopulation:
		return strong
	case len(name) < 4:
		return weak
	}
	return medium
}

// Command stop makes stop.txt of stopwords-iso.json, the lists of stopwords-iso 1.1.0 (MIT
// licence, see LICENSE.stopwords), which npm has:
//
//	npm pack stopwords-iso@1.1.0 && tar xzf stopwords-iso-1.1.0.tgz
//	go run ./store/words/keyword/stop -lists package/stopwords-iso.json -o store/words/keyword/stop.txt
//
// It keeps the languages with spaces between words that package keyword knows, and of each
// list the words of at least two letters that package words takes for one word. Of the English
// list it leaves out words that do say what a text is about.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"infomall/store/words"
)

// languages are the codes of the languages that are kept.
var languages = []string{"ca", "cs", "da", "de", "el", "en", "es", "fi", "fr", "hr", "hu", "id", "it", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "tr", "uk"}

// telling are the English words that are left out of the list of stop words, because they say
// what a text is about.
var telling = strings.Fields("bill computer copy fire index information invention member members microsoft mill netscape novel research room rooms system test text web world")

func main() {
	log.SetFlags(0)
	name := flag.String("lists", "", "the file stopwords-iso.json")
	out := flag.String("o", "stop.txt", "the file to write")
	flag.Parse()
	if err := run(*name, *out); err != nil {
		log.Fatal(err)
	}
}

func run(name, out string) error {
	raw, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var lists map[string][]string
	if err := json.Unmarshal(raw, &lists); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var text strings.Builder
	text.WriteString("# Made by the program in the folder stop of stopwords-iso 1.1.0. One line per language.\n")
	for _, code := range languages {
		var kept []string
		for _, w := range lists[code] {
			w = strings.ToLower(w)
			if one := slices.Collect(only(w)); utf8.RuneCountInString(w) > 1 && len(one) == 1 && one[0] == w && (code != "en" || !slices.Contains(telling, w)) {
				kept = append(kept, w)
			}
		}
		slices.Sort(kept)
		text.WriteString(code + " " + strings.Join(slices.Compact(kept), " ") + "\n")
	}
	return os.WriteFile(out, []byte(text.String()), 0o666)
}

// only yields the words of a text, without their offsets.
func only(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, w := range words.Of(text) {
			if !yield(w) {
				return
			}
		}
	}
}

package stem

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestForms holds which words have the same stem: all words of a group, and no words of
// two groups of a language.
func TestForms(t *testing.T) {
	for code, groups := range map[string][]string{
		"da": {"hest heste hesten hestene", "skole skoler skolerne"},
		"de": {"haus hauser hausern hause", "laufen laufe", "zeitung zeitungen"},
		"en": {"run runs running", "connect connected connecting connection connections", "university universities", "ran", "kafka", "2008", "v2"},
		"es": {"organizacion organizaciones", "hablar hablando hablaba hablabamos", "libro libros", "tecnologia tecnologias"},
		"fi": {"talo talot talossa talosta taloon", "kyla kylassa kylasta"},
		"fr": {"manger mangee mangees mange manges mangeait", "actualite actualites", "premier premiere premieres", "petite petits petites"},
		"hu": {"haz hazban hazbol hazrol haznal", "kertben kertbol kertnel"},
		"it": {"parlare parlato parlando parlano", "libro libri", "attivita attivi attivo"},
		"nl": {"lopen loop", "boek boeken", "huis", "huizen"},
		"no": {"hest hester hesten hestene", "skole skoler skolene"},
		"pt": {"organizacao organizacoes", "falar falando falava falamos", "livro livros", "amavel"},
		"ro": {"organizatie organizatia", "lucra lucreaza", "carte carti"},
		"ru": {"бегать бегал бегали", "книга книги книгу книгой", "зеленый зеленая зеленые"},
		"sv": {"hund hundar hunden hundarna", "flicka flickor flickorna"},
		"tr": {"kadinlar kadinlari", "gun gunler", "kitap kitaplar kitabi kitaplari", "cocuk cocuklar cocugu", "ev evler evde evlerin"},
	} {
		seen := make(map[string]string)
		for _, group := range groups {
			words := strings.Fields(group)
			first := Of(code, words[0])
			if other, ok := seen[first]; ok {
				t.Errorf("%s: %s and %s are %s", code, other, words[0], first)
			}
			seen[first] = words[0]
			for _, w := range words {
				if got := Of(code, w); got != first {
					t.Errorf("%s: %s is %s, and %s is %s", code, w, got, words[0], first)
				}
			}
		}
	}
}

// TestLanguages holds which languages are known.
func TestLanguages(t *testing.T) {
	want := strings.Fields("da de en es fi fr hu it nl no pt ro ru sv tr")
	if got := Languages(); !slices.Equal(got, want) {
		t.Errorf("languages %v, want %v", got, want)
	}
	if !Known("tr") || Known("xx") || Known("") {
		t.Error("a language is known that is not there, or the other way round")
	}
}

// TestCache holds that a Cache returns the same as Of, after it was full too.
func TestCache(t *testing.T) {
	c := NewCache("en")
	for i := range 3 * cacheWordsMax {
		w := strings.Repeat("a", i%90) + string(rune('a'+i%26)) + string(rune(0x430+i%4000)) + "ing"
		if got, want := c.Of([]byte(w)), Of("en", w); got != want || got != c.Of([]byte(w)) {
			t.Fatalf("%s is %s, want %s", w, got, want)
		}
		if len(c.stems) > cacheWordsMax {
			t.Fatalf("%d words are remembered", len(c.stems))
		}
	}
}

// FuzzOf holds that no word makes a stemmer panic, and that a stem begins as its word
// does.
func FuzzOf(f *testing.F) {
	for _, w := range []string{"running", "kadinlar", "бегать", "organizacoes", "y", "ue", "'s", "北京", "ıı", "qu", "yy", "ijij", "binla"} {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, word string) {
		word = unmarked.Replace(strings.ToLower(word)) // as package match folds words
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) }) {
			return
		}
		first, _ := utf8.DecodeRuneInString(word)
		for _, code := range Languages() {
			s := Of(code, word)
			if r, _ := utf8.DecodeRuneInString(s); r != first {
				t.Errorf("%s: the stem of %q is %q", code, word, s)
			}
		}
	})
}

func BenchmarkOf(b *testing.B) {
	words := strings.Fields("the brokers keep records of running connections and organizations and cannot lose partitions universities")
	for _, code := range []string{"en", "de", "tr"} {
		b.Run(code, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				Of(code, words[i%len(words)])
			}
		})
	}
}

//go:build ignore

// Command makelanguages makes languages.txt, the costs of letters by which package
// charset distinguishes charsets. It reads the letter frequencies of lingua-go, and
// OpenCC's table of simplified and traditional characters:
//
//	go mod download github.com/pemistahl/lingua-go@v1.4.0
//	npm pack opencc-js@1.4.2 && tar xzf opencc-js-1.4.2.tgz
//	go run makelanguages.go $(go env GOMODCACHE)/github.com/pemistahl/lingua-go@v1.4.0 package > languages.txt
package main

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"sort"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// model reads the n-gram model called file of the language lang from lingua-go,
// which is in the folder dir. It returns the probability of each n-gram, or nil
// if there is no such model.
func model(dir, lang, file string) map[string]float64 {
	z, err := zip.OpenReader(dir + "/language-models/" + lang + "/" + file + ".pb.bin.zip")
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		panic(err)
	}
	defer z.Close()
	r, err := z.File[0].Open()
	if err != nil {
		panic(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	out := map[string]float64{}
	fields(b, func(n int, v []byte) {
		if n != 4 {
			return
		}
		p := 0.0
		fields(v, func(n int, v []byte) {
			if n == 1 {
				p = math.Float64frombits(binary.LittleEndian.Uint64(v))
			}
		})
		fields(v, func(n int, v []byte) {
			if n == 2 {
				out[string(v)] = p
			}
		})
	})
	return out
}

func fields(b []byte, f func(n int, v []byte)) {
	for len(b) > 0 {
		tag, k := binary.Uvarint(b)
		b = b[k:]
		switch tag & 7 {
		case 0:
			_, k := binary.Uvarint(b)
			f(int(tag>>3), b[:k])
			b = b[k:]
		case 1:
			f(int(tag>>3), b[:8])
			b = b[8:]
		case 2:
			n, k := binary.Uvarint(b)
			f(int(tag>>3), b[k:k+int(n)])
			b = b[k+int(n):]
		default:
			panic("wire")
		}
	}
}

// decomposed returns the letters with which windows-1258 writes the Vietnamese
// letter k. In this charset a tone is a letter by itself.
func decomposed(k string) []rune {
	var out []rune
	for _, r := range norm.NFD.String(k) {
		if strings.ContainsRune("\u0302\u0306\u031b", r) && len(out) > 0 {
			last := len(out) - 1
			c := []rune(norm.NFC.String(string([]rune{out[last], r})))
			if len(c) == 1 {
				out[last] = c[0]
				continue
			}
			// a tone stands between
			if c = []rune(norm.NFC.String(string([]rune{out[0], r}))); len(c) == 1 {
				out[0] = c[0]
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

func cost(p float64) byte {
	q := 60.0
	if p > 0 {
		q = math.Min(60, math.Max(0, math.Round(-math.Log(p)*4)))
	}
	return '0' + byte(q)
}

var foldings = map[rune]rune{'ș': 'ş', 'ț': 'ţ', 'ی': 'ي', 'ک': 'ك'}

func fold(r rune) rune {
	if f, ok := foldings[r]; ok {
		return f
	}
	return r
}

// accented has the letters outside ASCII of each language in Latin script, from
// CLDR's exemplar characters. The models also have other letters, from texts that
// were read in a wrong charset.
var accented = map[string]string{
	"en": "éèêçñöüïàáó", "de": "äöüßéàè", "fr": "àâæçéèêëîïôùûüÿœ", "es": "áéíñóúüº", "pt": "áâãàçéêíóôõúüºª",
	"it": "àéèìíîóòùº", "nl": "áäéëèïíóöüê", "da": "æøåéüöä", "sv": "åäöéàü", "nb": "æøåéòóôö", "fi": "äöåéšž",
	"is": "áðéíóúýþæö", "ca": "àçéèíïóòúü·", "ga": "áéíóú", "tr": "çğıöşüâîû", "cs": "áčďéěíňóřšťúůýž",
	"sk": "áäčďéíĺľňóôŕšťúýž", "pl": "ąćęłńóśźżé", "hu": "áéíóöőúüű", "hr": "čćđšž", "sl": "čšžćđ", "ro": "ăâîşţ",
	"sq": "çë", "lt": "ąčęėįšųūž", "lv": "āčēģīķļņšūž", "et": "äõöüšž", "vi": "àáãèéêìíðòóôõùúýăđĩũơưâạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
	"eo": "ĉĝĥĵŝŭ", "eu": "çñü", "tl": "ñ",
}

func main() {
	dir := os.Args[1]
	fmt.Println("# Made by makelanguages.go of lingua-go v1.4.0 (Peter M. Stahl, Apache License 2.0) and OpenCC as in opencc-js 1.4.2 (Apache License 2.0). Each cost is -4 ln p.")
	scripts := map[string]*unicode.RangeTable{"Cyrl": unicode.Cyrillic, "Grek": unicode.Greek, "Hebr": unicode.Hebrew, "Arab": unicode.Arabic, "Thai": unicode.Thai, "Latn": unicode.Latin}
	for _, l := range strings.Fields("Cyrl:ru Cyrl:uk Cyrl:bg Cyrl:be Cyrl:sr Cyrl:mk Grek:el Hebr:he Arab:ar Arab:fa Arab:ur Thai:th " +
		"Latn:en Latn:de Latn:fr Latn:es Latn:pt Latn:it Latn:nl Latn:da Latn:sv Latn:nb Latn:fi Latn:is Latn:ca Latn:ga " +
		"Latn:tr Latn:cs Latn:sk Latn:pl Latn:hu Latn:hr Latn:sl Latn:ro Latn:sq Latn:lt Latn:lv Latn:et Latn:vi Latn:eo " +
		"Latn:id Latn:eu Latn:tl Latn:sw") {
		script, lang, _ := strings.Cut(l, ":")
		uni := map[rune]float64{}
		total := 0.0
		frequencies := model(dir, lang, "unigrams")
		for _, k := range slices.Sorted(maps.Keys(frequencies)) {
			p := frequencies[k]
			r := fold([]rune(k)[0])
			if unicode.Is(scripts[script], r) && (script != "Latn" || r < 0x80 || strings.ContainsRune(accented[lang], r)) {
				uni[r] += p
			}
		}
		units := func(k string) []rune { return []rune(k) }
		if lang == "vi" {
			units = decomposed
			uni = map[rune]float64{}
			for _, k := range slices.Sorted(maps.Keys(frequencies)) {
				p := frequencies[k]
				if r := []rune(k)[0]; r < 0x80 || strings.ContainsRune(accented[lang], r) {
					for _, u := range units(k) {
						uni[u] += p
					}
				}
			}
		}
		var letters []rune
		for _, r := range slices.Sorted(maps.Keys(uni)) {
			if p := uni[r]; p >= 3e-5 {
				letters = append(letters, r)
				total += p
			}
		}
		sort.Slice(letters, func(i, j int) bool { return letters[i] < letters[j] })
		// joint frequencies, the boundary is 0
		n := len(letters) + 1
		at := map[rune]int{}
		for i, r := range letters {
			at[r] = i + 1
		}
		joint := make([][]float64, n)
		for i := range joint {
			joint[i] = make([]float64, n)
		}
		raw := model(dir, lang, "unigrams")
		bigrams := model(dir, lang, "bigrams")
		if bigrams == nil {
			bigrams = map[string]float64{}
			for _, a := range letters {
				for _, b := range letters {
					bigrams[string([]rune{a, b})] = 0.82 * uni[b] / total
				}
			}
		}
		for _, k := range slices.Sorted(maps.Keys(bigrams)) {
			p := bigrams[k]
			r := []rune(k)
			x, y := units(string(fold(r[0]))), units(string(fold(r[1])))
			a, b := at[x[len(x)-1]], at[y[0]]
			if a > 0 && b > 0 {
				joint[a][b] += p * raw[string(r[0])]
			}
		}
		for _, k := range slices.Sorted(maps.Keys(raw)) {
			p := raw[k]
			x := units(k)
			for i := 1; i < len(x); i++ {
				if a, b := at[x[i-1]], at[x[i]]; a > 0 && b > 0 {
					joint[a][b] += p
				}
			}
		}
		for i := 1; i < n; i++ {
			row, col := 0.0, 0.0
			for j := 1; j < n; j++ {
				row += joint[i][j]
				col += joint[j][i]
			}
			u := uni[letters[i-1]]
			joint[i][0] = math.Max(u-row, u/200)
			joint[0][i] = math.Max(u-col, u/200)
		}
		fmt.Printf("%s %s %s ", lang, script, string(letters))
		var out []byte
		for i := 0; i < n; i++ {
			sum := 0.0
			for j := range joint[i] {
				sum += joint[i][j]
			}
			for j := range joint[i] {
				u := 0.1
				if j > 0 {
					u = uni[letters[j-1]]
				}
				// smoothed by the letters' own frequency
				p := (joint[i][j] + 1e-6*u) / (sum + 1e-6)
				if i == 0 && j == 0 {
					p = 1
				}
				out = append(out, cost(p))
			}
		}
		fmt.Println(string(out))
	}
	zh := map[rune]float64{}
	for k, p := range model(dir, "zh", "unigrams") {
		zh[[]rune(k)[0]] = p
	}
	hans, hant := map[rune]float64{}, map[rune]float64{}
	ts, st := mapping(os.Args[2], "TSCharacters"), mapping(os.Args[2], "STCharacters")
	for _, r := range slices.Sorted(maps.Keys(zh)) {
		p := zh[r]
		s := r
		if m, ok := ts[r]; ok {
			s = m
		}
		hans[s] += p
		if m, ok := st[r]; ok && m != r && zh[r] < zh[m]*4 {
			hant[m] += p
		} else {
			hant[r] += p
		}
	}
	of := func(l string) map[rune]float64 {
		m := map[rune]float64{}
		for k, p := range model(dir, l, "unigrams") {
			m[[]rune(k)[0]] = p
		}
		return m
	}
	for _, l := range []struct {
		name string
		p    map[rune]float64
	}{{"zh-hans", hans}, {"zh-hant", hant}, {"ja", of("ja")}, {"ko", of("ko")}} {
		level := map[int][]rune{}
		for r, p := range l.p {
			if r < 0x2E80 {
				continue
			}
			if q := int(cost(p) - '0'); q <= 48 {
				level[q] = append(level[q], r)
			}
		}
		fmt.Printf("%s", l.name)
		for q := 0; q <= 60; q++ {
			if len(level[q]) > 0 {
				sort.Slice(level[q], func(i, j int) bool { return level[q][i] < level[q][j] })
				fmt.Printf(" %d:%s", q, string(level[q]))
			}
		}
		fmt.Println()
	}
}

// mapping reads a dictionary of OpenCC, such as "傷 伤|償 偿", from the folder dir.
// It returns the second character of each pair by the first.
func mapping(dir, name string) map[rune]rune {
	b, err := os.ReadFile(dir + "/dist/esm-lib/dict/" + name + ".js")
	if err != nil {
		panic(err)
	}
	text := string(b)
	text = text[strings.IndexAny(text, "\"'`")+1:]
	text = text[:strings.LastIndexAny(text, "\"'`")]
	out := map[rune]rune{}
	for _, pair := range strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == '\n' }) {
		f := strings.Fields(pair)
		if len(f) < 2 {
			continue
		}
		if a, b := []rune(f[0]), []rune(f[1]); len(a) == 1 && len(b) == 1 {
			out[a[0]] = b[0]
		}
	}
	return out
}

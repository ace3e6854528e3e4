package block

import (
	_ "embed"
	"strings"
	"unicode"

	"infomall/store/page"
)

//go:embed data/labels.txt
var labelList string

// labelWords are the words of class, id and role; labelSigns those that may
// stand anywhere in them.
var labelWords, labelSigns = func() (words map[string]Label, signs map[string]Label) {
	words, signs = map[string]Label{}, map[string]Label{}
	for line := range strings.Lines(labelList) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || name[0] == '#' {
			continue
		}
		for w := range strings.FieldsSeq(list) {
			if w[0] < 0x80 {
				words[w] = labelNamed(name)
			} else {
				signs[w] = labelNamed(name)
			}
		}
	}
	return words, signs
}()

func labelNamed(name string) Label {
	for l, n := range labelNames {
		if n == name {
			return Label(l)
		}
	}
	panic("block: labels.txt has no such label: " + name)
}

// addElement adds what one element's name and attributes say.
func addElement(t *page.Tree, i int, e *evidence) {
	switch t.Nodes[i].Tag {
	case page.TagNav, page.TagMenu:
		e[Nav] += 3
	case page.TagHeader:
		e[Header] += 2
	case page.TagFooter:
		e[Footer] += 3
	case page.TagAside:
		e[Aside] += 3
	case page.TagMain, page.TagArticle:
		e[Main] += 3
	case page.TagForm:
		e[Form]++
	case page.TagFigure:
		e[Media]++
	}
	for a := range t.Attrs(i) {
		if len(a.Name) < 2 || len(a.Name) > 5 {
			continue
		}
		switch strings.ToLower(string(a.Name)) {
		case "class", "id":
			addNames(string(a.Value), 1, e)
		case "role":
			addNames(string(a.Value), 2, e)
		}
	}
}

// addNames adds what the words of a class or id say. The last word says most:
// "header-search" is a search.
func addNames(value string, weight float64, e *evidence) {
	var found [Other + 1]float64
	for _, name := range strings.Fields(value) {
		words := nameWords(name)
		for i, w := range words {
			if l, ok := labelWords[w]; ok {
				v := weight
				if i == len(words)-1 {
					v *= 1.5
				}
				found[l] = max(found[l], v)
			}
		}
		if strings.IndexFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) >= 0 {
			for sign, l := range labelSigns {
				if strings.Contains(name, sign) {
					found[l] = max(found[l], weight)
				}
			}
		}
	}
	found[Main] *= .5 // "content" and "body" are names of anything.
	found[Media] *= 1.6
	for l, v := range found {
		e[l] += v
	}
}

// nameWords splits a name at punctuation, digits and changes of case:
// "leftNav_2" has left and nav.
func nameWords(name string) []string {
	var words []string
	from := 0
	for i := 0; i <= len(name); i++ {
		upper := i < len(name) && i > 0 && name[i] >= 'A' && name[i] <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z'
		if i == len(name) || upper || !letter(name[i]) {
			if i > from {
				words = append(words, strings.ToLower(name[from:i]))
			}
			from = i
			if !upper {
				from++
			}
		}
	}
	return words
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

package block

import (
	"bytes"
	_ "embed"
	"strings"

	"infomall/store/page"
)

//go:embed data/labels.txt
var labelList string

// labelWords are the words of class, id and role; labelSigns those that may
// stand anywhere in them.
var labelWords, labelSigns = func() (words *wordTable, signs map[string]Label) {
	words, signs = newWordTable(), map[string]Label{}
	for line := range strings.Lines(labelList) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || name[0] == '#' {
			continue
		}
		for w := range strings.FieldsSeq(list) {
			if w[0] < 0x80 {
				words.add(w, uint8(labelNamed(name)))
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
	if !t.May(i, page.AttrNames) {
		return
	}
	for a := range t.Attrs(i) {
		switch naming(a.Name) {
		case nameClass:
			addNames(a.Value, 1, e)
		case nameRole:
			addNames(a.Value, 2, e)
		}
	}
}

// Attributes whose values are names.
const (
	nameNone  = iota
	nameClass // class or id
	nameRole
)

// naming tells what an attribute of that name is.
func naming(name []byte) int {
	switch len(name) {
	case 2:
		if name[0]|0x20 == 'i' && name[1]|0x20 == 'd' {
			return nameClass
		}
	case 4:
		if equalFold(name, "role") {
			return nameRole
		}
	case 5:
		if equalFold(name, "class") {
			return nameClass
		}
	}
	return nameNone
}

// equalFold compares b with want, which is of small letters.
func equalFold(b []byte, want string) bool {
	for i := range len(want) {
		if b[i]|0x20 != want[i] {
			return false
		}
	}
	return true
}

// addNames adds what the words of a class or id say. The last word says most:
// "header-search" is a search.
func addNames(value []byte, weight float64, e *evidence) {
	var found evidence
	any := false
	last, lastFound := uint8(0), false // what the last word so far of the name says
	labelWords.eachWord(value, func(label uint8, ok bool) {
		if last, lastFound = label, ok; ok {
			found[label] = max(found[label], weight)
			any = true
		}
	}, func(name []byte) {
		if lastFound {
			found[last] = max(found[last], weight*1.5)
		}
		lastFound = false
		if name != nil {
			for sign, l := range labelSigns {
				if bytes.Contains(name, []byte(sign)) {
					found[l] = max(found[l], weight)
					any = true
				}
			}
		}
	})
	if !any {
		return
	}
	found[Main] *= .5 // "content" and "body" are names of anything.
	found[Media] *= 1.6
	for l, v := range found {
		e[l] += v
	}
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

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

// addElement adds what one element's name and attributes say. Memory may be nil.
func addElement(t *page.Tree, i int, memory *nameMemory, e *evidence) {
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
		if sort := naming(a.Name); sort != nameNone {
			memory.add(a.Value, sort, e)
		}
	}
}

// nameMemory remembers what values of class, id and role say: most elements of
// a page have a class that others have. A place is of the value that came last.
type nameMemory [128]struct {
	value []byte
	sort  int
	says  evidence
}

// add adds what a value says.
func (m *nameMemory) add(value []byte, sort int, e *evidence) {
	if m == nil || len(value) == 0 {
		addNames(value, float64(sort), e)
		return
	}
	last := len(value) - 1
	h := uint(len(value)) + 31*uint(value[0]) + 7*uint(value[last]) + 17*uint(value[last/2]) + 3*uint(value[last*3/4]) + uint(sort)
	at := &m[h%uint(len(m))]
	if at.sort != sort || !bytes.Equal(at.value, value) {
		at.value, at.sort, at.says = value, sort, evidence{}
		addNames(value, float64(sort), &at.says)
	}
	e.add(&at.says, 1)
}

// Attributes whose values are names, by what these weigh.
const (
	nameNone  = 0
	nameClass = 1 // class or id
	nameRole  = 2
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

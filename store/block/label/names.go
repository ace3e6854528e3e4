package label

import (
	"bytes"
	_ "embed"
	"strings"
	"sync"

	"infomall/store/page/markup"
	"infomall/store/words"
)

//go:embed labels.txt
var labelList string

// labelled returns the words of labels.txt with their labels. table has the
// words that must equal a whole word of a class, id or role. signs has the
// words that begin with a letter beyond ASCII; they match anywhere in a name.
var labelled = sync.OnceValues(func() (table *words.Table, signs map[string]Label) {
	table, signs = words.NewTable(), map[string]Label{}
	for line := range strings.Lines(labelList) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || name[0] == '#' {
			continue
		}
		for w := range strings.FieldsSeq(list) {
			if w[0] < 0x80 {
				table.Add(w, uint8(labelNamed(name)))
			} else {
				signs[w] = labelNamed(name)
			}
		}
	}
	return table, signs
})

// labelNamed returns the label with the given name, such as Nav for "nav". It
// panics if no label has that name.
func labelNamed(name string) Label {
	for l, n := range labelNames {
		if n == name {
			return Label(l)
		}
	}
	panic("label: labels.txt has no such label: " + name)
}

// AddElement adds to e the evidence of element i of the page: its tag, and the words in its
// class, id and role. memory saves time for values that repeat; it may be nil.
func (e *Evidence) AddElement(t *markup.Tree, i int, memory *Memory) {
	switch t.Nodes[i].Tag {
	case markup.TagNav, markup.TagMenu:
		e[Nav] += 3
	case markup.TagHeader:
		e[Header] += 2
	case markup.TagFooter:
		e[Footer] += 3
	case markup.TagAside:
		e[Aside] += 3
	case markup.TagMain, markup.TagArticle:
		e[Main] += 3
	case markup.TagForm:
		e[Form]++
	case markup.TagFigure:
		e[Media]++
	}
	if !t.May(i, markup.AttrNames) {
		return
	}
	for a := range t.Attrs(i) {
		if sort := naming(a.Name); sort != nameNone {
			memory.add(a.Value, sort, e)
		}
	}
}

// Memory remembers the evidence of values of class, id and role, because most
// elements of a page share their class with others. The hash of a value chooses
// its slot; a new value replaces the value that was in the slot before.
type Memory [128]struct {
	value []byte
	sort  int // nameClass or nameRole
	says  Evidence
}

// add adds the evidence of an attribute's value to e. sort is the kind of the
// attribute, nameClass or nameRole. m may be nil.
func (m *Memory) add(value []byte, sort int, e *Evidence) {
	if m == nil || len(value) == 0 {
		addNames(value, float64(sort), e)
		return
	}
	last := len(value) - 1
	h := uint(len(value)) + 31*uint(value[0]) + 7*uint(value[last]) + 17*uint(value[last/2]) + 3*uint(value[last*3/4]) + uint(sort)
	at := &m[h%uint(len(m))]
	if at.sort != sort || !bytes.Equal(at.value, value) {
		at.value, at.sort, at.says = value, sort, Evidence{}
		addNames(value, float64(sort), &at.says)
	}
	e.Add(&at.says, 1)
}

// The kinds of attributes, and the weights of the words in their values.
const (
	nameNone  = 0 // any other attribute
	nameClass = 1 // class or id
	nameRole  = 2
)

// IsNaming reports whether an attribute with this name names the purpose of its
// element. It is true for class, id and role, in upper or lower case.
func IsNaming(name []byte) bool { return naming(name) != nameNone }

// naming returns nameClass for "class" and "id", nameRole for "role", and nameNone
// for any other attribute, in upper or lower case.
func naming(name []byte) int {
	switch len(name) {
	case 2:
		if name[0]|0x20 == 'i' && name[1]|0x20 == 'd' {
			return nameClass
		}
	case 4:
		if markup.EqualFold(name, "role") {
			return nameRole
		}
	case 5:
		if markup.EqualFold(name, "class") {
			return nameClass
		}
	}
	return nameNone
}

// addNames adds to e the evidence of the words in value, the value of a class, id or role
// attribute. weight is the score of one word. The last word of each name counts most:
// "header-search" names a search form rather than a header.
func addNames(value []byte, weight float64, e *Evidence) {
	var found Evidence
	any := false
	last, lastFound := uint8(0), false // label of the name's last word so far, if it has one
	table, signs := labelled()
	table.EachWord(value, func(label uint8, ok bool) {
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
			for sign, l := range signs {
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
	found[Main] *= .5 // Anything may be named "content" or "body".
	found[Media] *= 1.6
	for l, v := range found {
		e[l] += v
	}
}

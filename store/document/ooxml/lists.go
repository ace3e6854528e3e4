package ooxml

import (
	"strconv"
	"strings"

	"infomall/store/document/office"
	"infomall/store/document/xmlpull"
)

// lists are the numbered lists of a document, with the numbers that were used last.
type lists struct {
	abstract map[string]*list // by ID
	byID     map[string]*list // by the ID of a list that paragraphs use
}

// listLevels is how many levels a list has.
const listLevels = 9

// list is a list with the numbers of its paragraphs so far.
type list struct {
	levels [listLevels]listLevel
	count  [listLevels]int
	begun  [listLevels]bool
}

// listLevel says how the paragraphs of one level are numbered.
type listLevel struct {
	start  int
	format string // such as "decimal"; bullets are not text
	text   string // such as "%1.%2."
}

// readLists reads the part with the lists. There are none if the part is missing.
func readLists(p *parts, part string) *lists {
	l := &lists{abstract: map[string]*list{}, byID: map[string]*list{}}
	if part == "" {
		return l
	}
	s, err := p.scan(part)
	if err != nil {
		return l
	}
	current, level, num := &list{}, 0, ""
	for s.Next() {
		if s.Kind != xmlpull.Start || len(l.byID)+len(l.abstract) > partsMax {
			continue
		}
		value := s.Attr("w:val")
		switch s.Name {
		case "w:abstractNum":
			current = &list{}
			l.abstract[s.Attr("w:abstractNumId")] = current
		case "w:lvl", "w:lvlOverride":
			n, _ := strconv.Atoi(s.Attr("w:ilvl"))
			level = max(0, min(n, listLevels-1))
			if s.Name == "w:lvlOverride" && l.byID[num] != nil {
				own := *l.byID[num] // lists with the same definition count on, but not this one
				current, l.byID[num] = &own, &own
			}
		case "w:start", "w:startOverride":
			current.levels[level].start, _ = strconv.Atoi(value)
		case "w:numFmt":
			current.levels[level].format = value
		case "w:lvlText":
			current.levels[level].text = value
		case "w:num":
			num = s.Attr("w:numId")
		case "w:abstractNumId":
			current = l.abstract[value]
			if current == nil {
				current = &list{}
			}
			l.byID[num] = current
		}
	}
	return l
}

// number returns the number of the next paragraph of a list with a blank, such as
// "2.1. ". It returns "" for bullets and for paragraphs that are in no list.
func (l *lists) number(id string, level int) string {
	li := l.byID[id]
	if li == nil || level < 0 || level >= listLevels {
		return ""
	}
	if !li.begun[level] {
		li.begun[level], li.count[level] = true, li.levels[level].start
	} else {
		li.count[level]++
	}
	for i := level + 1; i < listLevels; i++ {
		li.begun[i] = false
	}
	if f := li.levels[level].format; f == "bullet" || f == "none" {
		return ""
	}
	var out strings.Builder
	text := li.levels[level].text
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+1 < len(text) && text[i+1] >= '1' && text[i+1] <= '9' {
			n := int(text[i+1] - '1')
			count := li.count[n]
			if !li.begun[n] {
				count = li.levels[n].start
			}
			out.WriteString(office.Number(count, formats[li.levels[n].format]))
			i++
			continue
		}
		out.WriteByte(text[i])
	}
	if out.Len() == 0 {
		return ""
	}
	return out.String() + " "
}

// formats are the formats of numbers, as office.Number has them. Others are written in
// decimal digits.
var formats = map[string]byte{"decimalZero": '0', "lowerLetter": 'a', "upperLetter": 'A', "lowerRoman": 'i', "upperRoman": 'I'}

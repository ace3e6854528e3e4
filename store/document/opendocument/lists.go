package opendocument

import (
	"strconv"

	"infomall/store/document/office"
	"infomall/store/document/xmlpull"
)

// lists are the numbered lists of a file.
type lists struct {
	styles map[string]*listStyle
	counts map[string]*[listLevels]int // by the name of a style: the numbers that were used last
	open   []string                    // the styles of the lists that are open, the inner ones last
	number string                      // of the current item, until its text comes
}

// listLevels is how many levels a list has.
const listLevels = 10

// listStyle says how the items of a list are numbered.
type listStyle [listLevels]struct {
	format         byte // as office.Number has it; 0 for bullets and items without a number
	prefix, suffix string
	start          int
	shown          int // how many levels a number shows
}

// style reads the style that has just started, and goes to its end.
func (l *lists) style(s *xmlpull.Scanner) {
	if l.styles == nil {
		l.styles, l.counts = map[string]*listStyle{}, map[string]*[listLevels]int{}
	}
	one := &listStyle{}
	if len(l.styles) < stylesMax {
		l.styles[s.Attr("style:name")] = one
	}
	for depth := s.Depth(); s.Depth() >= depth && s.Next(); {
		if s.Kind != xmlpull.Start || s.Name != "text:list-level-style-number" {
			continue
		}
		n, err := strconv.Atoi(s.Attr("text:level"))
		if err != nil || n < 1 || n > listLevels {
			continue
		}
		level := &one[n-1]
		if format := s.Attr("style:num-format"); format != "" {
			level.format = format[0]
		}
		level.prefix, level.suffix = s.Attr("style:num-prefix"), s.Attr("style:num-suffix")
		level.start, level.shown = max(1, number(s.Attr("text:start-value"))), max(1, number(s.Attr("text:display-levels")))
	}
}

// number returns the number that an attribute says, or 0.
func number(attr string) int {
	n, _ := strconv.Atoi(attr)
	return n
}

// begin begins a list with the given style. If style is "", a list inside of another has the style
// of the outer list. goOn says that the numbers continue those of the previous list.
func (l *lists) begin(style string, goOn bool) {
	if n := len(l.open); style == "" && n > 0 {
		style = l.open[n-1]
	}
	l.open, l.number = append(l.open, style), ""
	if counts := l.counts[style]; counts != nil && !goOn {
		for i := min(len(l.open), listLevels) - 1; i < listLevels; i++ {
			counts[i] = 0
		}
	}
}

// end ends the innermost list.
func (l *lists) end() {
	if n := len(l.open); n > 0 {
		l.open, l.number = l.open[:n-1], ""
	}
}

// item begins an item of the innermost list, and sets l.number to the number that is shown before
// the item, such as "2.1.".
func (l *lists) item() {
	l.number = ""
	depth := len(l.open)
	if depth == 0 || depth > listLevels {
		return
	}
	name := l.open[depth-1]
	style := l.styles[name]
	if style == nil || style[depth-1].format == 0 {
		return
	}
	counts := l.counts[name]
	if counts == nil {
		counts = &[listLevels]int{}
		l.counts[name] = counts
	}
	level := &style[depth-1]
	if counts[depth-1]++; counts[depth-1] == 1 {
		counts[depth-1] = level.start
	}
	text := level.prefix
	for i := max(0, depth-level.shown); i < depth; i++ {
		if style[i].format != 0 {
			if text != level.prefix {
				text += "."
			}
			text += office.Number(max(1, counts[i]), style[i].format)
		}
	}
	l.number = text + level.suffix
}

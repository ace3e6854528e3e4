package divide

import (
	"bytes"

	"infomall/store/block/flow"
	"infomall/store/page/markup"
)

// prose is the largest size in bytes of a paragraph of preformatted text that
// stays whole. Longer paragraphs, such as logs and listings, divide into lines.
const prose = 2048

// knownLines returns m.lines(a). It remembers its last result, because it is
// often called again with the same atom.
func (m *atoms) knownLines(a *atom) []atom {
	if k := (lineKey{a.start, a.end, a.from, a.to, a.pre}); k != m.run || a.to == 0 {
		m.run, m.runLines = k, m.lines(a)
	}
	return m.runLines
}

// lines divides a run of text into groups of lines. A group begins at a
// heading, and after blank lines, several line breaks in a row, or a line of
// dashes. If there is only one group, lines returns the single lines. It
// returns nil if the run does not divide.
func (m *atoms) lines(a *atom) []atom {
	s := lineSplitter{m: m, pre: a.pre, gap: 2}
	s.split(a)
	lines := m.take(&m.built)
	if len(lines) < 2 {
		return nil
	}
	from := 0
	for i := 1; i <= len(lines); i++ {
		if i == len(lines) || lines[i].apart {
			m.built = append(m.built, group(lines[from:i:i]))
			from = i
		}
	}
	groups := m.take(&m.built)
	if len(groups) > 1 {
		for i := range groups {
			if g := &groups[i]; a.pre && g.end-g.start <= prose {
				g.parts = nil
			}
			groups[i].pre = a.pre
		}
		return groups
	}
	if a.pre && a.end-a.start <= prose {
		return nil
	}
	return lines
}

// lineSplitter divides one run of text into lines. Its result is in m.built.
type lineSplitter struct {
	m      *atoms // atoms of the page; the lines are collected in m.built
	pre    bool
	gap    int  // number of line breaks in a row after which the next line begins a group
	line   atom // the current line
	seen   int  // number of line breaks since the line before
	rule   bool // a rule, such as a line of dashes, is directly before the next line
	border bool // that rule is a border
	bold   bool // all of the current line so far is one element that shows its text bold
}

// split walks over the nodes of the run a and collects its lines. It enters
// inline elements that contain a line break. It adds any other inline element to
// the current line as a whole.
func (s *lineSplitter) split(a *atom) {
	nodes := s.m.Page.Nodes
	for i := a.from; i < a.to; {
		s.m.work++
		n := &nodes[i]
		shows := s.m.Shows(int(i))
		switch {
		case n.Kind == markup.Element && n.Tag == markup.TagBr:
			s.newline()
		case n.Kind == markup.Text || n.Kind == markup.Raw:
			if s.pre {
				s.preText(max(n.Inner, a.start), min(n.Outer, a.end), i)
			} else if shows.Text > 0 {
				s.add(n.Start, n.End, i, n.Next, shows, false)
			}
		case shows.Empty():
			if n.Kind == markup.Element && s.m.border(int(i), int(n.Next)) {
				s.rule, s.border = true, true
			}
		case shows.Breaks > 0 || n.Next > a.to || s.pre && n.Next > i+1 && shows.Text > 0:
			i++
			continue
		default:
			s.add(n.Start, n.End, i, n.Next, shows, emphasis(n.Tag))
		}
		i = n.Next
	}
	s.end()
}

// emphasis reports whether an element with this tag shows its text bold.
func emphasis(t markup.Tag) bool {
	switch t {
	case markup.TagB, markup.TagStrong, markup.TagBig, markup.TagH1, markup.TagH2, markup.TagH3, markup.TagH4, markup.TagH5, markup.TagH6:
		return true
	}
	return false
}

// preText adds Body[start:end], preformatted text of the given node, to the
// lines. Each newline in it ends a line.
func (s *lineSplitter) preText(start, end, node int32) {
	body := s.m.Page.Body
	for start < end {
		stop := end
		if i := bytes.IndexByte(body[start:end], '\n'); i >= 0 {
			stop = start + int32(i)
		}
		if c := flow.Inked(body[start:stop]); c > 0 {
			s.add(start, stop, node, node+1, flow.Amount{Text: c}, false)
		}
		if stop < end {
			s.newline()
			stop++
		}
		start = stop
	}
}

// add adds Body[start:end], which is Nodes[from:to], to the current line. shows
// is the amount that these nodes show. bold says whether their text is shown
// bold.
func (s *lineSplitter) add(start, end, from, to int32, shows flow.Amount, bold bool) {
	if s.line.end == 0 {
		s.line = atom{start: start, from: from, pre: s.pre, apart: s.seen >= s.gap || s.rule, border: s.border}
		s.seen, s.rule, s.border, s.bold = 0, false, false, bold
	} else {
		s.bold = false
	}
	s.line.end, s.line.to = end, to
	s.line.show(shows)
}

// newline ends the current line and counts one line break.
func (s *lineSplitter) newline() {
	s.end()
	s.seen++
}

// end appends the current line to the lines, unless it is empty. A line of
// dashes sets the next line apart. A short line that is one bold element is a
// heading, and is set apart from the line before.
func (s *lineSplitter) end() {
	if s.line.end == 0 {
		return
	}
	if dashes(s.m.Page.Body[s.line.start:s.line.end]) {
		s.rule = true
	}
	if s.bold && s.line.text < 100 {
		s.line.apart = true
	}
	if s.line.text == 0 && s.line.weight <= 16 && s.m.border(int(s.line.from), int(s.line.to)) {
		s.line.apart, s.line.border = true, true
	}
	s.m.built = append(s.m.built, s.line)
	s.line, s.bold = atom{}, false
}

// dashes reports whether b is a line drawn with characters, such as "-----" or
// "* * * * *": at least five of them, and otherwise only blanks.
func dashes(b []byte) bool {
	n := 0
	for _, c := range b {
		switch c {
		case '-', '=', '*', '_', '~', '#', '.', '+':
			n++
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return n >= 5
}

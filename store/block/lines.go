package block

import (
	"bytes"

	"infomall/store/page"
)

// prose is how long a paragraph of preformatted text may be and stay whole.
// Longer ones, such as logs and listings, divide into lines.
const prose = 2048

// knownLines is lines, made once for calls that follow one another.
func (m *atoms) knownLines(a *atom) []atom {
	if k := (lineKey{a.start, a.end, a.from, a.to, a.pre}); k != m.run || a.to == 0 {
		m.run, m.runLines = k, m.lines(a)
	}
	return m.runLines
}

// lines takes a run of text apart: at blank lines, runs of line breaks, lines
// of dashes and lines that are headings; where there are none of these, at
// every line break.
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

// lineSplitter gathers lines; line is the one being read.
type lineSplitter struct {
	m      *atoms // builds the lines
	pre    bool
	gap    int // breaks in a row that set lines apart
	line   atom
	seen   int // breaks since the last line
	rule   bool
	border bool // so is the rule
	bold   bool // the line so far is one emphasised element
}

// split walks the nodes of a run. Inline elements that hold a break are passed
// through, others taken whole.
func (s *lineSplitter) split(a *atom) {
	nodes := s.m.t.Nodes
	for i := a.from; i < a.to; {
		s.m.work++
		n := &nodes[i]
		shows := s.m.shows(int(i))
		switch {
		case n.Kind == page.Element && n.Tag == page.TagBr:
			s.newline()
		case n.Kind == page.Text || n.Kind == page.Raw:
			if s.pre {
				s.preText(max(n.Inner, a.start), min(n.Outer, a.end), i)
			} else if shows.text > 0 {
				s.add(n.Start, n.End, i, n.Next, shows, false)
			}
		case empty(shows):
			if n.Kind == page.Element && s.m.border(int(i), int(n.Next)) {
				s.rule, s.border = true, true
			}
		case shows.breaks > 0 || n.Next > a.to || s.pre && n.Next > i+1 && shows.text > 0:
			i++
			continue
		default:
			s.add(n.Start, n.End, i, n.Next, shows, emphasis(n.Tag))
		}
		i = n.Next
	}
	s.end()
}

func emphasis(t page.Tag) bool {
	switch t {
	case page.TagB, page.TagStrong, page.TagBig, page.TagH1, page.TagH2, page.TagH3, page.TagH4, page.TagH5, page.TagH6:
		return true
	}
	return false
}

// preText adds preformatted text, in which newlines break lines.
func (s *lineSplitter) preText(start, end, node int32) {
	body := s.m.t.Body
	for start < end {
		stop := end
		if i := bytes.IndexByte(body[start:end], '\n'); i >= 0 {
			stop = start + int32(i)
		}
		if c := inked(body[start:stop]); c > 0 {
			s.add(start, stop, node, node+1, amount{text: c}, false)
		}
		if stop < end {
			s.newline()
			stop++
		}
		start = stop
	}
}

func (s *lineSplitter) add(start, end, from, to int32, shows amount, bold bool) {
	if s.line.end == 0 {
		s.line = atom{start: start, from: from, pre: s.pre, apart: s.seen >= s.gap || s.rule, border: s.border}
		s.seen, s.rule, s.border, s.bold = 0, false, false, bold
	} else {
		s.bold = false
	}
	s.line.end, s.line.to = end, to
	s.line.show(shows)
}

func (s *lineSplitter) newline() {
	s.end()
	s.seen++
}

// end takes the line being read. A line of dashes sets what follows apart; a
// short line that is emphasised as a whole is a heading, and stands apart.
func (s *lineSplitter) end() {
	if s.line.end == 0 {
		return
	}
	if dashes(s.m.t.Body[s.line.start:s.line.end]) {
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

// dashes reports whether b is a line drawn with characters.
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

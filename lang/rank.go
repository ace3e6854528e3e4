package lang

import (
	"slices"

	"infomall/lang/ast"
)

// pageRank returns the tree of PAGERANK.
func (b *builder) pageRank(s *pageRankSyntax) *ast.PageRank {
	p := &ast.PageRank{Span: spanOfAll(s.Tokens), Name: optionalName(s.Name)}
	for _, c := range s.Clauses {
		twice := b.pageRankClause(p, c)
		if twice != "" {
			b.fail(spanOfAll(c.Tokens), twice+" stands twice", "")
		}
	}
	return p
}

// pageRankClause adds one clause to p. twice is the word of the clause, such as
// "OVER", if p already had one, else "".
func (b *builder) pageRankClause(p *ast.PageRank, c *pageRankClauseSyntax) (twice string) {
	switch {
	case present(c.Graph):
		twice = ifSet(p.Graph != nil || p.Scopes != nil, "OVER")
		p.Graph = optionalName(c.Graph)
	case c.Scopes != nil:
		twice = ifSet(p.Scopes != nil || p.Graph != nil, "OVER")
		p.Scopes = scopes(c.Scopes)
	case present(c.Damping):
		twice = ifSet(p.Damping != nil, "DAMPING")
		p.Damping = literal(&c.Damping)
	case present(c.Tolerance):
		twice = ifSet(p.Tolerance != nil, "TOLERANCE")
		p.Tolerance = literal(&c.Tolerance)
	case present(c.Iterations):
		twice = ifSet(p.Iterations != nil, "ITERATIONS")
		p.Iterations = literal(&c.Iterations)
	case present(c.Norm):
		twice = ifSet(p.Norm != "", "NORM")
		if p.Norm = upperASCII(c.Norm.Value); p.Norm != "1" && p.Norm != "N" {
			b.fail(spanOf(&c.Norm), "no norm "+p.Norm, "NORM 1 is ranks whose sum is 1, NORM N ranks whose sum is the number of nodes")
		}
	case c.Seeds != nil:
		twice = ifSet(p.Seeds != nil, "SEEDS")
		for _, t := range c.Seeds {
			p.Seeds = append(p.Seeds, newText(&t.Text))
		}
	case c.Without != nil:
		twice = ifSet(p.Without != nil, "WITHOUT")
		p.Without = withouts(c.Without)
	case c.By != "":
		twice = ifSet(p.By != "", "BY")
		p.By = foldASCII(c.By)
	case c.Warm:
		twice = ifSet(p.Warm, "WARM")
		p.Warm = true
	default:
		twice = addTime(&p.Time, c.Time)
	}
	return twice
}

// hits returns the tree of HITS.
func (b *builder) hits(s *hitsSyntax) *ast.HITS {
	h := &ast.HITS{Span: spanOfAll(s.Tokens), Name: optionalName(s.Name)}
	for _, c := range s.Clauses {
		if twice := hitsClause(h, c); twice != "" {
			b.fail(spanOfAll(c.Tokens), twice+" stands twice", "")
		}
	}
	if h.Words == nil && h.Scopes == nil && h.Graph == nil {
		b.fail(h.Span, "HITS of what?", "write HITS FOR 'words', or HITS OVER 'scope'; '*' is everything")
	}
	return h
}

// hitsClause adds one clause to h. twice is the word of the clause if h already
// had one, else "".
func hitsClause(h *ast.HITS, c *hitsClauseSyntax) (twice string) {
	switch {
	case c.Words != nil:
		twice = ifSet(h.Words != nil, "FOR")
		h.Words = newText(&c.Words.Text)
	case present(c.Graph):
		twice = ifSet(h.Graph != nil || h.Scopes != nil, "OVER")
		h.Graph = optionalName(c.Graph)
	case c.Scopes != nil:
		twice = ifSet(h.Scopes != nil || h.Graph != nil, "OVER")
		h.Scopes = scopes(c.Scopes)
	case c.Variant != "":
		twice = ifSet(h.Variant != "", "VARIANT")
		h.Variant = foldASCII(c.Variant)
	case present(c.Keep):
		twice = ifSet(h.Keep != nil, "KEEP")
		h.Keep = literal(&c.Keep)
	case present(c.Iterations):
		twice = ifSet(h.Iterations != nil, "ITERATIONS")
		h.Iterations = literal(&c.Iterations)
	case c.Weight != "":
		twice = ifSet(h.Weight != "", "WEIGHT")
		h.Weight = foldASCII(c.Weight)
	case c.Within != "":
		twice = ifSet(h.Within != "", "WITHIN")
		h.Within = foldASCII(c.Within)
	case c.Stop != nil:
		twice = ifSet(h.Stop != nil, "WITHOUT HOST")
		for _, t := range c.Stop {
			h.Stop = append(h.Stop, newText(&t.Text))
		}
	default:
		twice = addTime(&h.Time, c.Time)
	}
	return twice
}

// showPath returns the tree of SHOW PATH.
func (b *builder) showPath(at ast.Span, s *pathSyntax) *ast.ShowPath {
	p := &ast.ShowPath{Span: at, From: newText(&s.From), To: newText(&s.To)}
	for _, o := range s.Options {
		twice := ""
		if o.At != nil {
			twice = ifSet(p.Time != nil, "AT")
			p.Time = o.At
		} else {
			twice = ifSet(p.Graph != nil, "OVER")
			p.Graph = optionalName(o.Graph)
		}
		if twice != "" {
			b.fail(spanOfAll(o.Tokens), twice+" stands twice", "")
		}
	}
	return p
}

// addTime adds a range, a choice or both to a time clause. twice is "the time
// clause" if to already had that part, else "".
func addTime(to *ast.TimeClause, s timeSyntax) (twice string) {
	t := s.clause()
	twice = ifSet(to.Range != nil && t.Range != nil || to.Choice != nil && t.Choice != nil, "the time clause")
	if t.Range != nil {
		to.Range = t.Range
	}
	if t.Choice != nil {
		to.Choice = t.Choice
	}
	return twice
}

// dedup returns the tree of DEDUP.
func (b *builder) dedup(s *dedupSyntax) *ast.Dedup {
	d := &ast.Dedup{Span: spanOfAll(s.Tokens)}
	for _, c := range s.Clauses {
		twice := ""
		switch {
		case c.Scopes != nil:
			twice = ifSet(d.Scopes != nil, "IN")
			d.Scopes = scopes(c.Scopes)
		case c.Of != "":
			twice = ifSet(d.Of != "", "OF")
			d.Of = foldASCII(c.Of)
		case c.Method != "":
			twice = ifSet(d.Method != "", "METHOD")
			d.Method = foldASCII(c.Method)
		case present(c.Distance):
			twice = ifSet(d.Distance != nil, "DISTANCE")
			d.Distance = literal(&c.Distance)
		case present(c.Similarity):
			twice = ifSet(d.Similarity != nil, "SIMILARITY")
			d.Similarity = literal(&c.Similarity)
		default:
			twice = addTime(&d.Time, c.Time)
		}
		if twice != "" {
			b.fail(spanOfAll(c.Tokens), twice+" stands twice", "")
		}
	}
	return d
}

// withouts returns the words of WITHOUT in list, each once, in the order of
// ast.Withouts.
func withouts(list []string) []string {
	var out []string
	for _, w := range ast.Withouts {
		if slices.ContainsFunc(list, func(l string) bool { return foldASCII(l) == w }) {
			out = append(out, w)
		}
	}
	return out
}

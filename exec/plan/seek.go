package plan

import (
	"slices"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// seekFirst is the greatest number of rows, asked for by ORDER BY with LIMIT, for which a
// source first looks for their URLs.
const seekFirst = 1000

// seek sets Seek of the query's source, so that the source looks for URLs before it reads
// rows. It does so if the query has one source and needs few of its rows: those for which
// WHERE is true, or the first rows in the order of ORDER BY. limit is the query's LIMIT.
func (b *builder) seek(limit Limit) {
	if b.env.Plain || len(b.inputs) != 1 || b.inputs[0].src == nil {
		return
	}
	src := b.inputs[0].src
	if src.Tally != nil || src.Once || src.Ranges != nil && !slices.ContainsFunc(src.Ranges, func(r urlkey.Range) bool { return r.To != r.From+"\x00" }) {
		return
	}
	// above are the nodes from the root down to the source.
	var above []Node
	for n := b.top; n != Node(src); n = n.Below()[0] {
		if len(n.Below()) != 1 {
			return
		}
		above = append(above, n)
	}
	s := &Seek{}
	s.words(src, above)
	whole := true // Conds are all conditions between the source and what is above
	if len(above) > 0 {
		if f, ok := above[len(above)-1].(*Filter); ok {
			whole = s.filter(src, f)
			above = above[:len(above)-1]
		}
	}
	var top *Top
	if len(above) > 0 {
		top, _ = above[len(above)-1].(*Top)
	}
	if top != nil && whole {
		s.order(src, top)
	}
	timed := !slices.ContainsFunc(s.Fields, func(f int) bool { return src.Fields[f].Name != "time" })
	if s.Words == nil && s.First == 0 && (timed || limit.N >= 0 && b.streams(above)) {
		return // the window has the time already; or a scan ends early
	}
	src.Seek = s
}

// streams reports whether the nodes in list pass rows on as they come. A LIMIT above them
// then ends the reading of the source early.
func (b *builder) streams(list []Node) bool {
	return !slices.ContainsFunc(list, func(n Node) bool {
		switch n.(type) {
		case *Group, *Sort, *Top:
			return true
		}
		return false
	})
}

// words adds to s the columns that say whether a page has the words of a search, if they are
// a condition of WHERE. above has the nodes from the root of the plan down to the source.
func (s *Seek) words(src *Source, above []Node) {
	for _, n := range slices.Backward(above) {
		switch n := n.(type) {
		case *Payload:
		case *Filter:
			for _, cond := range n.Conds {
				c, ok := cond.(*expr.Col)
				if ok && c.Index < len(src.Fields) && src.Fields[c.Index].AsksWords {
					s.Words = append(s.Words, c.Index)
					s.wordings = append(s.wordings, src.Fields[c.Index].Name)
				}
			}
		default:
			return
		}
	}
}

// filter adds to s those conditions of f by which URLs can be looked for. whole reports that
// these are all conditions of f.
func (s *Seek) filter(src *Source, f *Filter) (whole bool) {
	whole = true
	for _, cond := range f.Conds {
		var fields []int
		can := true
		expr.Columns(cond, func(c *expr.Col) {
			can = can && c.Index < len(src.Fields) && relation.Sought(src.Relation, src.Fields[c.Index])
			fields = append(fields, c.Index)
		})
		if !can || fields == nil {
			whole = false
			continue
		}
		s.Conds = append(s.Conds, cond)
		for _, i := range fields {
			if !slices.Contains(s.Fields, i) {
				s.Fields = append(s.Fields, i)
				s.wordings = append(s.wordings, src.Fields[i].Name)
			}
		}
	}
	return whole
}

// order makes s look only for the first rows in the order of top, if this order is one by
// which URLs can be looked for.
func (s *Seek) order(src *Source, top *Top) {
	if top.N <= 0 || top.N > seekFirst || src.Choice.Kind != relation.ChooseAll || src.During != record.MinTime {
		return
	}
	c, ok := top.Keys[0].Expr.(*expr.Col)
	if !ok || c.Index >= len(src.Fields) || top.Keys[0].Order.NullsFirst {
		return
	}
	// Rows that are equal in the first key must come in the order of URLs.
	for i, k := range top.Keys[1:] {
		next, ok := k.Expr.(*expr.Col)
		if !ok || k.Order.Desc || next.Index >= len(src.Fields) || i >= len(src.Relation.Order) || src.Fields[next.Index].Name != src.Relation.Order[i] {
			return
		}
	}
	by := src.Fields[c.Index]
	switch {
	case by.Name == "bytes" && src.Relation == relation.Captures, by.Name == "time" && src.Relation == relation.Captures:
	case by.Name == "bytes" && src.Relation == relation.Versions && s.Conds == nil && src.Window.From == record.MinTime:
		// A capture with a body belongs to a version with the same bytes. But the version need not
		// have the status of the capture, and may begin before the window.
	default:
		return
	}
	s.First, s.By, s.Desc = int(top.N), c.Index, top.Keys[0].Order.Desc
	if !slices.Contains(s.wordings, by.Name) {
		s.wordings = append(s.wordings, by.Name)
	}
}

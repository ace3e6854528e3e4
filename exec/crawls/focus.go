package crawls

import (
	"infomall/exec/value"
	"strings"

	"infomall/crawl/report"
	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/lang/ast"
)

// focusWordsMax is the most words of FOR, and throughMax the largest number of THROUGH.
const (
	focusWordsMax = 16
	throughMax    = 1000
)

// readFocus sets c.o from the clauses FOR, EXPAND and THROUGH. A crawl FOR
// words visits the most promising pages first, unless ORDER sets another order.
func (c *crawl) readFocus() error {
	s, st, o := c.s, c.st, &c.o
	var words []string
	if st.For != nil {
		text, err := expr.ConstantText(st.For, s.Env())
		if err != nil {
			return err
		}
		switch words = strings.Fields(text); {
		case len(words) == 0:
			return ast.Errorf(st.For, "FOR needs words, but there are none")
		case len(words) > focusWordsMax:
			return ast.Errorf(st.For, "FOR takes at most %d words, not %d", focusWordsMax, len(words))
		}
		if st.Order == "" {
			o.Order = report.OrderBest
		}
	}
	var asked *relation.FocusCondition
	if st.Expand != nil {
		var err error
		if asked, err = relation.BindFocus(st.Expand, s.Env()); err != nil {
			return err
		}
		for _, col := range asked.Columns {
			if words == nil && col.OfWords {
				err := ast.Errorf(st.Expand, "%s compares with the words of FOR, but there are none", col.Name)
				err.Hint = "add FOR 'words'"
				return err
			}
		}
	}
	if st.Through != nil {
		n, err := expr.ConstantCount(st.Through, "THROUGH", s.Env())
		if err != nil {
			return err
		}
		if n > throughMax {
			return ast.Errorf(st.Through, "THROUGH takes a number from 0 to %d, not %d", throughMax, n)
		}
		o.Through = int(n)
	}
	if words != nil || asked != nil {
		o.Focus = relation.NewFocus(words, asked)
	}
	return nil
}

// focusLines returns lines for EXPLAIN that say which pages the crawl prefers.
// It returns nil if the crawl prefers none.
func (c *crawl) focusLines() []string {
	st, o := c.st, &c.o
	var lines []string
	if st.For != nil {
		lines = append(lines, "  for "+st.For.String())
	}
	if st.Expand != nil {
		line := "  along links where " + st.Expand.String()
		if o.Through > 0 {
			line += ", and through " + value.Counted(o.Through, "page") + " in a row where it is not true"
		}
		lines = append(lines, line)
	}
	if o.Order == report.OrderBest {
		lines = append(lines, "  the highest priority first: "+session.WeightsText(o.Weights)+" times the terms")
	}
	return lines
}

package relation

import (
	"slices"

	"infomall/crawl/report"
	"infomall/exec/expr"
	"infomall/lang/ast"
	"infomall/store/record"
)

// responseColumns lists the columns that the condition of RENDER WHEN may name: those of
// focusColumns that are columns of a page and do not depend on the words of FOR.
var responseColumns = slices.DeleteFunc(slices.Clone(focusColumns), func(c FocusColumn) bool { return c.page == nil || c.OfWords })

// ShowCondition is the condition of RENDER WHEN in a CRAWL statement. It decides by the
// response of a page whether a browser shows the page. It implements report.Condition.
type ShowCondition struct{ asked *FocusCondition }

// BindShowCondition returns the condition e of a RENDER WHEN with its names resolved and
// its types checked. The error, an *ast.Error, says which name or type is wrong.
func BindShowCondition(e ast.Expr, env *expr.Env) (*ShowCondition, error) {
	f, err := bindCondition(e, "RENDER WHEN", responseColumns, env)
	return &ShowCondition{f}, err
}

// Holds reports whether the condition is true of the page p. The error, an *ast.Error, says
// that the condition cannot be computed for this page.
func (s *ShowCondition) Holds(p *report.FocusedPage) (bool, error) {
	c := &candidate{FocusedPage: p, verdict: new(report.FocusVerdict)}
	c.res.Payload = record.Payload{Head: p.Head, Body: p.Body, Size: int64(len(p.Body)), Mime: p.Mime}
	holds, err := s.asked.evaluate(c, 1)
	return err == nil && holds[0], err
}

package exec

import (
	"fmt"
	"strconv"
	"strings"

	"infomall/crawl/order"
	"infomall/crawl/report"
	"infomall/exec/expr"
	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/lang/ast"
	"infomall/store/urlkey"
)

// Bounds of FOR and THROUGH.
const (
	focusWordsMax = 16
	throughMax    = 1000
)

// crawlFocus reads FOR, EXPAND and THROUGH into o. A crawl FOR words visits the
// most promising pages first, unless ORDER says otherwise.
func (s *Session) crawlFocus(st *ast.Crawl, o *report.CrawlOptions) error {
	var words []string
	if st.For != nil {
		text, err := expr.ConstantText(st.For, s.env())
		if err != nil {
			return err
		}
		switch words = strings.Fields(text); {
		case len(words) == 0:
			return ast.Errorf(st.For, "FOR wants words, and there are none")
		case len(words) > focusWordsMax:
			return ast.Errorf(st.For, "FOR takes at most %d words, not %d", focusWordsMax, len(words))
		}
		if st.Order == "" {
			o.Order = report.OrderBest
		}
	}
	var asked *plan.Focus
	if st.Expand != nil {
		var err error
		if asked, err = plan.BindFocus(st.Expand, s.env()); err != nil {
			return err
		}
		for _, c := range asked.Columns {
			if words == nil && (c.Name == "similarity" || c.Name == "promise") {
				err := ast.Errorf(st.Expand, "%s is of the words of FOR, and there are none", c.Name)
				err.Hint = "add FOR 'words'"
				return err
			}
		}
	}
	if st.Through != nil {
		n, err := expr.ConstantCount(st.Through, "THROUGH", s.env())
		if err != nil {
			return err
		}
		if n > throughMax {
			return ast.Errorf(st.Through, "THROUGH takes a number from 0 to %d, not %d", throughMax, n)
		}
		o.Through = int(n)
	}
	if words != nil || asked != nil {
		o.Focus = op.NewFocus(words, asked)
	}
	return nil
}

// weightNames lists the names of the terms of a score, in order, each with a
// function that returns where its coefficient is.
var weightNames = []struct {
	name  string
	place func(*report.Weights) *float64
}{
	{"domain", func(w *report.Weights) *float64 { return &w.Domain }},
	{"popularity", func(w *report.Weights) *float64 { return &w.Popularity }},
	{"parent", func(w *report.Weights) *float64 { return &w.Parent }},
	{"depth", func(w *report.Weights) *float64 { return &w.Depth }},
	{"other", func(w *report.Weights) *float64 { return &w.Other }},
}

// weightsDefault are the coefficients unless the setting says otherwise.
var weightsDefault = report.Weights(order.DefaultWeights)

func weightsText(w report.Weights) string {
	var list []string
	for _, n := range weightNames {
		list = append(list, n.name+" "+strconv.FormatFloat(*n.place(&w), 'g', -1, 64))
	}
	return strings.Join(list, ", ")
}

// parseWeights reads coefficients such as "domain 10" into dst. Terms that v does
// not name get their defaults.
func parseWeights(dst *report.Weights, v string) error {
	w := weightsDefault
	err := eachWeight(v, func(name string, x float64) error {
		for _, n := range weightNames {
			if strings.EqualFold(n.name, name) {
				*n.place(&w) = x
				return nil
			}
		}
		return fmt.Errorf("write domain, popularity, parent, depth or other, not %q", name)
	})
	if err == nil {
		*dst = w
	}
	return err
}

// parseDomains parses the weights of scopes, such as "edu.cn 10, gov.cn 5".
func parseDomains(v string) (list []report.DomainWeight, err error) {
	err = eachWeight(v, func(name string, x float64) error {
		scope, err := urlkey.ParseScope(name)
		list = append(list, report.DomainWeight{Scope: scope, Weight: x})
		return err
	})
	return list, err
}

func setDomains(dst *string, v string) error {
	_, err := parseDomains(v)
	if err == nil {
		*dst = v
	}
	return err
}

// eachWeight calls f for each entry of a list such as "edu.cn 10, gov.cn 5".
func eachWeight(v string, f func(name string, x float64) error) error {
	if strings.TrimSpace(v) == "" {
		return nil
	}
	for part := range strings.SplitSeq(v, ",") {
		words := strings.Fields(part)
		if len(words) != 2 {
			return fmt.Errorf("write names, each with a number behind it, and commas between, not %q", v)
		}
		x, err := strconv.ParseFloat(words[1], 64)
		if err != nil || !(x >= -weightMax && x <= weightMax) {
			return fmt.Errorf("write a number from %d to %d, not %q", -weightMax, weightMax, words[1])
		}
		if err := f(words[0], x); err != nil {
			return err
		}
	}
	return nil
}

// weightMax bounds coefficients and weights, so that their sum cannot overflow.
const weightMax = 1_000_000

// focusLines returns lines for EXPLAIN that say which pages a crawl prefers.
func focusLines(st *ast.Crawl, o *report.CrawlOptions) []string {
	var lines []string
	if st.For != nil {
		lines = append(lines, "  for "+st.For.String())
	}
	if st.Expand != nil {
		line := "  along links where " + st.Expand.String()
		if o.Through > 0 {
			line += fmt.Sprintf(", and through %d in a row where not", o.Through)
		}
		lines = append(lines, line)
	}
	if o.Order == report.OrderBest {
		lines = append(lines, "  the highest priority first: "+weightsText(o.Weights)+" times the terms")
	}
	return lines
}

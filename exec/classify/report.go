package classify

import (
	"cmp"
	"slices"
)

// Report says how well a classifier finds the classes of texts, by cross-validation.
type Report struct {
	Classes []ClassReport // sorted by name
	Macro   Quality       // the mean over classes
	Micro   Quality       // over all texts: precision, recall and F1 are the share of texts whose class was found
	Texts   int
	Sets    int // of near-copies; a text without near-copies is a set
	// Features is how many features the classifier has.
	Features int
	Confused []Confusion // the pairs of classes that are confused most often
}

// Quality says how well texts were classified. Each field is from 0 to 1.
type Quality struct{ Precision, Recall, F1 float64 }

// ClassReport says how well texts of one class are found.
type ClassReport struct {
	Class string
	Texts int
	Quality
	Telling []string // words by which the class differs from others, the most telling first
}

// Confusion says how many texts of one class were put into another class.
type Confusion struct {
	Of, As string
	Texts  int
}

// confusedMax is the most pairs of classes that Report.Confused has.
const confusedMax = 3

// confusions counts, for each pair of classes, the texts of the first that were put into the
// second. It has no entry for pairs without texts: with many classes, most pairs have none.
type confusions map[pair]int

// pair is a pair of classes.
type pair struct{ of, as int }

// add counts a text of the class of that was put into the class as, which may be the same.
func (t confusions) add(of, as int) { t[pair{of, as}]++ }

// report returns a Report with the numbers in t. names has the names of the classes.
func (t confusions) report(names []string) *Report {
	r := &Report{Classes: make([]ClassReport, len(names))}
	taken := make([]int, len(names))
	for p, n := range t {
		r.Classes[p.of].Texts += n
		taken[p.as] += n
		if p.of != p.as {
			r.Confused = append(r.Confused, Confusion{names[p.of], names[p.as], n})
		}
	}
	right := 0
	for k, name := range names {
		c := &r.Classes[k]
		c.Class = name
		hits := t[pair{k, k}]
		c.Precision, c.Recall = share(hits, taken[k]), share(hits, c.Texts)
		if sum := c.Precision + c.Recall; sum > 0 {
			c.F1 = 2 * c.Precision * c.Recall / sum
		}
		right += hits
		r.Texts += c.Texts
		r.Macro.Precision += c.Precision / float64(len(names))
		r.Macro.Recall += c.Recall / float64(len(names))
		r.Macro.F1 += c.F1 / float64(len(names))
	}
	all := share(right, r.Texts)
	r.Micro = Quality{all, all, all}
	slices.SortFunc(r.Confused, func(a, b Confusion) int {
		return cmp.Or(cmp.Compare(b.Texts, a.Texts), cmp.Compare(a.Of, b.Of), cmp.Compare(a.As, b.As))
	})
	r.Confused = r.Confused[:min(len(r.Confused), confusedMax)]
	return r
}

// share returns n / of, or 0 if of is 0.
func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

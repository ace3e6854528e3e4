package classify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"infomall/exec/value"
	"infomall/exec/vector"
)

// Method is a way of learning.
type Method uint8

// The methods.
const (
	SVM Method = iota
	Bayes
)

// String returns the name of the method in the language: "svm" or "bayes".
func (m Method) String() string {
	if m == Bayes {
		return "bayes"
	}
	return "svm"
}

// Options say how a classifier is trained.
type Options struct {
	Method   Method
	Features int     // how many features are selected; 0 means all, but FeaturesMax at most
	By       Measure // the measure that selects them
	Folds    int     // for cross-validation, at least 2
	// Memory is an estimate of the memory that learning may take besides the corpus, in bytes.
	Memory int64
	// Progress, if not nil, is called each time the weights of one class were learned, in one fold
	// or for all examples. done counts these, and all is how many there will be. Calls do not
	// overlap.
	Progress func(done, all int64)
}

// FewError is returned by Train if there are too few examples.
type FewError struct {
	Texts, Sets int // how many texts there are, and how many sets of near-copies
	Classes     []string
	Folds       int
}

// Error says that there are too few classes or texts.
func (e *FewError) Error() string {
	switch {
	case e.Texts == 0:
		return "there are no texts to learn from"
	case len(e.Classes) == 1:
		return fmt.Sprintf("all examples (%s) are of the class '%s': a classifier needs texts of two classes at least", value.Counted(e.Texts, "text"), e.Classes[0])
	}
	return fmt.Sprintf("%s of near-copies cannot be parted into %s", value.Counted(e.Sets, "set"), value.Counted(e.Folds, "fold"))
}

// Train returns a classifier that has learned from the examples, and a report on how well it
// classifies. The error is a *FewError, a *TooLargeError or the error of ctx.
func (c *Corpus) Train(ctx context.Context, o Options) (*Model, *Report, error) {
	rows, names := c.rows(), c.Classes()
	few := &FewError{Texts: len(rows), Classes: names, Folds: o.Folds}
	if len(names) < 2 {
		return nil, nil, few
	}
	x := &examples{counts: &c.counts, class: make([]uint32, len(c.class)), classes: len(names), words: c.words.Len()}
	for i, k := range c.class {
		if at, ok := slices.BinarySearch(names, c.classes[k]); ok {
			x.class[i] = uint32(at)
		}
	}
	// A weight takes 4 bytes, and 8 more while it is learned. The weighed texts are as large
	// as the counts.
	features := min(cmp.Or(o.Features, FeaturesMax), c.words.Len())
	if need := int64(features)*int64(len(names))*12 + c.counts.Bytes(); need > o.Memory {
		return nil, nil, &TooLargeError{value.Counted(len(names)*features, "weight") + " of features and classes", o.Memory, true}
	}
	fold, sets, err := c.folds(ctx, rows, x.class, o.Folds)
	if err != nil {
		return nil, nil, err
	}
	if few.Sets = sets; sets < o.Folds {
		return nil, nil, few
	}
	if o.Progress != nil {
		var mu sync.Mutex
		done, all := int64(0), int64(o.Folds+1)*int64(len(names))
		x.learned = func(classes int) {
			mu.Lock()
			defer mu.Unlock()
			done += int64(classes)
			o.Progress(done, all)
		}
	}
	t := make(confusions)
	var margins []held
	for f := range o.Folds {
		var learnFrom, heldOut []int
		for n, i := range rows {
			if fold[n] == f {
				heldOut = append(heldOut, i)
			} else {
				learnFrom = append(learnFrom, i)
			}
		}
		l, err := x.learn(ctx, learnFrom, &o)
		if err != nil {
			return nil, nil, err
		}
		scores := make([]float64, l.classes)
		var buf vector.Vector
		for _, i := range heldOut {
			l.scores(l.reduced(c.counts.Row(i), &buf), scores)
			k, margin := best(scores)
			margins = append(margins, held{margin, uint32(k) == x.class[i]})
			t.add(int(x.class[i]), k)
		}
	}
	l, err := x.learn(ctx, rows, &o)
	if err != nil {
		return nil, nil, err
	}
	telling, err := x.telling(ctx, rows)
	if err != nil {
		return nil, nil, err
	}
	r := t.report(names)
	for k, list := range telling {
		for _, w := range list {
			r.Classes[k].Telling = append(r.Classes[k].Telling, c.words.Word(w))
		}
	}
	r.Sets, r.Features = sets, len(l.features)
	m := &Model{Report: *r, Options: o, URLs: len(c.byURL) > 0, Unnamed: c.used - len(c.byURL), sure: fitSure(margins), linear: l.linear, idf: l.idf}
	for _, w := range l.features {
		m.words.Number([]byte(c.words.Word(w)))
	}
	return m, r, nil
}

// folds divides rows of the corpus into n folds. Near-copies are in the same fold, and all folds
// have about equally many texts of each class. It returns the fold of each row, and how many sets
// of near-copies there are. class has the class of each example. The error is that of ctx.
func (c *Corpus) folds(ctx context.Context, rows []int, class []uint32, n int) (fold []int, sets int, err error) {
	groups, err := c.copies.groups(ctx)
	if err != nil {
		return nil, 0, err
	}
	members := make(map[uint32][]int) // indexes of rows, by group
	var order []uint32
	for at, i := range rows {
		g := groups.Of(uint32(i))
		if members[g] == nil {
			order = append(order, g)
		}
		members[g] = append(members[g], at)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(len(members[b]), len(members[a])) })
	type ofClass struct {
		fold  int
		class uint32
	}
	texts, all := make(map[ofClass]int), make([]int, n)
	fold = make([]int, len(rows))
	for _, g := range order {
		list := members[g]
		first := class[rows[list[0]]]
		to := 0
		for f := 1; f < n; f++ {
			if cmp.Or(cmp.Compare(texts[ofClass{f, first}], texts[ofClass{to, first}]), cmp.Compare(all[f], all[to])) < 0 {
				to = f
			}
		}
		for _, at := range list {
			fold[at] = to
			texts[ofClass{to, class[rows[at]]}]++
			all[to]++
		}
	}
	return fold, len(order), nil
}

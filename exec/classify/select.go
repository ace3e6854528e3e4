package classify

import (
	"cmp"
	"context"
	"math"
	"slices"

	"infomall/exec/vector"
)

// Measure is a way to say how useful a feature is. The most useful features are selected.
type Measure uint8

// The measures.
const (
	Chi  Measure = iota // χ², of the class for which it is greatest
	Gain                // information gain
)

const (
	// FeaturesMax is the most features that a classifier may have.
	FeaturesMax = 200_000
	// countsMax is the most numbers that tallies counts in one pass. A pass counts some of the
	// words, in all classes.
	countsMax = 4 << 20
)

// examples are the texts from which a classifier learns. The classes are numbered from 0 in
// alphabetical order.
type examples struct {
	counts  *vector.Matrix
	class   []uint32 // of each row of counts
	classes int
	words   int               // how many different words counts has
	learned func(classes int) // if not nil, called when the weights of so many classes are learned
}

// tally holds, for one word, how many texts of each class have the word, and how many texts there
// are.
type tally struct {
	with, of   []int // by class
	allWith, n int   // in all classes
}

// tallies calls f for each word that the rows have, in the order of their numbers.
// f must not keep the tally.
func (x *examples) tallies(ctx context.Context, rows []int, f func(word uint32, t *tally)) error {
	with := make([]int32, x.words)
	t := &tally{of: make([]int, x.classes), n: len(rows)}
	for _, i := range rows {
		t.of[x.class[i]]++
		for _, w := range x.counts.Row(i).Words {
			with[w]++
		}
	}
	block := max(countsMax/x.classes, 1)
	counts := make([]int, min(block, x.words)*x.classes)
	for from := 0; from < x.words; from += block {
		clear(counts)
		to := min(from+block, x.words)
		for _, i := range rows {
			list := x.counts.Row(i).Words
			at, _ := slices.BinarySearch(list, uint32(from))
			for _, w := range list[at:] {
				if int(w) >= to {
					break
				}
				counts[(int(w)-from)*x.classes+int(x.class[i])]++
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for w := from; w < to; w++ {
			if with[w] == 0 {
				continue
			}
			t.with, t.allWith = counts[(w-from)*x.classes:(w-from+1)*x.classes], int(with[w])
			f(uint32(w), t)
		}
	}
	return nil
}

// chi returns χ² for the word and a class. positive is true if the word is more frequent in the
// texts of the class than in others.
func (t *tally) chi(class int) (x float64, positive bool) {
	a := float64(t.with[class])                  // texts of the class with the word
	b := float64(t.allWith) - a                  // of other classes, with the word
	c := float64(t.of[class]) - a                // of the class, without
	d := float64(t.n) - a - b - c                // of other classes, without
	all := (a + c) * (b + d) * (a + b) * (c + d) // 0 if all texts have the word, or are of the class
	if e := a*d - c*b; all > 0 {
		return float64(t.n) * e * e / all, e > 0
	}
	return 0, false
}

// gain returns the information gain of the word: how many bits less it takes to name the
// class of a text if one knows whether the text has the word.
func (t *tally) gain() float64 {
	part := func(n, of int) float64 {
		if n == 0 {
			return 0
		}
		return -float64(n) * math.Log2(float64(n)/float64(of))
	}
	bits := 0.0
	for k := range t.of {
		bits += part(t.of[k], t.n) - part(t.with[k], t.allWith) - part(t.of[k]-t.with[k], t.n-t.allWith)
	}
	return bits / float64(t.n)
}

// by returns how useful the word is as a feature, by the measure m.
func (t *tally) by(m Measure) (best float64) {
	if m == Gain {
		return t.gain()
	}
	for k := range t.of {
		x, _ := t.chi(k)
		best = max(best, x)
	}
	return best
}

// features returns the words that are the features of a classifier for the given rows, in ascending
// order. These are all words, or if there are more than o.Features, the best ones by the measure.
// The method Bayes leaves out words that only one text has: smoothing would give them a weight,
// although they say nothing.
func (x *examples) features(ctx context.Context, rows []int, o *Options) ([]uint32, error) {
	type scored struct {
		word  uint32
		score float64
	}
	var list []scored
	n, least := cmp.Or(o.Features, FeaturesMax), 1
	if o.Method == Bayes {
		least = 2
	}
	err := x.tallies(ctx, rows, func(word uint32, t *tally) {
		if t.allWith >= least {
			list = append(list, scored{word, t.by(o.By)})
		}
	})
	if err != nil {
		return nil, err
	}
	if len(list) > n {
		slices.SortFunc(list, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.word, b.word)) })
		list = list[:n]
	}
	words := make([]uint32, len(list))
	for i, s := range list {
		words[i] = s.word
	}
	slices.Sort(words)
	return words, nil
}

// tellingMax is the most telling words that are shown for a class.
const tellingMax = 8

// telling returns, for each class, the words that distinguish it best from the others: those with
// the greatest χ² among the words that are more frequent in its texts than in other texts.
func (x *examples) telling(ctx context.Context, rows []int) ([][]uint32, error) {
	type scored struct {
		word  uint32
		score float64
	}
	best := make([][]scored, x.classes)
	err := x.tallies(ctx, rows, func(word uint32, t *tally) {
		for k := range best {
			score, positive := t.chi(k)
			list := best[k]
			if !positive || len(list) == tellingMax && score <= list[tellingMax-1].score {
				continue
			}
			if len(list) == tellingMax {
				list = list[:tellingMax-1]
			}
			at, _ := slices.BinarySearchFunc(list, score, func(s scored, score float64) int {
				if s.score >= score {
					return -1
				}
				return 1
			})
			best[k] = slices.Insert(list, at, scored{word, score})
		}
	})
	words := make([][]uint32, x.classes)
	for k, list := range best {
		for _, s := range list {
			words[k] = append(words[k], s.word)
		}
	}
	return words, err
}

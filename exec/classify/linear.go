package classify

import (
	"context"

	"infomall/exec/vector"
)

// linear computes a score for each class of a text: the sum of the weights of the text's features
// for this class, each times the value of the feature in the text, plus the bias of the class.
type linear struct {
	classes int
	weights []float32 // of feature f and class k at f*classes+k
	bias    []float64 // by class
}

// scores sets dst[k] to the score of class k for the vector v. The words of v must be features of
// l.
func (l *linear) scores(v vector.Vector, dst []float64) {
	copy(dst, l.bias)
	for i, f := range v.Words {
		x := float64(v.Values[i])
		for k, w := range l.weights[int(f)*l.classes : (int(f)+1)*l.classes] {
			dst[k] += x * float64(w)
		}
	}
}

// best returns the class with the highest score, or the first of several, and the margin: by how
// much its score exceeds the second best. There must be at least two scores.
func best(scores []float64) (class int, margin float64) {
	second := 1
	if scores[1] > scores[0] {
		class, second = 1, 0
	}
	for k := 2; k < len(scores); k++ {
		switch {
		case scores[k] > scores[class]:
			class, second = k, class
		case scores[k] > scores[second]:
			second = k
		}
	}
	return class, scores[class] - scores[second]
}

// learned is a classifier that learned from some of the examples.
type learned struct {
	linear
	features []uint32 // words of the corpus, ascending; the index is the number of the feature
	idf      vector.IDF
	index    []int32 // the feature of each word of the corpus, or -1
}

// reduced returns the weights of those words in a vector of word counts that are features. The
// result shares memory with buf.
func (l *learned) reduced(v vector.Vector, buf *vector.Vector) vector.Vector {
	buf.Words, buf.Values = buf.Words[:0], buf.Values[:0]
	for i, w := range v.Words {
		if f := l.index[w]; f >= 0 {
			buf.Words, buf.Values = append(buf.Words, uint32(f)), append(buf.Values, v.Values[i])
		}
	}
	l.idf.Weigh(*buf)
	return *buf
}

// learn returns a classifier that has learned from the given rows of the examples. The error is
// that of ctx.
func (x *examples) learn(ctx context.Context, rows []int, o *Options) (*learned, error) {
	l := &learned{index: make([]int32, x.words)}
	var err error
	if l.features, err = x.features(ctx, rows, o); err != nil {
		return nil, err
	}
	for w := range l.index {
		l.index[w] = -1
	}
	for f, w := range l.features {
		l.index[w] = int32(f)
	}
	used := make([]bool, x.counts.Len())
	for _, i := range rows {
		used[i] = true
	}
	idf := vector.NewIDF(x.counts, x.words, func(i int) bool { return used[i] })
	l.idf = make(vector.IDF, len(l.features))
	for f, w := range l.features {
		l.idf[f] = idf[w]
	}
	var m vector.Matrix
	var buf vector.Vector
	class := make([]uint32, len(rows))
	for n, i := range rows {
		m.Add(l.reduced(x.counts.Row(i), &buf))
		class[n] = x.class[i]
	}
	done := x.learned
	if done == nil {
		done = func(int) {}
	}
	if o.Method == Bayes {
		l.linear = bayes(&m, class, x.classes, len(l.features))
		done(x.classes)
		return l, ctx.Err()
	}
	l.linear, err = svm(ctx, &m, class, x.classes, len(l.features), done)
	return l, err
}

package classify

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"infomall/exec/vector"
)

// The parameters of the support vector machines, as in LIBLINEAR and scikit-learn's
// LinearSVC.
const (
	svmC         = 1
	svmTolerance = 1e-4
	svmRoundsMax = 1000
)

// svm learns a support vector machine for each class, against the other classes. The rows of m are
// texts, with features from 0 to features-1; class has the class of each text. Several goroutines
// call done, each time with the number of classes whose weights were learned. The error is that of
// ctx.
func svm(ctx context.Context, m *vector.Matrix, class []uint32, classes, features int, done func(classes int)) (linear, error) {
	l := linear{classes, make([]float32, features*classes), make([]float64, classes)}
	squares := make([]float64, m.Len())
	for i := range squares {
		squares[i] = m.Row(i).Square() + 1 // 1 is the square of the bias
	}
	// Of two classes, one is what the other is not.
	learned := classes
	if classes == 2 {
		learned = 1
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), learned) {
		wg.Go(func() {
			for k := range next {
				w, bias := separate(ctx, m, squares, class, uint32(k), features)
				l.bias[k] = bias
				for f, x := range w {
					l.weights[f*classes+k] = float32(x)
				}
				done(classes / learned)
			}
		})
	}
	for k := range learned {
		next <- k
	}
	close(next)
	wg.Wait()
	if classes == 2 {
		l.bias[1] = -l.bias[0]
		for f := range features {
			l.weights[2*f+1] = -l.weights[2*f]
		}
	}
	return l, ctx.Err()
}

// separate learns the weights of the features, and the bias, that separate class k from the others:
// dual coordinate descent with shrinking (Hsieh et al. 2008, algorithm 3), for the squared hinge
// loss. squares has, for each text, the square of the length of its vector, to which the bias adds one
// component. separate stops early when ctx is done.
func separate(ctx context.Context, m *vector.Matrix, squares []float64, class []uint32, k uint32, features int) (w []float64, bias float64) {
	n := m.Len()
	w = make([]float64, features)
	alpha := make([]float64, n)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	const diagonal = .5 / svmC
	chance := rand.New(rand.NewPCG(1, uint64(k)))
	active := n
	highest := math.Inf(1) // the highest projected gradient of the last round; texts above it are left out
	for round := 0; round < svmRoundsMax && ctx.Err() == nil; round++ {
		most, least := math.Inf(-1), math.Inf(1)
		chance.Shuffle(active, func(i, j int) { order[i], order[j] = order[j], order[i] })
		for s := 0; s < active; s++ {
			i := order[s]
			y := -1.0
			if class[i] == k {
				y = 1
			}
			v := m.Row(i)
			gradient := y*(v.DotDense(w)+bias) - 1 + alpha[i]*diagonal
			projected := gradient
			if alpha[i] == 0 {
				if gradient > highest {
					active--
					order[s], order[active] = order[active], order[s]
					s--
					continue
				}
				projected = min(gradient, 0)
			}
			most, least = max(most, projected), min(least, projected)
			if math.Abs(projected) > 1e-12 {
				before := alpha[i]
				alpha[i] = max(before-gradient/(squares[i]+diagonal), 0)
				step := (alpha[i] - before) * y
				v.AddTo(w, step)
				bias += step
			}
		}
		if most-least <= svmTolerance {
			if active == n {
				break
			}
			active, highest = n, math.Inf(1)
			continue
		}
		if highest = most; highest <= 0 {
			highest = math.Inf(1)
		}
	}
	return w, bias
}

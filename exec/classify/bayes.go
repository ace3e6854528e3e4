package classify

import (
	"math"

	"infomall/exec/vector"
)

// bayesSmoothing is added to the sum of each feature over the texts of a class, as if each class
// had one more text, with all features.
const bayesSmoothing = 1

// bayes learns complement naive Bayes: a feature speaks for a class if it is rare in the texts of
// all other classes. The rows of m are texts, with features from 0 to features-1; class has the
// class of each text, from 0 to classes-1.
func bayes(m *vector.Matrix, class []uint32, classes, features int) linear {
	l := linear{classes, make([]float32, features*classes), make([]float64, classes)}
	of := make([]float64, features*classes)
	for i := range m.Len() {
		v := m.Row(i)
		for j, f := range v.Words {
			of[int(f)*classes+int(class[i])] += float64(v.Values[j])
		}
	}
	sums := make([]float64, classes) // of the other classes
	for f := range features {
		list := of[f*classes : (f+1)*classes]
		all := 0.0
		for _, x := range list {
			all += x
		}
		for k, x := range list {
			list[k] = all - x + bayesSmoothing
			sums[k] += list[k]
		}
	}
	for f := range features {
		for k := range classes {
			l.weights[f*classes+k] = float32(-math.Log(of[f*classes+k] / sums[k]))
		}
	}
	return l
}

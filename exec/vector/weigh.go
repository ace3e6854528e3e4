package vector

import "math"

// IDF has the inverse document frequency of each word, by number: how much a word weighs
// because few texts have it.
type IDF []float32

// NewIDF returns the inverse document frequencies of n words in texts, whose vectors are
// the rows of m that the function in accepts. If in is nil, all rows count. Words with
// number n or above are ignored.
func NewIDF(m *Matrix, n int, in func(row int) bool) IDF {
	texts := 0
	with := make([]float64, n)
	for i := range m.Len() {
		if in != nil && !in(i) {
			continue
		}
		texts++
		for _, w := range m.Row(i).Words {
			if int(w) < n {
				with[w]++
			}
		}
	}
	idf := make(IDF, n)
	for w := range idf {
		idf[w] = float32(math.Log(float64(1+texts)/(1+with[w])) + 1)
	}
	return idf
}

// Weigh replaces the counts of a vector by weights, in place: see the package comment. All
// words of v must have an idf.
func (idf IDF) Weigh(v Vector) {
	for i, n := range v.Words {
		if v.Values[i] > 0 {
			v.Values[i] = float32((1 + math.Log(float64(v.Values[i]))) * float64(idf[n]))
		}
	}
	v.Normalize()
}

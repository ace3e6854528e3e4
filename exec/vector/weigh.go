package vector

import "math"

// IDF holds the inverse document frequency of each word, by the number of the word. It is greater
// for words that few texts have.
type IDF []float32

// NewIDF returns the inverse document frequencies of the words 0 to n-1; other words are ignored.
// The rows of m are the counts of words of texts. If in is not nil, only rows for which it returns
// true count.
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

// Weigh replaces the counts in v by weights, in place, as the package comment says. idf must have
// all words of v.
func (idf IDF) Weigh(v Vector) {
	for i, n := range v.Words {
		if v.Values[i] > 0 {
			v.Values[i] = float32((1 + math.Log(float64(v.Values[i]))) * float64(idf[n]))
		}
	}
	v.Normalize()
}

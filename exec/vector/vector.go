package vector

import "math"

// Vector is a sparse vector: the words of a text, and the value of each. Words has numbers
// of a dictionary in ascending order; Values[i] is the value of Words[i].
type Vector struct {
	Words  []uint32
	Values []float32
}

// Dot returns the sum of the products of the values that v and w have for the same word.
// If both have length 1, that is the cosine of the angle between them.
func (v Vector) Dot(w Vector) (sum float64) {
	i, j := 0, 0
	for i < len(v.Words) && j < len(w.Words) {
		switch {
		case v.Words[i] < w.Words[j]:
			i++
		case v.Words[i] > w.Words[j]:
			j++
		default:
			sum += float64(v.Values[i]) * float64(w.Values[j])
			i, j = i+1, j+1
		}
	}
	return sum
}

// DotDense is like Dot for a dense vector: dense[n] is its value for the word with number
// n. Words of v that dense is too short for count as 0.
func (v Vector) DotDense(dense []float64) (sum float64) {
	for i, n := range v.Words {
		if int(n) >= len(dense) {
			break // the numbers ascend
		}
		sum += float64(v.Values[i]) * dense[n]
	}
	return sum
}

// AddTo adds v times factor to a dense vector, which must be long enough for all words of v.
func (v Vector) AddTo(dense []float64, factor float64) {
	for i, n := range v.Words {
		dense[n] += factor * float64(v.Values[i])
	}
}

// Square returns the square of the length of v.
func (v Vector) Square() (sum float64) {
	for _, x := range v.Values {
		sum += float64(x) * float64(x)
	}
	return sum
}

// Normalize divides the values of v by the length of v, in place. A vector of length 0
// stays.
func (v Vector) Normalize() {
	length := math.Sqrt(v.Square())
	if length == 0 {
		return
	}
	for i := range v.Values {
		v.Values[i] = float32(float64(v.Values[i]) / length)
	}
}

// entryBytes is the memory that a value of a matrix takes, with the number of its word, in bytes.
// rowBytes is the memory that a row takes besides its values.
const (
	entryBytes = 8
	rowBytes   = 8
)

// Matrix is a list of vectors, its rows. The zero value is empty. Several goroutines may
// read it while none changes it.
type Matrix struct {
	words  []uint32
	values []float32
	ends   []int // where each row ends in words and values
}

// Add appends a copy of v as a row.
func (m *Matrix) Add(v Vector) {
	m.words = append(m.words, v.Words...)
	m.values = append(m.values, v.Values...)
	m.ends = append(m.ends, len(m.words))
}

// Row returns row i. It shares memory with the matrix: a change of its values changes the
// matrix.
func (m *Matrix) Row(i int) Vector {
	from := 0
	if i > 0 {
		from = m.ends[i-1]
	}
	return Vector{m.words[from:m.ends[i]:m.ends[i]], m.values[from:m.ends[i]:m.ends[i]]}
}

// Len returns how many rows the matrix has.
func (m *Matrix) Len() int { return len(m.ends) }

// Bytes returns the memory that the rows take, in bytes.
func (m *Matrix) Bytes() int64 { return int64(len(m.words))*entryBytes + int64(len(m.ends))*rowBytes }

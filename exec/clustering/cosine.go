package clustering

import (
	"context"
	"math"
	"slices"

	"infomall/exec/vector"
)

// Vectors divides vectors of length 1, the rows of m, into clusters by DBSCAN. eps is the
// distance of neighbours, from 0 to less than 1. least is how many neighbours make a core, at
// least 1, the point itself included. A row without words is noise.
//
// Beside m it takes about 20 bytes for each value of m, and 16 for each pair of neighbours
// of which neither is a core so far. If progress is not nil, it is called with the number of
// rows that were compared, and of all. The error is the error of ctx, or a *PairsError.
func Vectors(ctx context.Context, m *vector.Matrix, eps float64, least int, progress func(done, total int64)) (*Clusters, error) {
	first, weight, point := distinctRows(m)
	s := newScan(weight, least)
	rows := make([]vector.Vector, len(first))
	for i, at := range first {
		rows[i] = m.Row(int(at))
	}
	err := neighbours(ctx, rows, eps, s.same, s.pair, progress)
	if err != nil {
		return nil, err
	}
	of, roles := s.end(first, func(i, j uint32) float64 { return Distance(rows[i], rows[j]) })
	return spread(point, of, roles), nil
}

// Distance returns the distance of two vectors of length 1: 1 minus the cosine of the angle
// between them. It is 0 to 1, because weights are not negative.
func Distance(a, b vector.Vector) float64 { return max(0, 1-a.Dot(b)) }

// distinctRows returns the different rows of m that have words. For each of them, first has its
// least index in m, and weight how often it occurs. point has, for each row of m, the index of the
// equal row in first, or -1 for a row without words.
func distinctRows(m *vector.Matrix) (first, weight []uint32, point []int32) {
	point = make([]int32, m.Len())
	byHash := make(map[uint64][]int32)
	for i := range m.Len() {
		v := m.Row(i)
		if point[i] = -1; len(v.Words) == 0 {
			continue
		}
		h := uint64(14695981039346656037) // FNV-1a
		for k, w := range v.Words {
			h = (h ^ uint64(w)) * 1099511628211
			h = (h ^ uint64(math.Float32bits(v.Values[k]))) * 1099511628211
		}
		for _, p := range byHash[h] {
			if o := m.Row(int(first[p])); slices.Equal(o.Words, v.Words) && slices.Equal(o.Values, v.Values) {
				point[i] = p
				break
			}
		}
		if point[i] < 0 {
			point[i] = int32(len(first))
			byHash[h] = append(byHash[h], point[i])
			first, weight = append(first, uint32(i)), append(weight, 0)
		}
		weight[point[i]]++
	}
	return first, weight, point
}

// slack is the largest error by rounding that sums of values may have.
const slack = 1e-5

// posting is the value of a word in one row.
type posting struct {
	row   uint32
	value float32
}

// neighbours calls f for each pair of rows whose Distance is at most eps, which must be less than
// 1. It leaves out pairs for which skip returns true. In each pair, j is less than i. If f returns
// false, neighbours stops and returns a *PairsError.
//
// It finds pairs by an index of words. The words of each row are sorted, the most frequent first.
// The first words of a row stay out of the index, as long as the vector of their values alone is
// shorter than 1 - eps: a row that shares only these words is too far away (Bayardo, Ma and
// Srikant, "Scaling up all pairs similarity search", 2007; Anastasiu and Karypis, "L2AP: Fast
// cosine similarity search with prefix L-2 norm bounds", 2014).
func neighbours(ctx context.Context, rows []vector.Vector, eps float64, skip func(i, j uint32) bool, f func(i, j uint32) bool, progress func(done, total int64)) error {
	least := 1 - eps - slack
	order := byFrequency(rows)
	words := 0
	for _, n := range order {
		words = max(words, int(n)+1)
	}
	index := make([][]posting, words)
	prefix := make([]float64, len(rows)) // of each row, the length of what is not indexed
	sums := make([]float64, len(rows))   // of each row, what it has in common with the current row
	var found []uint32                   // the rows whose sum is not 0
	type entry struct {
		rank  uint32
		value float32
	}
	var row []entry
	const every = 64
	for i, v := range rows {
		if i%every == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if progress != nil {
				progress(int64(i), int64(len(rows)))
			}
		}
		row = row[:0]
		rest := 0.0 // square of the length of the words that are not compared yet
		for k, w := range v.Words {
			row = append(row, entry{order[w], v.Values[k]})
			rest += float64(v.Values[k]) * float64(v.Values[k])
		}
		slices.SortFunc(row, func(a, b entry) int { return int(a.rank) - int(b.rank) })
		for k := len(row) - 1; k >= 0; k-- {
			e := row[k]
			far := math.Sqrt(max(0, rest)) < least // a row that shares no rarer word is too far
			for _, p := range index[e.rank] {
				if sums[p.row] == 0 {
					if far {
						continue
					}
					found = append(found, p.row)
				}
				sums[p.row] += float64(p.value) * float64(e.value)
			}
			rest -= float64(e.value) * float64(e.value)
		}
		for _, j := range found {
			sum := sums[j]
			sums[j] = 0
			if sum+prefix[j] < least || skip(uint32(i), j) || Distance(v, rows[j]) > eps {
				continue
			}
			if !f(uint32(i), j) {
				return &PairsError{}
			}
		}
		found = found[:0]
		square, n := 0.0, 0
		for ; n < len(row); n++ {
			square += float64(row[n].value) * float64(row[n].value)
			if math.Sqrt(square) >= least {
				break
			}
			prefix[i] = math.Sqrt(square)
		}
		for _, e := range row[n:] {
			index[e.rank] = append(index[e.rank], posting{uint32(i), e.value})
		}
	}
	return ctx.Err()
}

// byFrequency returns, for the number of each word, its rank: 0 for the word that occurs in the
// most rows.
func byFrequency(rows []vector.Vector) []uint32 {
	var with []uint32
	for _, v := range rows {
		if n := len(v.Words); n > 0 {
			if most := int(v.Words[n-1]) + 1; most > len(with) {
				with = append(with, make([]uint32, most-len(with))...)
			}
		}
		for _, w := range v.Words {
			with[w]++
		}
	}
	list := make([]uint32, len(with))
	for w := range list {
		list[w] = uint32(w)
	}
	slices.SortStableFunc(list, func(a, b uint32) int { return int(with[b]) - int(with[a]) })
	rank := make([]uint32, len(list))
	for r, w := range list {
		rank[w] = uint32(r)
	}
	return rank
}

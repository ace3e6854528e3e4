package clustering

import (
	"context"

	"infomall/exec/dedup"
	"infomall/exec/vector"
)

// AverageMax is how many different rows AverageLink takes at most. AverageLink compares each row
// with each other row, and needs 4 bytes of memory for each of these pairs.
const AverageMax = 2000

// AverageLink divides vectors of length 1, the rows of m, into clusters (Sokal and Michener 1958,
// UPGMA). Again and again it joins the two clusters with the least average distance between their
// rows, as long as this distance does not exceed the parameter most. A row that is joined with no
// other row is noise, and so is a row without words. words is the number of words.
//
// tooMany is true if m has more than AverageMax different rows; then there are no clusters. If
// progress is not nil, it is called with the number of rows that were compared, and the number of
// all rows. The error is the error of ctx.
func AverageLink(ctx context.Context, m *vector.Matrix, words int, most float64, progress func(done, total int64)) (_ *Clusters, tooMany bool, err error) {
	first, weight, point := distinctRows(m)
	if len(first) > AverageMax {
		return nil, true, nil
	}
	n := len(first)
	distance := make([]float32, n*n)
	dense := make([]float64, words)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if progress != nil {
			progress(int64(i), int64(n))
		}
		row := m.Row(int(first[i]))
		row.AddTo(dense, 1)
		for j := range i {
			d := float32(max(0, 1-m.Row(int(first[j])).DotDense(dense)))
			distance[i*n+j], distance[j*n+i] = d, d
		}
		for _, w := range row.Words {
			dense[w] = 0
		}
	}
	size := make([]float32, n) // number of points of the cluster that this row represents; 0 if it represents none
	for i, w := range weight {
		size[i] = float32(w)
	}
	groups := dedup.NewGroups(n)
	// Each cluster of chain is the nearest one of the cluster before it. The last two are
	// joined when each is the nearest of the other (Murtagh 1983).
	var chain []int
	for left := n; left > 1; {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if len(chain) == 0 {
			for i := range size {
				if size[i] > 0 {
					chain = append(chain, i)
					break
				}
			}
		}
		at := chain[len(chain)-1]
		best := -1
		if len(chain) > 1 {
			best = chain[len(chain)-2] // it stays the best if another is equally near, so that the chain ends
		}
		row := distance[at*n : (at+1)*n]
		for j := range row {
			if j != at && size[j] > 0 && (best < 0 || row[j] < row[best]) {
				best = j
			}
		}
		if len(chain) < 2 || best != chain[len(chain)-2] {
			chain = append(chain, best)
			continue
		}
		if float64(row[best]) <= most {
			groups.Join(uint32(at), uint32(best))
		}
		chain = chain[:len(chain)-2]
		other := distance[best*n : (best+1)*n]
		all := size[at] + size[best]
		for k := range row {
			if k != at && k != best && size[k] > 0 {
				d := (size[at]*row[k] + size[best]*other[k]) / all
				row[k], distance[k*n+at] = d, d
			}
		}
		size[at], size[best] = all, 0
		left--
	}
	members := make([]uint32, n)
	for i, w := range weight {
		members[groups.Of(uint32(i))] += w
	}
	of, roles := make([]int32, n), make([]Role, n)
	for i := range of {
		of[i] = -1
		if g := groups.Of(uint32(i)); members[g] > 1 {
			of[i], roles[i] = int32(g), Core
		}
	}
	return spread(point, of, roles), false, nil
}

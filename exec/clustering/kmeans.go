package clustering

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"infomall/exec/vector"
)

const (
	// CentresMax is the most values that the centres of KMeans may have together: the number of
	// clusters times the number of words. A value takes 4 bytes.
	CentresMax = 32 << 20
	// rounds is the most rounds in which KMeans moves the centres.
	rounds = 100
)

// KMeans divides vectors of length 1, the rows of m, into k clusters, or fewer if there are
// fewer different rows: each row goes to the cluster whose centre is nearest by the cosine
// (Dhillon and Modha, "Concept decompositions for large sparse text data using clustering",
// 2001). The first centres are drawn from seed, far from each other (Arthur and
// Vassilvitskii, "k-means++", 2007). The same rows and seed give the same clusters. A row
// without words is noise.
//
// words is the number of words; k times words must be at most CentresMax. A centre that no
// row is nearest to moves to the row that is furthest from its own centre. If progress is not
// nil, it is called with the number of rounds that were done, and the most that there can be.
// The error is the error of ctx.
func KMeans(ctx context.Context, m *vector.Matrix, words, k int, seed uint64, progress func(done, total int64)) (*Clusters, error) {
	first, weight, point := distinctRows(m)
	k = min(k, len(first))
	s := means{k: k, words: words, weight: weight, of: make([]int32, len(first)), near: make([]float64, len(first)), scores: make([]float32, k)}
	for _, at := range first {
		s.rows = append(s.rows, m.Row(int(at)))
	}
	s.centres = make([]float32, k*words)
	if err := s.begin(ctx, rand.New(rand.NewPCG(seed, 0))); err != nil {
		return nil, err
	}
	for round := range int64(rounds) {
		if progress != nil {
			progress(round, rounds)
		}
		moved, err := s.assign(ctx)
		if err != nil {
			return nil, err
		}
		if !s.fill() && !moved {
			break
		}
		s.move()
	}
	roles := make([]Role, len(first))
	for i := range roles {
		roles[i] = Core
	}
	return spread(point, s.of, roles), nil
}

// means is the state of one call of KMeans.
type means struct {
	k, words int
	rows     []vector.Vector
	weight   []uint32
	of       []int32   // cluster of each row
	near     []float64 // cosine of each row and its centre
	centres  []float32 // the values of all centres for word 0, then for word 1, and so on
	scores   []float32
}

// begin chooses k rows as first centres. For each centre it draws some rows, each with a
// chance in proportion to its weight and its distance from the centres before, and takes the
// one that leaves the rows nearest to the centres.
func (s *means) begin(ctx context.Context, r *rand.Rand) error {
	tries := 2 + bits.Len(uint(s.k)) // Arthur and Vassilvitskii propose a number that grows like this
	chance, next, best := make([]float64, len(s.rows)), make([]float64, len(s.rows)), make([]float64, len(s.rows))
	for i := range chance {
		chance[i] = 1 // further than this is no row
	}
	for c := range s.k {
		least, chosen := math.Inf(1), -1
		for range tries {
			if err := ctx.Err(); err != nil {
				return err
			}
			at := s.draw(chance, r)
			left := 0.0
			for i, v := range s.rows {
				next[i] = chance[i]
				if next[i] > 0 {
					next[i] = min(next[i], Distance(v, s.rows[at]))
					left += next[i] * float64(s.weight[i])
				}
			}
			if next[at] = 0; left < least {
				least, chosen = left, at
				best, next = next, best
			}
		}
		copy(chance, best)
		centre := s.rows[chosen]
		for i, w := range centre.Words {
			s.centres[int(w)*s.k+c] = centre.Values[i]
		}
	}
	for i := range s.of {
		s.of[i] = -1
	}
	return nil
}

// draw returns a row, drawn at random. The probability of a row is in proportion to its weight
// times its entry in chance. If all entries are 0, because by rounding every row is at a centre, it
// returns the first row.
func (s *means) draw(chance []float64, r *rand.Rand) int {
	all := 0.0
	for i, x := range chance {
		all += x * float64(s.weight[i])
	}
	drawn, at := r.Float64()*all, 0
	for i, x := range chance {
		if x <= 0 {
			continue
		}
		at = i
		if drawn -= x * float64(s.weight[i]); drawn < 0 {
			break
		}
	}
	return at
}

// assign puts each row into the cluster with the nearest centre, or the first of several. It
// reports whether the cluster of a row changed.
func (s *means) assign(ctx context.Context) (moved bool, err error) {
	const every = 256
	for i, v := range s.rows {
		if i%every == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		clear(s.scores)
		for n, w := range v.Words {
			x := v.Values[n]
			for c, y := range s.centres[int(w)*s.k : (int(w)+1)*s.k] {
				s.scores[c] += x * y
			}
		}
		best := 0
		for c, x := range s.scores {
			if x > s.scores[best] {
				best = c
			}
		}
		if int32(best) != s.of[i] {
			s.of[i], moved = int32(best), true
		}
		s.near[i] = float64(s.scores[best])
	}
	return moved, nil
}

// fill moves a row to each cluster without rows: the row that is furthest from its own centre,
// taken from a cluster with several rows. It reports whether there was an empty cluster.
func (s *means) fill() (filled bool) {
	sizes := make([]int, s.k)
	for _, c := range s.of {
		sizes[c]++
	}
	for c := range sizes {
		if sizes[c] > 0 {
			continue
		}
		furthest := -1
		for i := range s.rows {
			if sizes[s.of[i]] > 1 && (furthest < 0 || s.near[i] < s.near[furthest]) {
				furthest = i
			}
		}
		sizes[s.of[furthest]]-- // there are at least k rows, so one cluster has several
		s.of[furthest], s.near[furthest], sizes[c] = int32(c), 1, 1
		filled = true
	}
	return filled
}

// move sets each centre to the mean of its rows, scaled to length 1.
func (s *means) move() {
	clear(s.centres)
	for i, v := range s.rows {
		for n, w := range v.Words {
			s.centres[int(w)*s.k+int(s.of[i])] += v.Values[n] * float32(s.weight[i])
		}
	}
	squares := make([]float64, s.k)
	for w := range s.words {
		for c, x := range s.centres[w*s.k : (w+1)*s.k] {
			squares[c] += float64(x) * float64(x)
		}
	}
	for c, x := range squares {
		squares[c] = 1 / math.Sqrt(x)
	}
	for w := range s.words {
		for c := range s.k {
			s.centres[w*s.k+c] *= float32(squares[c])
		}
	}
}

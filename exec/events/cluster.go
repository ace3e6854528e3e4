package events

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"
)

// vectors has the bursts of each document (BurstVSM, see the package comment). The bursts of
// document d are bursts[at[d]:at[d+1]]. In the vector of a document, the component of a burst is
// its field x.
type vectors struct {
	bursts []int32
	at     []uint32
}

func (v *vectors) of(d int) []int32 { return v.bursts[v.at[d]:v.at[d+1]] }

// pair says that a document has a burst.
type pair struct{ doc, burst int32 }

// vectorsOf makes the vectors of the documents from pairs, which are sorted by burst. A document
// has the bursts of its words in whose periods it was published. If they are more than
// docBurstsMax, it has the strongest.
func (c *corpus) vectorsOf(bursts []burst, pairs []pair) *vectors {
	at := make([]uint32, len(c.docs)+1)
	for _, p := range pairs {
		at[p.doc+1]++
	}
	for d := range c.docs {
		at[d+1] += at[d]
	}
	all := make([]int32, len(pairs))
	next := slices.Clone(at[:len(c.docs)])
	for _, p := range pairs {
		all[next[p.doc]] = p.burst
		next[p.doc]++
	}
	v := &vectors{bursts: all[:0], at: make([]uint32, len(c.docs)+1)}
	for d := range c.docs {
		own := all[at[d]:at[d+1]]
		if len(own) > docBurstsMax {
			slices.SortFunc(own, func(i, j int32) int {
				return cmp.Or(cmp.Compare(bursts[j].x, bursts[i].x), cmp.Compare(i, j))
			})
			own = own[:docBurstsMax]
		}
		v.bursts = append(v.bursts, own...) // never beyond what was read
		v.at[d+1] = uint32(len(v.bursts))
	}
	return v
}

// cluster is a set of bursts that the same documents have. It is also a vector: the component of a
// document is the sum of x of those bursts of the cluster that the document has. dot has the scalar
// products with other clusters.
type cluster struct {
	bursts []int32
	norm   float64 // square of the length
	dot    map[int32]float64
	change int32 // how often the cluster has changed; -1 when it has gone into another
}

// edge is a pair of clusters with their cosine. changeA and changeB are what cluster.change was
// when the cosine was computed: if it has changed since, the edge is out of date.
type edge struct {
	cosine           float64
	a, b             int32
	changeA, changeB int32
}

// edges is a heap of edges, the one with the largest cosine first.
type edges []edge

func (e edges) Len() int      { return len(e) }
func (e edges) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *edges) Push(x any)   { *e = append(*e, x.(edge)) }
func (e *edges) Pop() any {
	x := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return x
}
func (e edges) Less(i, j int) bool {
	x, y := &e[i], &e[j]
	return cmp.Or(cmp.Compare(y.cosine, x.cosine), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b),
		cmp.Compare(x.changeA, y.changeA), cmp.Compare(x.changeB, y.changeB)) < 0
}

// clusterBursts joins bursts that the same documents have: the two nearest clusters become
// one as long as their cosine reaches mergeCosine. Only bursts that share a document are ever
// compared, each with its neighboursMax nearest. It returns clusters of at least
// eventWordsMin bursts.
func clusterBursts(ctx context.Context, bursts []burst, v *vectors) ([][]int32, error) {
	clusters := neighbours(bursts, v)
	var queue edges
	for a := range clusters {
		for b, dot := range clusters[a].dot {
			if int32(a) < b {
				if c := cosine(&clusters[a], &clusters[b], dot); c >= mergeCosine {
					queue = append(queue, edge{cosine: c, a: int32(a), b: b})
				}
			}
		}
	}
	heap.Init(&queue)
	for n := 0; len(queue) > 0; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e := heap.Pop(&queue).(edge)
		a, b := &clusters[e.a], &clusters[e.b]
		if a.change != e.changeA || b.change != e.changeB {
			continue
		}
		into := e.a
		if len(a.dot) < len(b.dot) {
			a, b, into = b, a, e.b
		}
		gone := e.a + e.b - into
		// b goes into a.
		a.norm += b.norm + 2*a.dot[gone]
		a.bursts = append(a.bursts, b.bursts...)
		delete(a.dot, gone)
		delete(b.dot, into)
		for other, dot := range b.dot {
			a.dot[other] += dot
			delete(clusters[other].dot, gone)
			clusters[other].dot[into] += dot
		}
		b.dot, b.bursts = nil, nil
		b.change = -1
		a.change++
		for other, dot := range a.dot {
			if c := cosine(a, &clusters[other], dot); c >= mergeCosine {
				e := edge{cosine: c, a: into, b: other, changeA: a.change, changeB: clusters[other].change}
				if e.a > e.b {
					e = edge{cosine: c, a: other, b: into, changeA: e.changeB, changeB: e.changeA}
				}
				heap.Push(&queue, e)
			}
		}
	}
	var sets [][]int32
	for i := range clusters {
		if b := clusters[i].bursts; len(b) >= eventWordsMin {
			slices.Sort(b)
			sets = append(sets, b)
		}
	}
	slices.SortFunc(sets, func(a, b []int32) int { return cmp.Compare(a[0], b[0]) })
	return sets, nil
}

// cosine returns the cosine of two clusters whose scalar product is dot.
func cosine(a, b *cluster, dot float64) float64 {
	return dot / math.Sqrt(a.norm*b.norm)
}

// neighbours returns one cluster for each burst, with the scalar products with its neighbours: the
// nearest bursts that share a document with it.
func neighbours(bursts []burst, v *vectors) []cluster {
	// The documents of burst b are docs[first[b]:first[b+1]].
	first := make([]uint32, len(bursts)+1)
	for _, b := range v.bursts {
		first[b+1]++
	}
	for b := range bursts {
		first[b+1] += first[b]
	}
	docs := make([]uint32, len(v.bursts))
	next := slices.Clone(first[:len(bursts)])
	for d := range len(v.at) - 1 {
		for _, b := range v.of(d) {
			docs[next[b]] = uint32(d)
			next[b]++
		}
	}
	clusters := make([]cluster, len(bursts))
	for b := range bursts {
		x := bursts[b].x
		clusters[b] = cluster{bursts: []int32{int32(b)}, norm: x * x * float64(first[b+1]-first[b]), dot: map[int32]float64{}}
	}
	shared := make([]int32, len(bursts))
	var touched []int32
	for b := range bursts {
		touched = touched[:0]
		for _, d := range docs[first[b]:first[b+1]] {
			for _, other := range v.of(int(d)) {
				if bursts[other].word == bursts[b].word {
					continue
				}
				if shared[other] == 0 {
					touched = append(touched, other)
				}
				shared[other]++
			}
		}
		near := func(other int32) float64 {
			return float64(shared[other]) / math.Sqrt(float64(first[other+1]-first[other]))
		}
		slices.SortFunc(touched, func(i, j int32) int {
			return cmp.Or(cmp.Compare(near(j), near(i)), cmp.Compare(i, j))
		})
		for i, other := range touched {
			if i < neighboursMax && shared[other] > 1 {
				dot := float64(shared[other]) * bursts[b].x * bursts[other].x
				clusters[b].dot[other] = dot
				clusters[other].dot[int32(b)] = dot
			}
			shared[other] = 0
		}
	}
	return clusters
}

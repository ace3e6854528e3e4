package clustering

import (
	"cmp"
	"fmt"
	"slices"
)

// Role says what a point is in its cluster.
type Role uint8

// The roles of a point. K-means and average link use only Noise and Core.
const (
	Noise Role = iota
	Border
	Core
)

// String returns noise, border or core.
func (r Role) String() string { return [...]string{"noise", "border", "core"}[r] }

// Clusters is a division of points into clusters.
type Clusters struct {
	Of    []int32 // number of the cluster of each point; -1 for noise
	Roles []Role  // role of each point
	Sizes []int   // number of points of each cluster
}

// numbered returns Clusters with the numbers that the package comment defines. of[i] is any number
// below n that names the cluster of point i, or -1 for no cluster. numbered changes the slice.
func numbered(of []int32, n int, roles []Role) *Clusters {
	type cluster struct{ old, size, first int }
	list := make([]cluster, n)
	for i := range list {
		list[i].old = i
	}
	for i, c := range of {
		if c < 0 {
			continue
		}
		if list[c].size == 0 {
			list[c].first = i
		}
		list[c].size++
	}
	list = slices.DeleteFunc(list, func(c cluster) bool { return c.size == 0 })
	slices.SortFunc(list, func(a, b cluster) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.first, b.first))
	})
	number := make([]int32, n)
	out := &Clusters{Of: of, Roles: roles, Sizes: make([]int, len(list))}
	for i, c := range list {
		number[c.old], out.Sizes[i] = int32(i), c.size
	}
	for i, c := range of {
		if c >= 0 {
			of[i] = number[c]
		}
	}
	return out
}

// pairsMax is the most pairs of neighbours that DBSCAN takes.
const pairsMax = 2_000_000_000

// PairsError is returned if more than pairsMax pairs of points are neighbours.
type PairsError struct{}

func (*PairsError) Error() string {
	return fmt.Sprintf("more than %d pairs of texts are within EPS of each other", int64(pairsMax))
}

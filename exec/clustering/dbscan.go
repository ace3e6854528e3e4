package clustering

import "infomall/exec/dedup"

// scan is the state of one DBSCAN. The caller gives it each pair of neighbours once, in any
// order. It keeps in memory only the neighbours of points that are not cores yet.
//
// Points that are equal are one point of the scan, with a weight. Their role and cluster are
// the same: a border point has the same nearest core as its equals.
type scan struct {
	least  int64    // MINPTS
	weight []uint32 // how many equal points each point stands for
	near   []int64  // the weight of the neighbours that are known, with the point itself
	groups *dedup.Groups
	pairs  int64 // how many pairs the caller gave

	// The next fields hold lists of the neighbours of points that are not cores. held[i] is the
	// index plus one, in links, of the last neighbour of point i; its field next leads to the
	// neighbour before. free is the list of unused links.
	held  []uint32
	links []heldLink
	free  uint32
}

// heldLink is one entry of a list of neighbours. next is the index plus one of the next entry, or 0
// at the end.
type heldLink struct{ point, next uint32 }

// newScan returns a scan of points with these weights. It keeps the slice weight. least is how many
// neighbours make a core.
func newScan(weight []uint32, least int) *scan {
	s := &scan{least: int64(least), weight: weight, near: make([]int64, len(weight)), held: make([]uint32, len(weight)), groups: dedup.NewGroups(len(weight))}
	for i, w := range weight {
		s.near[i] = int64(w)
	}
	return s
}

// core reports whether point i is known to be a core.
func (s *scan) core(i uint32) bool { return s.near[i] >= s.least }

// pair notes that points i and j are neighbours. It returns false after pairsMax pairs; then the
// caller must stop.
func (s *scan) pair(i, j uint32) bool {
	if s.core(i) && s.core(j) {
		s.groups.Join(i, j)
	} else {
		s.meet(i, j)
		s.meet(j, i)
	}
	s.pairs++
	return s.pairs <= pairsMax
}

// same reports whether two points are known to be cores of the same cluster. Whether they
// are neighbours then makes no difference.
func (s *scan) same(i, j uint32) bool {
	return s.core(i) && s.core(j) && s.groups.Of(i) == s.groups.Of(j)
}

// meet notes that j is a neighbour of i. If that makes i a core, meet joins i with those neighbours
// that are cores already. A neighbour that becomes a core later finds i in its own list.
func (s *scan) meet(i, j uint32) {
	if s.core(i) {
		return
	}
	at := s.free
	if at == 0 {
		s.links = append(s.links, heldLink{})
		at = uint32(len(s.links))
	} else {
		s.free = s.links[at-1].next
	}
	s.links[at-1] = heldLink{j, s.held[i]}
	s.held[i] = at
	if s.near[i] += int64(s.weight[j]); !s.core(i) {
		return
	}
	for at = s.held[i]; at != 0; {
		l := &s.links[at-1]
		if s.core(l.point) {
			s.groups.Join(i, l.point)
		}
		next := l.next
		l.next, s.free = s.free, at
		at = next
	}
	s.held[i] = 0
}

// end returns two lists by point: the point that names its cluster, or -1, and its role. first has,
// for each point, its position in the order of all points. distance returns the distance of two
// points that are neighbours.
func (s *scan) end(first []uint32, distance func(i, j uint32) float64) (of []int32, roles []Role) {
	of, roles = make([]int32, len(s.weight)), make([]Role, len(s.weight))
	for n := range s.weight {
		i := uint32(n)
		if s.core(i) {
			of[i], roles[i] = int32(s.groups.Of(i)), Core
			continue
		}
		of[i] = -1
		least := 0.0
		var best uint32
		for at := s.held[i]; at != 0; at = s.links[at-1].next {
			j := s.links[at-1].point
			if !s.core(j) {
				continue
			}
			d := distance(i, j)
			if of[i] < 0 || d < least || d == least && first[j] < first[best] {
				least, best = d, j
				of[i], roles[i] = int32(s.groups.Of(j)), Border
			}
		}
	}
	return of, roles
}

// spread returns the clusters of all points. of and roles are the result of a scan, in which equal
// points are one. point has, for each point, its index in the scan, or -1 for noise.
func spread(point, of []int32, roles []Role) *Clusters {
	n := len(of)
	allOf, allRoles := make([]int32, len(point)), make([]Role, len(point))
	for i, p := range point {
		if allOf[i] = -1; p >= 0 {
			allOf[i], allRoles[i] = of[p], roles[p]
		}
	}
	return numbered(allOf, n, allRoles)
}

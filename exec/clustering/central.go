package clustering

import (
	"math/bits"

	"infomall/exec/vector"
)

// CentralFingerprints returns, for each cluster, the index in hashes of the fingerprint that
// represents it: the one nearest to the middle. Each bit of the middle has the value that most
// fingerprints of the cluster have. If several are equally near, the first represents the cluster.
func CentralFingerprints(hashes []uint64, c *Clusters) []int {
	sums := make([][64]int32, len(c.Sizes))
	for i, n := range c.Of {
		if n >= 0 {
			for b := range 64 {
				sums[n][b] += int32(hashes[i]>>b&1)<<1 - 1
			}
		}
	}
	middle := make([]uint64, len(c.Sizes))
	for n := range sums {
		for b, x := range sums[n] {
			if x > 0 {
				middle[n] |= 1 << b
			}
		}
	}
	return nearest(c, func(i int, n int32) float64 { return float64(bits.OnesCount64(hashes[i] ^ middle[n])) })
}

// CentralRows returns, for each cluster, the index of the row of m that represents it: the one
// nearest to the sum of the cluster's rows, or the first of several equally near rows. words is the
// number of words.
func CentralRows(m *vector.Matrix, words int, c *Clusters) []int {
	members := make([][]int, len(c.Sizes))
	for i, n := range c.Of {
		if n >= 0 {
			members[n] = append(members[n], i)
		}
	}
	out := make([]int, len(c.Sizes))
	sum := make([]float64, words)
	for n, list := range members {
		for _, i := range list {
			m.Row(i).AddTo(sum, 1)
		}
		most := -1.0
		for _, i := range list {
			if x := m.Row(i).DotDense(sum); x > most {
				most, out[n] = x, i
			}
		}
		for _, i := range list {
			for _, w := range m.Row(i).Words {
				sum[w] = 0
			}
		}
	}
	return out
}

// nearest returns, for each cluster, the point with the least distance from the cluster's middle,
// or the first of several equally near points.
func nearest(c *Clusters, distance func(i int, cluster int32) float64) []int {
	out, least := make([]int, len(c.Sizes)), make([]float64, len(c.Sizes))
	for n := range out {
		out[n] = -1
	}
	for i, n := range c.Of {
		if n < 0 {
			continue
		}
		if d := distance(i, n); out[n] < 0 || d < least[n] {
			out[n], least[n] = i, d
		}
	}
	return out
}

package clustering

import (
	"context"
	"math/bits"
	"slices"

	"infomall/exec/dedup"
)

// Fingerprints divides fingerprints into clusters by DBSCAN. eps is the distance of
// neighbours in bits, from 0 to dedup.DistanceMax. least is how many neighbours make a
// core, at least 1, the point itself included. There must be fewer than 1<<31 fingerprints.
//
// It takes about 60 bytes for each fingerprint, and 16 for each pair of neighbours of which
// neither is a core so far. The error is the error of ctx, or a *PairsError.
func Fingerprints(ctx context.Context, hashes []uint64, eps, least int) (*Clusters, error) {
	hash, first, weight, point := distinct(hashes)
	s := newScan(weight, least)
	full := false
	err := dedup.Pairs(ctx, hash, eps, nil, func(i uint32, others []uint32) bool {
		for _, j := range others {
			if !s.pair(i, j) {
				full = true
				return false
			}
		}
		return true
	})
	if full {
		err = &PairsError{}
	}
	if err != nil {
		return nil, err
	}
	of, roles := s.end(first, func(i, j uint32) float64 { return float64(bits.OnesCount64(hash[i] ^ hash[j])) })
	return spread(point, of, roles), nil
}

// distinct returns the different fingerprints in hashes. For each of them, first has the least
// index in hashes, and weight how often it occurs. point has, for each index in hashes, the index
// in hash of the equal fingerprint.
func distinct(hashes []uint64) (hash []uint64, first, weight []uint32, point []int32) {
	type item struct {
		hash uint64
		at   uint32
	}
	list := make([]item, len(hashes))
	for i, h := range hashes {
		list[i] = item{h, uint32(i)}
	}
	slices.SortFunc(list, func(a, b item) int {
		switch {
		case a.hash < b.hash:
			return -1
		case a.hash > b.hash:
			return 1
		}
		return int(a.at) - int(b.at)
	})
	point = make([]int32, len(hashes))
	for i, x := range list {
		if i == 0 || x.hash != list[i-1].hash {
			hash, first, weight = append(hash, x.hash), append(first, x.at), append(weight, 0)
		}
		weight[len(weight)-1]++
		point[x.at] = int32(len(hash) - 1)
	}
	return hash, first, weight, point
}

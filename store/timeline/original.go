package timeline

import (
	"infomall/store/block/divide"
	"infomall/store/record"
	"infomall/store/segment"
)

// Original describes a revisit by the capture from which it takes its body.
type Original struct {
	From   Place // place of the entry that has the body
	Damage error // what keeps the body from being found; the other fields are then empty

	Like Place     // the capture whose reading of the body it shares; may be the revisit itself
	As   divide.As // how that capture's body is read
	Head Place     // for a revisit without status line and headers: the capture whose it had

	ID      segment.ID
	Content uint64
	Bytes   int64
	Status  int32
	Kind    record.Kind
	Mime    string
	Through *PoolList // the pools of the captures after the revisit in its chain, also of the last
}

// Found returns the original, or the damage that keeps it from being found.
func (of *Original) Found() (*Original, error) {
	if of != nil && of.Damage != nil {
		return nil, of.Damage
	}
	return of, nil
}

// PoolList is a set of pools, as a linked list. Chains with a common end share that
// part of the list.
type PoolList struct {
	Pool string
	Next *PoolList
}

// Has reports whether the pool is in the list.
func (l *PoolList) Has(pool string) bool {
	for ; l != nil; l = l.Next {
		if l.Pool == pool {
			return true
		}
	}
	return false
}

// With returns l with the pool of a place added. It returns l if the pool is in it,
// or if the place is in a batch.
func (l *PoolList) With(p Place) *PoolList {
	if p.Seg == nil || l.Has(p.Seg.Info.Pool) {
		return l
	}
	return &PoolList{p.Seg.Info.Pool, l}
}

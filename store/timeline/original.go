package timeline

import (
	"infomall/store/block/divide"
	"infomall/store/record"
	"infomall/store/segment"
)

// Original describes the capture from which a revisit (a capture stored without a body of its
// own) has its body, and the values that the revisit takes from that capture.
type Original struct {
	From   Place // place of the entry that has the body
	Damage error // the damage that keeps the body from being found, or nil; if set, the other fields are empty

	Like Place     // the capture whose reading of the body the revisit shares; may be the revisit itself
	As   divide.As // how that capture's body is read
	Head Place     // for a revisit without status line and headers: the capture whose status line and headers count as those of the revisit

	ID      segment.ID
	Content uint64
	Bytes   int64
	Status  int32
	Kind    record.Kind
	Mime    string
	Through *PoolList // the pools of the captures after the revisit in its chain, also of the last
}

// Found returns the original itself, which may be nil, or the damage because of which the body
// was not found.
func (of *Original) Found() (*Original, error) {
	if of != nil && of.Damage != nil {
		return nil, of.Damage
	}
	return of, nil
}

// PoolList is a set of pools, as a linked list. Chains of revisits that end with the same
// captures share the end of their lists.
type PoolList struct {
	Pool string
	Next *PoolList
}

// Has reports whether a pool is in the list.
func (l *PoolList) Has(pool string) bool {
	for ; l != nil; l = l.Next {
		if l.Pool == pool {
			return true
		}
	}
	return false
}

// With returns the list l with the pool of place p added. It returns l itself if the
// pool is in it already, or if p is a place in a batch, which has no pool yet.
func (l *PoolList) With(p Place) *PoolList {
	if p.Seg == nil || l.Has(p.Seg.Info.Pool) {
		return l
	}
	return &PoolList{p.Seg.Info.Pool, l}
}

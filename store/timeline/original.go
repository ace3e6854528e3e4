package timeline

import (
	"infomall/store/block/divide"
	"infomall/store/record"
	"infomall/store/segment"
)

// Original describes the capture from which a revisit (a capture stored without a body of its
// own) has its body, and the values that the revisit takes from that capture.
type Original struct {
	From   Place // place of the entry that stores the body
	Damage error // the damage that keeps the body from being found, or nil; if set, the other fields are empty

	Like Place     // place of the capture whose headers say how the body is read; may be the revisit itself
	As   divide.As // how the body is read: as which MIME type, charset and so on
	Head Place     // if the revisit has no status line and headers: place of the capture whose status line and headers it takes

	ID      segment.ID
	Content uint64
	Bytes   int64
	Status  int32
	Kind    record.Kind
	Mime    string
	Through *PoolList // the pools of all captures to which the chain of revisits leads, up to the one with the body
}

// Found returns its receiver and no error, or, if the field Damage is set, nil and that error.
// It may be called on a nil *Original.
func (of *Original) Found() (*Original, error) {
	if of != nil && of.Damage != nil {
		return nil, of.Damage
	}
	return of, nil
}

// PoolList is a set of pools, as a linked list; nil is the empty set. It has the pools of the
// captures in a chain of revisits. Two chains that end with the same captures share the end of
// their lists.
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

// With returns the list l with the pool of place p added. It returns l itself if l
// already has the pool, or if p is in a batch, which has no pool yet.
func (l *PoolList) With(p Place) *PoolList {
	if p.Seg == nil || l.Has(p.Seg.Info.Pool) {
		return l
	}
	return &PoolList{p.Seg.Info.Pool, l}
}

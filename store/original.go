package store

import (
	"infomall/store/block"
	"infomall/store/record"
	"infomall/store/segment"
)

// original describes a revisit by the capture from which it takes its body.
type original struct {
	from   place // place of the entry that has the body
	damage error // what keeps the body from being found; the other fields are then empty

	like place    // the capture whose reading of the body it shares; may be the revisit itself
	as   block.As // how that capture's body is read
	head place    // for a revisit without status line and headers: the capture whose it had

	id      segment.ID
	content uint64
	bytes   int64
	status  int32
	kind    record.Kind
	mime    string
	through *poolList // the pools of the captures after the revisit in its chain, also of the last
}

// orDamage returns the original, or the damage that keeps it from being found.
func (of *original) orDamage() (*original, error) {
	if of != nil && of.damage != nil {
		return nil, of.damage
	}
	return of, nil
}

// poolList is a set of pools, as a linked list. Chains with a common end share that
// part of the list.
type poolList struct {
	pool string
	next *poolList
}

// has reports whether the pool is in the list.
func (l *poolList) has(pool string) bool {
	for ; l != nil; l = l.next {
		if l.pool == pool {
			return true
		}
	}
	return false
}

// with returns l with the pool of a place added. It returns l if the pool is in it,
// or if the place is in a batch.
func (l *poolList) with(p place) *poolList {
	if p.seg == nil || l.has(p.seg.Info.Pool) {
		return l
	}
	return &poolList{p.seg.Info.Pool, l}
}

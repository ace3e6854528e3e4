package dedup

import "math/bits"

// Leaders puts fingerprints, one after the other, into groups. The first fingerprint of a group is
// its leader. A further fingerprint joins the group of the earliest leader that differs from it in
// at most LeaderDistance bits. If there is none, it becomes the leader of a new group. The zero
// value is ready to use.
type Leaders struct {
	hashes []uint64
	// tables has one map for each quarter of a fingerprint. It maps a value of the quarter to the
	// leaders that have it. Two fingerprints that differ in three bits have at least one equal
	// quarter.
	tables [LeaderDistance + 1]map[uint16][]uint32
}

// LeaderDistance is the most bits in which a fingerprint may differ from its leader.
const LeaderDistance = 3

// LeaderBytes is an estimate of the memory that a leader takes, in bytes.
const LeaderBytes = 64

// Group adds the next fingerprint and returns the number of its group, from 0.
func (l *Leaders) Group(hash uint64) int {
	group := len(l.hashes)
	for t := range l.tables {
		for _, n := range l.tables[t][uint16(hash>>(16*t))] {
			if int(n) >= group {
				break // the numbers of a list ascend
			}
			if bits.OnesCount64(l.hashes[n]^hash) <= LeaderDistance {
				group = int(n)
			}
		}
	}
	if group < len(l.hashes) {
		return group
	}
	l.hashes = append(l.hashes, hash)
	for t := range l.tables {
		if l.tables[t] == nil {
			l.tables[t] = make(map[uint16][]uint32)
		}
		part := uint16(hash >> (16 * t))
		l.tables[t][part] = append(l.tables[t][part], uint32(group))
	}
	return group
}

// Len returns the number of groups so far.
func (l *Leaders) Len() int { return len(l.hashes) }

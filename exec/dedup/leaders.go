package dedup

import "math/bits"

// Leaders puts fingerprints that come one after the other into groups. The first
// fingerprint of a group is its leader. A further fingerprint joins the group of the
// earliest leader that differs from it in at most LeaderDistance bits; if there is none,
// it leads a new group. The zero value is ready to use.
type Leaders struct {
	hashes []uint64
	// tables has, for each quarter of a fingerprint, the leaders by their value of the
	// quarter: two fingerprints that differ in three bits agree in a quarter.
	tables [LeaderDistance + 1]map[uint16][]uint32
}

// LeaderDistance is how many bits a fingerprint may differ from its leader.
const LeaderDistance = 3

// LeaderBytes is about how many bytes of memory a leader takes.
const LeaderBytes = 64

// Group returns the number of the group, from 0, that the next fingerprint belongs to.
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

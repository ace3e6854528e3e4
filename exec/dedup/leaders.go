package dedup

import "math/bits"

// Leaders puts fingerprints, one after the other, into groups. The first fingerprint of a group is
// its leader. A further fingerprint joins the group of the earliest leader that differs from it in
// at most leaderDistance bits. If there is none, it becomes the leader of a new group. The zero
// value is ready to use.
type Leaders struct{ of Prints }

// LeaderBytes is an estimate of the memory that a leader takes, in bytes.
const LeaderBytes = 64

// Group adds the next fingerprint and returns the number of its group, from 0.
func (l *Leaders) Group(hash uint64) int {
	if group, ok := l.of.Near(hash); ok {
		return group
	}
	l.of.Add(hash)
	return l.Len() - 1
}

// Len returns the number of groups so far.
func (l *Leaders) Len() int { return l.of.Len() }

// Prints is a list of fingerprints in which similar ones are found. The zero value is an empty list.
type Prints struct {
	hashes []uint64
	// tables has one map for each quarter of a fingerprint. It maps a value of the quarter to the
	// fingerprints that have it. Two fingerprints that differ in three bits have at least one equal
	// quarter.
	tables [leaderDistance + 1]map[uint16][]uint32
}

// leaderDistance is the most bits in which two similar fingerprints may differ.
const leaderDistance = 3

// Add adds a fingerprint. Its number is the number of those added before.
func (p *Prints) Add(hash uint64) {
	n := uint32(len(p.hashes))
	p.hashes = append(p.hashes, hash)
	for t := range p.tables {
		if p.tables[t] == nil {
			p.tables[t] = make(map[uint16][]uint32)
		}
		part := uint16(hash >> (16 * t))
		p.tables[t][part] = append(p.tables[t][part], n)
	}
}

// Near returns the number of the first fingerprint that differs from hash in at most leaderDistance bits. ok
// is false if there is none.
func (p *Prints) Near(hash uint64) (first int, ok bool) {
	first = len(p.hashes)
	for t := range p.tables {
		for _, n := range p.tables[t][uint16(hash>>(16*t))] {
			if int(n) >= first {
				break // the numbers of a list ascend
			}
			if bits.OnesCount64(p.hashes[n]^hash) <= leaderDistance {
				first = int(n)
			}
		}
	}
	return first, first < len(p.hashes)
}

// Len returns the number of fingerprints.
func (p *Prints) Len() int { return len(p.hashes) }

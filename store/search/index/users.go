package index

import (
	"encoding/binary"
	"slices"

	"infomall/store/packed"
	"infomall/store/segment"
)

// users collects which captures of consecutive runs have which leaves. Leaves that the
// same captures have share one list of captures: the 5,082 captures of a site have some
// 600,000 uses of 67,000 leaves, and 6,200 different lists.
type users struct {
	number   map[readRun]uint32 // of the runs with leaves, in the order in which they came
	leaves   []uint32           // of each of them: how many leaves are counted, the last one being used
	uses     []use
	total    int // how many leaves the uses have
	captures uint32
}

// readRun is a run in a reading.
type readRun struct {
	segment.RunRef
	reading int
}

// use says that a capture has consecutive leaves of a run.
type use struct {
	run         uint32 // its number in users.number
	from, count uint32 // the leaves
	capture     uint32
}

const (
	// usesMost is how many uses of a leaf are collected before a block of users ends. One
	// takes 4 to 20 bytes of memory.
	usesMost = 1 << 21
	// usersCaptures is how many captures a block of users has about. A question takes 40
	// bytes for each while the block is read.
	usersCaptures = 1 << 16
)

// ownDocuments stands for a run whose leaves are the documents of the index itself.
var ownDocuments = readRun{reading: -1}

// add says that the current capture has leaves of a run.
func (u *users) add(run readRun, from, count uint32) {
	n, known := u.number[run]
	if !known {
		if u.number == nil {
			u.number = make(map[readRun]uint32)
		}
		n = uint32(len(u.number))
		u.number[run] = n
		u.leaves = append(u.leaves, 0)
	}
	u.leaves[n] = max(u.leaves[n], from+count)
	u.total += int(count)
	if last := len(u.uses) - 1; last >= 0 {
		if l := &u.uses[last]; l.run == n && l.capture == u.captures && l.from+l.count == from {
			l.count += count
			return
		}
	}
	u.uses = append(u.uses, use{n, from, count, u.captures})
}

// full reports whether the block should end.
func (u *users) full() bool { return u.total >= usesMost || u.captures >= usersCaptures }

// lists returns the captures that have each leaf: those of leaf n of the run with number r
// are all[ends[first[r]+n]:ends[first[r]+n+1]].
func (u *users) lists() (first, ends, all []uint32) {
	first = make([]uint32, len(u.leaves))
	leaves := uint32(0)
	for r, n := range u.leaves {
		first[r] = leaves
		leaves += n
	}
	ends = make([]uint32, leaves+1)
	for _, s := range u.uses {
		for n := range s.count {
			ends[first[s.run]+s.from+n+1]++
		}
	}
	for i := range leaves {
		ends[i+1] += ends[i]
	}
	all = make([]uint32, u.total)
	at := slices.Clone(ends)
	for _, s := range u.uses {
		for n := range s.count {
			leaf := first[s.run] + s.from + n
			all[at[leaf]] = s.capture
			at[leaf]++
		}
	}
	return first, ends, all
}

// The columns of a block of users.
const (
	// Of the documents of the index, and then of each run with other leaves: how many are
	// used; of each of these: the difference to the number of the one before.
	colUsed   = iota
	colList   // of each of these: 0 the list of the leaf before, 1 the next new list, otherwise 1 + how far back the list is
	colSpans  // of each list: number of its spans
	colFirst  // of each list: the difference of its first capture to that of the list before
	colGaps   // of each further span: the captures between it and the span before
	colLength // of each span: its captures, less 1
	usersCols
)

// encode returns what the table says of the runs with leaves, and the block. other returns
// the number of a segment in the list of those with leaves.
func (u *users) encode(other func(segment uint32) int) (table, block []byte) {
	runs := make([]readRun, 0, len(u.number))
	for key := range u.number {
		if key != ownDocuments {
			runs = append(runs, key)
		}
	}
	slices.SortFunc(runs, func(a, b readRun) int {
		return Named{RunRef: a.RunRef, Reading: a.reading}.compare(Named{RunRef: b.RunRef, Reading: b.reading})
	})
	first, ends, all := u.lists()
	var cols [usersCols][]byte
	put := func(col int, x uint64) { cols[col] = binary.AppendUvarint(cols[col], x) }
	known := make(map[string]int) // lists by their spans
	last, start := -1, uint32(0)  // of the list before
	var key []byte
	table = binary.AppendUvarint(nil, uint64(len(runs)))
	for _, run := range runs {
		table = binary.AppendUvarint(table, uint64(other(run.Segment)))
		table = binary.AppendUvarint(table, uint64(run.Run))
		table = binary.AppendUvarint(table, uint64(run.reading))
	}
	for _, run := range append([]readRun{ownDocuments}, runs...) {
		r, some := u.number[run]
		if !some {
			put(colUsed, 0) // no documents of the index
			continue
		}
		used, before := 0, 0
		var gaps []byte
		for n := range int(u.leaves[r]) {
			leaf := int(first[r]) + n
			captures := all[ends[leaf]:ends[leaf+1]]
			if len(captures) == 0 {
				continue
			}
			gaps = binary.AppendUvarint(gaps, uint64(n-before))
			used, before = used+1, n
			spans := spansOf(captures)
			key = key[:0]
			for _, s := range spans {
				key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(s.From)), uint64(s.Count))
			}
			list, ok := known[string(key)]
			switch {
			case ok && list == last:
				put(colList, 0)
			case ok:
				put(colList, uint64(len(known)-list)+1)
			default:
				list = len(known)
				known[string(key)] = list
				put(colList, 1)
				put(colSpans, uint64(len(spans)))
				cols[colFirst] = binary.AppendVarint(cols[colFirst], int64(spans[0].From)-int64(start))
				start = spans[0].From
				for i, s := range spans {
					if i > 0 {
						put(colGaps, uint64(s.From-spans[i-1].From-spans[i-1].Count))
					}
					put(colLength, uint64(s.Count-1))
				}
			}
			last = list
		}
		put(colUsed, uint64(used))
		cols[colUsed] = append(cols[colUsed], gaps...)
	}
	for _, c := range cols {
		block = packed.AppendSized(block, c)
	}
	return table, block
}

// spansOf returns captures, which are in order, as spans. A page may have a leaf twice.
func spansOf(captures []uint32) (out []Captures) {
	for _, c := range captures {
		switch n := len(out) - 1; {
		case n < 0 || c > out[n].From+out[n].Count:
			out = append(out, Captures{c, 1})
		case c == out[n].From+out[n].Count:
			out[n].Count++
		}
	}
	return out
}

// UsersBlock says of consecutive runs which runs have leaves of their pages, besides the
// documents of the index.
type UsersBlock struct {
	First, End int // the runs, as indexes in File.Runs
	Captures   int // how many captures they have, numbered one run after the other
	Named      []Named

	block
}

// Named says that pages have leaves in a run, in a reading.
type Named struct {
	segment.RunRef
	Reading int // index in File.Readings

	other int // index in File.Others
}

// Users says which captures of a UsersBlock have which leaves. A capture whose page is that
// of another capture is a user of the same leaves.
type Users struct {
	Documents []UsedLeaf   // documents of the index
	Leaves    [][]UsedLeaf // of each run in UsersBlock.Named

	ends  []int // of each list: where its spans end in spans
	spans []Captures
}

// UsedLeaf is a leaf that captures have.
type UsedLeaf struct {
	N    uint32 // number of the document, or of the block in the run
	List uint32 // for Users.List
}

// Captures are consecutive captures of a UsersBlock.
type Captures struct{ From, Count uint32 }

// Lists returns how many lists of captures there are.
func (u *Users) Lists() int { return len(u.ends) }

// List returns the captures of a list.
func (u *Users) List(n uint32) []Captures {
	from := 0
	if n > 0 {
		from = u.ends[n-1]
	}
	return u.spans[from:u.ends[n]]
}

// UsersOf returns the block of users that describes run n, or nil if there is none.
func (f *File) UsersOf(n uint32) *UsersBlock {
	i, _ := slices.BinarySearchFunc(f.users, int(n)+1, func(b UsersBlock, end int) int { return b.End - end })
	if i == len(f.users) || int(n) < f.users[i].First {
		return nil
	}
	return &f.users[i]
}

// ReadUsers reads a block of users.
func (f *File) ReadUsers(b *UsersBlock) (*Users, error) {
	content, err := f.read(b.block)
	if err != nil {
		return nil, err
	}
	r := packed.Reader{B: content}
	var cols [usersCols]packed.Reader
	for i := range cols {
		cols[i].B = r.Sized()
	}
	u := &Users{Leaves: make([][]UsedLeaf, len(b.Named)), ends: make([]int, 0, len(cols[colSpans].B))}
	list, start := -1, int64(0)
	for i := range len(b.Named) + 1 {
		used := cols[colUsed].Number()
		if used > len(cols[colUsed].B) || used > len(cols[colList].B) {
			return nil, f.fault(errDamaged)
		}
		of := make([]UsedLeaf, used)
		before := uint64(0)
		for k := range of {
			before += cols[colUsed].Uvarint()
			switch x := cols[colList].Number(); x {
			case 0:
			case 1:
				list = len(u.ends)
				start += cols[colFirst].Varint()
				if !u.readList(&cols, start, int64(b.Captures)) {
					return nil, f.fault(errDamaged)
				}
			default:
				list = len(u.ends) - (x - 1)
			}
			if list < 0 || before > documentsMax {
				return nil, f.fault(errDamaged)
			}
			of[k] = UsedLeaf{uint32(before), uint32(list)}
		}
		if i == 0 {
			u.Documents = of
		} else {
			u.Leaves[i-1] = of
		}
	}
	for i := range cols {
		if cols[i].Bad {
			return nil, f.fault(errDamaged)
		}
	}
	return u, nil
}

// readList reads the next list, whose first capture is start. captures is how many captures
// there are. It returns false if the list is damaged.
func (u *Users) readList(cols *[usersCols]packed.Reader, start, captures int64) bool {
	spans := cols[colSpans].Number()
	for i := range spans {
		if i > 0 {
			start += int64(cols[colGaps].Uvarint() & (1<<32 - 1))
		}
		count := int64(cols[colLength].Uvarint()&(1<<32-1)) + 1
		if start < 0 || start+count > captures || cols[colLength].Bad {
			return false
		}
		u.spans = append(u.spans, Captures{uint32(start), uint32(count)})
		start += count
	}
	u.ends = append(u.ends, len(u.spans))
	return true
}

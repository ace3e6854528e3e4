package index

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"unsafe"

	"infomall/store/packed"
	"infomall/store/segment"
)

// users collects, for consecutive runs, which captures have which leaves. Leaves of the
// same captures share one list of captures. For example, 5,082 captures of a site have
// 67,000 leaves in 600,000 uses, but these need only 6,200 different lists.
type users struct {
	number   map[readRun]uint32 // the number of each run with leaves, in the order in which the runs were first used
	last     readRun            // the run of the last use added, if there is one
	leaves   []uint32           // for each run in number: 1 + the highest number of a used leaf
	uses     [][]use            // in pieces, because copying and clearing the memory of a slice that grows takes a tenth of the time of AddRun
	total    int                // sum of the counts of all uses
	captures uint32
	spare    [][]use // pieces that are not in use
}

// readRun is a run whose leaves are read in one reading.
type readRun struct {
	segment.RunRef
	reading int
}

// use records that a capture has consecutive leaves of a run.
type use struct {
	run         uint32 // number of the run in users.number
	from, count uint32 // number of the first leaf, and how many leaves
	capture     uint32
}

const (
	// usesMost is the number of uses of leaves at which a block of users ends. A use takes 4
	// to 20 bytes of memory.
	usesMost = 1 << 21
	// usersCaptures is the number of captures at which a block of users ends. A search takes
	// 40 bytes of memory for each capture of the block that it is reading.
	usersCaptures = 1 << 16
	// usesPiece is the largest number of uses in a piece of users.uses.
	usesPiece = 1 << 12
)

// ownDocuments is no real run. It stands in place of the run for all leaves that the index itself
// has as documents.
var ownDocuments = readRun{reading: -1}

// add records that the current capture has count leaves of the run, from number from on.
func (u *users) add(run readRun, from, count uint32) {
	var before *use // the last use
	var last []use  // the piece that has it
	if k := len(u.uses); k > 0 {
		last = u.uses[k-1]
		before = &last[len(last)-1]
	}
	var n uint32
	if before != nil && u.last == run {
		n = before.run
	} else {
		n = u.numberOf(run)
	}
	u.leaves[n] = max(u.leaves[n], from+count)
	u.total += int(count)
	if before != nil && before.run == n && before.capture == u.captures && before.from+before.count == from {
		before.count += count
		return
	}
	next := use{n, from, count, u.captures}
	if len(last) < cap(last) {
		u.uses[len(u.uses)-1] = append(last, next)
	} else {
		u.uses = append(u.uses, append(u.piece(2*len(last)), next))
	}
	u.last = run
}

// piece returns an empty piece for u.uses. If it has to be allocated, it gets room for about as many uses
// as size says.
func (u *users) piece(size int) []use {
	if n := len(u.spare); n > 0 {
		p := u.spare[n-1]
		u.spare = u.spare[:n-1]
		return p
	}
	return make([]use, 0, min(usesPiece, max(16, size)))
}

// sparePieces is the largest number of pieces in users.spare, which then take 4 MB.
const sparePieces = 64

// reset removes all uses, and keeps the memory for the next ones.
func (u *users) reset() {
	for _, p := range u.uses {
		if len(u.spare) < sparePieces {
			u.spare = append(u.spare, p[:0])
		}
	}
	clear(u.number)
	*u = users{number: u.number, leaves: u.leaves[:0], uses: u.uses[:0], spare: u.spare}
}

// numberOf returns the number of a run in u.number, and adds the run if it is not there.
func (u *users) numberOf(run readRun) uint32 {
	n, known := u.number[run]
	if !known {
		if u.number == nil {
			u.number = make(map[readRun]uint32)
		}
		n = uint32(len(u.number))
		u.number[run] = n
		u.leaves = append(u.leaves, 0)
	}
	return n
}

// full reports whether the block should end.
func (u *users) full() bool { return u.total >= usesMost || u.captures >= usersCaptures }

// lists returns, for each leaf, the numbers of the captures that have it. Leaf n of the
// run with number r has the captures all[ends[first[r]+n]:ends[first[r]+n+1]].
func (u *users) lists() (first, ends, all []uint32) {
	first = make([]uint32, len(u.leaves))
	leaves := uint32(0)
	for r, n := range u.leaves {
		first[r] = leaves
		leaves += n
	}
	// While all is filled, ends[n+1] is where the next capture of leaf n goes.
	ends = make([]uint32, leaves+2)
	for _, piece := range u.uses {
		for _, s := range piece {
			leaf := first[s.run] + s.from
			for n := range s.count {
				ends[leaf+n+2]++
			}
		}
	}
	for i := range leaves {
		ends[i+2] += ends[i+1]
	}
	all = make([]uint32, u.total)
	for _, piece := range u.uses {
		for _, s := range piece {
			of := ends[first[s.run]+s.from+1:][:s.count]
			for n := range of {
				all[of[n]] = s.capture
				of[n]++
			}
		}
	}
	return first, ends, all
}

// encode returns the block of users, and the entry of the table that lists the runs with
// leaves. The function other returns the number of a segment in Builder.others. encode appends the
// block to dst, and uses the memory of lists.
func (u *users) encode(other func(segment uint32) int, lists *listWriter, dst []byte) (table, block []byte) {
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
	var used, times, gaps []byte
	lists.reset()
	table = binary.AppendUvarint(nil, uint64(len(runs)))
	for _, run := range runs {
		table = binary.AppendUvarint(table, uint64(other(run.Segment)))
		table = binary.AppendUvarint(table, uint64(run.Run))
		table = binary.AppendUvarint(table, uint64(run.reading))
	}
	for _, run := range append([]readRun{ownDocuments}, runs...) {
		r, some := u.number[run]
		if !some {
			used = append(used, 0) // no documents of the index
			continue
		}
		count, before := 0, 0
		gaps = gaps[:0]
		for n := range int(u.leaves[r]) {
			leaf := int(first[r]) + n
			captures := all[ends[leaf]:ends[leaf+1]]
			if len(captures) == 0 {
				continue
			}
			gaps = binary.AppendUvarint(gaps, uint64(n-before))
			count, before = count+1, n
			lists.put(captures)
			times = binary.AppendUvarint(times, uint64(timesOf(captures)-1))
		}
		used = append(binary.AppendUvarint(used, uint64(count)), gaps...)
	}
	return table, lists.appendTo(packed.AppendSized(packed.AppendSized(dst, used), times))
}

// timesOf returns how often a page has a leaf at most. captures are the captures of the pages that
// have it, ascending; a capture is there as often as its page has the leaf.
func timesOf(captures []uint32) (most int) {
	from := 0
	for i, c := range captures {
		if c != captures[from] {
			from = i
		}
		most = max(most, i-from+1)
	}
	return most
}

// UsersBlock describes the block of users of consecutive runs. Named lists the runs
// outside the index that store some of the leaves. The other leaves are documents of the
// index.
type UsersBlock struct {
	First, End int // the runs First <= run < End, as indexes in File.Runs
	Captures   int // number of captures of these runs; they are numbered from 0, one run after the other
	Named      []Named

	block
}

// Named is a run outside the index that stores leaves of pages, with the reading of these
// pages.
type Named struct {
	segment.RunRef
	Reading int // index in File.Readings

	other int // index in File.Others
}

// Users has, for each leaf, the captures of a UsersBlock that have it. A capture with the
// same page as another capture is listed for the same leaves.
type Users struct {
	Documents []UsedLeaves   // documents of the index, ascending
	Leaves    [][]UsedLeaves // for each run in UsersBlock.Named

	lists
}

// UsedLeaves is some consecutive leaves: either all of them have the same captures, as the leaves that
// came with one page, or each capture has as many of them as the capture before, as with pages that have all of
// their leaves for themselves.
//
// Most leaves share an element with others, and a search need not look at each. With an element for
// each leaf, a count of a word that 1 % of a million pages have took twice the time: each element
// was far away in memory.
type UsedLeaves struct {
	N, Count uint32 // number of the first document, or of the first block in the run, and how many leaves there are
	list     uint32 // number of the list of captures; if each is not 0, the capture of the first leaf
	Most     uint16 // how often the page of one of the captures has a leaf at most; math.MaxUint16 stands for more, too
	each     uint16 // how many leaves each capture has; 0 if all leaves have the same captures
}

// Only returns the capture that has leaf n, if only one has it. Otherwise ok is false, and List is the
// list of the captures that have all the leaves.
func (l *UsedLeaves) Only(n uint32) (capture uint32, ok bool) {
	switch l.each {
	case 0:
		return 0, false
	case 1:
		return l.list + n - l.N, true
	}
	return l.list + (n-l.N)/uint32(l.each), true
}

// List returns a list of captures, for the method Users.List. See Only.
func (l *UsedLeaves) List() uint32 { return l.list }

// Same reports whether all leaves have the same captures.
func (l *UsedLeaves) Same() bool { return l.each == 0 || l.Count <= uint32(l.each) }

// Each returns how many leaves each capture has, if Same is false.
func (l *UsedLeaves) Each() uint32 { return uint32(l.each) }

// end returns the number after that of the last leaf.
func (l *UsedLeaves) end() uint32 { return l.N + l.Count }

// LeavesFrom returns the part of list from the first element on that has a leaf with number n or
// higher.
func LeavesFrom(list []UsedLeaves, n uint32) []UsedLeaves {
	// Mostly, it is one of the next elements.
	skip := 1
	for skip < len(list) && list[skip-1].end() <= n {
		skip *= 2
	}
	list = list[skip/2:]
	i := sort.Search(min(len(list), skip), func(i int) bool { return list[i].end() > n })
	return list[i:]
}

// add appends a leaf to list. If only one capture has the leaf, of is the capture, and one is set; otherwise of is
// the number of the list of its captures.
func add(list []UsedLeaves, n uint32, most uint16, of uint32, one bool) []UsedLeaves {
	next := UsedLeaves{N: n, Count: 1, list: of, Most: most}
	if one {
		next.each = 1
	}
	if len(list) == 0 {
		return append(list, next)
	}
	l := &list[len(list)-1]
	if l.end() != n || l.Most != most || (l.each > 0) != one {
		return append(list, next)
	}
	if !one {
		if l.list == of {
			l.Count++
			return list
		}
		return append(list, next)
	}
	each := uint32(l.each)
	last := l.list + (l.Count-1)/each // the capture of the last leaf
	full := l.Count%each == 0         // it has as many leaves as the captures before it
	switch {
	case of == last && !full || of == last+1 && full:
		l.Count++
	case of != last || each == math.MaxUint16:
		return append(list, next)
	case l.Count == each:
		l.Count++
		l.each++
	default: // the last capture has more leaves than those before it, and so needs an element of its own
		l.Count -= each
		list = append(list, UsedLeaves{N: n - each, Count: each + 1, list: of, Most: most, each: uint16(each) + 1})
	}
	return list
}

// UsersOf returns the UsersBlock that describes run n, or nil if no block does.
func (f *File) UsersOf(n uint32) *UsersBlock {
	i, _ := slices.BinarySearchFunc(f.users, int(n)+1, func(b UsersBlock, end int) int { return b.End - end })
	if i == len(f.users) || int(n) < f.users[i].First {
		return nil
	}
	return &f.users[i]
}

// ReadUsers reads a block of users.
func (f *File) ReadUsers(b *UsersBlock) (*Users, error) {
	return keep(f, b.block, keptUsers, func(content []byte) (*Users, int64, error) {
		u, err := f.decodeUsers(b, content)
		return u, u.bytes(), err
	})
}

// bytes returns an estimate of the memory that u takes, in bytes.
func (u *Users) bytes() int64 {
	if u == nil {
		return 0
	}
	leaves := cap(u.Documents)
	for _, l := range u.Leaves {
		leaves += cap(l) + 3 // 3 for the slice itself
	}
	return int64(leaves)*int64(unsafe.Sizeof(UsedLeaves{})) + int64(cap(u.ends))*8 + int64(cap(u.spans))*int64(unsafe.Sizeof(Captures{}))
}

// decodeUsers decodes content, the decompressed block b of users.
func (f *File) decodeUsers(b *UsersBlock, content []byte) (*Users, error) {
	r := packed.Reader{B: content}
	used, times := packed.Reader{B: r.Sized()}, packed.Reader{B: r.Sized()}
	u := &Users{Leaves: make([][]UsedLeaves, len(b.Named))}
	var all lists
	lists := all.reader(&r, b.Captures)
	var number []uint32 // for each of all: 1 + its number in u, or 0
	var of []UsedLeaves
	for i := range len(b.Named) + 1 {
		count := used.Count()
		of = of[:0]
		n := uint64(0)
		for range count {
			n += used.Uvarint()
			list, ok := lists.next()
			if !ok || n > documentsMax {
				return nil, f.fault(errDamaged)
			}
			captures, most := all.List(list), uint16(min(times.Number()+1, math.MaxUint16))
			if len(captures) == 1 && captures[0].Count == 1 {
				of = add(of, uint32(n), most, captures[0].From, true)
				continue
			}
			if more := all.Lists() - len(number); more > 0 {
				number = append(number, make([]uint32, more)...)
			}
			if number[list] == 0 {
				u.spans = append(u.spans, captures...)
				u.ends = append(u.ends, len(u.spans))
				number[list] = uint32(len(u.ends))
			}
			of = add(of, uint32(n), most, number[list]-1, false)
		}
		if i == 0 {
			u.Documents = slices.Clone(of)
		} else {
			u.Leaves[i-1] = slices.Clone(of)
		}
	}
	if used.Bad || times.Bad || r.Bad {
		return nil, f.fault(errDamaged)
	}
	return u, nil
}

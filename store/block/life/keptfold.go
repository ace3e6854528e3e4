package life

import (
	"cmp"
	"encoding/binary"
	"slices"

	"infomall/store/block/about"
	"infomall/store/block/facts"
	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/words"
)

// Fold is the stored result of a History at one version. With it, a query about this version or
// the next need not begin at the first version of the URL.
type Fold struct {
	// Previous is the time of the version before; record.NoTime for the first
	// version.
	Previous record.Time
	// Changed has the blocks of the cut at KeptLevel that were added or edited
	// since the version before, in order.
	Changed []Changed
	// Brought says how much data is new in the version: the version before does
	// not have it.
	Brought Brought

	life []Life // the life of each block, by its index in the tree
	twin int32  // number of earlier versions with the same time as this version
}

// Changed is a block that was added or edited since the version before.
type Changed struct {
	Ordinal int // index in the cut at KeptLevel, from 0
	Op      Op
	Life    Life
	Details
}

// Details are facts about the content of a block. The digest of the block is not stored among
// them: it is quickly computed and does not compress.
type Details struct {
	Bytes int
	Topic string
	Words int
	Links int
}

// details returns the Details of block n, which has so many links.
func details(r *facts.Reading, rev *Revision, n, links int) Details {
	b := &rev.Tree.Blocks[n]
	topic, text := about.TopicAndText(r.Body, b.Start, b.End)
	return Details{Bytes: b.End - b.Start, Topic: topic, Words: words.Count(text), Links: links}
}

// The bits of the second byte of a fold. The first byte is the number of the
// Extractor.
const (
	foldFirst = 1 // the version is the first one
	foldTwin  = 2 // earlier versions have the same time as this version
)

// AppendFold appends the encoded fold of version r to dst (see Fold). reading is
// the body of the version as a facts.Reader read it, or nil if it was not opened.
func (r *Revision) AppendFold(dst []byte, reading *facts.Reading) []byte {
	bits := byte(0)
	if r.Before == nil {
		bits |= foldFirst
	}
	if r.twin > 0 {
		bits |= foldTwin
	}
	dst = append(dst, facts.Extractor, bits)
	if r.twin > 0 {
		dst = binary.AppendUvarint(dst, uint64(r.twin))
	}
	if r.Before != nil {
		dst = binary.AppendUvarint(dst, uint64(r.Time-r.Before.Time))
	}
	dst = r.appendLives(dst)
	layout := r.Tree.Layout
	if reading != nil {
		layout = reading.Layout
	}
	brought := r.brought(layout)
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(brought.Blocks)), uint64(brought.Bytes))
	if r.Before == nil || r.Hidden() || reading == nil {
		return dst
	}
	var changed []int // places among the changes, which begin with the cut
	changes := r.Changes(facts.KeptLevel)
	for i, c := range changes {
		if c.Op == Added || c.Op == Edited {
			changed = append(changed, i)
		}
	}
	dst = binary.AppendUvarint(dst, uint64(len(changed)))
	links := []int{reading.Links}
	if !r.Whole {
		links = reading.LinksOfCut()
	}
	ordinal, place := 0, 0
	for _, i := range changed {
		n := changes[i].New
		d := details(reading, r, n, links[i])
		dst = append(binary.AppendUvarint(dst, uint64(i-ordinal)), byte(changes[i].Op))
		dst = binary.AppendUvarint(dst, uint64(n-place))
		ordinal, place = i, n
		for _, x := range []int{d.Bytes, d.Words, d.Links} {
			dst = binary.AppendUvarint(dst, uint64(x))
		}
		dst = packed.AppendSized(dst, d.Topic)
	}
	return dst
}

// AppendFirstFold appends to dst the encoded fold of the first version of a URL
// if that version is a single block. shown says whether the body is a page that
// divide.Open opens. size is the size of the stored body and must not be 0.
func AppendFirstFold(dst []byte, shown bool, size int64) []byte {
	leaves := byte(0)
	if shown {
		leaves = 1
	}
	dst = binary.AppendUvarint(append(dst, facts.Extractor, foldFirst), 1000) // unit
	dst = append(dst, 1, 0, 0)                                                // one birth: this version, without earlier twins
	dst = append(dst, 2, 1, 1, 0, 2)                                          // two blocks, in one stretch: the one after the root, with birth 0 and place 1
	return binary.AppendUvarint(append(dst, leaves), uint64(size))
}

// birth identifies the version in which blocks first appeared. twin is the number
// of earlier versions with the same time.
type birth struct {
	time record.Time
	twin int32
}

// compare orders births by time, the latest first, then by twin. The result is negative if a comes
// first, 0 if both are equal, and positive otherwise.
func (a birth) compare(b birth) int {
	return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(a.twin, b.twin))
}

// stretch is neighbouring blocks of a version that were neighbours in the version in which they
// first appeared.
type stretch struct {
	blocks int
	birth  int // index of that version in the list of births
	place  int // index of the first of these blocks in that version's Tree
}

// appendLives appends the lives of the blocks to dst. First it writes the versions in which
// blocks first appeared, the latest first. Times are written in seconds if all of them are whole
// seconds apart, otherwise in milliseconds. Then it writes stretches of blocks: the number of
// blocks of each, the birth of each, and the place of each. A place is written as its distance
// from the end of the stretch before with the same birth. If each stretch has its three numbers
// side by side, and whole places, the folds of a sealed site take 14 % more.
func (r *Revision) appendLives(dst []byte) []byte {
	var births []birth
	unit := record.Time(1000)
	for _, l := range r.Life[1:] {
		if b := (birth{l.FirstSeen, l.twin}); len(births) == 0 || births[len(births)-1] != b {
			births = append(births, b)
			if (r.Time-l.FirstSeen)%unit != 0 {
				unit = 1
			}
		}
	}
	slices.SortFunc(births, birth.compare)
	births = slices.Compact(births)
	dst = binary.AppendUvarint(dst, uint64(unit))
	dst = binary.AppendUvarint(dst, uint64(len(births)))
	last := r.Time
	for _, b := range births {
		dst = binary.AppendUvarint(dst, uint64((last-b.time)/unit))
		last = b.time
	}
	for _, b := range births {
		dst = binary.AppendUvarint(dst, uint64(b.twin))
	}
	dst = binary.AppendUvarint(dst, uint64(len(r.Life)))
	var stretches []stretch
	for n := 1; n < len(r.Life); {
		l := r.Life[n]
		end := n + 1
		for end < len(r.Life) && r.Life[end].FirstSeen == l.FirstSeen && r.Life[end].twin == l.twin && int(r.Life[end].place)-int(l.place) == end-n {
			end++
		}
		i, _ := slices.BinarySearchFunc(births, birth{l.FirstSeen, l.twin}, birth.compare)
		stretches = append(stretches, stretch{end - n, i, int(l.place)})
		n = end
	}
	dst = binary.AppendUvarint(dst, uint64(len(stretches)))
	for _, s := range stretches {
		dst = binary.AppendUvarint(dst, uint64(s.blocks))
	}
	for _, s := range stretches {
		dst = binary.AppendUvarint(dst, uint64(s.birth))
	}
	ends := make([]int, len(births)) // where the last stretch of each birth ends
	for _, s := range stretches {
		dst = binary.AppendVarint(dst, int64(s.place-ends[s.birth]))
		ends[s.birth] = s.place + s.blocks
	}
	return dst
}

// ReadFold decodes src, the fold of a version. The argument at is the time of
// the version. The error is facts.ErrOther if another version of
// facts.Extractor wrote the fold, or facts.ErrFacts if it is damaged.
func ReadFold(src []byte, at record.Time) (*Fold, error) {
	f := new(Fold)
	return f, f.Read(src, at)
}

// Read decodes a fold into f, as ReadFold does. It reuses the memory of f.
func (f *Fold) Read(src []byte, at record.Time) error {
	t := packed.Reader{B: src}
	if t.Byte() != facts.Extractor {
		return facts.ErrOther
	}
	*f = Fold{Previous: record.NoTime, life: f.life[:0]}
	bits := t.Byte()
	if bits&foldTwin != 0 {
		f.twin = int32(t.Number())
	}
	if bits&foldFirst == 0 {
		f.Previous = at - record.Time(t.Uvarint())
	}
	if err := f.takeLives(&t, at); err != nil {
		return err
	}
	f.Brought = Brought{t.Number(), int64(t.Number())}
	if len(t.B) > 0 {
		f.takeChanged(&t)
	}
	if t.Bad || len(t.B) > 0 {
		return facts.ErrFacts
	}
	return nil
}

func (f *Fold) takeChanged(t *packed.Reader) {
	f.Changed = make([]Changed, t.Count())
	ordinal, place := 0, 0
	for i := range f.Changed {
		c := &f.Changed[i]
		ordinal += t.Number()
		c.Ordinal, c.Op = ordinal, Op(t.Byte())
		if place += t.Number(); place <= 0 || place >= len(f.life) || c.Op != Added && c.Op != Edited {
			t.Bad = true
			return
		}
		c.Life = f.life[place]
		c.Bytes, c.Words, c.Links, c.Topic = t.Number(), t.Number(), t.Number(), t.Text()
	}
}

// blocksMax is more blocks than any page has. A fold with a greater number is
// damaged.
const blocksMax = 1 << 24

func (f *Fold) takeLives(t *packed.Reader, at record.Time) error {
	unit := record.Time(t.Number())
	births := make([]Life, t.Count())
	for i := range births {
		at -= record.Time(t.Uvarint()) * unit
		births[i].FirstSeen = at
	}
	for i := range births {
		births[i].twin = int32(t.Number())
	}
	blocks := t.Number()
	n := t.Count() // number of stretches
	if t.Bad || blocks == 0 || blocks > blocksMax || n >= blocks {
		return facts.ErrFacts
	}
	var room [3 * 64]uint64 // enough for most versions
	numbers := slices.Grow(room[:0], 3*n)[:3*n]
	t.Uvarints(numbers)
	f.life = append(slices.Grow(f.life, min(blocks, 1024)), Life{})
	for i := range n {
		count, birth, step := numbers[i], numbers[n+i], numbers[2*n+i]
		if t.Bad || count == 0 || count > uint64(blocks-len(f.life)) || birth >= uint64(len(births)) {
			return facts.ErrFacts
		}
		l := births[birth] // its place is the end of the stretch before
		place := int64(l.place) + (int64(step>>1) ^ -int64(step&1))
		if place <= 0 || place > blocksMax {
			return facts.ErrFacts
		}
		for i := range int(count) {
			l.place = int32(place) + int32(i)
			f.life = append(f.life, l)
		}
		births[birth].place = l.place + 1
	}
	if t.Bad || len(f.life) != blocks {
		return facts.ErrFacts
	}
	return nil
}

// Lives returns the life of each block of the version, by its index in the Tree. The caller
// must not change it.
func (f *Fold) Lives() []Life { return f.life }

// Resume sets h to its state after all versions of the URL up to and including
// v. It returns the Revision of v, which has no changes. f is the fold of v. If
// f cannot be the fold of v, Resume returns nil and changes nothing.
func (h *History) Resume(v Version, f *Fold) *Revision {
	r := newRevision(v, nil)
	if len(f.life) != len(r.Tree.Blocks) {
		return nil
	}
	r.Life, r.twin = f.life, f.twin
	h.last, h.twins = r, int(f.twin)
	return r
}

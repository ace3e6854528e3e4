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

// Fold is the stored result of a History at one version. With it, a question
// about this version or the next need not begin at the first version.
type Fold struct {
	// Previous is the time of the version before, NoTime for the first.
	Previous record.Time
	// Changed has the blocks of the cut at KeptLevel that were added or edited
	// since the version before, in order.
	Changed []Changed
	// Brought is the amount of data that the version before does not have.
	Brought Brought

	life []Life // of all blocks
	twin int32
}

// Changed is a block that was added or edited.
type Changed struct {
	Ordinal int // place in the cut, from 0
	Op      Op
	Life    Life
	Details
}

// Details are facts about the bytes of a block. Their digest is not stored: it
// is quickly computed and does not compress.
type Details struct {
	Bytes int
	Topic string
	Words int
	Links int
}

// details returns the details of block n, which has index ordinal in the cut.
func details(r *facts.Reading, rev *Revision, n, ordinal int) Details {
	b := &rev.Tree.Blocks[n]
	d := Details{Bytes: b.End - b.Start}
	topic, text := about.TopicAndText(r.Body, b.Start, b.End)
	d.Topic = topic
	d.Words = words.Count(text)
	if rev.Whole {
		d.Links = r.Links
		return d
	}
	d.Links = r.LinksIn(n, ordinal)
	return d
}

// The bits of the byte that follows the Extractor at the start of a fold.
const (
	foldFirst = 1 // there is no version before
	foldTwin  = 2 // others of its time come before it
)

// AppendFold appends the fold of version r. reading is its body as read, or nil
// if it was not opened.
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
	ordinal, place := 0, 0
	for _, i := range changed {
		n := changes[i].New
		d := details(reading, r, n, i)
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

// AppendFirstFold appends the fold of the first version of a URL, if it has one
// block. shown says that the body is a page that Open opens. size is the size
// of the stored body and must not be 0.
func AppendFirstFold(dst []byte, shown bool, size int64) []byte {
	leaves := byte(0)
	if shown {
		leaves = 1
	}
	dst = binary.AppendUvarint(append(dst, facts.Extractor, foldFirst), 1000) // unit
	dst = append(dst, 1, 0, 0)                                                // a birth, this one, of no twins
	dst = append(dst, 2, 1, 0, 1)                                             // for one block, the first after the root
	return binary.AppendUvarint(append(dst, leaves), uint64(size))
}

// birth is the version in which blocks first appeared.
type birth struct {
	time record.Time
	twin int32
}

// appendLives appends the lives of the blocks. First come the births, the
// latest first, then the runs of blocks that were neighbours in one of these
// versions. Times are in seconds if all of them are whole seconds.
func (r *Revision) appendLives(dst []byte) []byte {
	var births []birth
	unit := record.Time(1000)
	for _, l := range r.Life[1:] {
		if b := (birth{l.FirstSeen, l.twin}); !slices.Contains(births, b) {
			births = append(births, b)
			if (r.Time-l.FirstSeen)%unit != 0 {
				unit = 1
			}
		}
	}
	slices.SortFunc(births, func(a, b birth) int {
		return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(a.twin, b.twin))
	})
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
	for n := 1; n < len(r.Life); {
		l := r.Life[n]
		end := n + 1
		for end < len(r.Life) && r.Life[end].FirstSeen == l.FirstSeen && r.Life[end].twin == l.twin && int(r.Life[end].place)-int(l.place) == end-n {
			end++
		}
		dst = binary.AppendUvarint(dst, uint64(end-n))
		dst = binary.AppendUvarint(dst, uint64(slices.Index(births, birth{l.FirstSeen, l.twin})))
		dst = binary.AppendUvarint(dst, uint64(l.place))
		n = end
	}
	return dst
}

// ReadFold reads the fold of a version that began at time at. If it is from
// another version of Extractor, it returns an error.
func ReadFold(src []byte, at record.Time) (*Fold, error) {
	t := packed.Reader{B: src}
	if t.Byte() != facts.Extractor {
		return nil, facts.ErrOther
	}
	f := &Fold{Previous: record.NoTime}
	bits := t.Byte()
	if bits&foldTwin != 0 {
		f.twin = int32(t.Number())
	}
	if bits&foldFirst == 0 {
		f.Previous = at - record.Time(t.Uvarint())
	}
	if err := f.takeLives(&t, at); err != nil {
		return nil, err
	}
	f.Brought = Brought{t.Number(), int64(t.Number())}
	if len(t.B) > 0 {
		f.takeChanged(&t)
	}
	if t.Bad || len(t.B) > 0 {
		return nil, facts.ErrFacts
	}
	return f, nil
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

// blocksMax is more blocks than any page has. A fold that claims more is
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
	if t.Bad || blocks == 0 || blocks > blocksMax {
		return facts.ErrFacts
	}
	f.life = make([]Life, 1, min(blocks, 1024))
	for len(f.life) < blocks {
		n, birth, place := t.Number(), t.Number(), t.Number()
		if t.Bad || n == 0 || n > blocks-len(f.life) || birth >= len(births) || place == 0 || place > blocksMax {
			return facts.ErrFacts
		}
		for i := range n {
			l := births[birth]
			l.place = int32(place + i)
			f.life = append(f.life, l)
		}
	}
	return nil
}

// Resume continues a History at version v, whose fold is f, as if all earlier
// versions had been added. It returns false, and changes nothing, if f is not
// the fold of v. The changes in v itself are not known after that.
func (h *History) Resume(v Version, f *Fold) bool {
	r := newRevision(v)
	if len(f.life) != len(r.Tree.Blocks) {
		return false
	}
	r.Life, r.twin = f.life, f.twin
	h.last, h.twins = r, int(f.twin)
	return true
}

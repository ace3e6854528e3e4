package index

import (
	"context"
	"encoding/binary"
	"slices"

	"infomall/store/packed"
	"infomall/store/urlkey"
)

// targets collects, for consecutive runs, which captures link to which URLs.
type targets struct {
	number map[string]uint32 // the number of each target, by the key of its URL
	users  users             // the captures that link to each target, as if the target were a document
	bytes  int               // an estimate of the memory that the map number takes
	first  int               // number of the first run
}

const (
	// targetsBytes is the size in memory of the keys of targets at which the Builder writes
	// the targets of the runs so far as blocks.
	targetsBytes = 16 << 20
	targetEntry  = 64 // memory of a key in bytes, without its text
)

// unknownTargets stands, in place of a key, for the unknown links of a capture. It sorts
// before all keys.
const unknownTargets = ""

// add records that the current capture has a link to the URL with this key.
func (t *targets) add(key string) {
	n, known := t.number[key]
	if !known {
		if t.number == nil {
			t.number = make(map[string]uint32)
		}
		n = uint32(len(t.number))
		t.number[key] = n
		t.bytes += len(key) + targetEntry
	}
	t.users.add(ownDocuments, n, 1)
}

func (t *targets) full() bool { return t.users.full() || t.bytes >= targetsBytes }

// endTargets writes the targets of the runs so far as blocks.
func (b *Builder) endTargets() {
	t := &b.targets
	if len(t.number) > 0 {
		_, ends, all := t.users.lists()
		keys := make([]string, 0, len(t.number))
		for key := range t.number {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		var content []byte
		lists, before := b.lists, ""
		lists.reset()
		for i, key := range keys {
			same := commonPrefix(before, key)
			content = packed.AppendSized(binary.AppendUvarint(content, uint64(same)), key[same:])
			before = key
			n := t.number[key]
			lists.put(all[ends[n]:ends[n+1]])
			if len(content) < blockBytes && i < len(keys)-1 {
				continue
			}
			about := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(t.first)), uint64(b.runs))
			about = packed.AppendSized(about, key)
			b.block = lists.appendTo(packed.AppendSized(b.block[:0], content))
			b.addBlock(kindTargets, about, b.block)
			content, before = content[:0], ""
			lists.reset()
		}
	}
	t.reset(b.runs)
}

// reset removes all targets, and keeps the memory for the next ones. first is the number of the next run.
func (t *targets) reset(first int) {
	t.users.reset()
	clear(t.number)
	t.bytes, t.first = 0, first
}

// commonPrefix returns the length of the longest common prefix of a and b.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// targetBlock is a block of targets of the runs first <= run < end.
type targetBlock struct {
	first, end int
	last       string // the last key in the block
	block
}

// Linking calls the function each for every capture with a link to a URL whose key is in
// ranges, and for every capture whose links are not known. The capture has number n in the
// run f.Runs[run]. ranges must be sorted and disjoint. A capture may be passed several
// times.
func (f *File) Linking(ctx context.Context, ranges []urlkey.Range, each func(run, n uint32)) error {
	before := "" // the last key of the block before, if it is of the same runs
	for i, b := range f.targets {
		if i > 0 && f.targets[i-1].end != b.end {
			before = ""
		}
		from := before
		before = b.last
		if from != "" && !slices.ContainsFunc(ranges, func(r urlkey.Range) bool { return r.From <= b.last && (r.To == "" || r.To > from) }) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.linking(&b, ranges, each); err != nil {
			return err
		}
	}
	return nil
}

// linking does what Linking does, for the targets in one block.
func (f *File) linking(b *targetBlock, ranges []urlkey.Range, each func(run, n uint32)) error {
	content, err := f.read(b.block)
	if err != nil {
		return err
	}
	captures := 0
	for _, u := range f.Runs[b.first:b.end] {
		captures += u.Pages
	}
	r := packed.Reader{B: content}
	keys := packed.Reader{B: r.Sized()}
	var all lists
	lists := all.reader(&r, captures)
	var key []byte
	for len(keys.B) > 0 {
		same := keys.Number()
		if same > len(key) {
			return f.fault(errDamaged)
		}
		key = append(key[:same], keys.Sized()...)
		list, ok := lists.next()
		if !ok || keys.Bad {
			return f.fault(errDamaged)
		}
		if len(key) > 0 && !slices.ContainsFunc(ranges, func(r urlkey.Range) bool {
			return r.From <= string(key) && (r.To == "" || string(key) < r.To) // Range.Contains would copy each key
		}) {
			continue
		}
		for _, c := range all.List(list) {
			f.eachOf(c, b.first, each)
		}
	}
	if keys.Bad || r.Bad {
		return f.fault(errDamaged)
	}
	return nil
}

// eachOf calls the function each for the captures in c. The numbers in c count from the first
// capture of the run f.Runs[first], across the runs that follow it.
func (f *File) eachOf(c Captures, first int, each func(run, n uint32)) {
	at := uint32(0) // the number of the first capture of the run
	for run := first; run < len(f.Runs) && at < c.From+c.Count; run++ {
		next := at + uint32(f.Runs[run].Pages)
		for n := max(at, c.From); n < min(next, c.From+c.Count); n++ {
			each(uint32(run), n-at)
		}
		at = next
	}
}

// readTargetBlock reads the entry of the next block of targets from the table. It calls
// place to read the position of the block.
func (f *File) readTargetBlock(t *packed.Reader, place func(*packed.Reader) block) targetBlock {
	return targetBlock{t.Number(), t.Number(), t.Text(), place(t)}
}

// targetsFit reports whether all blocks of targets describe only runs that the index has.
func (f *File) targetsFit() bool {
	return !slices.ContainsFunc(f.targets, func(b targetBlock) bool { return b.first > b.end || b.end > len(f.Runs) })
}

package index

import (
	"context"
	"encoding/binary"
	"slices"

	"infomall/store/packed"
	"infomall/store/urlkey"
)

// targets collects which captures of consecutive runs have links to which URLs.
type targets struct {
	number map[string]uint32 // by the key of a URL
	users  users             // a target is a document of these
	bytes  int               // about what number takes
	first  int               // the first run
}

const (
	// targetsBytes is how much memory the keys of targets take before a group of blocks
	// of targets ends.
	targetsBytes = 16 << 20
	targetEntry  = 64 // what a key takes besides its text
)

// unknownTargets is the key for captures whose links are not known. It comes before all
// keys.
const unknownTargets = ""

// add says that the current capture has a link to the URL with this key.
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

// endTargets writes the blocks of targets of the runs so far.
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
		lists, before := newListWriter(), ""
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
			b.addBlock(kindTargets, about, lists.appendTo(packed.AppendSized(nil, content)))
			content, lists, before = nil, newListWriter(), ""
		}
	}
	b.targets = targets{first: b.runs}
}

// commonPrefix returns how many bytes a and b have in common at their beginning.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// targetBlock is a block of targets: of the runs from first up to, and without, end.
type targetBlock struct {
	first, end int
	last       string // its last key
	block
}

// Linking calls each for every capture with a link to a URL whose key is in ranges, which
// are sorted and disjoint, and for every capture whose links are not known: n is its number
// in the run f.Runs[run]. A capture may come several times.
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

// linking does the same for one block.
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

// eachOf calls each for the captures c of the runs from first on.
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

// readTargetBlock reads from the table what it says of the next block of targets. place
// reads where the block is.
func (f *File) readTargetBlock(t *packed.Reader, place func(*packed.Reader) block) targetBlock {
	return targetBlock{t.Number(), t.Number(), t.Text(), place(t)}
}

// targetsFit reports whether the blocks of targets are of runs that the index has.
func (f *File) targetsFit() bool {
	return !slices.ContainsFunc(f.targets, func(b targetBlock) bool { return b.first > b.end || b.end > len(f.Runs) })
}

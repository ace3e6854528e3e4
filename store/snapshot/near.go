package snapshot

import (
	"context"

	"infomall/store/block/divide"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/search/index"
	"infomall/store/segment"
	"infomall/store/urlkey"
)

// nearBodiesMax is how many different bodies NearWords reads, 50 bytes of memory each.
// nearLeavesMax is how many leaves it remembers, 100 bytes each.
const (
	nearBodiesMax = 2 << 20
	nearLeavesMax = 1 << 19
)

// NearWords returns, for each of words, the words of the archive that are near it, see
// search.Nearer. It reads the texts of the captures with a key in ranges and a time in
// from <= time < to, each body once. ranges are sorted and disjoint; nil means all keys.
// words must be folded. What cannot be read, because of damage for example, is left out.
func (v *Snapshot) NearWords(ctx context.Context, words []string, ranges []urlkey.Range, from, to record.Time) ([][]search.NearWord, error) {
	f := &nearFinder{
		wordFinder: wordFinder{v: v}, ctx: ctx,
		wanted: make(map[segment.ID]bool), near: search.NewNearer(words), known: make(map[leafReading]search.NearPart),
	}
	// The body of a capture may be stored with a capture that is not asked for. So the
	// first pass finds out which bodies are asked for, and the second reads them.
	for b, err := range v.Scan(ctx, record.Scan{Ranges: ranges, From: from, To: to, Columns: record.ColDigest | record.ColKind}) {
		if err != nil {
			return nil, err
		}
		for i := range b.N {
			if b.Kind[i] == record.KindPage && b.Digest[i] != (record.Digest{}) && len(f.wanted) < nearBodiesMax {
				f.wanted[segment.ID(b.Digest[i][:len(segment.ID{})])] = true
			}
		}
	}
	for _, s := range v.Pin.Segments {
		r := v.Runs.Reader(s)
		for n := uint32(0); n < uint32(r.Info.Runs) && len(f.wanted) > 0; n++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			_ = f.read(r, n) // SEARCH has met the same error when it read the pages
		}
	}
	return f.near.Words(), ctx.Err()
}

// nearFinder gives a search.Nearer the texts of a snapshot.
type nearFinder struct {
	wordFinder
	ctx    context.Context
	wanted map[segment.ID]bool // the bodies that are asked for and were not read yet
	near   *search.Nearer
	known  map[leafReading]search.NearPart
}

// leafReading is a leaf in one reading.
type leafReading struct {
	search.LeafRef
	index.Reading
}

// read reads the bodies that run n of a segment stores and that are asked for.
func (f *nearFinder) read(r *segment.Reader, n uint32) error {
	run, err := f.v.Runs.Run(r, n)
	if err != nil || run.Meta.Len() == 0 {
		return err
	}
	bodies, err := run.Meta.Bodies()
	if err != nil {
		return err
	}
	kept, err := f.v.Runs.Facts(r, n)
	if err != nil {
		return err
	}
	for i := range bodies {
		if b := &bodies[i]; b.Form == segment.BodyOwn && f.wanted[b.ID] {
			delete(f.wanted, b.ID)
			f.near.Next()
			f.body(&b.Recipe, kept.Page(uint32(i)), record.Ref{Segment: r.Info.ID, Run: n, N: uint32(i)})
		}
	}
	return nil
}

// body adds the text of a body: leaf by leaf, or whole if it is not stored in leaves.
func (f *nearFinder) body(recipe *segment.Recipe, encoded []byte, ref record.Ref) {
	leaves, o, ok := f.leavesOf(recipe, encoded)
	if ok {
		as := index.Reading{Charset: string(o.Charset), Plain: o.Plain}
		for _, s := range leaves {
			for k := range s.Count {
				f.near.Add(f.leaf(search.LeafRef{RunRef: segment.RunRef{Segment: s.Segment, Run: s.Run}, N: s.N + k}, as))
			}
		}
		return
	}
	p, err := f.v.Payload(f.ctx, ref)
	if err != nil || p.NoBody != "" || p.Large != nil || len(p.Body) == 0 {
		return
	}
	if b, _ := divide.Open(p.Body, divide.AsOf(&p), divide.Options{}); b != nil {
		f.near.Add(f.near.Part(b.Page.Text(b.Charset)))
		b.Free()
	}
}

// leaf returns the near words of a leaf. It reads a leaf once in each reading, while it
// remembers it.
func (f *nearFinder) leaf(l search.LeafRef, as index.Reading) search.NearPart {
	key := leafReading{l, as}
	part, known := f.known[key]
	if !known {
		text, err := f.Text(l, as)
		if err != nil {
			return nil
		}
		part = f.near.Part(text)
		if len(f.known) >= nearLeavesMax {
			clear(f.known)
		}
		f.known[key] = part
	}
	return part
}

package segment

import (
	"encoding/binary"
	"slices"

	"infomall/store/packed"
	"infomall/store/segment/column"
	"infomall/store/tight"
)

// appendRecipe appends an encoded recipe (the blocks that make up a body) to dst:
// the number of spans, Layout, and each span. own is the segment of the recipe's
// entry; the segments of the spans are written as distances from it.
func appendRecipe(dst []byte, recipe Recipe, own uint32) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(recipe.Spans)))
	dst = binary.AppendUvarint(dst, uint64(recipe.Layout))
	for _, s := range recipe.Spans {
		dst = binary.AppendUvarint(dst, uint64(own-s.Segment))
		dst = binary.AppendUvarint(dst, uint64(s.Run))
		dst = binary.AppendUvarint(dst, uint64(s.N))
		dst = binary.AppendUvarint(dst, uint64(s.Count))
	}
	return dst
}

// packRecipes encodes recipes as six columns, each after its length in bytes. The
// recipes belong to entries of the segment own. Two columns have one number for
// each recipe: the number of its spans, and Layout. Four columns have one number
// for each span: the segment, the run, the distance of the span's first block from
// the end of the previous span in that run, and the count. Neighbouring bodies take
// most blocks from the same places, so those distances are small.
func packRecipes(recipes []Recipe, own uint32) []byte {
	var cols [6][]byte
	put := func(c int, x uint64) { cols[c] = binary.AppendUvarint(cols[c], x) }
	ends := make(map[RunRef]uint32)
	for _, r := range recipes {
		put(0, uint64(len(r.Spans)))
		put(1, uint64(r.Layout))
		for _, s := range r.Spans {
			id := RunRef{s.Segment, s.Run}
			put(2, uint64(own-s.Segment))
			put(3, uint64(s.Run))
			cols[4] = binary.AppendVarint(cols[4], int64(s.N)-int64(ends[id]))
			put(5, uint64(s.Count))
			ends[id] = s.N + s.Count
		}
	}
	var dst []byte
	for _, c := range cols {
		dst = packed.AppendSized(dst, c)
	}
	return dst
}

// recipeReader decodes the recipes of a run, one after the other.
type recipeReader struct {
	own    uint32
	plain  packed.Reader     // the encoded recipes of a run that is not packed
	cols   *[6]packed.Reader // the encoded recipes of a packed run, which are six columns
	ends   []runEnd          // one for each run that a decoded span refers to
	places [256]uint32       // for each upper byte of the hash of a RunRef, the index in ends of the last such run
	// numbers has the values of the last four columns for the spans of a recipe.
	numbers [4][]uint64
	room    []Span // allocated memory for the spans to decode next
}

// runEnd is the number of the block after the last span that a recipeReader decoded
// in a run.
type runEnd struct {
	RunRef
	end uint32
}

// end returns a pointer to runEnd.end of the run ref: the number of the block after
// the last decoded span in that run, or 0 if no span refers to the run yet. The
// caller updates the number when it decodes a span.
func (r *recipeReader) end(ref RunRef) *uint32 {
	place := &r.places[(ref.Segment*0x9e3779b1+ref.Run*0x85ebca6b)>>24]
	if n := int(*place); n < len(r.ends) && r.ends[n].RunRef == ref {
		return &r.ends[n].end
	}
	n := slices.IndexFunc(r.ends, func(e runEnd) bool { return e.RunRef == ref })
	if n < 0 {
		n = len(r.ends)
		r.ends = append(r.ends, runEnd{RunRef: ref})
	}
	*place = uint32(n)
	return &r.ends[n].end
}

// spanRoom is the number of spans for which a recipeReader allocates memory at
// once.
const spanRoom = 1024

// unpack prepares r to decode recipes that packRecipes encoded. It cuts r.plain
// into the six columns.
func (r *recipeReader) unpack() error {
	r.cols = new([6]packed.Reader)
	for i := range r.cols {
		r.cols[i].B = r.plain.Sized()
	}
	if r.plain.Bad || len(r.plain.B) != 0 {
		return column.ErrDamaged
	}
	return nil
}

// next decodes and returns the next recipe. The caller knows how many there are.
func (r *recipeReader) next() (Recipe, error) {
	if r.cols == nil {
		return r.nextPlain()
	}
	c := r.cols
	n := c[0].Uvarint()
	if n > uint64(len(c[5].B)) {
		return Recipe{}, column.ErrDamaged
	}
	recipe := Recipe{Layout: uint32(c[1].Uvarint()), Spans: r.spans(n)}
	for k := range r.numbers {
		r.numbers[k] = column.Sized(r.numbers[k], int(n))
		c[2+k].Uvarints(r.numbers[k])
	}
	for i := range recipe.Spans {
		s := &recipe.Spans[i]
		s.Segment, s.Run = r.own-uint32(r.numbers[0][i]), uint32(r.numbers[1][i])
		first := r.numbers[2][i]
		end := r.end(RunRef{s.Segment, s.Run})
		s.N, s.Count = uint32(int64(*end)+(int64(first>>1)^-int64(first&1))), uint32(r.numbers[3][i])
		*end = s.N + s.Count
	}
	for i := range c {
		if c[i].Bad {
			return Recipe{}, column.ErrDamaged
		}
	}
	return recipe, nil
}

// nextPlain decodes the next recipe of a run that is not packed.
func (r *recipeReader) nextPlain() (Recipe, error) {
	p := &r.plain
	n := p.Uvarint()
	if n > uint64(len(p.B)) {
		return Recipe{}, column.ErrDamaged
	}
	recipe := Recipe{Layout: uint32(p.Uvarint()), Spans: r.spans(n)}
	for i := range recipe.Spans {
		s := &recipe.Spans[i]
		s.Segment, s.Run, s.N, s.Count = r.own-uint32(p.Uvarint()), uint32(p.Uvarint()), uint32(p.Uvarint()), uint32(p.Uvarint())
	}
	if p.Bad {
		return Recipe{}, column.ErrDamaged
	}
	return recipe, nil
}

// spans returns a slice for n spans, which the caller fills.
func (r *recipeReader) spans(n uint64) []Span {
	if n > uint64(len(r.room)) {
		r.room = make([]Span, max(n, spanRoom))
	}
	out := r.room[:n:n]
	r.room = r.room[n:]
	return out
}

// Packer compresses the runs of packed segments as small as possible. Its tables take memory, so
// one Packer is used for all segments that are packed. Only one goroutine may use it. The zero value is
// ready.
type Packer struct{ tight tight.Encoder }

// appendFrame appends to dst the content frame with blocks and facts, compressed
// with ahead as dictionary. frame is the longer slice. factsFrom is how many bytes
// of the compressed frame hold the blocks; 0 if there are no facts or no blocks.
func (p *Packer) appendFrame(dst, blocks, facts, ahead []byte) (frame []byte, factsFrom int) {
	frame, ends := p.tight.AppendAfter(dst, ahead, blocks, facts)
	if len(blocks) > 0 && len(facts) > 0 {
		factsFrom = ends[0]
	}
	return frame, factsFrom
}

// compress appends a frame with the content src to dst.
func (p *Packer) compress(src, dst []byte) []byte { return p.tight.Append(dst, src) }

package segment

import (
	"bytes"
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
// each recipe: the number of its spans, and Layout. Three columns have one number
// for each span: the place of its run in the list of runs, the distance of the span's first block
// from the end of the previous span in that run, and the count. The list has the runs in the order
// in which spans first refer to them. Another column has the segment and the number of each of these
// runs. Neighbouring bodies take most blocks from the same places, so those distances are small.
//
// If each span has the numbers of its segment and its run instead of a place in the list, the
// recipes of a sealed site take 6 % more.
func packRecipes(recipes []Recipe, own uint32) []byte {
	var cols [6][]byte
	put := func(c int, x uint64) { cols[c] = binary.AppendUvarint(cols[c], x) }
	var runs []runEnd
	places := make(map[RunRef]int)
	for _, r := range recipes {
		put(0, uint64(len(r.Spans)))
		put(1, uint64(r.Layout))
		for _, s := range r.Spans {
			id := RunRef{s.Segment, s.Run}
			place, known := places[id]
			if !known {
				place = len(runs)
				places[id] = place
				put(3, uint64(own-s.Segment))
				put(3, uint64(s.Run))
				runs = append(runs, runEnd{RunRef: id})
			}
			put(2, uint64(place))
			e := &runs[place]
			cols[4] = binary.AppendVarint(cols[4], int64(s.N)-int64(e.end))
			put(5, uint64(s.Count))
			e.end = s.N + s.Count
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
	own     uint32
	plain   packed.Reader     // the encoded recipes of a run that is not packed
	cols    *[6]packed.Reader // the encoded recipes of a packed run, which are six columns
	runs    []runEnd          // the list of runs
	numbers *recipeNumbers
	room    []Span // allocated memory for the spans to decode next
}

// recipeNumbers has the values of columns 2, 4 and 5 of packRecipes for the spans of one recipe.
type recipeNumbers [3][]uint64

// runEnd is a run, and the number of the block after the last span in it; 0 if there is none.
type runEnd struct {
	RunRef
	end uint32
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
	for k, col := range [...]int{2, 4, 5} {
		r.numbers[k] = slices.Grow(r.numbers[k][:0], int(n))[:n]
		c[col].Uvarints(r.numbers[k])
	}
	for i := range recipe.Spans {
		s, place, first := &recipe.Spans[i], r.numbers[0][i], r.numbers[1][i]
		if place >= uint64(len(r.runs)) {
			if place > uint64(len(r.runs)) {
				return Recipe{}, column.ErrDamaged
			}
			r.runs = append(r.runs, runEnd{RunRef: RunRef{r.own - uint32(c[3].Uvarint()), uint32(c[3].Uvarint())}})
		}
		e := &r.runs[place]
		s.Segment, s.Run = e.Segment, e.Run
		s.N, s.Count = uint32(int64(e.end)+(int64(first>>1)^-int64(first&1))), uint32(r.numbers[2][i])
		e.end = s.N + s.Count
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
//
// A Packer decompresses what it has compressed, and compares it: an archive must not depend on a
// compressor without faults. If the bytes differ, it stores them without compression.
type Packer struct{ tight tight.Encoder }

// appendFrame appends to dst the content frame with blocks and facts, compressed
// with ahead as dictionary. frame is the longer slice. factsFrom is how many bytes
// of the compressed frame hold the blocks; 0 if there are no facts or no blocks.
func (p *Packer) appendFrame(dst, blocks, facts, ahead []byte) (frame []byte, factsFrom int) {
	frame = p.checked(dst, ahead, [][]byte{blocks, facts}, func() []byte {
		out, ends := p.tight.AppendAfter(dst, ahead, blocks, facts)
		if len(blocks) > 0 && len(facts) > 0 {
			factsFrom = ends[0]
		}
		return out
	})
	return frame, factsFrom
}

// compress appends a frame with the content src to dst.
func (p *Packer) compress(src, dst []byte) []byte {
	return p.checked(dst, nil, [][]byte{src}, func() []byte { return p.tight.Append(dst, src) })
}

// checked returns the result of the function compress, which appends a frame with these parts to dst.
// If the frame does not decompress to the parts, the compressor has a fault: checked then calls
// compress again, and p.tight stores the bytes uncompressed.
func (p *Packer) checked(dst, ahead []byte, parts [][]byte, compress func() []byte) []byte {
	out := compress()
	if !givesBack(out[len(dst):], ahead, parts) {
		p.tight.Raw = true
		out = compress()
		p.tight.Raw = false
	}
	return out
}

// givesBack reports whether frame, which was compressed with ahead as dictionary, decompresses to these
// parts.
func givesBack(frame, ahead []byte, parts [][]byte) bool {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	room := takeRoom()
	defer room.giveBack()
	out, err := joined(room, ahead, frame, len(ahead)+size)
	if err != nil || len(out) != len(ahead)+size {
		return false
	}
	out = out[len(ahead):]
	for _, part := range parts {
		if !bytes.Equal(out[:len(part)], part) {
			return false
		}
		out = out[len(part):]
	}
	return true
}

// joined decompresses a frame that builds on the bytes ahead, in the memory of room. The result has
// the bytes ahead and then the content of the frame; size is the number of all these bytes.
func joined(room *spliceRoom, ahead, frame []byte, size int) ([]byte, error) {
	in := append(append(room.in[:0], spliceMagic...), 0, 0, 0, 0)
	in, err := appendBlocks(appendRaw(in, ahead), frame)
	if err != nil {
		return nil, err
	}
	return room.decode(in, size)
}

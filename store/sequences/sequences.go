// Package sequences splits a frame of Zstandard (RFC 8878) into its sequences,
// without decompressing it. A caller that wants a few bytes of the frame, or of
// a chain of frames each of which uses the previous one as its dictionary,
// follows only the sequences that produce these bytes. That takes a fraction of
// the time of decompressing everything; FORMAT.md, "Why so", has the measurements.
//
// # Sequence
//
// A sequence produces some literals, and then a match: a copy of bytes produced
// earlier. The output of a frame is the output of its sequences, one after the
// other. Literals are bytes stored as such.
//
//	Literals   a b c x y
//	Sequences  {Pos 0, Lit 0, Off 3}    abc, then a match of 4: abca
//	           {Pos 7, Lit 3, Off …}    xy
//	           {Pos 9, Lit 5}           the end
//	Output     a b c a b c a x y
//
// For a damaged frame the results are an error or wrong sequences, but every
// index in them is within its bounds. Checksums of frames are not verified:
// that needs all bytes.
package sequences

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/zstd"
)

// Frame has the sequences of one parsed Zstandard frame (see the package
// comment). The zero value is ready for Parse. Parsing another frame into it
// reuses its memory. Only one goroutine may use a Frame.
type Frame struct {
	// Literals holds the literals of all sequences, one after the other.
	Literals []byte
	// Sequences holds the sequences in order, and one more at the end: its Pos and
	// Lit are the ends of the output and of the Literals.
	Sequences []Sequence

	spots   []spot
	end     Sequence  // Pos and Lit are where the output and the literals of the sequences parsed so far end
	most    int       // the largest allowed length of the output, in bytes
	last    [3]uint32 // the last three offsets, the latest first; later sequences may refer to them
	huff    *huff0.Scratch
	hasHuff bool // whether huff holds a table of this frame
	tables  [kinds]table
	current [kinds]*table // the decoding table now in use for each of the three numbers; nil before the first block that has one
	bits    []byte
}

// Sequence produces literals and then a match, a copy of the bytes that begin Off
// bytes earlier. If they begin before the start of the frame's output, they are
// taken from the end of the frame's dictionary. A sequence ends at the Pos and
// Lit of the next one. If the match is empty, Off may be any number.
type Sequence struct {
	Pos uint32 // the offset of its output in the output of the frame
	Lit uint32 // the offset of its literals in Frame.Literals
	// how many bytes before the end of the sequence's literals the match begins
	Off uint32
}

// spot describes spotBytes consecutive bytes of the output. Bit i of begin, counted
// from the lowest, is set if a sequence begins at byte i of these bytes. before is the
// number of sequences that begin before them. With spots, At finds a sequence in
// constant time.
type spot struct {
	begin  uint64
	before uint32
}

const spotBytes = 64

// Len returns the length of the frame's output in bytes.
func (f *Frame) Len() int { return int(f.end.Pos) }

// At returns the index in Sequences of the sequence that produces byte pos of the
// output. pos must be less than Len.
func (f *Frame) At(pos uint32) int {
	s := &f.spots[pos/spotBytes]
	return int(s.before) + bits.OnesCount64(s.begin<<(spotBytes-1-pos%spotBytes)) - 1
}

// locate computes f.spots from f.Sequences. At needs them.
func (f *Frame) locate() {
	size := f.Len()/spotBytes + 1
	f.spots = slices.Grow(f.spots[:0], size)[:size]
	clear(f.spots)
	for _, s := range f.Sequences {
		f.spots[s.Pos/spotBytes].begin |= 1 << (s.Pos % spotBytes)
	}
	n := uint32(0)
	for i := range f.spots {
		s := &f.spots[i]
		s.before = n
		n += uint32(bits.OnesCount64(s.begin))
	}
}

// Room returns an estimate of the memory that f takes, in bytes.
func (f *Frame) Room() int {
	return int(unsafe.Sizeof(*f)) + cap(f.Literals) + cap(f.bits) + cap(f.Sequences)*int(unsafe.Sizeof(Sequence{})) + cap(f.spots)*int(unsafe.Sizeof(spot{}))
}

var errFrame = errors.New("a frame of Zstandard is damaged")

// The types of the blocks of a Zstandard frame, and the length of the header of a
// block.
const (
	blockRaw = iota
	blockRepeat
	blockCompressed
	blockHead = 3 // length in bytes of the header before each block
)

// Parse parses the first Zstandard frame of b into f. If b is cut off at the end of one of the
// frame's blocks, Parse parses the blocks up to there. It returns an error if b is cut off inside a
// block, if the frame is damaged, or if its output has more than most bytes.
func (f *Frame) Parse(b []byte, most int) error {
	var h zstd.Header
	if err := h.Decode(b); err != nil {
		return err
	}
	if h.Skippable || h.DictionaryID != 0 || h.HeaderSize > len(b) {
		return errFrame
	}
	f.Literals = f.Literals[:0]
	f.Sequences, f.end = f.Sequences[:0], Sequence{}
	f.most, f.last, f.hasHuff, f.current = most, [3]uint32{1, 4, 8}, false, [kinds]*table{}
	for b = b[h.HeaderSize:]; len(b) > 0; {
		if len(b) < blockHead {
			return errFrame
		}
		head := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
		n := int(head >> 3)
		b = b[blockHead:]
		in := n
		if head>>1&3 == blockRepeat {
			in = 1
		}
		if in > len(b) {
			return errFrame
		}
		if err := f.block(int(head>>1&3), b[:in], n); err != nil {
			return err
		}
		if b = b[in:]; head&1 != 0 {
			break
		}
	}
	f.Sequences = append(f.Sequences, f.end)
	f.locate()
	return nil
}

// block parses one block of the frame. in has the bytes of the block after its header,
// and form is its type (such as blockRaw). If the block is not compressed, n is the
// length of its output in bytes.
func (f *Frame) block(form int, in []byte, n int) error {
	switch form {
	case blockRaw:
		return f.copies(in)
	case blockRepeat:
		if n > f.left() {
			return errFrame
		}
		f.Literals = appendRepeat(f.Literals, in[0], n)
		return f.rest()
	case blockCompressed:
		in, err := f.literals(in)
		if err != nil {
			return err
		}
		if err := f.sequences(in); err != nil {
			return err
		}
		return f.rest()
	}
	return errFrame
}

// left returns how many more bytes of output the frame may produce before it exceeds the limit
// that Parse was given.
func (f *Frame) left() int { return f.most - int(f.end.Pos) }

// copies adds b, the bytes of a raw (not compressed) block, to the output as literals.
func (f *Frame) copies(b []byte) error {
	f.Literals = append(f.Literals, b...)
	return f.rest()
}

// rest is called after the last sequence (literals and then a match) of a block. If literals
// are left, rest adds a sequence that consists of them, with an empty match. It returns an
// error if the output becomes longer than allowed.
func (f *Frame) rest() error {
	n := len(f.Literals) - int(f.end.Lit)
	if n > f.left() {
		return errFrame
	}
	if n > 0 {
		f.Sequences = append(f.Sequences, f.end)
		f.end.Pos, f.end.Lit = f.end.Pos+uint32(n), f.end.Lit+uint32(n)
	}
	return nil
}

func appendRepeat(dst []byte, x byte, n int) []byte {
	for range n {
		dst = append(dst, x)
	}
	return dst
}

// The ways in which a compressed block of a Zstandard frame stores its
// literals.
const (
	literalsRaw = iota
	literalsRepeat
	literalsCompressed
	literalsTreeless
)

// literalsMax is the greatest length of the literals of one block, in bytes, by
// RFC 8878.
const literalsMax = 128 << 10

// literals decodes the literals at the start of in, a compressed block, and
// appends them to f.Literals. It returns the bytes of in that follow the literals.
func (f *Frame) literals(in []byte) ([]byte, error) {
	if len(in) == 0 {
		return nil, errFrame
	}
	form, size := in[0]&3, in[0]>>2&3
	var n, packed, head int
	switch {
	case form <= literalsRepeat:
		head = [4]int{1, 2, 1, 3}[size]
		x := first(in, head)
		if n = int(x >> 3); head > 1 {
			n = int(x >> 4)
		}
		if packed = n; form == literalsRepeat {
			packed = 1
		}
	default:
		head = [4]int{3, 3, 4, 5}[size]
		x, width := first(in, head)>>4, [4]int{10, 10, 14, 18}[size]
		n, packed = int(x&(1<<width-1)), int(x>>width)
	}
	if n > literalsMax || n > f.left() || head > len(in) || packed > len(in)-head {
		return nil, errFrame
	}
	b, rest := in[head:head+packed], in[head+packed:]
	switch form {
	case literalsRaw:
		f.Literals = append(f.Literals, b...)
		return rest, nil
	case literalsRepeat:
		f.Literals = appendRepeat(f.Literals, b[0], n)
		return rest, nil
	case literalsCompressed:
		var err error
		if f.huff, b, err = huff0.ReadTable(b, f.huff); err != nil {
			return nil, err
		}
		f.hasHuff = true
	case literalsTreeless:
		if !f.hasHuff {
			return nil, errFrame
		}
	}
	return rest, f.huffman(b, n, size != 0)
}

// first returns the first n bytes of b as a number, the first byte in the lowest
// bits. Missing bytes count as zero.
func first(b []byte, n int) (x uint64) {
	for i := range min(n, len(b)) {
		x |= uint64(b[i]) << (8 * i)
	}
	return x
}

// huffman decodes n Huffman-coded literals from b and appends them to f.Literals.
// If the flag four is true they are in four streams, otherwise in one.
func (f *Frame) huffman(b []byte, n int, four bool) error {
	at := len(f.Literals)
	for cap(f.Literals)-at < n {
		f.Literals = append(f.Literals[:cap(f.Literals)], 0)
	}
	dst := f.Literals[at : at : at+n]
	var err error
	if four {
		dst, err = f.huff.Decoder().Decompress4X(dst, b)
	} else {
		dst, err = f.huff.Decoder().Decompress1X(dst, b)
	}
	if err == nil && len(dst) != n {
		err = errFrame
	}
	f.Literals = f.Literals[:at+n]
	return err
}

// sequences parses the sequences of a compressed block and adds them to
// f.Sequences. in has the bytes after the block's literals.
func (f *Frame) sequences(in []byte) error {
	if len(in) == 0 {
		return errFrame
	}
	n, head := int(in[0]), 1
	switch {
	case n == 255:
		n, head = int(first(in[1:], 2))+0x7f00, 3
	case n >= 128:
		n, head = (n-128)<<8+int(first(in[1:], 1)), 2
	}
	if head > len(in) {
		return errFrame
	}
	if in = in[head:]; n == 0 {
		return nil
	}
	if len(in) == 0 || in[0]&3 != 0 {
		return errFrame
	}
	modes := in[0]
	in = in[1:]
	for k := range kinds {
		var err error
		if in, err = f.table(k, modes>>(6-2*k)&3, in); err != nil {
			return err
		}
	}
	return f.decode(in, n)
}

// pad is how many zero bytes decode puts before and after the bits of the
// sequences. If the bits end too early, decoding one sequence reads at most pad
// bytes before their start. The zero bytes after the bits are needed because
// decode reads whole words.
const pad = 16

// decode decodes n sequences from in and appends them to f.Sequences. Their bits
// are stored in reverse order: decode reads from the end of in to its start.
func (f *Frame) decode(in []byte, n int) error {
	if len(in) == 0 || in[len(in)-1] == 0 {
		return errFrame
	}
	f.bits = append(append(append(f.bits[:0], make([]byte, pad)...), in...), make([]byte, pad)...)
	b := f.bits
	lengths, offsets, matches := f.current[kindLength], f.current[kindOffset], f.current[kindMatch]
	// at is a bit offset in b. The bits before it were not read yet.
	at := uint(8*(pad+len(in)-1)+bits.Len8(in[len(in)-1])-1) - uint(lengths.log+offsets.log+matches.log)
	if at < 8*pad {
		return errFrame
	}
	w := word(b, at)
	m := w & (1<<matches.log - 1)
	o := w >> matches.log & (1<<offsets.log - 1)
	l := w >> (matches.log + offsets.log) & (1<<lengths.log - 1)
	pos, lit, most := f.end.Pos, f.end.Lit, uint32(f.most)
	before := len(f.Sequences)
	f.Sequences = slices.Grow(f.Sequences, n+2)[:before+n] // two more: for rest and for the end that Parse adds
	out := f.Sequences[before:]
	last0, last1, last2 := f.last[0], f.last[1], f.last[2]
	for i := range out {
		le, oe, me := lengths.states[l&tableMask], offsets.states[o&tableMask], matches.states[m&tableMask]
		all := le + oe + me
		at -= all.bits()
		w := word(b, at)
		length := le.base() + uint32(w&mask(le.bits()))
		match := me.base() + uint32(w>>(le.bits()&63)&mask(me.bits()))
		off := oe.base() + uint32(word(b, at+(le+me).bits())&mask(oe.bits()))
		if i < len(out)-1 {
			at -= all.width()
			w = word(b, at)
			o = oe.next() + w&mask(oe.width())
			m = me.next() + w>>(oe.width()&63)&mask(me.width())
			l = le.next() + w>>((oe+me).width()&63)&mask(le.width())
		}
		switch {
		case off > 3:
			off -= 3
			last0, last1, last2 = off, last0, last1
		case off == 1 && length > 0:
			off = last0
		case off == 2 && length > 0 || off == 1:
			off = last1
			last0, last1 = off, last0
		case off == 3 && length > 0 || off == 2:
			off = last2
			last0, last1, last2 = off, last0, last1
		default:
			off = last0 - 1
			last0, last1, last2 = off, last0, last1
		}
		out[i] = Sequence{pos, lit, off}
		lit += length
		pos += length + match
		if at < 8*pad || off == 0 || pos > most {
			return errFrame
		}
	}
	f.end = Sequence{Pos: pos, Lit: lit}
	f.last = [3]uint32{last0, last1, last2}
	if at != 8*pad || int(lit) > len(f.Literals) {
		return errFrame
	}
	return nil
}

// word returns at least 57 bits of b, starting at bit offset at. Bit offsets count
// from the lowest bit of b[0].
func word(b []byte, at uint) uint64 {
	return binary.LittleEndian.Uint64(b[at>>3:]) >> (at & 7)
}

// mask returns a number whose lowest n bits are set. n must be less than 64.
func mask(n uint) uint64 { return 1<<(n&63) - 1 }

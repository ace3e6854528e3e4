// Package sequences takes frames of Zstandard (RFC 8878) apart into what they are
// made of: literals, and matches of bytes before. Whoever wants a few bytes of a
// frame, or of several that go on from each other, can then follow these alone: it
// takes a fraction of the time in which all is decompressed.
//
// What it says of a damaged frame is an error or nonsense, but within its bounds.
// Checksums of frames are left to those who have all bytes.
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

// Frame is a frame taken apart. It keeps its memory for the next that is parsed
// into it. The zero value is ready; it is used by one goroutine.
type Frame struct {
	// Literals are those of all sequences, one behind the other.
	Literals []byte
	// Sequences are its sequences, and one more that begins where they end.
	Sequences []Sequence

	spots   []spot
	end     Sequence // of those so far
	most    int
	last    [3]uint32 // offsets of matches before
	huff    *huff0.Scratch
	hasHuff bool // huff is of the frame
	tables  [kinds]table
	current [kinds]*table // nil while the frame had none
	bits    []byte
}

// Sequence gives literals and then a match, which copies what stands Off bytes
// before: of what the frame gave itself or, where that is further back than its
// beginning, of what it goes on from. An empty match has any offset.
type Sequence struct {
	Pos uint32 // where it begins in what the frame gives
	Lit uint32 // where its literals begin
	Off uint32
}

// spot is spotBytes of what a frame gives: which of them begin a sequence, and how
// many do so before.
type spot struct {
	begin  uint64
	before uint32
}

const spotBytes = 64

// Len is how many bytes the frame gives.
func (f *Frame) Len() int { return int(f.end.Pos) }

// At tells which sequence gives a byte of the frame, which is less than Len.
func (f *Frame) At(pos uint32) int {
	s := &f.spots[pos/spotBytes]
	return int(s.before) + bits.OnesCount64(s.begin<<(spotBytes-1-pos%spotBytes)) - 1
}

// locate sets the spots.
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

// Room is how many bytes of memory the Frame keeps.
func (f *Frame) Room() int {
	return int(unsafe.Sizeof(*f)) + cap(f.Literals) + cap(f.bits) + cap(f.Sequences)*int(unsafe.Sizeof(Sequence{})) + cap(f.spots)*int(unsafe.Sizeof(spot{}))
}

var errFrame = errors.New("a frame of Zstandard is damaged")

// The types of a frame's blocks.
const (
	blockRaw = iota
	blockRepeat
	blockCompressed
	blockHead = 3 // bytes ahead of each
)

// Parse takes the first frame of b apart, or what is there of its blocks, where
// that is cut behind one of them. It is an error if it gives more than so many
// bytes.
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

// block takes a block apart, which gives n bytes if it is not compressed.
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

// left is how many bytes the frame may still give.
func (f *Frame) left() int { return f.most - int(f.end.Pos) }

// copies takes bytes as literals.
func (f *Frame) copies(b []byte) error {
	f.Literals = append(f.Literals, b...)
	return f.rest()
}

// rest makes a sequence without a match of the literals that are left.
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

// The forms of a block's literals.
const (
	literalsRaw = iota
	literalsRepeat
	literalsCompressed
	literalsTreeless
)

// literalsMax is how many literals a block has at most.
const literalsMax = 128 << 10

// literals appends a block's literals, and returns what follows them.
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

// first gives the first bytes as a number, as far as they are there.
func first(b []byte, n int) (x uint64) {
	for i := range min(n, len(b)) {
		x |= uint64(b[i]) << (8 * i)
	}
	return x
}

// huffman appends n literals, which are in one stream or in four.
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

// sequences takes a block's sequences.
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

// pad is how many zero bytes stand ahead of the bits of sequences: what is read of
// one goes back so far at most where these end too early. As many stand behind them,
// since words are read.
const pad = 16

// decode decodes n sequences. Their bits are read from the end.
func (f *Frame) decode(in []byte, n int) error {
	if len(in) == 0 || in[len(in)-1] == 0 {
		return errFrame
	}
	f.bits = append(append(append(f.bits[:0], make([]byte, pad)...), in...), make([]byte, pad)...)
	b := f.bits
	lengths, offsets, matches := f.current[kindLength], f.current[kindOffset], f.current[kindMatch]
	// Bits up to at are to be read.
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
	f.Sequences = slices.Grow(f.Sequences, n+2)[:before+n] // and those of rest and Parse
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

// word gives the 57 bits and more of b that begin at a bit.
func word(b []byte, at uint) uint64 {
	return binary.LittleEndian.Uint64(b[at>>3:]) >> (at & 7)
}

// mask has n bits, less than 64.
func mask(n uint) uint64 { return 1<<(n&63) - 1 }

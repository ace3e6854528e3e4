package sequences

import "math/bits"

// The kinds of the three numbers that encode a sequence, in the order of their
// tables in a block.
const (
	kindLength = iota // length of the literals
	kindOffset        // offset of the match
	kindMatch         // length of the match
	kinds             // number of kinds
)

// The modes. A sequence has three numbers: two lengths and an offset. For each of the three, a
// block of a Zstandard frame has a mode, which says where its decoding table is.
const (
	modePredefined = iota // the block uses the table that the RFC predefines
	modeRepeat            // all sequences of the block have the same code
	modeTable             // the block contains the table
	modeAsBefore          // the block uses the table of the block before it
)

// state is one state of the decoder of a number (finite state entropy: Duda, "Asymmetric
// numeral systems", 2013; RFC 8878, 4.1). The number that the state stands for is base plus the
// next bits() bits of the input. The next state is at index next plus the following width()
// bits of the input. All four are packed into 64 bits, the lowest first:
//
//	bits   0…7    8…15    16…31   32…63
//	       bits   width   next    base
//
// If three states are added, the lowest two bytes of the sum have the sum of their bits and the
// sum of their widths.
type state uint64

func newState(base uint32, bits, width uint8, next uint16) state {
	return state(base)<<32 | state(next)<<16 | state(width)<<8 | state(bits)
}

func (s state) bits() uint   { return uint(s & 0xff) }
func (s state) width() uint  { return uint(s >> 8 & 0xff) }
func (s state) next() uint64 { return uint64(s >> 16 & 0xffff) }
func (s state) base() uint32 { return uint32(s >> 32) }

// tableMask is the mask of an index into the largest possible table, which has
// 512 states.
const tableMask = 1<<9 - 1

// table is the decoding table of one of the three numbers of a sequence. It has
// 1<<log states.
type table struct {
	states [tableMask + 1]state
	log    uint8 // binary logarithm of the number of states
}

// form has the rules of RFC 8878 for the tables of one of the three numbers of a
// sequence: for each code the base and the count of extra bits, and the
// predefined table.
type form struct {
	bases  []uint32
	bits   []uint8
	logMax uint8   // the largest log of a table
	norm   []int16 // how often each code occurs in the predefined table
	log    uint8   // the log of the predefined table
}

var forms = [kinds]form{
	kindLength: {
		bits: []uint8{15: 0, 16: 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
		norm: []int16{4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1},
		log:  6, logMax: 9,
	},
	kindOffset: {
		bits: []uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
		norm: []int16{1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1},
		log:  5, logMax: 8,
	},
	kindMatch: {
		bits: []uint8{31: 0, 32: 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
		norm: []int16{1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1},
		log:  6, logMax: 9,
	},
}

// predefined has the tables that RFC 8878 predefines, one for each number. A
// block that uses them does not contain them.
var predefined = func() (out [kinds]*table) {
	for k := range forms {
		f := &forms[k]
		base := uint32(0)
		switch k {
		case kindOffset:
			base = 1
		case kindMatch:
			base = 3
		}
		for _, b := range f.bits {
			f.bases = append(f.bases, base)
			base += 1 << b
		}
		out[k] = new(table)
		out[k].build(f, f.norm, f.log)
	}
	return out
}()

// table sets the current decoding table for one of the three numbers, such as kindOffset. mode,
// such as modeTable, says where the table is. If it is at the start of in, table decodes it. The
// result is what follows the table in in, or all of in if the table is not there.
func (f *Frame) table(kind int, mode byte, in []byte) ([]byte, error) {
	t, of := &f.tables[kind], &forms[kind]
	switch mode {
	case modePredefined:
		f.current[kind] = predefined[kind]
	case modeRepeat:
		if len(in) == 0 || int(in[0]) >= len(of.bits) {
			return nil, errFrame
		}
		t.states[0], t.log = newState(of.bases[in[0]], of.bits[in[0]], 0, 0), 0
		f.current[kind], in = t, in[1:]
	case modeTable:
		var norm [64]int16
		symbols, log, n := readNorm(norm[:len(of.bits)], in, of.logMax)
		if symbols == 0 {
			return nil, errFrame
		}
		t.build(of, norm[:symbols], log)
		f.current[kind], in = t, in[n:]
	case modeAsBefore:
		if f.current[kind] == nil {
			return nil, errFrame
		}
	}
	return in, nil
}

// readNorm reads the description of a decoding table from in (RFC 8878 §4.1.1). A
// table has 1<<log states, which are divided among the codes. norm[c] becomes the
// number of states of code c; -1 means a code so rare that it has one state at the
// end of the table. symbols is the number of codes, and n the number of bytes read.
// For invalid input, and if log would exceed logMax, all results are 0.
func readNorm(norm []int16, in []byte, logMax uint8) (symbols int, log uint8, n int) {
	at := 0
	read := func(n int) (x int) {
		for i := range n {
			if p := at + i; p>>3 < len(in) {
				x |= int(in[p>>3]>>(p&7)&1) << i
			}
		}
		at += n
		return x
	}
	log = uint8(read(4)) + 5
	if log > logMax {
		return 0, 0, 0
	}
	left := 1 << log
	for left > 0 && symbols < len(norm) {
		width := bits.Len(uint(left + 1))
		x, low := read(width), 1<<(width-1)-1
		few := 1<<width - 1 - (left + 1)
		if x&low < few {
			at--
			x &= low
		} else if x > low {
			x -= few
		}
		norm[symbols] = int16(x - 1)
		symbols++
		left -= max(x-1, 1-x)
		for more := x == 1; more; {
			zeros := read(2)
			symbols += zeros
			more = zeros == 3 && symbols < len(norm)
		}
	}
	if n = (at + 7) >> 3; left != 0 || symbols > len(norm) || n > len(in) {
		return 0, 0, 0
	}
	return symbols, log, n
}

// build fills t with 1<<log states, of which norm[c] stand for code c (see readNorm).
// The parameter of has the base and the number of extra bits of each code.
func (t *table) build(of *form, norm []int16, log uint8) {
	size := 1 << log
	t.log = log
	var codes [tableMask + 1]uint8
	var next [64]uint32
	high := size - 1
	for c, n := range norm {
		if next[c] = uint32(n); n < 0 {
			next[c] = 1
			codes[high] = uint8(c)
			high--
		}
	}
	at := 0
	for c, n := range norm {
		for range n {
			codes[at] = uint8(c)
			for at = (at + size>>1 + size>>3 + 3) & (size - 1); at > high; {
				at = (at + size>>1 + size>>3 + 3) & (size - 1)
			}
		}
	}
	for i := range size {
		c := codes[i]
		x := next[c]
		next[c]++
		width := log + 1 - uint8(bits.Len32(x))
		t.states[i] = newState(of.bases[c], of.bits[c], width, uint16(x<<width-uint32(size)))
	}
}

package tight

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/klauspost/compress/huff0"
)

// writer writes the compressed blocks of frames.
type writer struct {
	huffman huff0.Scratch
	tables  [kinds]table
	bits    bitWriter
}

// The forms of literals (RFC 8878, 3.1.1.3.1.1) and of tables of codes (3.1.1.3.2.1).
const (
	literalsRaw, literalsRepeat, literalsHuffman = 0, 1, 2
	tablePredefined, tableOne, tableOwn          = 0, 1, 2
)

// block appends a compressed block with these literals and sequences to dst, without the head of the
// block.
func (w *writer) block(dst, literals []byte, seqs []sequence) []byte {
	dst = w.literals(dst, literals)
	switch n := len(seqs); {
	case n < 128:
		dst = append(dst, byte(n))
	case n < 0x7f00:
		dst = append(dst, byte(n>>8+128), byte(n))
	default:
		dst = binary.LittleEndian.AppendUint16(append(dst, 255), uint16(n-0x7f00))
	}
	if len(seqs) == 0 {
		return dst
	}
	at := len(dst)
	dst = append(dst, 0)
	for kind := range kinds {
		var counts [codesMax]int
		for i := range seqs {
			counts[seqs[i].code(kind)]++
		}
		var mode byte
		dst, mode = w.tables[kind].choose(dst, &forms[kind], counts[:len(forms[kind].norm)], len(seqs))
		dst[at] |= mode << (6 - 2*kind)
	}
	return w.sequences(dst, seqs)
}

// literals appends the literals b of a block to dst, compressed if that makes them smaller.
func (w *writer) literals(dst, b []byte) []byte {
	n := uint64(len(b))
	if n > 16 {
		compress, four := huff0.Compress1X, uint64(0)
		if n >= 1024 {
			compress, four = huff0.Compress4X, 1
		}
		w.huffman.Reuse = huff0.ReusePolicyNone
		out, _, err := compress(b, &w.huffman)
		if err == huff0.ErrUseRLE {
			return append(appendSize(dst, literalsRepeat, n), b[0])
		}
		if size := uint64(len(out)); err == nil && size+2 < n {
			// Both sizes take 10 bits each if that is enough for them, otherwise 14 or 18.
			switch most := max(n, size); {
			case most < 1<<10:
				x := literalsHuffman | four<<2 | n<<4 | size<<14
				dst = append(dst, byte(x), byte(x>>8), byte(x>>16))
			case most < 1<<14:
				dst = binary.LittleEndian.AppendUint32(dst, uint32(literalsHuffman|2<<2|n<<4|size<<18))
			default:
				x := literalsHuffman | 3<<2 | n<<4 | size<<22
				dst = append(binary.LittleEndian.AppendUint32(dst, uint32(x)), byte(x>>32))
			}
			return append(dst, out...)
		}
	}
	return append(appendSize(dst, literalsRaw, n), b...)
}

// appendSize appends the head of n literals that are not compressed with Huffman. form is
// literalsRaw or literalsRepeat.
func appendSize(dst []byte, form byte, n uint64) []byte {
	switch {
	case n < 1<<5:
		return append(dst, form|byte(n<<3))
	case n < 1<<12:
		return binary.LittleEndian.AppendUint16(dst, uint16(uint64(form)|1<<2|n<<4))
	}
	x := uint64(form) | 3<<2 | n<<4
	return append(dst, byte(x), byte(x>>8), byte(x>>16))
}

// sequences appends the bits of seqs. A decoder reads them from the end, so the last sequence is
// written first.
func (w *writer) sequences(dst []byte, seqs []sequence) []byte {
	w.bits = bitWriter{b: dst}
	var states [kinds]uint32
	for i := len(seqs) - 1; i >= 0; i-- {
		s := &seqs[i]
		var codes [kinds]int
		for kind := range kinds {
			codes[kind] = s.code(kind)
		}
		for _, kind := range [...]int{kindOffset, kindLength, kindLiterals} {
			t := &w.tables[kind]
			if i == len(seqs)-1 {
				states[kind] = t.first(codes[kind])
			} else {
				states[kind] = t.put(&w.bits, states[kind], codes[kind])
			}
		}
		for _, kind := range [...]int{kindLiterals, kindLength, kindOffset} {
			x, n := s.extraBits(kind, codes[kind])
			w.bits.add(x, n)
		}
	}
	for _, kind := range [...]int{kindLength, kindOffset, kindLiterals} {
		w.bits.add(uint64(states[kind])&(1<<w.tables[kind].log-1), w.tables[kind].log)
	}
	w.bits.add(1, 1)
	return w.bits.flush()
}

// bitWriter appends numbers of any number of bits to b, the lowest bit first. The last n bits, which
// do not fill a byte yet, are in word.
type bitWriter struct {
	b    []byte
	word uint64
	n    uint
}

// add adds the n lowest bits of x, at most 32. The other bits of x must be 0.
func (w *bitWriter) add(x uint64, n uint) {
	w.word |= x << w.n
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.b = append(w.b, byte(w.word))
		w.word >>= 8
	}
}

// flush fills the last byte up with zeros, and returns all bytes.
func (w *bitWriter) flush() []byte {
	if w.n > 0 {
		w.b = append(w.b, byte(w.word))
		w.word, w.n = 0, 0
	}
	return w.b
}

// table is a table of finite state entropy (FSE), with which the codes of one kind are written. If
// log is 0, all codes are equal and take no bits.
type table struct {
	log    uint
	norm   [codesMax]int16
	states [1 << 9]uint16
	of     [codesMax]transition
}

// transition says how a code is written. The number of bits follows from the state and from bits. The
// next state follows from the upper bits of the state and from find.
type transition struct {
	bits uint32
	find int32
}

// choose makes t the table that needs the fewest bits, and appends its description to dst. counts
// says how often each code occurs, and total is the sum of counts. mode is tablePredefined, tableOne
// or tableOwn.
func (t *table) choose(dst []byte, f *form, counts []int, total int) (out []byte, mode byte) {
	for code, n := range counts {
		if n == total {
			t.log = 0
			return append(dst, byte(code)), tableOne
		}
	}
	var norm [codesMax]int16
	best, bestLog := math.Inf(1), uint(0)
	var own []byte
	for log := uint(5); log <= f.logMax; log++ {
		if !normalize(norm[:len(counts)], counts, total, log) {
			continue
		}
		b := describe(nil, norm[:len(counts)], log)
		if x := float64(8*len(b)) + cost(counts, norm[:len(counts)], log); x < best {
			best, bestLog, own = x, log, b
			copy(t.norm[:], norm[:len(counts)])
		}
	}
	if cost(counts, f.norm, f.normLog) <= best {
		t.build(f.norm, f.normLog)
		return dst, tablePredefined
	}
	t.build(t.norm[:len(counts)], bestLog)
	return append(dst, own...), tableOwn
}

// cost returns how many bits the codes take together, if norm says how many of 1<<log states each
// code has. counts says how often each code occurs.
func cost(counts []int, norm []int16, log uint) (sum float64) {
	for code, n := range counts {
		if n > 0 {
			if norm[code] == 0 {
				return math.Inf(1)
			}
			sum += float64(n) * (float64(log) - math.Log2(math.Abs(float64(norm[code]))))
		}
	}
	return sum
}

// normalize sets norm[code] to the number of states of each code, 1<<log in all, so that the cost is
// small. It returns false if there are fewer states than codes that occur.
func normalize(norm []int16, counts []int, total int, log uint) bool {
	left := 1 << log
	for code, n := range counts {
		norm[code] = 0
		if n > 0 {
			norm[code] = int16(max(n<<log/total, 1))
			left -= int(norm[code])
		}
	}
	for ; left != 0; left -= sign(left) {
		best, gain := -1, math.Inf(-1)
		for code, n := range counts {
			now := int(norm[code])
			if next := now + sign(left); n > 0 && next > 0 {
				if x := float64(n) * math.Log2(float64(next)/float64(now)); x > gain {
					best, gain = code, x
				}
			}
		}
		if best < 0 {
			return false
		}
		norm[best] += int16(sign(left))
	}
	return true
}

func sign(x int) int {
	if x < 0 {
		return -1
	}
	return 1
}

// describe appends the description of a table with these numbers of states to dst (RFC 8878, 4.1.1).
func describe(dst []byte, norm []int16, log uint) []byte {
	w := bitWriter{b: dst}
	w.add(uint64(log-5), 4)
	left, threshold, width := 1<<log+1, 1<<log, log+1
	zero := false
	for code := 0; code < len(norm) && left > 1; {
		if zero {
			start := code
			for norm[code] == 0 {
				code++
			}
			for ; code-start >= 3; start += 3 {
				w.add(3, 2)
			}
			w.add(uint64(code-start), 2)
		}
		n := int(norm[code])
		code++
		most := 2*threshold - 1 - left
		left -= max(n, -n)
		x := n + 1
		if x >= threshold {
			x += most
		}
		if x < most {
			w.add(uint64(x), width-1)
		} else {
			w.add(uint64(x), width)
		}
		for zero = n == 0; left < threshold; threshold >>= 1 {
			width--
		}
	}
	return w.flush()
}

// build makes t the table of 1<<log states in which norm says how many states each code has.
func (t *table) build(norm []int16, log uint) {
	t.log = log
	size := 1 << log
	var symbols [1 << 9]uint8
	var next [codesMax]int
	high, sum := size-1, 0
	for code, n := range norm {
		next[code] = sum
		if n < 0 {
			symbols[high] = uint8(code)
			high--
			n = 1
		}
		sum += int(n)
	}
	at, step := 0, size>>1+size>>3+3
	for code, n := range norm {
		for range max(n, 0) {
			symbols[at] = uint8(code)
			for at = (at + step) & (size - 1); at > high; {
				at = (at + step) & (size - 1)
			}
		}
	}
	for i := range size {
		code := symbols[i]
		t.states[next[code]] = uint16(size + i)
		next[code]++
	}
	sum = 0
	for code, n := range norm {
		switch n {
		case 0:
			t.of[code] = transition{}
		case 1, -1:
			t.of[code] = transition{uint32(log<<16 - 1<<log), int32(sum - 1)}
			sum++
		default:
			most := log - uint(bits.Len16(uint16(n-1))-1)
			t.of[code] = transition{uint32(most<<16) - uint32(n)<<most, int32(sum - int(n))}
			sum += int(n)
		}
	}
}

// first returns the state with which writing begins, if this is the first code that is written.
func (t *table) first(code int) uint32 {
	if t.log == 0 {
		return 0
	}
	c := t.of[code]
	n := (c.bits + 1<<15) >> 16
	return uint32(t.states[int32((n<<16-c.bits)>>n)+c.find])
}

// put writes a code in this state to w, and returns the next state.
func (t *table) put(w *bitWriter, state uint32, code int) uint32 {
	if t.log == 0 {
		return 0
	}
	c := t.of[code]
	n := (state + c.bits) >> 16
	w.add(uint64(state&(1<<n-1)), uint(n))
	return uint32(t.states[int32(state>>n)+c.find])
}

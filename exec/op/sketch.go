package op

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/bits"
	"slices"

	"infomall/exec/spill"
	"infomall/exec/value"
)

// sketch counts distinct values in bounded memory: exactly up to sketchExact
// values, and approximately if there are more (Flajolet, Fusy, Gandouet and Meunier,
// "HyperLogLog: the analysis of a near-optimal cardinality estimation
// algorithm", AofA 2007). The result does not depend on the order of the
// values, or on how they were divided among sketches that were merged.
type sketch struct {
	hashes    []uint64 // hashes of the values, sorted; nil once there are more than sketchExact
	registers []byte   // the registers of HyperLogLog; nil as long as hashes is used
}

// sketchBits is chosen for the accuracy: with 2^sketchBits registers the standard
// error is 1.04/sqrt(2^sketchBits), which is 1.6 %.
const (
	sketchBits  = 12
	sketchExact = 1<<sketchBits/8 - 1 // hashes of so many values take less memory than the registers
)

// add counts the value v, which must not be NULL.
func (s *sketch) add(v value.Value) { s.addHash(hashOf(v)) }

// hashOf returns a hash of v that is the same in every run of the program.
func hashOf(v value.Value) uint64 {
	f := fnv.New64a()
	f.Write(spill.AppendValue(nil, v)) // never fails
	// FNV gives short texts similar upper bits. Mix them as splitmix64 does.
	h := f.Sum64()
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// addHash counts the value whose hash is h.
func (s *sketch) addHash(h uint64) {
	if s.registers != nil {
		i, rank := h>>(64-sketchBits), byte(bits.LeadingZeros64(h<<sketchBits|1<<(sketchBits-1))+1)
		s.registers[i] = max(s.registers[i], rank)
		return
	}
	i, known := slices.BinarySearch(s.hashes, h)
	if known {
		return
	}
	s.hashes = slices.Insert(s.hashes, i, h)
	if len(s.hashes) > sketchExact {
		hashes := s.hashes
		s.hashes, s.registers = nil, make([]byte, 1<<sketchBits)
		for _, h := range hashes {
			s.addHash(h)
		}
	}
}

// merge adds the values that the sketch o has counted to s.
func (s *sketch) merge(o *sketch) {
	for _, h := range o.hashes {
		s.addHash(h)
	}
	if o.registers == nil {
		return
	}
	if s.registers == nil {
		hashes := s.hashes
		s.hashes, s.registers = nil, make([]byte, 1<<sketchBits)
		for _, h := range hashes {
			s.addHash(h)
		}
	}
	for i, r := range o.registers {
		s.registers[i] = max(s.registers[i], r)
	}
}

// count returns how many distinct values were added, exactly or
// approximately.
func (s *sketch) count() int64 {
	if s.registers == nil {
		return int64(len(s.hashes))
	}
	const m = 1 << sketchBits
	sum, empty := 0.0, 0
	for _, r := range s.registers {
		sum += math.Ldexp(1, -int(r))
		if r == 0 {
			empty++
		}
	}
	estimate := 0.7213 / (1 + 1.079/m) * m * m / sum
	if estimate <= 2.5*m && empty > 0 {
		estimate = m * math.Log(m/float64(empty))
	}
	return int64(math.Round(estimate))
}

// bytes returns an estimate of the memory that s takes, in bytes.
func (s *sketch) bytes() int64 {
	if s == nil {
		return 0
	}
	return int64(8*cap(s.hashes) + len(s.registers))
}

// encode returns s as text, which decodeSketch reads.
func (s *sketch) encode() string {
	if s.registers != nil {
		return string(s.registers)
	}
	var b []byte
	for _, h := range s.hashes {
		b = binary.BigEndian.AppendUint64(b, h)
	}
	return string(b)
}

// decodeSketch returns the sketch that encode encoded as text. The length of the text says whether
// it has registers or hashes: registers take more bytes.
func decodeSketch(text string) *sketch {
	s := new(sketch)
	if len(text) == 1<<sketchBits {
		s.registers = []byte(text)
		return s
	}
	for ; len(text) > 0; text = text[8:] {
		s.hashes = append(s.hashes, binary.BigEndian.Uint64([]byte(text[:8])))
	}
	return s
}

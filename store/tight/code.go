package tight

import "math/bits"

// form says how the codes of one kind are written (RFC 8878, 3.1.1.3.2). A number is written as a
// code, which a table of states compresses, and extra bits.
type form struct {
	norm    []int16 // the predefined table: how many of its 1<<normLog states each code has; -1 stands for one state at the end of the table
	normLog uint
	logMax  uint    // a table has at most 1<<logMax states
	bits    []uint8 // for each code, how many extra bits follow; nil for offsets, where that number is the code itself
}

// forms has the form of each kind of code.
var forms = [kinds]form{
	kindLiterals: {norm: literalsNorm[:], normLog: 6, logMax: 9, bits: literalsBits[:]},
	kindOffset:   {norm: offsetNorm[:], normLog: 5, logMax: 8},
	kindLength:   {norm: lengthNorm[:], normLog: 6, logMax: 9, bits: lengthBits[:]},
}

var (
	literalsNorm = [...]int16{4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1}
	offsetNorm   = [...]int16{1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1}
	lengthNorm   = [...]int16{1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1}
	literalsBits = [...]uint8{16: 1, 17: 1, 18: 1, 19: 1, 20: 2, 21: 2, 22: 3, 23: 3, 24: 4, 25: 6, 26: 7, 27: 8, 28: 9, 29: 10, 30: 11, 31: 12, 32: 13, 33: 14, 34: 15, 35: 16}
	lengthBits   = [...]uint8{32: 1, 33: 1, 34: 1, 35: 1, 36: 2, 37: 2, 38: 3, 39: 3, 40: 4, 41: 4, 42: 5, 43: 7, 44: 8, 45: 9, 46: 10, 47: 11, 48: 12, 49: 13, 50: 14, 51: 15, 52: 16}
	// literalsBase and lengthBase have the least number that each code stands for, for the codes
	// from literalsDirect and from lengthDirect on.
	literalsBase = [...]uint32{16, 18, 20, 22, 24, 28, 32, 40, 48}
	lengthBase   = [...]uint32{32, 34, 36, 38, 40, 44, 48, 56, 64, 80, 96}
)

const (
	literalsDirect = 16 // a number of literals below it is its own code
	lengthDirect   = 32 // the length of a match, less 3, is its own code if it is below this
)

// literalsCode returns the code for a number of literals.
func literalsCode(n uint32) int {
	switch {
	case n < literalsDirect:
		return int(n)
	case n >= 64:
		return bits.Len32(n) + 18
	}
	c := len(literalsBase) - 1
	for literalsBase[c] > n {
		c--
	}
	return literalsDirect + c
}

// lengthCode returns the code for the length of a match, at least 3.
func lengthCode(n uint32) int {
	n -= 3
	switch {
	case n < lengthDirect:
		return int(n)
	case n >= 128:
		return bits.Len32(n) + 35
	}
	c := len(lengthBase) - 1
	for lengthBase[c] > n {
		c--
	}
	return lengthDirect + c
}

// code returns the code for the number of s of this kind.
func (s *sequence) code(kind int) int {
	switch kind {
	case kindLiterals:
		return literalsCode(s.literals)
	case kindOffset:
		return bits.Len32(s.value) - 1
	}
	return lengthCode(s.n)
}

// extraBits returns the extra bits after the code of the number of s of this kind, and how many they
// are.
func (s *sequence) extraBits(kind, code int) (x uint64, n uint) {
	switch kind {
	case kindLiterals:
		n = uint(literalsBits[code])
		x = uint64(s.literals)
		if n < 6 && code >= literalsDirect {
			x -= uint64(literalsBase[code-literalsDirect])
		}
	case kindOffset:
		n, x = uint(code), uint64(s.value)
	default:
		n, x = uint(lengthBits[code]), uint64(s.n-3)
		if n < 6 && code >= lengthDirect {
			x -= uint64(lengthBase[code-lengthDirect])
		}
	}
	return x & (1<<n - 1), n
}

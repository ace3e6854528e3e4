package tight

import (
	"math"
	"math/bits"
)

// prices says what literals, and the numbers of sequences, take, in 1/256 bits. Zstandard writes each number as
// a code, which is compressed by how often it occurs, and further bits.
type prices struct {
	known  bool
	each   uint32 // added to the price of each sequence
	byte   [256]uint32
	codes  [kinds][codesMax]uint32 // with the further bits
	runs   [shortMax]uint32        // of numbers of literals, if there are few
	lens   [shortMax]uint32        // of the lengths of short matches
	counts [max(256, codesMax)]int
}

// The kinds of codes.
const (
	kindLiterals = iota // how many literals come before a match
	kindOffset
	kindLength
	kinds
)

// codesMax is more than the number of codes of any kind.
const codesMax = 53

// shortMax is a number that is larger than most numbers of literals and lengths of matches.
const shortMax = 512

func (p *prices) reset() { p.known = false }

// guess sets prices for the first block, b, of a frame.
func (p *prices) guess(b []byte) {
	if p.known {
		return
	}
	p.known = true
	clear(p.counts[:])
	for _, c := range b {
		p.counts[c]++
	}
	setPrices(p.byte[:], p.counts[:256])
	for kind, f := range forms {
		clear(p.counts[:])
		for code, n := range f.norm {
			p.counts[code] = max(int(n), 1)
		}
		setPrices(p.codes[kind][:], p.counts[:len(f.norm)])
	}
	p.further()
}

// count sets prices as they are in a block with these literals and sequences.
func (p *prices) count(literals []byte, seqs []sequence) {
	clear(p.counts[:])
	for _, c := range literals {
		p.counts[c]++
	}
	setPrices(p.byte[:], p.counts[:256])
	for kind := range kinds {
		clear(p.counts[:])
		for i := range seqs {
			p.counts[seqs[i].code(kind)]++
		}
		setPrices(p.codes[kind][:], p.counts[:len(forms[kind].norm)])
	}
	p.further()
}

// unit is how many units of prices a bit has.
const unit = 256

// setPrices sets the price of each code that occurs so often. Codes that do not occur have a price as if they
// occurred a quarter of a time.
func setPrices(price []uint32, counts []int) {
	total := 0
	for _, n := range counts {
		total += 4*n + 1
	}
	all := math.Log2(float64(total))
	for i, n := range counts {
		price[i] = uint32(unit * max(all-math.Log2(float64(4*n+1)), .1))
	}
}

// further adds to the prices of codes those of the further bits.
func (p *prices) further() {
	for kind, f := range forms {
		for code := range f.norm {
			if kind == kindOffset {
				p.codes[kind][code] += unit * uint32(code)
			} else {
				p.codes[kind][code] += unit * uint32(f.bits[code])
			}
		}
	}
	for i := range p.codes[kindOffset] {
		p.codes[kindOffset][i] += p.each
	}
	for n := range p.runs {
		p.runs[n] = p.codes[kindLiterals][literalsCode(uint32(n))]
		p.lens[n] = p.codes[kindLength][lengthCode(uint32(max(n, 3)))]
	}
}

// run returns the price of a number of literals.
func (p *prices) run(n uint32) uint32 {
	if n < shortMax {
		return p.runs[n]
	}
	return p.codes[kindLiterals][literalsCode(n)]
}

// length returns the price of the length of a match.
func (p *prices) length(n uint32) uint32 {
	if n < shortMax {
		return p.lens[n]
	}
	return p.codes[kindLength][lengthCode(n)]
}

// offset returns the price of an offset, as in sequence.value.
func (p *prices) offset(value uint32) uint32 {
	return p.codes[kindOffset][bits.Len32(value)-1]
}

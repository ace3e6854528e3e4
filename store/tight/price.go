package tight

import (
	"math"
	"math/bits"
)

// prices says how many bits literals and the numbers of sequences take, in units of 1/256 bit.
// Zstandard writes each number as a code, which takes fewer bits the more often it occurs, and extra
// bits.
type prices struct {
	known       bool                    // the prices of the block before are set
	perSequence uint32                  // is added to the price of each sequence
	byte        [256]uint32             // for each byte: its price as a literal
	codes       [kinds][codesMax]uint32 // for each kind and code: its price, with the extra bits
	runs        [shortMax]uint32        // the prices of numbers of literals below shortMax
	lens        [shortMax]uint32        // the prices of lengths of matches below shortMax
	counts      [max(256, codesMax)]int // working memory
}

// The kinds of codes.
const (
	kindLiterals = iota // how many literals come before a match
	kindOffset
	kindLength
	kinds
)

// codesMax is the largest number of codes of any kind.
const codesMax = 53

// shortMax bounds the numbers of literals and the lengths of matches whose prices are in a table.
// Most are smaller.
const shortMax = 512

// reset prepares p for a frame.
func (p *prices) reset() { p.known = false }

// guess sets prices for b, if it is the first block of a frame. For other blocks, the prices of the
// block before stay.
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
	p.addExtraBits()
}

// count sets the prices by how often each literal and code occurs in a block with these literals and
// sequences.
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
	p.addExtraBits()
}

// unit is the price of one bit.
const unit = 256

// setPrices sets the price of each code. counts says how often each code occurs. A code that does not
// occur has the price of one that occurs a quarter of a time.
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

// addExtraBits adds the prices of the extra bits to those of the codes.
func (p *prices) addExtraBits() {
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
		p.codes[kindOffset][i] += p.perSequence
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

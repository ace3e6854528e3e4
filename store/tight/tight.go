// Package tight compresses into frames of Zstandard (RFC 8878) that are as small as possible. It
// takes several times as long as a usual compressor. Any decoder of Zstandard reads the frames.
//
// # Words
//
//	ahead       bytes that the decoder knows already, in front of the content: a raw dictionary
//	literal     a byte that is written as such
//	match       bytes that are a copy of earlier bytes; its offset is how far back these are
//	sequence    some literals (or none) and then a match
//	last        the offsets of the last three different matches; to use one of them again is cheap
//	price       how many bits something takes
//
// # How it works
//
// For each place of a block, package tight finds the matches that begin there (see finder). From
// the prices of literals and matches it computes the cheapest way to each place of the block, one
// place after the other (see parser). What prices are depends on how often each number occurs in
// the result. So the parser runs several times, each time with the prices of the result before.
//
// A compressor without prices, which takes the longest match at each place, makes the db-files of
// a sealed site larger by 7 %.
package tight

import (
	"encoding/binary"
	"math/bits"
)

// Encoder compresses frames. The zero value is ready. Only one goroutine may use it. It keeps
// memory of about 50 times the size of a block, and 12 times that of the content and the bytes
// ahead.
type Encoder struct {
	// Raw makes Append and AppendAfter write all bytes as they are, without compression.
	Raw bool

	find  finder
	parse parser
	write writer
	all   []byte // the bytes ahead, and then the content
	trial []byte // working memory: blocks that are made only to compare their sizes
	head  int    // offset in the frame of the head of the last block
	// splitGain is how many bytes smaller the result must be for each block that is split in two.
	splitGain int
}

// blockMax is the size in bytes of the largest block of a frame of Zstandard.
const blockMax = 128 << 10

// windowByte returns the byte of a frame's head which says that the window has at least n bytes.
func windowByte(n int) byte { return byte(max(bits.Len(uint(n))-10, 0)) << 3 }

// Append appends to dst a frame with the content src. The head of the frame has the size of src. The
// frame has no checksum.
func (e *Encoder) Append(dst, src []byte) []byte {
	dst = append(dst, magic...)
	switch n := len(src); {
	case n < 256:
		dst = append(dst, 1<<5, byte(n))
	case n < 1<<16+256:
		dst = binary.LittleEndian.AppendUint16(append(dst, 1<<5|1<<6), uint16(n-256))
	default:
		dst = binary.LittleEndian.AppendUint32(append(dst, 1<<5|2<<6), uint32(n))
	}
	e.splitGain, e.parse.prices.perSequence = 1, 0
	dst, _ = e.blocks(dst, nil, src)
	return dst
}

// AppendAfter appends to dst a frame with the content of all parts together, which refers to the
// bytes ahead. The decoder must have ahead as a raw dictionary. No block of the frame has bytes of
// two parts. ends has the offset in the frame at which the blocks of each part end. The frame has
// neither the size of its content nor a checksum.
func (e *Encoder) AppendAfter(dst, ahead []byte, parts ...[]byte) (frame []byte, ends []int) {
	e.splitGain, e.parse.prices.perSequence = contentGain, contentEach
	start, all := len(dst), len(ahead)
	for _, p := range parts {
		all += len(p)
	}
	dst, ends = e.blocks(append(append(dst, magic...), 0, windowByte(all)), ahead, parts...)
	for i := range ends {
		ends[i] -= start
	}
	return dst, ends
}

const (
	// contentGain is splitGain in frames of AppendAfter. A decoder takes time to build the tables of
	// each block.
	contentGain = 400
	// contentEach is what each sequence costs in frames of AppendAfter besides its bits: the time in
	// which a decoder executes it. With four bits instead of two, and this contentGain instead of
	// 100, a sealed site takes .5 % more bytes. A page is then read in about as much CPU time as with
	// a usual compressor, and otherwise in a tenth more.
	contentEach = 4 * unit
)

const magic = "\x28\xb5\x2f\xfd"

// blocks appends the blocks of a frame to dst. ends has the length of out after the blocks of each
// part.
func (e *Encoder) blocks(dst, ahead []byte, parts ...[]byte) (out []byte, ends []int) {
	e.all = append(e.all[:0], ahead...)
	for _, p := range parts {
		e.all = append(e.all, p...)
	}
	e.find.open(e.all)
	e.parse.reset()
	at := len(ahead)
	for _, p := range parts {
		for end := at + len(p); at < end; {
			next := min(at+blockMax, end)
			dst = e.block(dst, at, next)
			at = next
		}
		ends = append(ends, len(dst))
	}
	if at == len(ahead) {
		return append(dst, 1, 0, 0), ends // an empty block, marked as the last
	}
	dst[e.head] |= 1 // marks the last block
	return dst, ends
}

// block appends a block with e.all[from:to] to dst, or several blocks if these are smaller.
func (e *Encoder) block(dst []byte, from, to int) []byte {
	if e.Raw {
		e.head = len(dst)
		return append(appendHead(dst, formRaw, to-from), e.all[from:to]...)
	}
	before := e.parse.last
	literals, seqs := e.parse.parse(&e.find, from, to)
	at := len(dst)
	dst = e.split(dst, literals, seqs)
	if len(dst)-at >= to-from+blockHead {
		dst = append(appendHead(dst[:at], formRaw, to-from), e.all[from:to]...)
		e.parse.last, e.head = before, at
	}
	return dst
}

// split appends a block with these literals and sequences to dst, or several blocks if each further
// block saves at least splitGain bytes.
func (e *Encoder) split(dst, literals []byte, seqs []sequence) []byte {
	e.trial = e.write.block(e.trial[:0], literals, seqs)
	size := len(e.trial)
	least, bestSeqs, bestLiterals := size-blockHead-e.splitGain+1, 0, 0
	at, before := 0, 0 // how many sequences and literals are before the place to split at
	for i := 1; i < splitParts && len(seqs) >= splitParts*splitLeast; i++ {
		for ; at < len(seqs)*i/splitParts; at++ {
			before += int(seqs[at].literals)
		}
		e.trial = e.write.block(e.trial[:0], literals[:before], seqs[:at])
		e.trial = e.write.block(e.trial, literals[before:], seqs[at:])
		if len(e.trial) < least {
			least, bestSeqs, bestLiterals = len(e.trial), at, before
		}
	}
	if bestSeqs > 0 {
		dst = e.split(dst, literals[:bestLiterals], seqs[:bestSeqs])
		return e.split(dst, literals[bestLiterals:], seqs[bestSeqs:])
	}
	e.head = len(dst)
	return e.write.block(appendHead(dst, formCompressed, size), literals, seqs)
}

const (
	// splitParts is the number of equal parts of a block between which it may be split.
	splitParts = 8
	// splitLeast is the least number of sequences in such a part.
	splitLeast = 8
)

// appendHead appends the head of a block of size bytes to dst. The head says that more blocks follow.
func appendHead(dst []byte, form uint32, size int) []byte {
	head := uint32(size)<<3 | form<<1
	return append(dst, byte(head), byte(head>>8), byte(head>>16))
}

// blockHead is the size in bytes of the head of a block.
const blockHead = 3

// The forms of blocks that are written.
const (
	formRaw        = 0
	formCompressed = 2
)

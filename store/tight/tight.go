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
// the result, so it does so several times, each time with the prices of the result before.
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
	find  finder
	parse parser
	write writer
	all   []byte
}

// blockMax is the size in bytes of the largest block that is written. Zstandard allows blocks of 128 KB. As each
// block has its own tables, with blocks of 64 KB the frames of a sealed site are smaller by .5 %.
const blockMax = 64 << 10

// windowByte returns the byte of a frame's head that says that the window is n bytes at least.
func windowByte(n int) byte { return byte(max(bits.Len(uint(n))-10, 0)) << 3 }

// Append appends to dst a frame with the content src. Its size is in the frame's head. The frame has no
// checksum.
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
	dst, _ = e.blocks(dst, nil, src)
	return dst
}

// AppendAfter appends to dst a frame with the content of all parts together, which refers to the
// bytes ahead. The decoder must have ahead as a raw dictionary. No block of the frame has bytes of two parts.
// ends are the places in the frame, from its beginning, at which the blocks of each part end. The frame
// says neither the size of its content nor a checksum.
func (e *Encoder) AppendAfter(dst, ahead []byte, parts ...[]byte) (frame []byte, ends []int) {
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

const magic = "\x28\xb5\x2f\xfd"

// blocks appends the blocks of a frame.
func (e *Encoder) blocks(dst, ahead []byte, parts ...[]byte) (out []byte, ends []int) {
	e.all = append(e.all[:0], ahead...)
	for _, p := range parts {
		e.all = append(e.all, p...)
	}
	e.find.open(e.all)
	e.parse.reset()
	at, head := len(ahead), len(dst)
	for _, p := range parts {
		for end := at + len(p); at < end; {
			next := min(at+blockMax, end)
			head = len(dst)
			dst = e.block(dst, at, next)
			at = next
		}
		ends = append(ends, len(dst))
	}
	if at == len(ahead) {
		return append(dst, 1, 0, 0), ends // a block without bytes, the last
	}
	dst[head] |= 1 // the last
	return dst, ends
}

// block appends the block of the bytes from a place to another.
func (e *Encoder) block(dst []byte, from, to int) []byte {
	before := e.parse.last
	literals, seqs := e.parse.parse(&e.find, from, to)
	at := len(dst)
	dst = e.write.block(append(dst, 0, 0, 0), literals, seqs)
	form, size := uint32(formCompressed), len(dst)-at-blockHead
	if size >= to-from {
		dst = append(dst[:at+blockHead], e.all[from:to]...)
		form, size = formRaw, to-from
		e.parse.last = before
	}
	head := uint32(size)<<3 | form<<1
	dst[at], dst[at+1], dst[at+2] = byte(head), byte(head>>8), byte(head>>16)
	return dst
}

// blockHead is the size in bytes of the head of a block.
const blockHead = 3

// The forms of blocks that are written.
const (
	formRaw        = 0
	formCompressed = 2
)

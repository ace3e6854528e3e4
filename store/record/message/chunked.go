package message

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"infomall/store/record"
)

// The framing of a chunked body, without its data, is called the residue. It is
// stored so that the wire form can be restored byte for byte. A residue is a
// list of groups, each of equal chunks in a row, and an end:
//
//	group  uvarint size<<2 | verbatim<<1 | open
//	       if verbatim: uvarint length of the size line, and the line with its CR LF
//	       unless open: uvarint number of chunks in the group, less one
//	end    byte 1: the wire form ends in "0 CR LF CR LF"
//	       byte 0: it ends in the remaining bytes of the residue
//
// If a group is not verbatim, the size line of its chunks is the size in
// lower-case hexadecimal digits without leading zeros. An open group is one
// chunk that was cut: it has the rest of the body, and only the end follows it.
const (
	groupOpen     = 1
	groupVerbatim = 2
	endVerbatim   = 0
	endPlain      = 1

	plainEnd = "0\r\n\r\n"
)

// Maximum lengths of the parts of chunked framing. If a part is longer, the bytes
// are not taken for a chunked body.
const (
	sizeLineMax = 4 << 10  // bytes of a size line with its extensions
	chunkEndMax = 64 << 10 // bytes of the last chunk, the trailers and anything after them
)

// Dechunk decodes wire, a body in the chunked transfer coding of RFC 9112. It
// returns the body, and the framing: the sizes of the chunks, from which
// Stored.Wire restores wire.
//
// ok is false, and body and framing are nil, if wire is not chunked. Many crawlers
// keep a header that says chunked and store the body decoded. A wire form that was
// cut counts as chunked if it has at least one whole chunk.
func Dechunk(wire []byte) (body, framing []byte, ok bool) {
	view := func(off int64, n int) []byte {
		return wire[off:min(off+int64(n), int64(len(wire)))]
	}
	// The first pass changes nothing and finds the size.
	var size int64
	framing, ok = scanChunks(int64(len(wire)), view, func(from, to int64) { size += to - from })
	if !ok {
		return nil, nil, false
	}
	body = make([]byte, 0, size)
	scanChunks(int64(len(wire)), view, func(from, to int64) { body = append(body, wire[from:to]...) })
	return body, framing, true
}

// scanChunks parses a chunked message of size bytes. The function view returns n
// bytes of it from offset off, or fewer at the end. scanChunks calls data with the
// start and the end offset of each chunk's data, and returns the framing (the sizes
// of the chunks, as a residue). If ok is false, the message is not chunked, and the
// calls of data mean nothing.
func scanChunks(size int64, view func(off int64, n int) []byte, data func(from, to int64)) (framing []byte, ok bool) {
	var f framer
	var pos int64
	for {
		line, length, ok := sizeLine(view(pos, sizeLineMax))
		switch {
		case !ok && f.chunks > 0 && isCutSizeLine(view(pos, sizeLineMax), size-pos):
			return f.end(view(pos, sizeLineMax)), true
		case !ok:
			return nil, false
		case length == 0:
			if size-pos > chunkEndMax {
				return nil, false
			}
			return f.end(view(pos, chunkEndMax)), true
		}
		start := pos + int64(len(line))
		f.add(line, length)
		if rest := size - start; length > rest || length > rest-2 && isCutCRLF(view(start+length, 2)) {
			if f.chunks == 1 {
				return nil, false
			}
			end := min(start+length, size)
			data(start, end)
			return f.cut(view(end, 2)), true
		}
		data(start, start+length)
		pos = start + length
		if string(view(pos, 2)) != "\r\n" {
			return nil, false
		}
		pos += 2
	}
}

// sizeLine parses the size line of a chunk at the start of b. It returns the whole
// line with its CR LF, which shares memory with b, and the size of the chunk in
// bytes. ok is false if b does not begin with a size line.
func sizeLine(b []byte) (line []byte, size int64, ok bool) {
	end := bytes.IndexByte(b, '\n')
	if end < 1 || b[end-1] != '\r' {
		return nil, 0, false
	}
	line = b[:end+1]
	digits := 0
	for digits < len(line) && isHex(line[digits]) {
		digits++
	}
	rest := bytes.TrimLeft(line[digits:end-1], " \t")
	if len(rest) > 0 && rest[0] != ';' {
		return nil, 0, false
	}
	size, err := strconv.ParseInt(string(line[:digits]), 16, 64)
	// A residue stores the size in 62 bits.
	if err != nil || size > math.MaxInt64>>2 {
		return nil, 0, false
	}
	return line, size, true
}

// isCutSizeLine reports whether a message ends in the beginning of a size line that
// was cut off. rest is how many bytes of the message are left, and b has the first
// of them.
func isCutSizeLine(b []byte, rest int64) bool {
	if int64(len(b)) < rest || bytes.IndexByte(b, '\n') >= 0 {
		return false
	}
	b = bytes.TrimSuffix(b, []byte("\r"))
	for _, c := range b {
		if !isHex(c) {
			return false
		}
	}
	return true
}

// isCutCRLF reports whether b, the end of a message that was cut, is what remains
// of CR LF: nothing, or CR alone.
func isCutCRLF(b []byte) bool { return len(b) == 0 || string(b) == "\r" }

func isHex(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// framer encodes the sizes of chunks as a residue (see the top of this file). It
// collects equal chunks in a row and writes them as one group.
type framer struct {
	out    []byte
	line   []byte // size line of the current group
	size   int64  // size of each chunk in the current group
	repeat uint64 // number of chunks in the current group
	chunks int    // number of all chunks so far
}

func (f *framer) add(line []byte, size int64) {
	f.chunks++
	if f.repeat > 0 && bytes.Equal(f.line, line) {
		f.repeat++
		return
	}
	f.flush()
	f.line, f.size, f.repeat = append(f.line[:0], line...), size, 1
}

func (f *framer) flush() {
	if f.repeat == 0 {
		return
	}
	f.group(0)
	f.out = binary.AppendUvarint(f.out, f.repeat-1)
	f.repeat = 0
}

func (f *framer) group(flags uint64) {
	plain := string(appendSizeLine(nil, f.size)) == string(f.line)
	if !plain {
		flags |= groupVerbatim
	}
	f.out = binary.AppendUvarint(f.out, uint64(f.size)<<2|flags)
	if !plain {
		f.out = binary.AppendUvarint(f.out, uint64(len(f.line)))
		f.out = append(f.out, f.line...)
	}
}

// cut ends the residue of a message that was cut inside the last chunk that was
// added. tail is what remains of the CR LF after the chunk's data. cut returns the
// residue.
func (f *framer) cut(tail []byte) []byte {
	if f.repeat--; f.repeat > 0 {
		f.flush()
	}
	f.group(groupOpen)
	return append(append(f.out, endVerbatim), tail...)
}

func (f *framer) end(tail []byte) []byte {
	f.flush()
	if string(tail) == plainEnd {
		return append(f.out, endPlain)
	}
	return append(append(f.out, endVerbatim), tail...)
}

func appendSizeLine(dst []byte, size int64) []byte {
	return append(strconv.AppendInt(dst, size, 16), '\r', '\n')
}

// IsCut reports whether framing, the residue (encoded chunk sizes) of a chunked
// body, says that the body ended before its last chunk.
func IsCut(framing []byte) bool {
	for {
		code, n := binary.Uvarint(framing)
		if n <= 0 {
			return false // no residue, or a damaged one
		}
		framing = framing[n:]
		if code>>2 == 0 {
			// A whole last chunk has a size line, which ends in a newline.
			return code == endVerbatim && bytes.IndexByte(framing, '\n') < 0
		}
		_, rest, ok := groupLine(code, framing)
		if !ok {
			return false
		}
		framing = rest
		if code&groupOpen != 0 {
			return true
		}
		if _, n = binary.Uvarint(framing); n <= 0 {
			return false
		}
		framing = framing[n:]
	}
}

// errFraming is returned if a residue (the encoded chunk sizes) does not match the
// body.
var errFraming = errors.New("framing residue does not fit the body: one of the two is damaged")

// groupLine returns the size line of a group of chunks in a residue, and the bytes
// of framing after the group's line. code is the number that begins the group, and
// framing begins after it. ok is false if framing is damaged.
func groupLine(code uint64, framing []byte) (line, rest []byte, ok bool) {
	if code&groupVerbatim == 0 {
		return appendSizeLine(nil, int64(code>>2)), framing, true
	}
	length, n := binary.Uvarint(framing)
	if n <= 0 || length > uint64(len(framing)-n) {
		return nil, nil, false
	}
	return framing[n : n+int(length)], framing[n+int(length):], true
}

// dechunkSpool decodes the chunked body in s as Dechunk does, but on disk; w reads
// the file of s. If s is not chunked, it returns s. Otherwise it returns a new
// spool in the folder dir and the framing, and closes s. On an error it returns s,
// still open.
func dechunkSpool(w *Window, s *record.Spool, dir string) (*record.Spool, []byte, error) {
	var failed error
	view := func(off int64, n int) []byte {
		b, err := w.View(off, n)
		if err != nil {
			failed = err
		}
		return b
	}
	framing, ok := scanChunks(s.Size, view, func(int64, int64) {})
	if failed != nil || !ok {
		return s, nil, failed
	}
	out, err := newSpool(dir)
	if err != nil {
		return s, nil, err
	}
	scanChunks(s.Size, view, func(from, to int64) {
		if failed == nil {
			failed = appendAll(out, io.NewSectionReader(s.File, from, to-from))
		}
	})
	if failed != nil {
		out.File.Close()
		return s, nil, fmt.Errorf("dechunk a body of %d bytes: %w", s.Size, failed)
	}
	s.File.Close()
	return out, framing, nil
}

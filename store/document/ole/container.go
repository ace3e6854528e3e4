// Package ole reads the container of Office documents before 2007: a compound file
// ([MS-CFB]), which is a small file system inside of a file, and its property sets
// ([MS-OLEPS]), which say the title, author and dates.
//
// # Words
//
//	sector    a stretch of the file, of 512 or 4096 bytes
//	chain     the sectors of one stream, in order; the FAT has the next sector of each
//	FAT       the table of the next sectors; it lies in sectors itself
//	DIFAT     the list of the sectors of the FAT
//	ministream a stream that is divided into sectors of 64 bytes, for small streams
//	entry     a stream or a folder of the directory
//
// The reader takes what it can from damaged files. Archives hold many files that were
// cut short, and programs write the FAT and the directory at the end. Where the FAT is
// lost, a chain is read on in the order of the file. Where the directory is lost, the
// file can be read as one stream.
package ole

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf16"
)

// errFormat is returned if a body is no compound file.
var errFormat = errors.New("the container is not an OLE2 compound file")

const magic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

const (
	headerBytes = 512
	entryBytes  = 128
	miniShift   = 6    // a sector of the ministream has 64 bytes
	miniBelow   = 4096 // shorter streams are in the ministream
	regularMax  = 0xfffffffa
	none        = 0xffffffff // no entry
	typeFolder  = 1
	typeStream  = 2
	typeRoot    = 5
	headerDIFAT = 109
	entriesMax  = 1 << 16 // entries of the directory that are read
	pathJoin    = "/"
)

// Is reports whether body begins like a compound file.
func Is(body []byte) bool { return bytes.HasPrefix(body, []byte(magic)) }

// File is an open compound file. It refers to the body that it was opened with.
type File struct {
	body     []byte
	shift    uint     // log2 of the size of a sector
	fat      []uint32 // the sectors of the FAT, in order
	mini     []byte   // the ministream
	miniFAT  []byte
	streams  map[string]stream // by path, in lower case
	miniRead bool
	root     stream
	miniHead uint32 // first sector of the FAT of the ministream
	lost     bool   // Find returned the file as one stream
	given    int    // bytes of the streams that Stream returned
}

// stream is where the bytes of an entry are.
type stream struct {
	start uint32
	size  uint64
}

// Open opens a compound file. It reads only the directory. It returns errFormat if body is no
// compound file or its directory is damaged.
func Open(body []byte) (*File, error) {
	if !Is(body) || len(body) < headerBytes {
		return nil, errFormat
	}
	f := &File{body: body, shift: uint(U16(body, 30)), miniHead: U32(body, 60)}
	if f.shift != 9 && f.shift != 12 {
		f.shift = 9
		if U16(body, 26) == 4 {
			f.shift = 12
		}
	}
	f.readDIFAT()
	f.readDirectory(U32(body, 48))
	return f, nil
}

// sector returns the bytes of a sector. They are fewer than the size of a sector at
// the end of the file, and none after it.
func (f *File) sector(n uint32) []byte {
	from := (uint64(n) + 1) << f.shift
	if n >= regularMax || from >= uint64(len(f.body)) {
		return nil
	}
	return f.body[from:min(from+1<<f.shift, uint64(len(f.body)))]
}

// readDIFAT reads the list of the sectors of the FAT.
func (f *File) readDIFAT() {
	sectors := len(f.body)>>f.shift + 1
	take := func(list []byte) {
		for ; len(list) >= 4 && len(f.fat) <= sectors; list = list[4:] {
			if n := binary.LittleEndian.Uint32(list); n < regularMax {
				f.fat = append(f.fat, n)
			}
		}
	}
	take(f.body[headerBytes-4*headerDIFAT : headerBytes])
	next := U32(f.body, 68)
	for range sectors {
		s := f.sector(next)
		if len(s) < 1<<f.shift || len(f.fat) > sectors {
			return
		}
		take(s[:len(s)-4])
		next = U32(s, len(s)-4)
	}
}

// next returns the sector that follows sector n in its chain. If the part of the FAT for n is
// lost, it returns the next sector of the file.
func (f *File) next(n uint32) uint32 {
	per := uint32(1) << (f.shift - 2)
	if int(n/per) >= len(f.fat) {
		return none
	}
	s, at := f.sector(f.fat[n/per]), int(n%per)*4
	if at+4 > len(s) {
		return n + 1
	}
	return U32(s, at)
}

// chain returns the bytes of a chain of sectors, at most size of them. It refers to
// the body if the sectors follow one another there.
func (f *File) chain(start uint32, size uint64) []byte {
	size = min(size, uint64(len(f.body)))
	first := f.sector(start)
	if first == nil || size == 0 {
		return nil
	}
	from := (uint64(start) + 1) << f.shift
	to := from + uint64(len(first))
	n := start
	for to-from < size {
		next := f.next(n)
		if next != n+1 {
			n = next
			break
		}
		s := f.sector(next)
		if s == nil {
			n = none
			break
		}
		to += uint64(len(s))
		n = next
	}
	out := f.body[from:min(to, from+size):min(to, from+size)]
	// Every turn adds bytes, so a loop in the chain ends when size is reached.
	for uint64(len(out)) < size {
		s := f.sector(n)
		if s == nil {
			break
		}
		out = append(out, s[:min(uint64(len(s)), size-uint64(len(out)))]...)
		n = f.next(n)
	}
	return out
}

// miniChain returns the bytes of a chain of sectors of the ministream.
func (f *File) miniChain(start uint32, size uint64) []byte {
	if !f.miniRead {
		f.miniRead = true
		f.mini = f.chain(f.root.start, f.root.size)
		f.miniFAT = f.chain(f.miniHead, uint64(len(f.mini))>>(miniShift-2)+1<<f.shift)
	}
	var out []byte
	for n := uint64(start); uint64(len(out)) < size; {
		from := n << miniShift
		if from >= uint64(len(f.mini)) {
			break
		}
		s := f.mini[from:min(from+1<<miniShift, uint64(len(f.mini)))]
		out = append(out, s[:min(uint64(len(s)), size-uint64(len(out)))]...)
		if at := n * 4; at+4 <= uint64(len(f.miniFAT)) {
			n = uint64(U32(f.miniFAT, int(at)))
		} else {
			n++
		}
	}
	return out
}

// readDirectory reads the directory, which begins at a sector.
func (f *File) readDirectory(start uint32) {
	dir := f.chain(start, entriesMax*entryBytes)
	count := len(dir) / entryBytes
	f.streams = make(map[string]stream)
	if count == 0 || dir[66] != typeRoot {
		return
	}
	entry := func(n uint32) []byte { return dir[n*entryBytes : (n+1)*entryBytes] }
	f.root = f.streamOf(entry(0))
	seen := make([]bool, count)
	seen[0] = true
	type place struct {
		entry  uint32
		folder string
	}
	walk := func(stack []place) {
		for len(stack) > 0 {
			p := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if int64(p.entry) >= int64(count) || seen[p.entry] {
				continue
			}
			seen[p.entry] = true
			e := entry(p.entry)
			path := p.folder + entryName(e)
			switch e[66] {
			case typeStream:
				if _, ok := f.streams[path]; !ok {
					f.streams[path] = f.streamOf(e)
				}
			case typeFolder:
				if strings.Count(path, pathJoin) < foldersMax {
					stack = append(stack, place{U32(e, 76), path + pathJoin})
				}
			default:
				continue
			}
			stack = append(stack, place{U32(e, 68), p.folder}, place{U32(e, 72), p.folder})
		}
	}
	walk([]place{{U32(dir, 76), ""}})
	// Entries that a damaged tree does not lead to are taken as entries of the root.
	for n := range seen {
		if !seen[n] {
			walk([]place{{uint32(n), ""}})
		}
	}
}

// foldersMax is how many folders an entry may be inside of and is still read.
const foldersMax = 8

// streamOf returns the place of the bytes of an entry. Files with sectors of 512 bytes
// have sizes of 32 bits; the other half may be anything.
func (f *File) streamOf(e []byte) stream {
	size := binary.LittleEndian.Uint64(e[120:])
	if f.shift == 9 {
		size &= 0xffffffff
	}
	return stream{U32(e, 116), size}
}

// entryName returns the name of an entry in lower case.
func entryName(e []byte) string {
	n := min(int(U16(e, 64)), 64)/2 - 1
	if n < 0 {
		return ""
	}
	return strings.ToLower(decodeUTF16(e[:2*n]))
}

// Has reports whether the file has a stream of this path, such as "WordDocument" or
// "ObjectPool/_12/Contents". Upper and lower case are the same.
func (f *File) Has(path string) bool {
	_, ok := f.streams[strings.ToLower(path)]
	return ok
}

// Stream returns the bytes of a stream, or nil if there is none. The caller must not
// change them. They are fewer than the directory says if the file was cut. If the file is damaged so
// that many streams are in the same sectors, Stream returns nil for the last of them.
func (f *File) Stream(path string) (data []byte) {
	s, ok := f.streams[strings.ToLower(path)]
	switch {
	case !ok || f.given > givenMost*len(f.body):
		return nil
	case s.size < miniBelow:
		data = f.miniChain(s.start, s.size)
	default:
		data = f.chain(s.start, s.size)
	}
	f.given += len(data)
	return data
}

// givenMost is how many times the size of a file its streams may have. A reader reads a stream once or
// twice.
const givenMost = 8

// Find returns the first stream in paths that the file has. If the file has none of them, the
// directory may be damaged. If the bytes after the header of the file then begin with one of
// heads, Find returns these bytes as one stream. Otherwise it returns nil.
func (f *File) Find(paths, heads []string) []byte {
	for _, p := range paths {
		if f.Has(p) {
			return f.Stream(p)
		}
	}
	all := f.body[min(len(f.body), 1<<f.shift):]
	for _, h := range heads {
		if bytes.HasPrefix(all, []byte(h)) {
			f.lost = true
			return all
		}
	}
	return nil
}

// Lost reports whether Find has returned a file as one stream.
func (f *File) Lost() bool { return f.lost }

// Paths calls yield with the path of each stream, in lower case and in no order.
func (f *File) Paths(yield func(path string) bool) {
	for p := range f.streams {
		if !yield(p) {
			return
		}
	}
}

// U16 and U32 return the number at an offset of b. Bytes that b does not have count as 0.
func U16(b []byte, at int) uint16 {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return binary.LittleEndian.Uint16(b[at:])
}

// U32 is described at U16.
func U32(b []byte, at int) uint32 { return uint32(U16(b, at)) | uint32(U16(b, at+2))<<16 }

// decodeUTF16 returns UTF-16 in little-endian as UTF-8.
func decodeUTF16(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

package bundle

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"

	"github.com/ulikunitz/xz/lzma"

	"infomall/store/document"
	"infomall/store/record"
)

// A 7z file has a start header of 32 bytes, packed streams, and a header at its end, which
// is usually packed itself. A folder of the format is what one packed stream unpacks to:
// the contents of several files after each other. Offsets and sizes that the file states
// are checked against its size, and counts against its bytes.

const (
	sevenZipStart = 32       // size in bytes of the start header
	sevenZipHead  = 16 << 20 // largest size in bytes of a header
)

// errSevenZip is returned for a 7z file whose header is damaged.
var errSevenZip = errors.New("the 7z file is damaged or cut off: its list of members cannot be read")

// Identifiers of the parts of a header.
const (
	szEnd = iota
	szHeader
	szArchiveProperties
	szAdditionalStreams
	szMainStreams
	szFiles
	szPackInfo
	szUnpackInfo
	szSubStreams
	szSize
	szCRC
	szFolder
	szUnpackSize
	szUnpackStreams
	szEmptyStream
	szEmptyFile
	szAnti
	szNames
	szCreated
	szAccessed
	szModified
	szAttributes
	szComment
	szEncoded
)

// szFolderOf is a folder of a 7z file: what one packed stream unpacks to.
type szFolderOf struct {
	method  uint64 // method of its only coder; 0 is a copy
	props   []byte // properties of that coder
	several bool   // it has several coders, such as a filter for programs
	packed  []byte
	size    uint64   // size in bytes when it is unpacked
	files   []uint64 // sizes in bytes of the files in it, in order
}

// Methods of packing.
const (
	szCopy    = 0x00
	szLZMA2   = 0x21
	szLZMA    = 0x030101
	szDeflate = 0x040108
	szBzip2   = 0x040202
	szAES     = 0x06f10701
)

func readSevenZip(b *document.Builder, body []byte) error {
	if len(body) < sevenZipStart {
		return errSevenZip
	}
	at, size := binary.LittleEndian.Uint64(body[12:]), binary.LittleEndian.Uint64(body[20:])
	rest := body[sevenZipStart:]
	if at > uint64(len(rest)) || size > uint64(len(rest))-at {
		return errSevenZip
	}
	header := rest[at : at+size]
	for range 4 { // a packed header may be packed again
		r := szReader{b: header}
		switch r.byte() {
		case szHeader:
			return readSevenZipHeader(b, &r, rest)
		case szEncoded:
			folders := r.streams(rest)
			if r.bad || len(folders) == 0 {
				return errSevenZip
			}
			if folders[0].method == szAES {
				return errors.New("the 7z file is encrypted")
			}
			unpacked, err := folders[0].unpack(b, sevenZipHead)
			if err != nil {
				return fmt.Errorf("%w: %w", errSevenZip, err)
			}
			header = unpacked
		default:
			if size == 0 {
				return nil // an empty archive
			}
			return errSevenZip
		}
	}
	return errSevenZip
}

// readSevenZipHeader reads the header in r, which is unpacked already, and then
// adds the members to the document. rest is the part of the file that has the
// packed streams.
func readSevenZipHeader(b *document.Builder, r *szReader, rest []byte) error {
	var folders []szFolderOf
	var members []member
	for !r.bad {
		switch r.byte() {
		case szArchiveProperties:
			for r.byte() != szEnd && !r.bad {
				r.take(r.number())
			}
		case szAdditionalStreams:
			r.streams(rest)
		case szMainStreams:
			folders = r.streams(rest)
		case szFiles:
			members = r.files()
		case szEnd:
			if r.bad {
				return errSevenZip
			}
			place(b, members, folders)
			return addMembers(b, members)
		default:
			return errSevenZip
		}
	}
	return errSevenZip
}

// place sets the sizes and the contents of the members. The files of the
// folders are, in order, the contents of the members that are not bare.
func place(b *document.Builder, members []member, folders []szFolderOf) {
	next := 0
	for i := range folders {
		f := &folders[i]
		var content []byte
		var err error
		unpacked, from := false, uint64(0)
		for _, size := range f.files {
			for next < len(members) && members[next].bare {
				next++
			}
			if next == len(members) {
				return
			}
			m := &members[next]
			next++
			m.size, m.encrypted = int64(min(size, 1<<62)), f.method == szAES
			start := from
			from += size
			m.open = func() (io.Reader, error) {
				if !unpacked {
					unpacked = true
					content, err = f.unpack(b, b.UnpackLeft())
				}
				if uint64(len(content)) < start+size {
					if err == nil {
						err = io.ErrUnexpectedEOF
					}
					return nil, err
				}
				m.content = content[start : start+size]
				return nil, nil
			}
		}
	}
}

// dictMax is the largest size in bytes of a dictionary for LZMA. At most
// lzmaMax bytes are unpacked, so a larger dictionary is never needed.
const dictMax = 16 << 20

// dictOf returns the size in bytes of the dictionary for a packed stream of
// packed bytes. wanted is the size that the file states. A short stream gets a
// smaller dictionary, because it cannot unpack to more than some thousand times
// its length.
func dictOf(wanted uint64, packed int) int {
	return int(max(lzma.MinDictCap, min(wanted, dictMax, uint64(packed)<<13)))
}

// lzmaMax is the largest number of bytes that are unpacked with LZMA, which is
// slow.
const lzmaMax = 16 << 20

// unpack returns the first n bytes that the folder unpacks to, or all if there are fewer.
func (f *szFolderOf) unpack(b *document.Builder, n int64) ([]byte, error) {
	if f.several {
		return nil, errUnknown
	}
	in := bytes.NewReader(f.packed)
	var r io.Reader
	var err error
	dict := dictOf(f.size, len(f.packed))
	switch f.method {
	case szCopy:
		r = in
	case szDeflate:
		r = flate.NewReader(in)
	case szBzip2:
		r, n = bzip2.NewReader(in), min(n, bzip2Max)
	case szLZMA2:
		n = min(n, lzmaMax)
		r, err = lzma.Reader2Config{DictCap: dict}.NewReader2(in)
	case szLZMA:
		n = min(n, lzmaMax)
		if len(f.props) < 5 {
			return nil, errUnknown
		}
		// The stream as a file in the format of LZMA: properties, dictionary, size.
		head := append([]byte(nil), f.props[:5]...)
		binary.LittleEndian.PutUint32(head[1:], uint32(dict))
		head = binary.LittleEndian.AppendUint64(head, f.size)
		r, err = lzma.NewReader(io.MultiReader(bytes.NewReader(head), in))
	default:
		return nil, errUnknown
	}
	if err != nil {
		return nil, err
	}
	return unpack(b, io.LimitReader(r, int64(min(f.size, 1<<62))), n)
}

// szReader reads the fields of a header. After it has found damage, all results are zero.
type szReader struct {
	b   []byte
	bad bool
}

func (r *szReader) byte() byte {
	if b := r.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// take returns the next n bytes. If fewer are left, it sets r.bad and returns
// nil.
func (r *szReader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// number reads a number of variable length: the number of leading 1 bits in the
// first byte is the number of bytes that follow.
func (r *szReader) number() uint64 {
	first := r.byte()
	n := uint64(0)
	for i := range 8 {
		mask := byte(0x80) >> i
		if first&mask == 0 {
			return n | uint64(first&(mask-1))<<(8*i)
		}
		n |= uint64(r.byte()) << (8 * i)
	}
	return n
}

// count reads a number of things, each of which takes at least one byte of the
// header after it, or one bit if bits is set. If the header is too short for
// that many, count sets r.bad and returns 0.
func (r *szReader) count(bits bool) int {
	n, most := r.number(), uint64(len(r.b))
	if bits {
		most *= 8
	}
	if n > most || n > 2*membersMax {
		r.bad, r.b = true, nil
		return 0
	}
	return int(n)
}

// flags reads n bits. If optional is set, a byte comes first; if it is not 0,
// all bits are set and none follow.
func (r *szReader) flags(n int, optional bool) []bool {
	out := make([]bool, n)
	if optional && r.byte() != 0 {
		for i := range out {
			out[i] = true
		}
		return out
	}
	bits := r.take(uint64(n+7) / 8)
	for i := range out {
		out[i] = bits != nil && bits[i/8]&(0x80>>(i%8)) != 0
	}
	return out
}

// sums skips the checksums of n streams, and returns for each stream whether it
// has a checksum.
func (r *szReader) sums(n int) []bool {
	has := r.flags(n, true)
	for _, h := range has {
		if h {
			r.take(4)
		}
	}
	return has
}

// streams reads a description of packed streams and returns the folders that they unpack to. rest
// is the part of the file that has the packed streams.
func (r *szReader) streams(rest []byte) (folders []szFolderOf) {
	var packed [][]byte
	var inputs []int  // of each folder
	var outputs []int // of each folder: its unpacked sizes
	var summed []bool
	var seen [szEncoded]bool // by identifier: each part comes once, because a part goes through all folders
	for !r.bad {
		id := r.byte()
		if id < szEncoded {
			r.bad, seen[id] = r.bad || seen[id], true
		}
		switch id {
		case szEnd:
			next := 0
			for i := range folders {
				f := &folders[i]
				if next += inputs[i]; next > len(packed) {
					r.bad = true
					return nil
				}
				if !f.several {
					f.packed = packed[next-1]
				}
				if f.files == nil {
					f.files = []uint64{f.size}
				}
			}
			return folders
		case szPackInfo:
			packed = r.packInfo(rest)
		case szUnpackInfo:
			if r.byte() != szFolder {
				r.bad = true
			}
			n := r.count(false)
			if r.byte() != 0 { // the folders are elsewhere
				r.bad = true
			}
			for range n {
				f, in, out := r.folder()
				folders, inputs, outputs = append(folders, f), append(inputs, in), append(outputs, out)
			}
			summed = r.unpackSizes(folders, outputs)
		case szSubStreams:
			r.subStreams(folders, summed)
		default:
			r.bad = true
		}
	}
	return nil
}

// packInfo reads the places of the packed streams.
func (r *szReader) packInfo(rest []byte) (packed [][]byte) {
	at, n := r.number(), r.count(false)
	for !r.bad {
		switch r.byte() {
		case szEnd:
			return packed
		case szSize:
			for range n {
				size := r.number()
				if r.bad || at > uint64(len(rest)) {
					r.bad = true
					return nil
				}
				// A stream that is cut off is read as far as it goes.
				packed = append(packed, rest[at:min(uint64(len(rest)), at+min(size, 1<<40))])
				at += min(size, 1<<40)
			}
		case szCRC:
			r.sums(n)
		default:
			r.bad = true
		}
	}
	return nil
}

// folder reads the description of a folder. packed is the number of packed
// streams that the folder has, and sizes the number of its unpacked sizes.
func (r *szReader) folder() (f szFolderOf, packed, sizes int) {
	coders := r.count(false)
	f.several = coders != 1
	in, out := 0, 0
	for i := 0; i < coders && !r.bad; i++ {
		flags := r.byte()
		id := uint64(0)
		for _, c := range r.take(uint64(flags & 15)) {
			id = id<<8 | uint64(c)
		}
		ins, outs := 1, 1
		if flags&0x10 != 0 {
			ins, outs = r.count(false), r.count(false)
		}
		if flags&0x20 != 0 {
			f.props = r.take(r.number())
		}
		in, out = in+ins, out+outs
		if i == 0 || id == szAES {
			f.method = id
		}
	}
	if f.several = f.several || in != 1 || out != 1; out == 0 || in < out-1 {
		r.bad = true
		return f, 0, 0
	}
	for i := 0; i < out-1 && !r.bad; i++ { // which output is which input
		r.number()
		r.number()
	}
	if packed = in - (out - 1); packed > 1 {
		for i := 0; i < packed && !r.bad; i++ {
			r.number()
		}
	}
	if packed == 0 {
		r.bad = true
	}
	return f, packed, out
}

// unpackSizes reads the unpacked sizes of the folders into folders. outputs[i]
// is how many sizes folder i has. summed says, for each folder, whether it has
// a checksum.
func (r *szReader) unpackSizes(folders []szFolderOf, outputs []int) (summed []bool) {
	summed = make([]bool, len(folders))
	for !r.bad {
		switch r.byte() {
		case szEnd:
			return summed
		case szUnpackSize:
			for i := range folders {
				for n := 0; n < outputs[i] && !r.bad; n++ {
					folders[i].size = r.number() // the last one is that of the folder, or the folder is not read
				}
			}
		case szCRC:
			summed = r.sums(len(folders))
		default:
			r.bad = true
		}
	}
	return summed
}

// subStreams reads the sizes of the files in each folder.
func (r *szReader) subStreams(folders []szFolderOf, summed []bool) {
	id := r.byte()
	total := 0
	counts := make([]int, len(folders))
	for i := range counts {
		if counts[i] = 1; id == szUnpackStreams {
			counts[i] = int(min(r.number(), 2*membersMax))
		}
		if total += counts[i]; total > 2*membersMax {
			r.bad = true
			return
		}
	}
	if id == szUnpackStreams {
		id = r.byte()
	}
	unsummed := 0
	for i := range folders {
		f := &folders[i]
		f.files = make([]uint64, 0, counts[i])
		left := f.size
		for range counts[i] - 1 {
			size := uint64(0)
			if id == szSize {
				size = min(r.number(), left)
			}
			f.files, left = append(f.files, size), left-size
		}
		if counts[i] > 0 {
			f.files = append(f.files, left)
		}
		if counts[i] != 1 || i >= len(summed) || !summed[i] {
			unsummed += counts[i]
		}
	}
	if id == szSize {
		id = r.byte()
	}
	for ; id != szEnd && !r.bad; id = r.byte() {
		if id != szCRC {
			r.bad = true
			return
		}
		r.sums(unsummed)
	}
}

// files reads the list of members: their names and times, and which are empty.
func (r *szReader) files() []member {
	n := r.count(true)
	members := make([]member, n)
	for i := range members {
		members[i].modified = record.NoTime
		members[i].size = -1
	}
	var seen [szEncoded]bool // by identifier: such a property comes once; only padding may be repeated
	for !r.bad {
		id := r.byte()
		if id == szEnd {
			break
		}
		if id < szEncoded {
			r.bad, seen[id] = r.bad || seen[id], true
		}
		p := szReader{b: r.take(r.number())}
		switch id {
		case szEmptyStream:
			for i, empty := range p.flags(n, false) {
				members[i].bare = empty
			}
		case szNames:
			if p.byte() != 0 {
				r.bad = true
			}
			for i := range members {
				members[i].name = p.name()
			}
		case szModified:
			has := p.flags(n, true)
			if p.byte() != 0 {
				break
			}
			for i := range members {
				if !has[i] {
					continue
				}
				if t := p.take(8); t != nil {
					members[i].modified = fileTime(binary.LittleEndian.Uint64(t))
				}
			}
		}
	}
	return members
}

// name reads a name in UTF-16 that ends in a zero.
func (r *szReader) name() string {
	var units []uint16
	for {
		b := r.take(2)
		if b == nil || b[0] == 0 && b[1] == 0 {
			return string(utf16.Decode(units))
		}
		units = append(units, binary.LittleEndian.Uint16(b))
	}
}

// fileTime converts a time of Windows: units of 100 ns since 1601.
func fileTime(t uint64) record.Time {
	const between = 11_644_473_600_000 // milliseconds from 1601 to 1970
	if t == 0 || t/10_000 > uint64(record.MaxTime)+between {
		return record.NoTime
	}
	return record.Time(int64(t/10_000) - between)
}

package bundle

import (
	"bytes"
	"errors"
	"io"

	"github.com/ulikunitz/xz/lzma"

	"infomall/store/document"
	"infomall/store/record"
)

// readXz reads an xz file: a stream header, blocks, and an index, which begins with a
// zero byte. Each block has a header and a stream of LZMA2.
func readXz(b *document.Builder, body []byte) error {
	const head = 12
	var out []byte
	var err error
	sum := 0
	if len(body) > head {
		sum = xzSums[body[7]&15]
	}
	r := bytes.NewReader(body[min(len(body), head):])
	for err == nil {
		var size byte
		if size, err = r.ReadByte(); err != nil || size == 0 {
			break
		}
		rest := make([]byte, 4*(int(size)+1)-1)
		if _, err = io.ReadFull(r, rest); err != nil {
			break
		}
		var dict int
		if dict, err = xzDict(rest, r.Len()); err != nil {
			break
		}
		before := r.Len()
		var z *lzma.Reader2
		if z, err = (lzma.Reader2Config{DictCap: dict}).NewReader2(r); err != nil {
			break
		}
		var block []byte
		block, err = unpack(b, z, min(b.UnpackLeft(), int64(lzmaMax-len(out))))
		if out == nil {
			out = block
		} else {
			out = append(out, block...)
		}
		// The block is filled up to a multiple of four bytes; then comes its checksum.
		if err == nil {
			_, err = r.Seek(int64((4-(before-r.Len())%4)%4+sum), io.SeekCurrent)
		}
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return readCompressed(b, member{size: -1, modified: record.NoTime}, out, err)
}

// xzSums has the size in bytes of each kind of checksum.
var xzSums = [16]int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}

// errXz is returned for a block that is compressed with a method other than
// LZMA2 alone.
var errXz = errors.New("it is packed in a way that is not known")

// xzDict returns the size in bytes of the dictionary for a block. header is the
// block's header without its first byte. packed is the largest number of bytes
// that the block can have.
func xzDict(header []byte, packed int) (int, error) {
	r := szReader{b: header}
	flags := r.byte()
	for _, has := range []byte{0x40, 0x80} { // its sizes
		if flags&has != 0 {
			for r.byte()&0x80 != 0 {
			}
		}
	}
	if flags&3 != 0 || r.byte() != szLZMA2 || r.byte() != 1 {
		return 0, errXz
	}
	bits := r.byte()
	if r.bad || bits > 40 {
		return 0, errXz
	}
	return dictOf(uint64(2|bits&1)<<(bits/2+11), packed), nil
}

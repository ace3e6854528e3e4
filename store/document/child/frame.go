package child

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"infomall/store/crc32c"
	"infomall/store/document"
	"infomall/store/packed"
)

// frameMax is the largest size in bytes of the content of a frame. It has room
// for the largest body and for the largest document.
const frameMax = 256 << 20

// errFrame is returned for a frame that is too long or damaged.
var errFrame = errors.New("sent something that is not an answer")

// writeFrame writes a frame whose content is the given parts.
func writeFrame(w io.Writer, parts ...[]byte) error {
	var head [8]byte
	size, sum := 0, uint32(0)
	for _, p := range parts {
		size += len(p)
		sum = crc32c.Add(sum, p)
	}
	if size > frameMax {
		return fmt.Errorf("larger than %d MB", frameMax>>20)
	}
	binary.LittleEndian.PutUint32(head[:], uint32(size))
	binary.LittleEndian.PutUint32(head[4:], sum)
	for _, p := range append([][]byte{head[:]}, parts...) {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// readFrame returns the content of the next frame. It allocates only for bytes that have
// come.
func readFrame(r io.Reader) ([]byte, error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size > frameMax {
		return nil, errFrame
	}
	content, err := io.ReadAll(io.LimitReader(r, int64(size)))
	switch {
	case err != nil:
		return nil, err
	case len(content) < int(size):
		return nil, io.ErrUnexpectedEOF
	case crc32c.Sum(content) != binary.LittleEndian.Uint32(head[4:]):
		return nil, errFrame
	}
	return content, nil
}

// appendInput appends to dst the encoded fields of an Input, except its body
// and Limits.Time.
func appendInput(dst []byte, in *document.Input) []byte {
	dst = packed.AppendSized(packed.AppendSized(dst, in.Mime), in.Charset)
	l := in.Limits
	for _, n := range []int64{int64(in.Depth), l.Unpacked, int64(l.Text), int64(l.Parts), int64(l.Links), int64(l.Pages), int64(l.Nesting)} {
		dst = binary.AppendVarint(dst, n)
	}
	return dst
}

// unpackInput returns the Input that request encodes: the result of
// appendInput, followed by the body.
func unpackInput(request []byte) (*document.Input, error) {
	r := packed.Reader{B: request}
	in := &document.Input{Mime: r.Text(), Charset: r.Text(), Depth: int(r.Varint())}
	l := &in.Limits
	l.Unpacked = r.Varint()
	for _, n := range []*int{&l.Text, &l.Parts, &l.Links, &l.Pages, &l.Nesting} {
		*n = int(r.Varint())
	}
	if r.Bad {
		return nil, errors.New("the request is damaged")
	}
	in.Body = r.B
	return in, nil
}

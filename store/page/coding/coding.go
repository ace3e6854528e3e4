// Package coding undoes the content codings of a body, such as gzip. A coding is a
// compression that the header Content-Encoding names. Bodies may be wrong or
// hostile: a body that was never encoded is returned as it is, and time and
// memory are bounded.
package coding

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// ErrTooLarge is returned if a decoded body is larger than allowed, or so many
// times larger than its encoded form that no honest page is.
var ErrTooLarge = errors.New("decoded body is too large")

// Bounds against bodies that are made to fill memory.
const (
	// growthMax is how many times larger a body may become when it is decoded.
	// Pages become ten times larger, a table of zeros a hundred times. Deflate
	// can reach 1032 times; brotli and zstd have no limit.
	growthMax = 200
	// growthFree is a decoded size in bytes. A smaller body may grow more than
	// growthMax.
	growthFree = 1 << 20
	// heldMax is how many bytes of a decoded body are kept in memory while its
	// size is not known. A larger body is decoded twice.
	heldMax = 4 << 20
	// countedMax limits the work of finding out whether a body is made to fill
	// memory. At most countedMax times the wanted number of bytes are decoded
	// for this.
	countedMax = 8
	// codingsMax is the largest number of codings of one body that are undone.
	codingsMax = 8
	// zstdWindowMax is the window that RFC 8878 requires of a decoder for the
	// web.
	zstdWindowMax = 8 << 20
)

// Decode undoes the content codings in encoding, the value of a
// Content-Encoding header: gzip, deflate (zlib or raw), br, zstd and identity.
// It undoes the last coding first. It returns the decoded body. If that would
// have more than max bytes, the error is ErrTooLarge. A body that is cut short
// or damaged is an error.
//
// If encoding is wrong, because the body is already decoded or was never
// encoded, Decode returns body itself.
func Decode(body []byte, encoding string, max int64) ([]byte, error) {
	decoded, part, err := DecodePart(body, encoding, max)
	switch {
	case err != nil:
		return nil, err
	case errors.Is(part, ErrTooLarge):
		return nil, fmt.Errorf("more than %d bytes: %w", max, part)
	case part != nil:
		return nil, part
	}
	return decoded, nil
}

// DecodePart decodes a body as Decode does, but may return only the first part
// of the decoded body in decoded. part then says why the rest is missing, for
// example because the body is too large or its gzip ends early; part is nil if
// decoded is complete. If the body becomes much larger than any honest page,
// err is not nil.
func DecodePart(body []byte, encoding string, max int64) (decoded []byte, part, err error) {
	codings := strings.Split(strings.ToLower(encoding), ",")
	if len(codings) > codingsMax {
		return nil, nil, fmt.Errorf("content encoding %.80q: the number of its codings is %d; at most %d are undone", encoding, len(codings), codingsMax)
	}
	for _, coding := range slices.Backward(codings) {
		coding = strings.Trim(coding, " \t\"")
		open, known := decoders[coding]
		if known && open == nil || len(body) == 0 {
			continue
		}
		decoded, err := readAll(open, body, max)
		switch {
		case err == nil:
			body = decoded
		case errors.Is(err, ErrTooLarge) && decoded == nil:
			return nil, nil, fmt.Errorf("content encoding %s: more than %d bytes: %w", coding, growth(len(body)), err)
		case errors.Is(err, ErrTooLarge):
			body, part = decoded, err
		case errors.Is(err, errOtherFormat) || looksLikeText(body):
			// The body is not encoded in this coding.
		case !known:
			return nil, nil, fmt.Errorf("content encoding %.40q is not known", coding)
		case len(decoded) == 0 || !hasMark(body) && !looksLikeText(decoded):
			return nil, nil, fmt.Errorf("content encoding %s: %w", coding, err)
		default:
			body, part = decoded, fmt.Errorf("content encoding %s: %w", coding, err)
		}
	}
	if int64(len(body)) > max {
		body, part = body[:max], ErrTooLarge
	}
	return body, part, nil
}

// hasMark reports whether body begins with the magic bytes of gzip, zlib or zstd.
// In other codings, a damaged body looks the same as a body that was never
// encoded.
func hasMark(body []byte) bool {
	return bytes.HasPrefix(body, gzipMagic) || isZlib(body) || bytes.HasPrefix(body, []byte(zstdMagic))
}

// growth returns the largest size in bytes that a body of n bytes may have after
// decoding.
func growth(n int) int64 {
	return max(growthFree, int64(n)*growthMax)
}

// errOtherFormat is returned by a decoder if the first bytes of a body show
// that it is in another format.
var errOtherFormat = errors.New("body is in another format")

// errUnknownCoding is returned if there is no decoder for a coding.
var errUnknownCoding = errors.New("unknown coding")

// decoders has, for each known coding, the function that opens its reader. The
// function is nil for codings that change nothing.
var decoders = map[string]func(body []byte) (io.ReadCloser, error){
	"":         nil,
	"identity": nil,
	"none":     nil,
	"gzip":     openGzip,
	"x-gzip":   openGzip,
	"deflate":  openDeflate,
	"br":       openBrotli,
	"zstd":     openZstd,
}

// readAll decodes body with the decoder that the function open returns. If
// decoding fails, it returns the bytes before the error, and the error. If the
// decoded body has more bytes than the argument max, readAll returns the first
// max bytes and ErrTooLarge; the bytes are nil if the body becomes much larger
// than any honest page.
func readAll(open func([]byte) (io.ReadCloser, error), body []byte, max int64) ([]byte, error) {
	if open == nil {
		return nil, errUnknownCoding
	}
	r, err := open(body)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	limit := min(max, growth(len(body)))
	var out bytes.Buffer
	out.Grow(int(min(limit, int64(len(body))*4, heldMax) + bytes.MinRead))
	n, err := out.ReadFrom(io.LimitReader(r, min(limit, heldMax)+1))
	if err != nil || n <= min(limit, heldMax) {
		return out.Bytes(), err
	}
	// Count the remaining bytes before memory is allocated for them.
	most := growth(len(body))
	rest, damage := io.Copy(io.Discard, io.LimitReader(r, min(most, limit*countedMax)-n+1))
	switch {
	case n+rest > most:
		return nil, ErrTooLarge
	case n+rest > limit:
		rest, damage = limit-n, ErrTooLarge
	}
	if rest <= 0 {
		return out.Bytes()[:limit], damage
	}
	again, err := open(body)
	if err != nil {
		return nil, err
	}
	defer again.Close()
	decoded := make([]byte, n+rest)
	if _, err = io.ReadFull(again, decoded); err != nil {
		return nil, err
	}
	return decoded, damage
}

func openGzip(body []byte) (io.ReadCloser, error) {
	if !bytes.HasPrefix(body, gzipMagic) {
		return nil, errOtherFormat
	}
	src := bytes.NewReader(body)
	z, err := gzip.NewReader(src)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &gzipReader{src: src, z: z}, nil
}

var gzipMagic = []byte{0x1f, 0x8b}

const zstdMagic = "\x28\xb5\x2f\xfd"

// gzipReader reads the gzip members at the start of src, one after the other.
// Like browsers, it ends at the first byte that does not begin a member, because
// some servers append bytes to a compressed body.
type gzipReader struct {
	src *bytes.Reader
	z   *gzip.Reader
}

func (g *gzipReader) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	if err != io.EOF || n > 0 {
		return n, noEOF(err, n)
	}
	var magic [2]byte
	if _, err := g.src.ReadAt(magic[:], g.src.Size()-int64(g.src.Len())); err != nil || !bytes.Equal(magic[:], gzipMagic) {
		return 0, io.EOF
	}
	if err := g.z.Reset(g.src); err != nil {
		return 0, io.EOF
	}
	g.z.Multistream(false)
	return 0, nil
}

// noEOF returns err, or nil if err is io.EOF and n, the number of bytes that
// were read with it, is not 0. The next Read then looks for another gzip
// member.
func noEOF(err error, n int) error {
	if err == io.EOF && n > 0 {
		return nil
	}
	return err
}

func (g *gzipReader) Close() error { return g.z.Close() }

// openDeflate opens a body in either of the two formats that servers call
// deflate: zlib, as the standard says, or a bare deflate stream.
func openDeflate(body []byte) (io.ReadCloser, error) {
	if isZlib(body) {
		if z, err := zlib.NewReader(bytes.NewReader(body)); err == nil {
			return z, nil
		}
	}
	return flate.NewReader(bytes.NewReader(body)), nil
}

// isZlib reports whether body begins with a zlib header.
func isZlib(body []byte) bool {
	return len(body) >= 2 && body[0]&0x0f == 8 && (int(body[0])<<8|int(body[1]))%31 == 0
}

func openBrotli(body []byte) (io.ReadCloser, error) {
	return io.NopCloser(brotli.NewReader(bytes.NewReader(body))), nil
}

func openZstd(body []byte) (io.ReadCloser, error) {
	const skippable = "\x2a\x4d\x18"
	if !bytes.HasPrefix(body, []byte(zstdMagic)) && !(len(body) > 4 && string(body[1:4]) == skippable) {
		return nil, errOtherFormat
	}
	z, err := zstd.NewReader(bytes.NewReader(body),
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindowMax))
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}

// looksLikeText reports whether body begins like text in any charset: its first
// 512 bytes have no control characters. A compressed stream has some there.
func looksLikeText(body []byte) bool {
	for _, c := range body[:min(len(body), 512)] {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1b {
			return false
		}
	}
	return true
}

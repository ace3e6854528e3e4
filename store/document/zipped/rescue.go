package zipped

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
)

// header is the decoded header before a member.
type header struct {
	flags, method uint16
	from, to      int // the packed content in the zip file; to may be beyond its end
}

// encrypted is the flag of an encrypted member.
const encrypted = 1

// headersMax is how many members of a file without a directory are found.
const headersMax = 10_000

// headers returns the members of a zip file that lacks its directory, by name. It searches for the
// headers before the members. A member whose header states no size ends where the next header
// begins.
func headers(body []byte) map[string]header {
	const size = 30 // bytes before the name
	out := make(map[string]header)
	open := "" // the last member, if it has no size
	for at := 0; len(out) < headersMax; {
		n := bytes.Index(body[at:], []byte("PK\x03\x04"))
		if n < 0 || len(body)-at-n < size {
			break
		}
		at += n
		b := body[at:]
		h := header{flags: binary.LittleEndian.Uint16(b[6:]), method: binary.LittleEndian.Uint16(b[8:])}
		packed := int(min(binary.LittleEndian.Uint32(b[18:]), uint32(len(body)))) // an int may have 32 bits
		nameEnd := size + int(binary.LittleEndian.Uint16(b[26:]))
		h.from = nameEnd + int(binary.LittleEndian.Uint16(b[28:]))
		if h.from > len(b) {
			break
		}
		name := fold(string(b[size:nameEnd]))
		if prev, ok := out[open]; ok && prev.to < 0 {
			prev.to = at
			out[open] = prev
		}
		h.from += at
		at = h.from
		if open, h.to = name, -1; h.flags&8 == 0 {
			open, h.to = "", h.from+packed
			at = min(h.to, len(body))
		}
		if _, known := out[name]; !known {
			out[name] = h
		}
	}
	return out
}

// open opens the member in body. A member that is cut short ends with
// io.ErrUnexpectedEOF.
func (h header) open(body []byte) (r io.ReadCloser, packed int64, err error) {
	if h.flags&encrypted != 0 {
		return nil, 0, errEncrypted
	}
	to := h.to
	if to < 0 || to > len(body) {
		to = len(body)
	}
	content := body[h.from:max(h.from, to)]
	switch h.method {
	case 0:
		return io.NopCloser(bytes.NewReader(content)), int64(len(content)), nil
	case 8:
		return flate.NewReader(bytes.NewReader(content)), int64(len(content)), nil
	}
	return nil, 0, fmt.Errorf("packed by method %d, which is not known", h.method)
}

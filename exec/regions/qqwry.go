package regions

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"sort"
	"strings"

	"infomall/store/page/charset"
)

// qqwry is a QQWry file. The doc of the package draws its bytes.
type qqwry struct {
	file    []byte
	index   []byte // the entries of the index
	entries int
}

// Sizes in bytes of the parts of a QQWry file.
const (
	qqwryHeader = 8
	qqwryEntry  = 7
	qqwryRefer  = 4 // a byte 1 or 2 and an offset
)

// The bytes that begin a reference to a text elsewhere in a QQWry file.
const (
	referRecord = 1 // to place and network
	referText   = 2 // to one text
)

// unknownNetwork is what a QQWry file has for a place or a network that is not known.
const unknownNetwork = "CZ88.NET"

// errNoRegions is returned for a file that is neither a QQWry nor a MaxMind file.
var errNoRegions = errors.New("this is no file of regions: write the name of a qqwry.dat or .mmdb file")

// parseQQWry returns the QQWry file with these bytes. It checks the header and the index.
// The offsets in the records are checked when they are read.
func parseQQWry(file []byte) (*qqwry, error) {
	if len(file) < qqwryHeader {
		return nil, errNoRegions
	}
	first, last := int64(binary.LittleEndian.Uint32(file)), int64(binary.LittleEndian.Uint32(file[4:]))
	end := last + qqwryEntry
	if first < qqwryHeader || last < first || end > int64(len(file)) || (end-first)%qqwryEntry != 0 {
		return nil, errNoRegions
	}
	q := &qqwry{file: file, index: file[first:end], entries: int((end - first) / qqwryEntry)}
	for i := 1; i < q.entries; i++ {
		if q.first(i) <= q.first(i-1) {
			return nil, fmt.Errorf("this is no file of regions, or its index is damaged: entry %d is not above the one before", i+1)
		}
	}
	return q, nil
}

// first returns the first address of the range of entry i of the index.
func (q *qqwry) first(i int) uint32 { return binary.LittleEndian.Uint32(q.index[i*qqwryEntry:]) }

func (q *qqwry) kind() string        { return "QQWry" }
func (q *qqwry) parts() []string     { return []string{Place, "network"} }
func (q *qqwry) languages() []string { return []string{"zh-CN"} }

func (q *qqwry) find(a netip.Addr, part, _ string) (string, error) {
	if !a.Is4() {
		return "", nil
	}
	four := a.As4()
	ip := binary.BigEndian.Uint32(four[:])
	i := sort.Search(q.entries, func(i int) bool { return q.first(i) > ip }) - 1
	if i < 0 {
		return "", nil
	}
	at := threeBytes(q.index[i*qqwryEntry+4:])
	record, err := q.from(at, 4)
	if err != nil || ip > binary.LittleEndian.Uint32(record) {
		return "", err
	}
	place, network, err := q.texts(at + 4)
	if part == Place {
		return place, err
	}
	return network, err
}

// texts returns the place and the network of the record that has them at the offset at.
func (q *qqwry) texts(at int) (place, network string, err error) {
	b, err := q.from(at, 1)
	if err != nil {
		return "", "", err
	}
	if b[0] == referRecord {
		if at, err = q.referred(at); err != nil {
			return "", "", err
		}
	}
	place, next, err := q.text(at)
	if err == nil {
		network, _, err = q.text(next)
	}
	return place, network, err
}

// text returns the text at the offset at, or the text to which the bytes there refer. It
// returns "" for a text that says that nothing is known. The result next is the first offset
// after the text, or after the reference if there is one at that offset.
func (q *qqwry) text(at int) (text string, next int, err error) {
	b, err := q.from(at, 1)
	if err != nil {
		return "", 0, err
	}
	refers := b[0] == referRecord || b[0] == referText
	if refers {
		next = at + qqwryRefer
		if at, err = q.referred(at); err != nil || at == 0 { // 0: there is no text
			return "", next, err
		}
		if b, err = q.from(at, 1); err != nil {
			return "", 0, err
		}
	}
	end := bytes.IndexByte(b, 0)
	if end < 0 || end > textBytesMax {
		return "", 0, fmt.Errorf("the text at offset %d has no end", at)
	}
	if !refers {
		next = at + end + 1
	}
	text = strings.TrimSpace(string(charset.ToUTF8(b[:end], "gb18030")))
	if text == unknownNetwork {
		text = ""
	}
	return text, next, nil
}

// textBytesMax is the length in bytes of the longest text in a QQWry file. Real ones have
// up to some 100 bytes.
const textBytesMax = 4096

// referred returns the offset to which the reference at the offset at leads.
func (q *qqwry) referred(at int) (int, error) {
	b, err := q.from(at, qqwryRefer)
	if err != nil {
		return 0, err
	}
	return threeBytes(b[1:]), nil
}

// from returns the bytes of the file from the offset at on, which are at least n.
func (q *qqwry) from(at, n int) ([]byte, error) {
	if at < qqwryHeader || at+n > len(q.file) {
		return nil, fmt.Errorf("it refers to offset %d of %d", at, len(q.file))
	}
	return q.file[at:], nil
}

// threeBytes returns the number in the first three bytes of b.
func threeBytes(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

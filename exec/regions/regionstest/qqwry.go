package regionstest

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/text/encoding/simplifiedchinese"
)

// Form is the way in which a record of a QQWry file has its place and its network.
type Form int

// The forms of records.
const (
	Inline    Form = iota // both texts are in the record
	PlaceFar              // the place is elsewhere, the network is in the record
	BothFar               // one reference to both texts
	AllFar                // one reference to the references to both texts
	NoNetwork             // the place is in the record, and the network refers to offset 0
)

// Range is one range of IPv4 addresses of a QQWry file.
type Range struct {
	First, Last    string
	Place, Network string
	Form           Form
}

// QQWry returns a QQWry file with the ranges, which must be sorted. It panics if an address
// or a text cannot be written.
func QQWry(ranges ...Range) []byte {
	file := make([]byte, 8)
	texts := make(map[string]int) // the offsets of the texts that records refer to
	put := func(text string) int {
		if at, ok := texts[text]; ok {
			return at
		}
		at := len(file)
		file = append(file, gbk(text)...)
		texts[text] = at
		return at
	}
	refer := func(kind byte, at int) []byte { return append([]byte{kind}, three(at)...) }
	var index []byte
	for _, r := range ranges {
		place, network := gbk(r.Place), gbk(r.Network)
		var record []byte
		switch r.Form {
		case Inline:
			record = append(place, network...)
		case PlaceFar:
			record = append(refer(2, put(r.Place)), network...)
		case BothFar:
			at := len(file)
			file = append(append(file, place...), network...)
			record = refer(1, at)
		case AllFar:
			both := append(refer(2, put(r.Place)), refer(2, put(r.Network))...)
			at := len(file)
			file = append(file, both...)
			record = refer(1, at)
		case NoNetwork:
			record = append(place, refer(2, 0)...)
		}
		index = append(append(index, address(r.First)...), three(len(file))...)
		file = append(append(file, address(r.Last)...), record...)
	}
	binary.LittleEndian.PutUint32(file, uint32(len(file)))
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)+len(index)-7))
	return append(file, index...)
}

// gbk returns the text in GBK with a zero byte after it.
func gbk(text string) []byte {
	b, err := simplifiedchinese.GBK.NewEncoder().Bytes([]byte(text))
	if err != nil {
		panic(err)
	}
	return append(b, 0)
}

// address returns the address a, such as "1.2.3.4", with its last byte first.
func address(a string) []byte {
	four := netip.MustParseAddr(a).As4()
	return binary.LittleEndian.AppendUint32(nil, binary.BigEndian.Uint32(four[:]))
}

// three returns n as three bytes.
func three(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16)} }

package regionstest

import (
	"encoding/binary"
	"fmt"
	"maps"
	"net/netip"
	"slices"
)

// Map is a map in a MaxMind DB file. Its values are Maps, texts, []any and uint64s.
type Map map[string]any

// node is a node of the tree of addresses. Element 0 says where the tree goes on for an address
// whose next bit is 0, and element 1 for a 1: at another node, or at data.
type node [2]struct {
	kind int // empty, inner or leaf
	to   int // the number of a node, or the offset of data
}

const (
	empty = iota
	inner
	leaf
)

// MaxMind returns a MaxMind DB file for IPv6 with the records of the networks. No network may
// contain another one. IPv4 networks are below ::/96, where readers look for them. languages
// are those that the file says it has. It panics if a network cannot be written.
func MaxMind(languages []string, networks map[string]Map) []byte {
	tree := []node{{}}
	var data []byte
	for _, name := range slices.Sorted(maps.Keys(networks)) {
		prefix := netip.MustParsePrefix(name)
		bits, at := prefix.Bits(), prefix.Addr().As16()
		if prefix.Addr().Is4() {
			bits += 96
			copy(at[:12], make([]byte, 12))
		}
		n := 0
		for i := range bits - 1 {
			next := &tree[n][bit(at, i)]
			if next.kind == empty {
				next.kind, next.to = inner, len(tree)
				n = len(tree)
				tree = append(tree, node{})
				continue
			}
			n = next.to
		}
		end := &tree[n][bit(at, bits-1)]
		if end.kind != empty {
			panic(fmt.Sprintf("the network %s overlaps another one", name))
		}
		end.kind, end.to = leaf, len(data)
		data = encode(data, networks[name])
	}
	var file []byte
	for _, n := range tree {
		for _, to := range n {
			record := len(tree) // nothing is known
			switch to.kind {
			case inner:
				record = to.to
			case leaf:
				record = len(tree) + separator + to.to
			}
			file = append(file, byte(record>>16), byte(record>>8), byte(record))
		}
	}
	file = append(file, make([]byte, separator)...)
	file = append(append(file, data...), "\xAB\xCD\xEFMaxMind.com"...)
	var named []any
	for _, l := range languages {
		named = append(named, l)
	}
	return encode(file, Map{
		"binary_format_major_version": uint64(2), "binary_format_minor_version": uint64(0), "build_epoch": uint64(1_700_000_000),
		"database_type": "Test-City", "description": Map{"en": "A test"}, "ip_version": uint64(6), "languages": named,
		"node_count": uint64(len(tree)), "record_size": uint64(24),
	})
}

// separator is how many zero bytes are between the tree and the data.
const separator = 16

// bit returns bit i of a, counted from the highest one.
func bit(a [16]byte, i int) byte { return a[i/8] >> (7 - i%8) & 1 }

// The types of values.
const (
	typeText = 2
	typeMap  = 7
	typeLong = 9  // uint64
	typeList = 11 // array
)

// encode appends the value v to b.
func encode(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return append(control(b, typeText, len(v)), v...)
	case uint64:
		return binary.BigEndian.AppendUint64(control(b, typeLong, 8), v)
	case []any:
		b = control(b, typeList, len(v))
		for _, x := range v {
			b = encode(b, x)
		}
		return b
	case Map:
		b = control(b, typeMap, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			b = encode(encode(b, k), v[k])
		}
		return b
	}
	panic(fmt.Sprintf("a value of type %T cannot be written", v))
}

// control appends the bytes that begin a value of a type and size. The size is at most 284.
func control(b []byte, kind, size int) []byte {
	small := min(size, 29)
	if kind <= 7 {
		b = append(b, byte(kind<<5|small))
	} else {
		b = append(b, byte(small), byte(kind-7))
	}
	if small == 29 {
		b = append(b, byte(size-29))
	}
	return b
}

package format

import (
	"encoding/binary"
	"unicode/utf16"
)

const (
	oleEntriesMax = 1 << 13 // largest number of entries of the directory of an OLE2 file that are read
	oleFree       = 0xfffffffa
)

// ole2 is an OLE2 file: a small file system of sectors. A table of links has,
// for each sector, the next sector of the same stream.
type ole2 struct {
	body         span
	sector       int64 // size of a sector in bytes
	mini         int64 // size of a mini sector in bytes
	cutoff       uint32
	tables       []uint32 // numbers of the sectors that hold the table of links
	miniTable    uint32   // number of the first sector of the table of links between mini sectors
	miniStream   []uint32 // numbers of the sectors that hold the mini sectors
	miniLinks    []uint32 // numbers of the sectors that hold the table of links between mini sectors
	entries      map[string]oleEntry
	linksPerPage uint32
}

type oleEntry struct {
	first, size uint32
	stream      bool
}

// openOLE2 returns a function that reads the first bytes of a stream of an OLE2
// file, given the path of the stream. A path has "/" between names, and its
// last name is without a control character at its beginning. openOLE2 returns
// nil if the directory of the file cannot be read.
func openOLE2(s span) func(path string) (file []byte, ok bool) {
	le := binary.LittleEndian
	h := s.at(0, 512)
	if len(h) < 512 {
		return nil
	}
	shift, miniShift := le.Uint16(h[30:]), le.Uint16(h[32:])
	if shift < 7 || shift > 16 || miniShift < 4 || miniShift >= shift {
		return nil
	}
	o := &ole2{body: s, sector: 1 << shift, mini: 1 << miniShift, cutoff: le.Uint32(h[56:]), miniTable: le.Uint32(h[60:]), entries: map[string]oleEntry{}}
	o.linksPerPage = uint32(o.sector / 4)
	for i := 76; i < 512; i += 4 {
		if n := le.Uint32(h[i:]); n < oleFree {
			o.tables = append(o.tables, n)
		}
	}
	// More sectors of the table of links are in sectors of their own, each of which
	// ends with the number of the next.
	most := int(s.size/o.sector) + 1
	for next, n := le.Uint32(h[68:]), 0; next < oleFree && n < most && len(o.tables) <= most; n++ {
		b := o.read(next)
		if b == nil {
			break
		}
		for i := 0; i+8 <= len(b); i += 4 {
			if n := le.Uint32(b[i:]); n < oleFree {
				o.tables = append(o.tables, n)
			}
		}
		next = le.Uint32(b[len(b)-4:])
	}
	if !o.readDirectory(le.Uint32(h[48:])) {
		return nil
	}
	return func(path string) ([]byte, bool) {
		e, ok := o.entries[path]
		if !ok {
			return nil, false
		}
		return o.file(e), true
	}
}

// read returns the bytes of sector n, or nil if they are not known.
func (o *ole2) read(n uint32) []byte {
	b := o.body.at((int64(n)+1)*o.sector, int(o.sector))
	if int64(len(b)) < o.sector {
		return nil
	}
	return b
}

// chain returns the numbers of the sectors of a stream whose first sector is
// first, at most the number most of them.
func (o *ole2) chain(first uint32, most int) (list []uint32) {
	for n := first; n < oleFree && len(list) < most; {
		list = append(list, n)
		at := n / o.linksPerPage
		if int64(at) >= int64(len(o.tables)) {
			break
		}
		b := o.read(o.tables[at])
		if b == nil {
			break
		}
		n = binary.LittleEndian.Uint32(b[4*(n%o.linksPerPage):])
	}
	return list
}

// readDirectory reads the entries of the directory, whose first sector is
// first. It returns false if there is none.
func (o *ole2) readDirectory(first uint32) bool {
	var dir []byte
	for _, n := range o.chain(first, int(oleEntriesMax*128/o.sector)) {
		b := o.read(n)
		if b == nil {
			break
		}
		dir = append(dir, b...)
	}
	if len(dir) < 128 {
		return false
	}
	le := binary.LittleEndian
	root := dir[:128]
	o.miniStream = o.chain(le.Uint32(root[116:]), int(o.body.size/o.sector)+1)
	type visit struct {
		entry  uint32
		folder string
		depth  int
	}
	seen := make([]bool, len(dir)/128)
	for stack := []visit{{le.Uint32(root[76:]), "", 0}}; len(stack) > 0; {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if int64(v.entry) >= int64(len(seen)) || seen[v.entry] {
			continue
		}
		seen[v.entry] = true
		e := dir[128*v.entry:][:128]
		path := v.folder + oleName(e)
		if _, ok := o.entries[path]; !ok {
			o.entries[path] = oleEntry{le.Uint32(e[116:]), le.Uint32(e[120:]), e[66] == 2}
		}
		stack = append(stack, visit{le.Uint32(e[68:]), v.folder, v.depth}, visit{le.Uint32(e[72:]), v.folder, v.depth})
		if e[66] == 1 && v.depth < 3 {
			stack = append(stack, visit{le.Uint32(e[76:]), path + "/", v.depth + 1})
		}
	}
	return true
}

// oleName returns the name of e, an entry of the directory, without the control
// character at its beginning that marks streams of the system.
func oleName(e []byte) string {
	le := binary.LittleEndian
	n := min(64, int(le.Uint16(e[64:])))
	var units []uint16
	for i := 0; i+1 < n; i += 2 {
		u := le.Uint16(e[i:])
		if u == 0 {
			break
		}
		if i > 0 || u >= ' ' {
			units = append(units, u)
		}
	}
	return string(utf16.Decode(units))
}

// file returns the first bytes of the stream e. It returns nil for a folder.
func (o *ole2) file(e oleEntry) (out []byte) {
	if !e.stream {
		return nil
	}
	size := int(min(e.size, fileBytesMax))
	if e.size >= o.cutoff {
		for _, n := range o.chain(e.first, size/int(o.sector)+1) {
			b := o.body.at((int64(n)+1)*o.sector, int(o.sector)) // the last sector may be cut
			if b == nil {
				break
			}
			out = append(out, b...)
		}
		return out[:min(len(out), size)]
	}
	if o.miniLinks == nil {
		o.miniLinks = append(o.chain(o.miniTable, int(o.body.size/o.sector)+1), oleFree)
	}
	perSector := uint32(o.sector / o.mini)
	for n := e.first; n < oleFree && len(out) < size; {
		at := n / perSector
		if int64(at) >= int64(len(o.miniStream)) {
			break
		}
		b := o.body.at((int64(o.miniStream[at])+1)*o.sector+int64(n%perSector)*o.mini, int(o.mini))
		if b == nil {
			break
		}
		out = append(out, b...)
		link := n / o.linksPerPage
		if int64(link) >= int64(len(o.miniLinks)) {
			break
		}
		table := o.read(o.miniLinks[link])
		if table == nil {
			break
		}
		n = binary.LittleEndian.Uint32(table[4*(n%o.linksPerPage):])
	}
	return out[:min(len(out), size)]
}

package format

import (
	_ "embed" // for formats.table
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"infomall/store/packed"
)

//go:embed formats.table
var packedTable []byte

// registry is the table of PRONOM's formats.
var registry = sync.OnceValue(func() *table { return open(packedTable) })

// table is a packed table. Its sections are parts of the packed bytes.
type table struct {
	about, formatAt, formats, names, patterns, groups, signatures, fixed, near, wideKeys, wideAt []byte

	// wideBits is a set of the hashes of all keys in wideKeys, one bit for
	// each.
	wideBits   [1 << (hashBits - 6)]uint64
	containers func() []container
	zipPaths   func() map[string]bool // returns the set of the paths that occur in signatures of zip files
}

// container is a container signature: a signature of a format whose files are
// zip or OLE2 files.
type container struct {
	kind   int
	format int
	files  []inside
}

// inside is a file that a container must contain. sequences are encoded; the
// content of the file must match them.
type inside struct {
	path      string
	sequences []byte
}

// The kinds of containers.
const (
	inOLE2 = iota
	inZip
)

// open returns the table that is encoded in b. It panics if b is not a table,
// because that is a fault of the program.
func open(b []byte) *table {
	rest, ok := strings.CutPrefix(string(b[:8]), "formats1")
	if !ok || rest != "" {
		panic("format: the table of formats has another layout")
	}
	r := packed.Reader{B: b[8:]}
	section := func() []byte {
		size := r.Take(4)
		if r.Bad {
			panic("format: the table of formats is cut")
		}
		return r.Take(int(binary.LittleEndian.Uint32(size)))
	}
	t := &table{about: section(), formatAt: section(), formats: section(), names: section(), patterns: section(), groups: section(),
		signatures: section(), fixed: section(), near: section()}
	wide, containers := section(), section()
	if r.Bad {
		panic("format: the table of formats is cut")
	}
	t.wideKeys, t.wideAt = wide[:len(wide)/2], wide[len(wide)/2:]
	for i := range len(t.wideKeys) / 4 {
		h := hash(number32(t.wideKeys, i))
		t.wideBits[h/64] |= 1 << (h % 64)
	}
	t.containers = sync.OnceValue(func() []container { return openContainers(containers) })
	t.zipPaths = sync.OnceValue(func() map[string]bool {
		paths := map[string]bool{}
		for _, c := range t.containers() {
			for _, f := range c.files {
				paths[f.path] = paths[f.path] || c.kind == inZip
			}
		}
		return paths
	})
	return t
}

func openContainers(b []byte) (list []container) {
	for r := (packed.Reader{B: b}); len(r.B) > 0; {
		in := packed.Reader{B: r.Sized()}
		c := container{kind: int(in.Byte()), format: in.Number(), files: make([]inside, in.Number())}
		for i := range c.files {
			c.files[i].path = in.Text()
			c.files[i].sequences = in.B
			skipSequences(&in)
		}
		list = append(list, c)
	}
	return list
}

// number32 returns element i of list, a list of little-endian uint32.
func number32(list []byte, i int) uint32 { return binary.LittleEndian.Uint32(list[4*i:]) }

// hashBits is how many bits a hash of four bytes has.
const hashBits = 15

func hash(key uint32) uint32 { return key * 0x9e3779b1 >> (32 - hashBits) }

// ID is the identifier of a format in PRONOM, such as "fmt/18".
type ID string

// Format is the entry of a format in PRONOM.
type Format struct {
	ID      ID
	Name    string // such as "1.4"; "" if the format has none
	Version string // such as "1.4"; "" if it has none
	Mimes   []string

	lower []int // indexes of the formats over which it has priority
}

// Of returns what PRONOM says about a format. ok is false if id is no format that
// Identify finds.
func Of(id ID) (f Format, ok bool) {
	i := registry().find(id)
	if i < 0 {
		return Format{}, false
	}
	return registry().format(i), true
}

// Title returns the name of the format with its version, such as "Hypertext Markup
// Language 4.01".
func (f *Format) Title() string {
	if f.Version == "" || strings.Contains(f.Name, f.Version) {
		return f.Name
	}
	return f.Name + " " + f.Version
}

// size returns the number of formats in the table.
func (t *table) size() int { return len(t.formatAt) / 4 }

// find returns the index of the format id, or -1 if the table does not have it.
func (t *table) find(id ID) int {
	kind, n := byte(0), 0
	if _, err := fmt.Sscanf(string(id), "fmt/%d", &n); err != nil {
		kind = 1
		if _, err := fmt.Sscanf(string(id), "x-fmt/%d", &n); err != nil {
			return -1
		}
	}
	i := sort.Search(t.size(), func(i int) bool {
		k, m := t.puid(i)
		return k > kind || k == kind && m >= n
	})
	if i < t.size() && t.id(i) == id {
		return i
	}
	return -1
}

// puid returns the identifier of format i: its kind, 0 for fmt and 1 for x-fmt,
// and its number.
func (t *table) puid(i int) (kind byte, n int) {
	r := packed.Reader{B: t.formats[number32(t.formatAt, i):]}
	return r.Byte(), r.Number()
}

// id returns the identifier of the format with the index i.
func (t *table) id(i int) ID {
	kind, n := t.puid(i)
	return ID(fmt.Sprintf("%s%d", [...]string{"fmt/", "x-fmt/"}[kind], n))
}

// format returns the format with the index i.
func (t *table) format(i int) Format {
	r := packed.Reader{B: t.formats[number32(t.formatAt, i):]}
	r.Byte()
	r.Number()
	text := func() string {
		in := packed.Reader{B: t.names[r.Number():]}
		return in.Text()
	}
	f := Format{ID: t.id(i), Name: text(), Version: text()}
	for mime := range strings.SplitSeq(text(), ",") {
		if mime = strings.TrimSpace(mime); mime != "" {
			f.Mimes = append(f.Mimes, mime)
		}
	}
	f.lower = make([]int, r.Number())
	for i := range f.lower {
		f.lower[i] = r.Number()
	}
	return f
}

// best returns list, sorted, without the formats over which another format in
// list has priority. list has indexes of formats.
func (t *table) best(list []int) []int {
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) < 2 {
		return list
	}
	var lower []int
	for _, i := range list {
		lower = append(lower, t.format(i).lower...)
	}
	return slices.DeleteFunc(list, func(i int) bool { return slices.Contains(lower, i) })
}

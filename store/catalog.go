package store

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"infomall/store/disk/lines"
	"infomall/store/record"
	"infomall/store/segment"
)

// catalog is one generation: what is in force. It is immutable.
//
// On disk it is lines of tab-separated fields, the format first and the
// crc32c of all before it last; FORMAT.md lists the fields.
type catalog struct {
	generation uint64
	// id identifies the archive. A copy has the original's id, with copied set,
	// until something else is written to it.
	id       string
	copied   bool
	segments []*segment.Info // sorted by pool, then ID
	indexes  []indexInfo     // sorted by name
	names    []namesInfo     // sorted by name
	static   []string        // names of static pools, sorted
	parts    []partInfo      // pools that take only some URLs, sorted by pool
	removals []removalInfo   // in the order in which they came into force
}

// namesInfo is a names file: it says where the blocks of merged segments are now.
type namesInfo struct {
	name  string
	bytes int64
	crc   uint32
	of    []uint32 // the segments that were merged, sorted
	to    []uint32 // the segments that have their blocks now, sorted
}

// indexInfo is an index file in force.
type indexInfo struct {
	name  string
	bytes int64
	crc   uint32
}

// kindCatalog is the kind in the first line of a catalogue.
const kindCatalog = "catalogue"

// orders are the words in a catalogue for Info.Follows.
var orders = map[bool]string{true: "follows", false: "any"}

func (c *catalog) encode() []byte {
	b := lines.Append(lines.New(kindCatalog), "generation", c.generation)
	if c.id != "" {
		b = lines.Append(b, "archive", c.id, map[bool]string{false: "original", true: "copy"}[c.copied])
	}
	for _, s := range c.segments {
		b = lines.Append(b, "segment", s.ID, s.Pool, s.Born, s.Seen, s.File, s.Bytes, lines.Hex(s.CRC), s.Index, s.IndexBytes,
			s.Runs, s.Captures, s.Versions, s.URLs, s.BodyBytes, s.First, s.Last,
			lines.Quoted(s.FirstKey), lines.Quoted(s.LastKey), strings.Join(s.Depends, " "), s.Uses, s.Blocks, s.Apart, s.Fresh, orders[s.Follows])
	}
	for _, x := range c.indexes {
		b = lines.Append(b, "index", x.name, x.bytes, lines.Hex(x.crc))
	}
	for _, r := range c.removals {
		b = lines.Append(b, "removal", r.file, r.bytes, lines.Hex(r.crc), r.generation, r.segments)
	}
	for _, pool := range c.static {
		b = lines.Append(b, "static", pool)
	}
	for _, p := range c.parts {
		b = lines.Append(b, "part", p.pool, lines.Quoted(p.from), lines.Quoted(p.to), p.bytes)
	}
	for _, n := range c.names {
		b = lines.Append(b, "names", n.name, n.bytes, lines.Hex(n.crc), n.of, n.to)
	}
	return lines.Seal(b)
}

// newID returns the ID of a new archive.
func newID() string { return fmt.Sprintf("%016x", rand.Uint64()) }

// errCatalog is returned if a catalogue is damaged.
var errCatalog = errors.New("the catalogue is damaged")

// decodeCatalog parses the catalogue of a generation.
func decodeCatalog(b []byte, generation uint64) (*catalog, error) {
	r, err := lines.Open(b, kindCatalog, errCatalog)
	if err != nil {
		return nil, err
	}
	c := &catalog{}
	for r.Next() {
		switch r.Text() {
		case "generation":
			c.generation = r.Uint()
		case "archive":
			c.id, c.copied = r.Text(), r.Text() == "copy"
		case "segment":
			s := &segment.Info{}
			s.ID, s.Pool, s.Born, s.Seen = uint32(r.Uint()), r.Text(), r.Uint(), r.Uint()
			s.File, s.Bytes, s.CRC = r.Text(), r.Int(), r.Sum()
			s.Index, s.IndexBytes = r.Text(), r.Int()
			s.Runs, s.Captures, s.Versions, s.URLs, s.BodyBytes = int(r.Int()), r.Int(), r.Int(), r.Int(), r.Int()
			s.First, s.Last = record.Time(r.Int()), record.Time(r.Int())
			s.FirstKey, s.LastKey = r.Quoted(), r.Quoted()
			s.Depends = r.Words()
			s.Uses, s.Blocks, s.Apart = r.IDs(), r.Int(), r.Uint()
			s.Fresh, s.Follows = r.Int(), r.Text() == orders[true]
			c.segments = append(c.segments, s)
		case "index":
			c.indexes = append(c.indexes, indexInfo{r.Text(), r.Int(), r.Sum()})
		case "removal":
			c.removals = append(c.removals, removalInfo{r.Text(), r.Int(), r.Sum(), r.Uint(), r.IDs()})
		case "static":
			c.static = append(c.static, r.Text())
		case "part":
			c.parts = append(c.parts, partInfo{r.Text(), r.Quoted(), r.Quoted(), r.Int()})
		case "names":
			c.names = append(c.names, namesInfo{r.Text(), r.Int(), r.Sum(), r.IDs(), r.IDs()})
		default:
			r.Fail()
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	if c.generation != generation {
		return nil, errCatalog
	}
	return c, nil
}

// hidesIn reports whether the files of a pool still have captures that were
// deleted.
func (c *catalog) hidesIn(pool string) bool {
	hidden := make(map[uint32]bool)
	for _, r := range c.removals {
		for _, id := range r.segments {
			hidden[id] = true
		}
	}
	return slices.ContainsFunc(c.segments, func(s *segment.Info) bool { return s.Pool == pool && hidden[s.ID] })
}

// files returns the paths of all files that the catalogue names.
func (c *catalog) files() []string {
	out := make([]string, 0, len(c.segments)+len(c.indexes))
	for _, s := range c.segments {
		out = append(out, s.File)
	}
	for _, x := range c.indexes {
		out = append(out, x.name)
	}
	for _, r := range c.removals {
		out = append(out, r.file)
	}
	for _, n := range c.names {
		out = append(out, n.name)
	}
	return out
}

// sort sorts the segments by pool and number.
func (c *catalog) sort() {
	slices.SortFunc(c.segments, func(a, b *segment.Info) int {
		return cmp.Or(strings.Compare(a.Pool, b.Pool), cmp.Compare(a.ID, b.ID))
	})
}

// indexFile returns what the catalogue says of the index file with this name.
func (c *catalog) indexFile(name string) indexInfo {
	i, _ := slices.BinarySearchFunc(c.indexes, name, func(x indexInfo, name string) int { return strings.Compare(x.name, name) })
	if i < len(c.indexes) && c.indexes[i].name == name {
		return c.indexes[i]
	}
	return indexInfo{name: name} // Unreachable unless the catalogue is wrong: no file matches this.
}

// inUse returns those index files that segments of c use, sorted by name.
func (c *catalog) inUse(files []indexInfo) []indexInfo {
	used := make(map[string]bool)
	for _, s := range c.segments {
		used[s.Index] = true
	}
	files = slices.DeleteFunc(files, func(i indexInfo) bool { return !used[i.name] })
	slices.SortFunc(files, func(a, b indexInfo) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(files, func(a, b indexInfo) bool { return a.name == b.name })
}

// has reports whether a segment is in force itself, not merged into another.
func (c *catalog) has(id uint32) bool {
	return slices.ContainsFunc(c.segments, func(s *segment.Info) bool { return s.ID == id })
}

// holdings are the segments and pools of a catalogue that other segments may use.
// Segments that names files replace count too.
type holdings struct {
	segments map[uint32]bool
	pools    map[string]bool
}

func (c *catalog) holdings() holdings {
	h := holdings{make(map[uint32]bool, len(c.segments)), make(map[string]bool)}
	for _, s := range c.segments {
		h.segments[s.ID], h.pools[s.Pool] = true, true
	}
	for _, n := range c.names {
		for _, id := range n.of {
			h.segments[id] = true
		}
	}
	return h
}

func (c *catalog) byID() map[uint32]*segment.Info {
	m := make(map[uint32]*segment.Info, len(c.segments))
	for _, s := range c.segments {
		m[s.ID] = s
	}
	return m
}

// poolSegments returns the segments of a pool.
func (c *catalog) poolSegments(pool string) []*segment.Info {
	var in []*segment.Info
	for _, s := range c.segments {
		if s.Pool == pool {
			in = append(in, s)
		}
	}
	return in
}

// poolNames returns the names of all pools.
func (c *catalog) poolNames() []string {
	names := make([]string, len(c.segments))
	for i, s := range c.segments {
		names[i] = s.Pool
	}
	return slices.Compact(names)
}

// isStatic reports whether a pool is static.
func (c *catalog) isStatic(pool string) bool {
	_, ok := slices.BinarySearch(c.static, pool)
	return ok
}

// indexLarge is the size of values from which an index gets a file of its own.
// Smaller indexes of one year share a file.
const indexLarge = 1 << 20

// unshared returns the segments of static pools with small indexes, of those years
// whose small indexes are not in one file of their own.
func (c *catalog) unshared() (out []*segment.Info) {
	for _, year := range c.sharers() {
		if c.scattered(year) {
			out = append(out, year...)
		}
	}
	return out
}

// sharers returns, for each year, the segments of static pools with small indexes.
func (c *catalog) sharers() [][]*segment.Info {
	var out [][]*segment.Info
	for _, s := range c.segments {
		if !c.isStatic(s.Pool) || s.IndexBytes > indexLarge {
			continue
		}
		if n := len(out); n > 0 && out[n-1][0].Pool[:4] == s.Pool[:4] {
			out[n-1] = append(out[n-1], s)
		} else {
			out = append(out, []*segment.Info{s})
		}
	}
	return out
}

// scattered reports whether segments have their indexes in several files, or in a
// file that other segments use too.
func (c *catalog) scattered(segments []*segment.Info) bool {
	own := make(map[uint32]bool)
	for _, s := range segments {
		own[s.ID] = true
	}
	return slices.ContainsFunc(c.segments, func(s *segment.Info) bool {
		return own[s.ID] != (s.Index == segments[0].Index)
	})
}

// Package catalog is one generation of the archive as a value: the segments, the
// files that belong to them, and the removals that are in force. It touches no file.
// The caller reads and writes the files, and puts a generation in force.
//
// # Words
//
//	generation   one state of the archive, numbered from 1
//	in force     named by the current generation
//	change       what one publication does: segments go out of force, others come in
//	stale        planned on a generation that has changed meanwhile, so that the change
//	             no longer fits
//	pool, part   the captures of one month; a part takes only some of its URLs
//	static       a pool that was sealed: no captures are added to it
//	names file   says where the blocks of merged segments are now
//	removal      one DELETE or DROP: it hides captures that are still in segments
//	hidden       the place of such a capture in its segment
//	block-list   what imports must leave out; each change of it is a new file
//	hints        how a capture differs from the one before it at its URL
//	new form     a db-file that replaces another one with the same captures and blocks
//
// A Catalog never changes once it is in force. Apply makes the next one:
//
//	generation 7 + Change -> generation 8, or ErrStale
package catalog

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"infomall/store/disk/lines"
	"infomall/store/record"
	"infomall/store/segment"
)

// Catalog is one generation of the archive: which segments and other files are in
// force. It is immutable once it is in force.
//
// On disk it is lines of tab-separated fields. The first line has the format, the
// last line the crc32c of all lines before it. FORMAT.md lists the fields.
type Catalog struct {
	Generation uint64
	// ID identifies the archive. A copy of an archive has the original's ID, and
	// Copied is set, until something else is written to the copy.
	ID       string
	Copied   bool
	Segments []*segment.Info // sorted by pool, then ID
	Indexes  []IndexFile     // sorted by name
	Names    []NamesFile     // sorted by name
	Static   []string        // names of static pools, sorted
	Parts    []Part          // pools that take only some URLs, sorted by pool
	Removals []RemovalFile   // in the order in which they came into force
	Blocked  File            // the block-list; its Name is "" if there is none

	// The fields below are used only for an archive in a bucket. Package commit sets them.

	Before  string     // the name of the catalogue file of the previous generation; "" for the first
	Writers []string   // the names of the writers that may publish
	Gone    []GoneFile // files that are no longer in force and were not removed yet
	Renewed []Renewal  // files in force that REPAIR has replaced, sorted by name
	// Briefs are extracts of the indexes of small segments, by segment number. A reader that
	// finds what it needs in the Brief need not open the index of the segment.
	Briefs map[uint32]*segment.Brief
}

// GoneFile is a file that is no longer in force and was not removed yet.
type GoneFile struct {
	Name string // path of the file in the archive's folder
	At   int64  // when it went out of force, by the clock of the bucket, in seconds since 1970
}

// Renewal says that a file was replaced by another file with the same name. Machines that have
// cached bytes of the earlier file must read the file again.
type Renewal struct {
	Name    string // path in the archive's folder
	Edition string // a random text, which differs after each replacement
}

// NamesFile is the catalogue's entry for a names file. A names file says where the
// blocks of merged segments are now.
type NamesFile struct {
	Name  string
	Bytes int64
	CRC   uint32
	Of    []uint32 // numbers of the segments that were merged, sorted
	To    []uint32 // numbers of the segments into which their blocks were written, sorted
}

// IndexFile is the catalogue's entry for an index file in force.
type IndexFile struct {
	Name  string
	Bytes int64
	CRC   uint32
}

// kindCatalog is the word in the first line of a file that says it has a catalogue.
const kindCatalog = "catalogue"

// orders has, for each value of segment.Info.Follows, the word for it in a catalogue file.
var orders = map[bool]string{true: "follows", false: "any"}

// lasts has, for each value of segment.Info.Lasting, the word for it in a catalogue file.
var lasts = map[bool]string{true: "lasting", false: "changed"}

// Encode returns the content of the file of the catalogue c. Decode parses it.
func (c *Catalog) Encode() []byte {
	b := lines.Append(lines.New(kindCatalog), "generation", c.Generation)
	if c.ID != "" {
		b = lines.Append(b, "archive", c.ID, map[bool]string{false: "original", true: "copy"}[c.Copied])
	}
	for _, s := range c.Segments {
		b = lines.Append(b, "segment", s.ID, s.Pool, s.Born, s.Seen, s.File, s.Bytes, lines.Hex(s.CRC), s.Index, s.IndexBytes,
			s.Runs, s.Captures, s.Versions, s.URLs, s.BodyBytes, s.First, s.Last,
			lines.Quoted(s.FirstKey), lines.Quoted(s.LastKey), strings.Join(s.Depends, " "), s.Uses, s.Blocks, s.Apart, s.Fresh, orders[s.Follows], s.AddedFirst, s.AddedLast, lasts[s.Lasting])
	}
	for _, s := range c.Segments {
		if s.States > 0 {
			b = lines.Append(b, "states", s.ID, s.States)
		}
	}
	for _, x := range c.Indexes {
		b = lines.Append(b, "index", x.Name, x.Bytes, lines.Hex(x.CRC))
	}
	for _, r := range c.Removals {
		b = lines.Append(b, "removal", r.Name, r.Bytes, lines.Hex(r.CRC), r.Generation, r.Segments)
	}
	if c.Blocked.Name != "" {
		b = lines.Append(b, "blocked", c.Blocked.Name, c.Blocked.Bytes, lines.Hex(c.Blocked.CRC))
	}
	for _, pool := range c.Static {
		b = lines.Append(b, "static", pool)
	}
	for _, p := range c.Parts {
		b = lines.Append(b, "part", p.Pool, lines.Quoted(p.From), lines.Quoted(p.To), p.Bytes)
	}
	for _, n := range c.Names {
		b = lines.Append(b, "names", n.Name, n.Bytes, lines.Hex(n.CRC), n.Of, n.To)
	}
	if c.Before != "" {
		b = lines.Append(b, "before", c.Before)
	}
	for _, w := range c.Writers {
		b = lines.Append(b, "writer", w)
	}
	for _, g := range c.Gone {
		b = lines.Append(b, "gone", g.Name, g.At)
	}
	for _, r := range c.Renewed {
		b = lines.Append(b, "renewed", r.Name, r.Edition)
	}
	for _, s := range c.Segments {
		if f := c.Briefs[s.ID]; f != nil {
			b = lines.Append(b, "brief", s.ID, base64.RawStdEncoding.EncodeToString(f.Filter), base64.RawStdEncoding.EncodeToString(f.Runs))
		}
	}
	return lines.Seal(b)
}

// NewID returns a random ID for a new archive: 16 hex digits.
func NewID() string { return fmt.Sprintf("%016x", rand.Uint64()) }

// errCatalog is the error for a damaged catalogue file.
var errCatalog = errors.New("the catalogue is damaged")

// Decode parses the content b of a catalogue file. It returns errCatalog if the file
// is damaged or is the catalogue of another generation.
func Decode(b []byte, generation uint64) (*Catalog, error) {
	r, err := lines.Open(b, kindCatalog, errCatalog)
	if err != nil {
		return nil, err
	}
	c := &Catalog{}
	for r.Next() {
		switch r.Text() {
		case "generation":
			c.Generation = r.Uint()
		case "archive":
			c.ID, c.Copied = r.Text(), r.Text() == "copy"
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
			s.AddedFirst, s.AddedLast = record.Time(r.Int()), record.Time(r.Int())
			s.Lasting = r.Text() == lasts[true]
			c.Segments = append(c.Segments, s)
		case "states":
			id, n := uint32(r.Uint()), int(r.Int())
			i := slices.IndexFunc(c.Segments, func(s *segment.Info) bool { return s.ID == id })
			if i < 0 || n <= 0 || n > c.Segments[i].Runs {
				r.Fail()
				break
			}
			c.Segments[i].States = n
		case "index":
			c.Indexes = append(c.Indexes, IndexFile{r.Text(), r.Int(), r.Sum()})
		case "removal":
			c.Removals = append(c.Removals, RemovalFile{r.Text(), r.Int(), r.Sum(), r.Uint(), r.IDs()})
		case "blocked":
			c.Blocked = File{r.Text(), r.Int(), r.Sum()}
		case "static":
			c.Static = append(c.Static, r.Text())
		case "part":
			c.Parts = append(c.Parts, Part{r.Text(), r.Quoted(), r.Quoted(), r.Int()})
		case "before":
			c.Before = r.Text()
		case "writer":
			c.Writers = append(c.Writers, r.Text())
		case "gone":
			c.Gone = append(c.Gone, GoneFile{r.Text(), r.Int()})
		case "renewed":
			c.Renewed = append(c.Renewed, Renewal{r.Text(), r.Text()})
		case "brief":
			id := uint32(r.Uint())
			filter, err := base64.RawStdEncoding.DecodeString(r.Text())
			runs, err2 := base64.RawStdEncoding.DecodeString(r.Text())
			if err != nil || err2 != nil {
				r.Fail()
				break
			}
			if c.Briefs == nil {
				c.Briefs = make(map[uint32]*segment.Brief)
			}
			c.Briefs[id] = &segment.Brief{Filter: filter, Runs: runs}
		case "names":
			c.Names = append(c.Names, NamesFile{r.Text(), r.Int(), r.Sum(), r.IDs(), r.IDs()})
		default:
			r.Fail()
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	if c.Generation != generation {
		return nil, errCatalog
	}
	return c, nil
}

// HidesIn reports whether deleted captures are still in the db-files of a pool.
func (c *Catalog) HidesIn(pool string) bool {
	hidden := make(map[uint32]bool)
	for _, r := range c.Removals {
		for _, id := range r.Segments {
			hidden[id] = true
		}
	}
	return slices.ContainsFunc(c.Segments, func(s *segment.Info) bool { return s.Pool == pool && hidden[s.ID] })
}

// Files returns the paths, in the archive's folder, of all files that the catalogue
// names.
func (c *Catalog) Files() []string {
	out := make([]string, 0, len(c.Segments)+len(c.Indexes))
	for _, s := range c.Segments {
		out = append(out, s.File)
	}
	for _, x := range c.Indexes {
		out = append(out, x.Name)
	}
	for _, f := range c.CommonFiles() {
		out = append(out, f.Name)
	}
	for _, n := range c.Names {
		out = append(out, n.Name)
	}
	return out
}

// sort sorts the segments by pool and number.
func (c *Catalog) sort() {
	slices.SortFunc(c.Segments, func(a, b *segment.Info) int {
		return cmp.Or(strings.Compare(a.Pool, b.Pool), cmp.Compare(a.ID, b.ID))
	})
}

// IndexFile returns the entry of the index file with this name. If there is none,
// the result has only the name.
func (c *Catalog) IndexFile(name string) IndexFile {
	i, _ := slices.BinarySearchFunc(c.Indexes, name, func(x IndexFile, name string) int { return strings.Compare(x.Name, name) })
	if i < len(c.Indexes) && c.Indexes[i].Name == name {
		return c.Indexes[i]
	}
	return IndexFile{Name: name} // Unreachable unless the catalogue is wrong: no file matches this.
}

// inUse returns those index files in the list files that have the index of a segment of c. The
// result is sorted by name, without duplicates, and uses the memory of files.
func (c *Catalog) inUse(files []IndexFile) []IndexFile {
	used := make(map[string]bool)
	for _, s := range c.Segments {
		used[s.Index] = true
	}
	files = slices.DeleteFunc(files, func(i IndexFile) bool { return !used[i.Name] })
	slices.SortFunc(files, func(a, b IndexFile) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(files, func(a, b IndexFile) bool { return a.Name == b.Name })
}

// has reports whether the segment with this number is in force. That is not so if it was merged
// into another segment.
func (c *Catalog) has(id uint32) bool {
	return slices.ContainsFunc(c.Segments, func(s *segment.Info) bool { return s.ID == id })
}

// Holdings are the segments and pools to which the segments of a catalogue may refer: those in
// force, and also merged segments, if a names file says where their blocks are now.
type Holdings struct {
	Segments map[uint32]bool // by number
	Pools    map[string]bool // by name
}

// Holdings returns the segments and pools to which the segments of c may refer.
func (c *Catalog) Holdings() Holdings {
	h := Holdings{make(map[uint32]bool, len(c.Segments)), make(map[string]bool)}
	for _, s := range c.Segments {
		h.Segments[s.ID], h.Pools[s.Pool] = true, true
	}
	for _, n := range c.Names {
		for _, id := range n.Of {
			h.Segments[id] = true
		}
	}
	return h
}

func (c *Catalog) byID() map[uint32]*segment.Info {
	m := make(map[uint32]*segment.Info, len(c.Segments))
	for _, s := range c.Segments {
		m[s.ID] = s
	}
	return m
}

// PoolSegments returns the segments of a pool, sorted by number.
func (c *Catalog) PoolSegments(pool string) []*segment.Info {
	var in []*segment.Info
	for _, s := range c.Segments {
		if s.Pool == pool {
			in = append(in, s)
		}
	}
	return in
}

// PoolNames returns the names of all pools, sorted.
func (c *Catalog) PoolNames() []string {
	names := make([]string, len(c.Segments))
	for i, s := range c.Segments {
		names[i] = s.Pool
	}
	return slices.Compact(names)
}

// IsStatic reports whether a pool is static: it was sealed, and no captures are
// added to it.
func (c *Catalog) IsStatic(pool string) bool {
	_, ok := slices.BinarySearch(c.Static, pool)
	return ok
}

// IndexLarge is the size in bytes above which the index of a segment gets a file of
// its own. Smaller indexes of segments of one year may share a file.
const IndexLarge = 1 << 20

// Unshared returns the segments whose small indexes should be put into common files, one file for
// each year. These are segments of static pools. Unshared leaves out a year if the small indexes
// of its static pools are already in one file, and nothing else is in that file.
func (c *Catalog) Unshared() (out []*segment.Info) {
	for _, year := range c.sharers() {
		if c.scattered(year) {
			out = append(out, year...)
		}
	}
	return out
}

// sharers returns the segments of static pools that have small indexes, in one list for each year.
// The indexes of such a list may share a file.
func (c *Catalog) sharers() [][]*segment.Info {
	var out [][]*segment.Info
	for _, s := range c.Segments {
		if !c.IsStatic(s.Pool) || s.IndexBytes > IndexLarge {
			continue
		}
		if n := len(out); n > 0 && out[n-1][0].Year() == s.Year() {
			out[n-1] = append(out[n-1], s)
		} else {
			out = append(out, []*segment.Info{s})
		}
	}
	return out
}

// scattered reports whether the indexes of the given segments are in several files, or
// in a file that also has the index of another segment.
func (c *Catalog) scattered(segments []*segment.Info) bool {
	own := make(map[uint32]bool)
	for _, s := range segments {
		own[s.ID] = true
	}
	return slices.ContainsFunc(c.Segments, func(s *segment.Info) bool {
		return own[s.ID] != (s.Index == segments[0].Index)
	})
}

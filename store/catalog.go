package store

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infomall/store/disk"
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

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

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

func decodeCatalog(b []byte) (*catalog, error) {
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
	return c, r.Err()
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

// The names of an archive's files and folders.
const (
	fileCurrent = "CURRENT"
	fileLock    = "LOCK"
	fileFormat  = "FORMAT.txt"
	dirCatalog  = "catalog"
	dirPools    = "pools"
	dirIndex    = "index"
	dirWriters  = "writers"
	dirRemoved  = "removed"
	dirJournal  = "journal"
)

func catalogName(generation uint64) string {
	return filepath.Join(dirCatalog, fmt.Sprintf("%06d", generation))
}

// currentLine returns the content of CURRENT: the number of the generation, a blank
// and the crc32c of its digits. Without the checksum a flipped bit could name an
// older generation.
func currentLine(generation uint64) []byte {
	digits := fmt.Appendf(nil, "%06d", generation)
	return fmt.Appendf(digits, " %08x\n", lines.Sum(digits))
}

// readCurrent returns the number of the current generation; 0 if the archive has
// none yet. It also accepts a number without checksum, written by hand, if it has
// all digits of the catalogue's file name.
func readCurrent(dir string) (uint64, error) {
	b, err := os.ReadFile(filepath.Join(dir, fileCurrent))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	digits, _, summed := strings.Cut(strings.TrimSpace(string(b)), " ")
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n == 0 || summed && !bytes.Equal(b, currentLine(n)) || digits != fmt.Sprintf("%06d", n) {
		return 0, &segment.Error{File: fileCurrent, Offset: -1, Err: fmt.Errorf("it should hold the number of a catalogue and holds %q: %s", b, currentRemedy(dir, 0))}
	}
	return n, nil
}

// lostCurrent returns an error if CURRENT is missing although there are db-files;
// the error says what to do. An archive has CURRENT before its first db-file. So
// db-files without it are no leftovers: the lost catalogue named them.
func lostCurrent(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, dirPools, "*", "*.raw"))
	if err != nil || len(files) == 0 {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, fileCurrent)); err == nil {
		return nil // another process created the archive meanwhile
	}
	return &segment.Error{File: fileCurrent, Offset: -1, Err: fmt.Errorf("the file is gone, and there are %d db-files: nothing is read or written until it is back; %s", len(files), currentRemedy(dir, 0))}
}

// currentRemedy returns text that says how to mend CURRENT. n is the missing
// catalogue that CURRENT names; 0 if it names none.
func currentRemedy(dir string, n uint64) string {
	catalogs, _ := filepath.Glob(filepath.Join(dir, dirCatalog, "[0-9]*")) // the pattern is well-formed
	if len(catalogs) > 0 {
		newest := filepath.Base(catalogs[len(catalogs)-1])
		if number, err := strconv.ParseUint(newest, 10, 64); err == nil && number > n {
			return "write the number of the newest file in " + dirCatalog + " into it, which is " + newest
		}
	}
	return "REINDEX makes it anew from the db-files; or bring it and the folder " + dirCatalog + " back from a copy of the archive"
}

// pin is a catalogue that a shared lock protects from deletion, together with every
// file that it names.
type pin struct {
	*catalog
	file *os.File // nil for the empty catalogue of an archive that does not exist
}

func (p *pin) release() {
	if p.file != nil {
		p.file.Close() // this releases the lock too
	}
}

// pinCurrent pins the generation in force. A writer may retire a generation
// between reading CURRENT and locking it: then CURRENT names another.
func pinCurrent(dir string) (*pin, error) {
	for {
		n, err := readCurrent(dir)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			if err := lostCurrent(dir); err != nil {
				return nil, err
			}
			return &pin{catalog: &catalog{}}, nil
		}
		name := filepath.Join(dir, catalogName(n))
		f, err := os.Open(name)
		if errors.Is(err, os.ErrNotExist) {
			if again, e := readCurrent(dir); e == nil && again != n {
				continue
			}
			return nil, &segment.Error{File: fileCurrent, Offset: -1, Err: fmt.Errorf("it names %s, and there is no such file: %s", catalogName(n), currentRemedy(dir, n))}
		}
		if err != nil {
			return nil, err
		}
		if err := disk.LockShared(f); err != nil {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		again, err := readCurrent(dir)
		if err != nil || again != n {
			f.Close()
			if err != nil {
				return nil, err
			}
			continue
		}
		c, err := loadCatalog(dir, n)
		if err != nil {
			f.Close()
			return nil, err
		}
		return &pin{catalog: c, file: f}, nil
	}
}

func loadCatalog(dir string, n uint64) (*catalog, error) {
	b, err := os.ReadFile(filepath.Join(dir, catalogName(n)))
	if err != nil {
		return nil, err
	}
	c, err := decodeCatalog(b)
	if err != nil {
		return nil, &segment.Error{File: catalogName(n), Offset: -1, Err: err}
	}
	if c.generation != n {
		return nil, &segment.Error{File: catalogName(n), Offset: -1, Err: errCatalog}
	}
	return c, nil
}

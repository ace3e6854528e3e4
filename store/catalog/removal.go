package catalog

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"infomall/store/crc32c"
	"infomall/store/disk/lines"
	"infomall/store/record"
)

// Removal is one DELETE or DROP. It has three parts: the tombstone, which says when
// and why captures were removed and is kept forever; the captures that are hidden
// and still in segments in force; and the URLs whose hints (how a capture differs
// from the one before it) may have become wrong.
type Removal struct {
	Time     record.Time
	Drop     bool // a pool was dropped; otherwise captures were deleted
	Captures int64
	Pools    []string // the pools from which captures were removed, sorted
	Reason   string   // as the user gave it

	Hidden map[uint32][]Hidden // by number of the segment; each list sorted by place
	// Touched are the fingerprints (see Fingerprint) of the URLs whose hints may be
	// wrong, sorted. Many URLs have the same fingerprint, so nobody can find the removed
	// URLs from it. For a URL that only shares the fingerprint, a reader does
	// unnecessary work, but its results are right.
	Touched []uint32
}

// Hidden describes a hidden capture (removed, but still in a file). Run and N are its place in its
// segment: the number of the run, and its number in the run. Need says which captures still take
// their bodies from it.
type Hidden struct {
	Run, N uint32
	Need   Need
}

// Need says which visible captures take their bodies from a hidden capture (removed,
// but still in a file). The segment of the hidden capture cannot be rewritten
// without the segments of these captures.
type Need uint8

const (
	NeedNone  Need = iota // no capture
	NeedPool              // only captures of its own pool
	NeedOther             // captures of other pools, and maybe of its own
)

// needMarks has, for each Need, the mark that is written after the place of a hidden capture in
// the file of a removal.
var needMarks = [...]string{NeedNone: "", NeedPool: "~", NeedOther: "+"}

// Compare orders hidden captures of one segment by their places.
func (h Hidden) Compare(o Hidden) int {
	return cmp.Or(cmp.Compare(h.Run, o.Run), cmp.Compare(h.N, o.N))
}

// Hides reports whether r hides a capture: entry n in the run with the number run, of
// the segment with the number segment. If so, the result at describes that capture.
func (r *Removal) Hides(segment, run, n uint32) (at Hidden, ok bool) {
	list := r.Hidden[segment]
	i, ok := slices.BinarySearchFunc(list, Hidden{Run: run, N: n}, Hidden.Compare)
	if ok {
		at = list[i]
	}
	return at, ok
}

// Fingerprint returns the crc32c of a URL's key. A removal stores fingerprints, because the
// archive must not keep the URLs that were deleted.
func Fingerprint(key string) uint32 { return crc32c.Sum([]byte(key)) }

// Touches reports whether the hints of URLs with this fingerprint may be wrong because of the
// removal. Hints say how a capture differs from the one before it.
func (r *Removal) Touches(print uint32) bool {
	_, ok := slices.BinarySearch(r.Touched, print)
	return ok
}

// kindRemoval is the word in the first line of a file that says it has a removal.
const kindRemoval = "removal"

// The file of a removal says with one of these words which statement made the removal.
const (
	removalDelete = "delete"
	removalDrop   = "drop"
)

// kind returns the word for the statement that made the removal, as it is written in
// the removal's file: "delete" or "drop".
func (r *Removal) kind() string {
	if r.Drop {
		return removalDrop
	}
	return removalDelete
}

// Encode returns the content of the removal's file, which DecodeRemoval parses:
// lines of tab-separated fields, among them the fingerprints in binary. FORMAT.md
// lists the fields.
func (r *Removal) Encode() []byte {
	b := lines.Append(lines.New(kindRemoval), "time", r.Time)
	b = lines.Append(b, "kind", r.kind())
	b = lines.Append(b, "captures", r.Captures)
	b = lines.Append(b, "pools", strings.Join(r.Pools, " "))
	b = lines.Append(b, "reason", lines.Quoted(r.Reason))
	ids := make([]uint32, 0, len(r.Hidden))
	for id := range r.Hidden {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		var places []byte
		for i, h := range r.Hidden[id] {
			if i > 0 {
				places = append(places, ' ')
			}
			places = fmt.Appendf(places, "%d.%d%s", h.Run, h.N, needMarks[h.Need])
		}
		b = lines.Append(b, "hidden", id, string(places))
	}
	var prints []byte
	last := uint32(0)
	for _, p := range r.Touched {
		prints = binary.AppendUvarint(prints, uint64(p-last))
		last = p
	}
	b = lines.Append(b, "urls", len(r.Touched), len(prints))
	return lines.Seal(append(append(b, prints...), '\n'))
}

// errRemoval is the error for a damaged file of a removal.
var errRemoval = errors.New("the file of a removal is damaged; restore it from a copy of the archive: without it nobody knows which captures were deleted")

// DecodeRemoval parses the content b of a removal's file. It returns errRemoval if
// the file is damaged.
func DecodeRemoval(b []byte) (*Removal, error) {
	in, err := lines.Open(b, kindRemoval, errRemoval)
	if err != nil {
		return nil, err
	}
	r := &Removal{Hidden: make(map[uint32][]Hidden)}
	for in.Next() {
		switch in.Text() {
		case "time":
			r.Time = record.Time(in.Int())
		case "kind":
			r.Drop = in.Text() == removalDrop
		case "captures":
			r.Captures = in.Int()
		case "pools":
			r.Pools = in.Words()
		case "reason":
			r.Reason = in.Quoted()
		case "hidden":
			id := uint32(in.Uint())
			r.Hidden[id] = readPlaces(in)
		case "urls":
			r.Touched = readPrints(in)
		default:
			in.Fail()
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	// A removal writes each part once, in order and complete.
	if !bytes.Equal(r.Encode(), b) {
		return nil, errRemoval
	}
	return r, nil
}

// Decode parses b, the content of the file that r describes. It returns an error if b is damaged,
// or if its size or checksum differs from r. Otherwise the file of another removal could be
// accepted by mistake, and deleted captures would become visible again.
func (r *RemovalFile) Decode(b []byte) (*Removal, error) {
	out, err := DecodeRemoval(b)
	if err == nil && (int64(len(b)) != r.Bytes || crc32c.Sum(b) != r.CRC) {
		return nil, fmt.Errorf("%w: it is not the file that the catalogue names", errRemoval)
	}
	return out, err
}

// readPlaces decodes the rest of the current line of in: the places of the hidden
// captures of one segment. It calls in.Fail if they are malformed or not sorted.
func readPlaces(in *lines.Reader) (out []Hidden) {
	for _, s := range in.Words() {
		n := NeedNone
		for i, mark := range needMarks[1:] {
			if t, ok := strings.CutSuffix(s, mark); ok {
				s, n = t, Need(i)+NeedPool
			}
		}
		first, second, _ := strings.Cut(s, ".")
		run, err := strconv.ParseUint(first, 10, 32)
		entry, e := strconv.ParseUint(second, 10, 32)
		h := Hidden{Run: uint32(run), N: uint32(entry), Need: n}
		if err != nil || e != nil || len(out) > 0 && out[len(out)-1].Compare(h) >= 0 {
			in.Fail()
		}
		out = append(out, h)
	}
	return out
}

// readPrints decodes the fingerprints of URLs in the file of a removal: their number,
// the number of bytes that they take, and then these bytes. It calls in.Fail if the
// bytes do not have exactly that number of fingerprints.
func readPrints(in *lines.Reader) []uint32 {
	count := in.Uint()
	b := in.Bytes(in.Uint())
	if count > uint64(len(b)) {
		in.Fail()
		return nil
	}
	out := make([]uint32, count)
	last := uint64(0)
	for i := range out {
		d, n := binary.Uvarint(b)
		if n <= 0 || last+d > math.MaxUint32 {
			in.Fail()
			return nil
		}
		b, last = b[n:], last+d
		out[i] = uint32(last)
	}
	if len(b) > 0 {
		in.Fail()
	}
	return out
}

// RemovalFile is the catalogue's entry for the file of a removal (one DELETE or
// DROP).
type RemovalFile struct {
	Name  string
	Bytes int64
	CRC   uint32
	// Generation is the first generation with the removal. If the writer of a segment
	// has seen that generation, the hints in the segment already take account of the
	// removal.
	Generation uint64
	Segments   []uint32 // numbers of the segments in force from which the removal hides captures
}

// Equal reports whether r and o are entries for the same file, and name the same
// segments with hidden captures.
func (r RemovalFile) Equal(o RemovalFile) bool {
	return r.Name == o.Name && r.CRC == o.CRC && r.Generation == o.Generation && slices.Equal(r.Segments, o.Segments)
}

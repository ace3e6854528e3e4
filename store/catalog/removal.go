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

	"infomall/store/disk/lines"
	"infomall/store/record"
)

// Removal is one DELETE or DROP: the tombstone, which stays for good; the captures
// that are hidden and still in segments in force; and the URLs whose hints may have
// become wrong.
type Removal struct {
	Time     record.Time
	Drop     bool // a pool was dropped; otherwise captures were deleted
	Captures int64
	Pools    []string // the pools of these captures, sorted
	Reason   string

	Hidden map[uint32][]Hidden // by segment; each list sorted by place
	// Touched are fingerprints of the keys of the URLs, sorted. Many URLs share a
	// fingerprint, so no URL can be read from it. For another URL with the same
	// fingerprint a reader only does unnecessary work.
	Touched []uint32
}

// Hidden is the place of a hidden capture within its segment.
type Hidden struct {
	Run, N uint32
	Need   Need
}

// Need says which visible captures take their bodies from a hidden one. The segment
// of the hidden one cannot be rewritten without these.
type Need uint8

const (
	NeedNone  Need = iota
	NeedPool       // captures of its own pool
	NeedOther      // captures of other pools too
)

// needMarks are the letters for a Need in the file of a removal.
var needMarks = [...]string{NeedNone: "", NeedPool: "~", NeedOther: "+"}

// Compare orders hidden captures by their places.
func (h Hidden) Compare(o Hidden) int {
	return cmp.Or(cmp.Compare(h.Run, o.Run), cmp.Compare(h.N, o.N))
}

// Hides reports whether a place is that of a hidden capture.
func (r *Removal) Hides(segment, run, n uint32) (at Hidden, ok bool) {
	list := r.Hidden[segment]
	i, ok := slices.BinarySearchFunc(list, Hidden{Run: run, N: n}, Hidden.Compare)
	if ok {
		at = list[i]
	}
	return at, ok
}

// Fingerprint returns what a removal stores instead of a URL's key.
func Fingerprint(key string) uint32 { return lines.Sum([]byte(key)) }

// Touches reports whether hints of the URL with this fingerprint may be wrong.
func (r *Removal) Touches(print uint32) bool {
	_, ok := slices.BinarySearch(r.Touched, print)
	return ok
}

// kindRemoval is the kind in the first line of a removal's file.
const kindRemoval = "removal"

// The words of a removal file for what was removed.
const (
	removalDelete = "delete"
	removalDrop   = "drop"
)

// kind is the removal's word.
func (r *Removal) kind() string {
	if r.Drop {
		return removalDrop
	}
	return removalDelete
}

// Encode makes the removal's file: lines of tab-separated fields, among them the
// fingerprints in binary; FORMAT.md lists them.
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

// errRemoval is returned if the file of a removal is damaged.
var errRemoval = errors.New("the file of a removal is damaged; restore it from a copy of the archive: without it nobody knows which captures were deleted")

// DecodeRemoval parses the file of a removal.
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

// Decode parses the file that r describes, and checks that b is that file. With the
// file of another removal in its place, deleted captures would become visible again.
func (r *RemovalFile) Decode(b []byte) (*Removal, error) {
	out, err := DecodeRemoval(b)
	if err == nil && (int64(len(b)) != r.Bytes || lines.Sum(b) != r.CRC) {
		return nil, fmt.Errorf("%w: it is not the file that the catalogue names", errRemoval)
	}
	return out, err
}

// readPlaces reads the places of hidden captures, which must be sorted.
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

// readPrints reads the number of fingerprints, the number of bytes they take, and
// the fingerprints, which must fill these bytes.
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

// RemovalFile is what the catalogue says of a removal.
type RemovalFile struct {
	Name  string
	Bytes int64
	CRC   uint32
	// Generation is the first generation with the removal. A segment that was
	// written with knowledge of that generation has correct hints.
	Generation uint64
	Segments   []uint32 // segments in force that have its hidden captures
}

// Equal reports whether o is the same file, and hides captures of the same segments.
func (r RemovalFile) Equal(o RemovalFile) bool {
	return r.Name == o.Name && r.CRC == o.CRC && r.Generation == o.Generation && slices.Equal(r.Segments, o.Segments)
}

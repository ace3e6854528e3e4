package store

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

// removal is one DELETE or DROP: the tombstone, which stays for good; the captures
// that are hidden and still in segments in force; and the URLs whose hints may have
// become wrong.
type removal struct {
	time     record.Time
	drop     bool // a pool was dropped; otherwise captures were deleted
	captures int64
	pools    []string // the pools of these captures, sorted
	reason   string

	hidden map[uint32][]hiddenAt // by segment; each list sorted by place
	// touched are fingerprints of the keys of the URLs, sorted. Many URLs share a
	// fingerprint, so no URL can be read from it. For another URL with the same
	// fingerprint a reader only does unnecessary work.
	touched []uint32
}

// hiddenAt is the place of a hidden capture within its segment.
type hiddenAt struct {
	run, n uint32
	need   need
}

// need says which visible captures take their bodies from a hidden one. The segment
// of the hidden one cannot be rewritten without these.
type need uint8

const (
	needNone  need = iota
	needPool       // captures of its own pool
	needOther      // captures of other pools too
)

// needMarks are the letters for need in the file of a removal.
var needMarks = [...]string{needNone: "", needPool: "~", needOther: "+"}

func (h hiddenAt) compare(o hiddenAt) int {
	return cmp.Or(cmp.Compare(h.run, o.run), cmp.Compare(h.n, o.n))
}

// hides reports whether a place is that of a hidden capture.
func (r *removal) hides(segment, run, n uint32) (at hiddenAt, ok bool) {
	list := r.hidden[segment]
	i, ok := slices.BinarySearchFunc(list, hiddenAt{run: run, n: n}, hiddenAt.compare)
	if ok {
		at = list[i]
	}
	return at, ok
}

// fingerprint returns what a removal stores instead of a URL's key.
func fingerprint(key string) uint32 { return lines.Sum([]byte(key)) }

// touches reports whether hints of the URL with this fingerprint may be wrong.
func (r *removal) touches(print uint32) bool {
	_, ok := slices.BinarySearch(r.touched, print)
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
func (r *removal) kind() string {
	if r.drop {
		return removalDrop
	}
	return removalDelete
}

// encode makes the removal's file: lines of tab-separated fields, among them the
// fingerprints in binary; FORMAT.md lists them.
func (r *removal) encode() []byte {
	b := lines.Append(lines.New(kindRemoval), "time", r.time)
	b = lines.Append(b, "kind", r.kind())
	b = lines.Append(b, "captures", r.captures)
	b = lines.Append(b, "pools", strings.Join(r.pools, " "))
	b = lines.Append(b, "reason", lines.Quoted(r.reason))
	ids := make([]uint32, 0, len(r.hidden))
	for id := range r.hidden {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		var places []byte
		for i, h := range r.hidden[id] {
			if i > 0 {
				places = append(places, ' ')
			}
			places = fmt.Appendf(places, "%d.%d%s", h.run, h.n, needMarks[h.need])
		}
		b = lines.Append(b, "hidden", id, string(places))
	}
	var prints []byte
	last := uint32(0)
	for _, p := range r.touched {
		prints = binary.AppendUvarint(prints, uint64(p-last))
		last = p
	}
	b = lines.Append(b, "urls", len(r.touched), len(prints))
	return lines.Seal(append(append(b, prints...), '\n'))
}

// errRemoval is returned if the file of a removal is damaged.
var errRemoval = errors.New("the file of a removal is damaged; bring it back from a copy of the archive: without it deleted captures cannot be told from others")

// decodeRemoval parses the file of a removal.
func decodeRemoval(b []byte) (*removal, error) {
	in, err := lines.Open(b, kindRemoval, errRemoval)
	if err != nil {
		return nil, err
	}
	r := &removal{hidden: make(map[uint32][]hiddenAt)}
	for in.Next() {
		switch in.Text() {
		case "time":
			r.time = record.Time(in.Int())
		case "kind":
			r.drop = in.Text() == removalDrop
		case "captures":
			r.captures = in.Int()
		case "pools":
			r.pools = in.Words()
		case "reason":
			r.reason = in.Quoted()
		case "hidden":
			id := uint32(in.Uint())
			r.hidden[id] = readPlaces(in)
		case "urls":
			r.touched = readPrints(in)
		default:
			in.Fail()
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	// A removal writes each part once, in order and complete.
	if !bytes.Equal(r.encode(), b) {
		return nil, errRemoval
	}
	return r, nil
}

// decode parses the file that r describes, and checks that b is that file. With the
// file of another removal in its place, deleted captures would become visible again.
func (r *removalInfo) decode(b []byte) (*removal, error) {
	out, err := decodeRemoval(b)
	if err == nil && (int64(len(b)) != r.bytes || lines.Sum(b) != r.crc) {
		return nil, fmt.Errorf("%w: it is not the file that the catalogue names", errRemoval)
	}
	return out, err
}

// readPlaces reads the places of hidden captures, which must be sorted.
func readPlaces(in *lines.Reader) (out []hiddenAt) {
	for _, s := range in.Words() {
		n := needNone
		for i, mark := range needMarks[1:] {
			if t, ok := strings.CutSuffix(s, mark); ok {
				s, n = t, need(i)+needPool
			}
		}
		first, second, _ := strings.Cut(s, ".")
		run, err := strconv.ParseUint(first, 10, 32)
		entry, e := strconv.ParseUint(second, 10, 32)
		h := hiddenAt{run: uint32(run), n: uint32(entry), need: n}
		if err != nil || e != nil || len(out) > 0 && out[len(out)-1].compare(h) >= 0 {
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

// removalInfo is what the catalogue says of a removal.
type removalInfo struct {
	file  string
	bytes int64
	crc   uint32
	// generation is the first generation with the removal. A segment that was
	// written with knowledge of that generation has correct hints.
	generation uint64
	segments   []uint32 // segments in force that have its hidden captures
}

func (r removalInfo) equal(o removalInfo) bool {
	return r.file == o.file && r.crc == o.crc && r.generation == o.generation && slices.Equal(r.segments, o.segments)
}

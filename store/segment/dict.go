package segment

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// The content of a packed run may be compressed with that of other runs, of
// static pools, as a dictionary: those that its pages take most of their blocks
// from. What is new in a page is much like what it was before.
const (
	// dictRunsMax is how many other runs have to be read for one: those it
	// names, those these name, and so on.
	dictRunsMax = 3
	// dictBytesMax is the size of a run that is of no use as a dictionary: it
	// holds pieces of large bodies.
	dictBytesMax = 1 << 20
)

// Dict is a run that may be a dictionary.
type Dict struct {
	Content []byte
	Needs   []RunRef // that have to be read for it, itself last
}

// chooseDict chooses the dictionary of the run at hand, and tells which runs
// have to be read for it.
func (w *Writer) chooseDict() (refs []RunRef, content []byte, needs map[RunRef]bool) {
	needs = make(map[RunRef]bool)
	if w.dict == nil {
		return nil, nil, needs
	}
	candidates := byWeight(w.run.weight)
	for i := 0; i < len(candidates); i++ {
		ref := candidates[i]
		if ref.Segment == w.info.ID || needs[ref] {
			continue
		}
		d := w.dict(ref)
		switch {
		case d == nil || len(d.Content) == 0 || len(d.Content) > dictBytesMax:
		case takeRuns(needs, d.Needs, dictRunsMax):
			refs, content = append(refs, ref), append(content, d.Content...)
			w.uses[ref.Segment] = true
		case len(d.Needs) > dictRunsMax:
			// What it was compressed with has much of it.
			candidates = slices.Insert(candidates, i+1, d.Needs[:len(d.Needs)-1]...)
		}
	}
	return refs, content, needs
}

// dictEncoder returns what compresses with a dictionary.
func dictEncoder(dict []byte) *zstd.Encoder {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(8<<20), zstd.WithEncoderDictRaw(0, dict))
	if err != nil {
		panic(fmt.Sprintf("segment: options of the zstd encoder: %v", err))
	}
	return enc
}

// decodeWithDict decompresses a frame that has size bytes and was compressed with
// a dictionary.
//
// The decoder is several times slower with a dictionary than without, and would
// take it anew for every frame. But to a raw dictionary a frame refers as to what
// it began with itself. So it is given one that does: the dictionary as blocks
// that are not compressed, and those of the frame behind them. The checksum at
// the end of a frame is of its own bytes and goes; the record has one too.
func decodeWithDict(frame, dict []byte, size int) ([]byte, error) {
	var h zstd.Header
	if err := h.Decode(frame); err != nil {
		return nil, err
	}
	blocks := frame[h.HeaderSize:]
	if h.HasCheckSum {
		blocks = blocks[:max(0, len(blocks)-4)]
	}
	room := spliceRooms.Get().(*spliceRoom)
	defer spliceRooms.Put(room)
	in := binary.LittleEndian.AppendUint32(append(room.in[:0], spliceMagic...), uint32(len(dict)+size))
	for part := range slices.Chunk(dict, rawBlockMax) {
		in = append(in, byte(len(part)<<3), byte(len(part)>>5), byte(len(part)>>13)) // raw, and not the last
		in = append(in, part...)
	}
	in = append(in, blocks...)
	out, err := decoder().DecodeAll(in, slices.Grow(room.out[:0], len(dict)+size))
	room.in, room.out = in, out
	if err != nil {
		return nil, err
	}
	return slices.Clone(out[len(dict):]), nil
}

// spliceMagic begins a frame of a known size, whose four bytes follow, without
// checksum (RFC 8878, 3.1.1): the window is all of it.
const spliceMagic = "\x28\xb5\x2f\xfd\xa0"

// rawBlockMax is the size of a frame's blocks at most.
const rawBlockMax = 128 << 10

// spliceRoom is memory to decompress in, which is used again.
type spliceRoom struct{ in, out []byte }

var spliceRooms = sync.Pool{New: func() any { return new(spliceRoom) }}

// joinRefs gives runs as they stand in a record's head: segment, slash, run,
// with blanks between.
func joinRefs(refs []RunRef) string {
	var b []byte
	for i, r := range refs {
		if i > 0 {
			b = append(b, ' ')
		}
		b = fmt.Appendf(b, "%d/%d", r.Segment, r.Run)
	}
	return string(b)
}

func parseRefs(s string) ([]RunRef, error) {
	var out []RunRef
	for _, f := range strings.Fields(s) {
		segment, run, _ := strings.Cut(f, "/")
		a, err := strconv.ParseUint(segment, 10, 32)
		if err != nil {
			return nil, err
		}
		b, err := strconv.ParseUint(run, 10, 32)
		if err != nil {
			return nil, err
		}
		out = append(out, RunRef{uint32(a), uint32(b)})
	}
	return out, nil
}

// dictOf puts the dictionary of a run of segment own together; get gives the
// content of a run. Dictionaries are of segments that were static before, which
// have lower numbers: what says otherwise is damaged, and could lead in circles.
func dictOf(refs []RunRef, own uint32, get func(RunRef) ([]byte, error)) ([]byte, error) {
	var parts [][]byte
	for _, r := range refs {
		if r.Segment >= own {
			return nil, errLengths
		}
		if get == nil {
			return nil, fmt.Errorf("it is compressed with run %d of segment %d, which is not here", r.Run, r.Segment)
		}
		b, err := get(r)
		if err != nil {
			return nil, fmt.Errorf("it is compressed with run %d of segment %d: %w", r.Run, r.Segment, err)
		}
		parts = append(parts, b)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return slices.Concat(parts...), nil
}

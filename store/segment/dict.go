package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// These bounds limit the runs on which a packed run builds. To build on runs means that
// their blocks are the dictionary with which the run's content is compressed. The chosen
// runs are in static pools. They are the runs from which the pages of the packed run share most
// blocks, because the new text of a page resembles its earlier text.
const (
	// behindMax is how many bytes of other runs may be read for one run: the runs
	// it builds on, the runs those build on, and so on.
	behindMax = 704 << 10
	// behindRunsMax is the largest number of runs that may be read for one run in this way. A
	// page may need few runs in all (packedRunsMax). The fewer runs each run builds on, the
	// more runs a page may share blocks with.
	behindRunsMax = 3
	// behindBytesMax is a size in bytes that is larger than every run on which another run
	// builds.
	behindBytesMax = 1 << 20
	// behindBytesMin is the smallest size in bytes of a run on which another builds. The
	// matches of a seam (see seamBlocks) need these bytes: they copy from up to 8 bytes before
	// their place.
	behindBytesMin = 8
	// behindRead is the largest number of runs that a head may list as those its run builds
	// on. A longer list means damage.
	behindRead = 16
)

// Dict is a run on which another run may build: its blocks, and the runs that must be read
// to decompress it.
type Dict struct {
	Content []byte
	Behind  []RunRef // the runs it builds on itself, in order
	Needs   []Need   // the runs that must be read to decompress it, itself last
}

// Need is a run that must be read, and the size of its blocks in bytes.
type Need struct {
	RunRef
	Bytes int
}

// chooseBehind chooses the runs on which the current run builds. refs are these
// runs, and content is their blocks with a seam (see seamBlocks) after each run. The run from which
// the current run's pages take most comes last: the nearer a match is, the shorter
// it is written. Each chosen run is preceded by the runs it builds on itself, if
// possible, so that all are decompressed at once.
func (w *Writer) chooseBehind() (refs []RunRef, content []byte) {
	if w.dict == nil {
		return nil, nil
	}
	needs := make(map[RunRef]int) // the sizes of all runs that must be read for refs
	candidates := byWeight(w.run.weight)
	for i := 0; i < len(candidates); i++ {
		ref := candidates[i]
		if ref.Segment == w.info.ID || needs[ref] > 0 {
			continue
		}
		d := w.dict(ref)
		switch {
		case d == nil || len(d.Content) < behindBytesMin:
		case takeRuns(needs, d.Needs, behindMax, behindRunsMax):
			ahead := append(slices.Clone(d.Behind), ref)
			if slices.ContainsFunc(ahead, func(r RunRef) bool { return slices.Contains(refs, r) || w.dict(r) == nil }) {
				ahead = []RunRef{ref}
			}
			refs = append(ahead, refs...)
		case !takeRuns(make(map[RunRef]int), d.Needs, behindMax, behindRunsMax):
			// The run it builds on contains much of it.
			for _, n := range slices.Backward(d.Needs[:len(d.Needs)-1]) {
				candidates = slices.Insert(candidates, i+1, n.RunRef)
			}
		}
	}
	for _, r := range refs {
		content = appendSeam(append(content, w.dict(r).Content...))
		w.uses[r.Segment] = true
	}
	return refs, content
}

// seamBlocks is a seam: blocks of zstd that come after each run on which others
// build. A frame of zstd begins with three last offsets, 1, 4 and 8, to which its
// first matches may refer. If it builds on another frame, these must be the last
// offsets of that frame. Three matches of three bytes each make them so. seamBlocks
// has these matches, without literals (RFC 8878, 3.1.1.3): one block with a
// sequence of offset 8, and one with two sequences, of offsets 4 and 1.
const seamBlocks = "" +
	"\x3c\x00\x00" + "\x00" + "\x01\x54\x00\x03\x00" + "\x0b" +
	"\x3c\x00\x00" + "\x00" + "\x02\x54\x00\x02\x00" + "\x1c"

// seamBytes is the decompressed size of a seam: the bytes between a run and the run
// that builds on it.
const seamBytes = 9

// appendSeam appends to b the seamBytes bytes that seamBlocks decompress to. They
// are copies of bytes at the end of b.
func appendSeam(b []byte) []byte {
	for _, offset := range []int{8, 4, 1} {
		for range 3 {
			b = append(b, b[len(b)-offset])
		}
	}
	return b
}

// load decompresses the run's blocks and, if whole is set, its facts, unless an
// earlier call did so. The function others returns the runs that this run builds
// on; it may be nil. load also decompresses the blocks of these runs, and leaves them
// in memory. If one of these runs cannot be read, the next call of load tries again.
func (r *Run) load(others func(RunRef) (*Run, error), whole bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fault != nil || r.whole || r.blocks && !whole {
		return r.fault
	}
	frame, size := r.frame, r.size
	if n := r.head.factsFrom; n > 0 && !whole {
		frame, size = frame[:n], r.blockBytes()
	}
	if len(r.frame) == 0 {
		r.blocks, r.whole = true, true
		return nil
	}
	behind, err := r.behind(others)
	if err != nil {
		return err
	}
	var b []byte
	if len(behind) == 0 && size == r.size {
		b, r.fault = decoder().DecodeAll(frame, r.mem.contentOf(size))
	} else {
		b, r.fault = splice(behind, frame, size)
	}
	if r.fault == nil && len(b) != size {
		r.fault = fmt.Errorf("the content of the run has %d bytes, its head says %d", len(b), size)
	}
	if r.fault != nil {
		return r.fault
	}
	if blocks := r.blockBytes(); r.blocks {
		r.facts = b[blocks:]
	} else {
		r.content, r.facts = b[:blocks:blocks], b[blocks:]
	}
	if r.blocks, r.whole = true, size == r.size; r.whole {
		r.frame = nil // frees the record, if the columns are decompressed too
	}
	return nil
}

// behind returns the runs that r builds on. It gets them from the function others. They
// must be in segments with lower numbers, which were static before the segment of r was
// written. Anything else is damage, and could form a circle. If a returned run does not
// itself build on the runs before it in the list, its blocks are loaded.
func (r *Run) behind(others func(RunRef) (*Run, error)) (out []*Run, err error) {
	refs := r.head.behind
	for i, ref := range refs {
		if ref.Segment >= r.head.segment {
			return nil, errLengths
		}
		if others == nil {
			return nil, fmt.Errorf("it is compressed with run %d of segment %d, which is missing", ref.Run, ref.Segment)
		}
		b, err := others(ref)
		if err == nil && b.blockBytes() > behindBytesMax {
			err = errLengths
		}
		if err == nil && !b.follows(refs[:i]) {
			err = b.load(others, false)
		}
		if err != nil {
			return nil, fmt.Errorf("it is compressed with run %d of segment %d: %w", ref.Run, ref.Segment, err)
		}
		out = append(out, b)
	}
	return out, nil
}

// follows reports whether the frame of r can be decompressed directly after the
// runs ahead: it builds on exactly the last of them, or on none.
func (r *Run) follows(ahead []RunRef) bool {
	h := &r.head
	n := len(ahead) - len(h.behind)
	return n >= 0 && slices.Equal(ahead[n:], h.behind) && (h.factsFrom > 0 || h.factsLength == 0)
}

// part returns the blocks of r as content if they are in memory. Otherwise it returns nil
// for content, and the compressed frame of the blocks.
func (r *Run) part() (content, frame []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.blocks {
		return r.content, nil
	}
	if n := r.head.factsFrom; n > 0 {
		return nil, r.frame[:n]
	}
	return nil, r.frame
}

// take stores a copy of content as the run's blocks, unless they are in memory
// already.
func (r *Run) take(content []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.blocks {
		r.content, r.blocks = slices.Clone(content), true
	}
}

// splice decompresses frame, whose content has size bytes and builds on the runs
// behind, each with a seam (see seamBlocks) after it. It returns the content.
//
// The decoder is several times slower with a dictionary than without, and would
// prepare the dictionary again for every frame. But a frame refers to the bytes of
// a raw dictionary exactly as to its own earlier bytes. So splice makes one frame
// that begins with the dictionary. For a run whose blocks are in memory, the new
// frame has these blocks, uncompressed. For another run it has the compressed
// blocks of that run's own frame, which build on the part before them. Last come
// the compressed blocks of frame. The checksums at the ends of the frames are left
// out, since they cover only their own frame; the records have checksums too.
func splice(behind []*Run, frame []byte, size int) ([]byte, error) {
	room := takeRoom()
	defer room.giveBack()
	in, all := append(append(room.in[:0], spliceMagic...), 0, 0, 0, 0), size
	missing := make([]bool, len(behind))
	for i, r := range behind {
		content, frame := r.part()
		if missing[i] = content == nil && frame != nil; missing[i] {
			var err error
			if in, err = appendBlocks(in, frame); err != nil {
				return nil, err
			}
		} else {
			in = appendRaw(in, content)
		}
		in = append(in, seamBlocks...)
		all += r.blockBytes() + seamBytes
	}
	in, err := appendBlocks(in, frame)
	if err != nil {
		return nil, err
	}
	out, err := room.decode(in, all)
	if err != nil {
		return nil, err
	}
	at := 0
	for i, r := range behind {
		n := r.blockBytes()
		if missing[i] {
			r.take(out[at : at+n])
		}
		at += n + seamBytes
	}
	return slices.Clone(out[at:]), nil
}

// decode decompresses the frame in. Before, it completes the frame: it appends a last block, and
// sets the size of the content. The result is in the memory of r.
func (r *spliceRoom) decode(in []byte, size int) ([]byte, error) {
	in = append(in, 1, 0, 0) // a block without bytes, the last
	binary.LittleEndian.PutUint32(in[len(spliceMagic):], uint32(size))
	out, err := decoder().DecodeAll(in, slices.Grow(r.out[:0], size+rawBlockMax))
	r.in, r.out = in, out
	return out, err
}

// spliceMagic is the beginning of a zstd frame without checksum. The size of its content
// follows in four bytes (RFC 8878, 3.1.1). The window of such a frame is the whole
// content.
const spliceMagic = "\x28\xb5\x2f\xfd\xa0"

// rawBlockMax is the largest size in bytes of a block of a frame of zstd.
const rawBlockMax = 128 << 10

// appendRaw appends b to dst as uncompressed blocks of zstd. None of them is marked
// as the last block.
func appendRaw(dst, b []byte) []byte {
	for part := range slices.Chunk(b, rawBlockMax) {
		dst = append(dst, byte(len(part)<<3), byte(len(part)>>5), byte(len(part)>>13))
		dst = append(dst, part...)
	}
	return dst
}

// errFrame is returned for a compressed frame whose blocks are damaged.
var errFrame = errors.New("the blocks of a compressed frame do not fit together")

// appendBlocks appends the compressed blocks of a frame of zstd to dst, without the
// frame's header and checksum. None of them is marked as the last block.
func appendBlocks(dst, frame []byte) ([]byte, error) {
	var h zstd.Header
	if err := h.Decode(frame); err != nil {
		return dst, err
	}
	for b := frame[h.HeaderSize:]; len(b) >= blockHead; {
		head := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
		n := int(head >> 3)
		if head>>1&3 == 1 {
			n = 1 // one byte, repeated
		}
		if n > len(b)-blockHead {
			return dst, errFrame
		}
		at := len(dst)
		dst = append(dst, b[:blockHead+n]...)
		dst[at] &^= 1
		if b = b[blockHead+n:]; head&1 != 0 {
			break
		}
	}
	return dst, nil
}

// blockHead is the size in bytes of the header of a block in a frame of zstd.
const blockHead = 3

// spliceRoom has the buffers that one call of splice uses.
type spliceRoom struct{ in, out []byte }

// spliceRooms has the spliceRooms that are not in use. It is a channel, not a sync.Pool,
// because each garbage collection would empty a pool, and to allocate the buffers takes as
// long as to use them.
var spliceRooms = make(chan *spliceRoom, 2)

const spliceRoomMax = 16 << 20

// spliceRoomUsual is the size in bytes of each buffer of a new spliceRoom. Usually the buffers need not
// grow then. The system provides only the memory of them that is used.
const spliceRoomUsual = behindMax + 512<<10

func takeRoom() *spliceRoom {
	select {
	case r := <-spliceRooms:
		return r
	default:
		return &spliceRoom{make([]byte, 0, spliceRoomUsual), make([]byte, 0, spliceRoomUsual)}
	}
}

// giveBack makes r available to later calls of splice. It drops r if the buffers are
// larger than a run that builds on others can need.
func (r *spliceRoom) giveBack() {
	if cap(r.in)+cap(r.out) > spliceRoomMax {
		return
	}
	select {
	case spliceRooms <- r:
	default:
	}
}

// joinRefs formats runs as a record's head has them: as segment/run, separated by
// blanks, such as "12/0 12/3".
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
	if len(out) > behindRead {
		return nil, errLengths
	}
	return out, nil
}

package segment

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

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
	Needs   []RunRef // that have to be read for it, itself included
}

// chooseDict chooses the dictionary of the run at hand.
func (w *Writer) chooseDict() (refs []RunRef, content []byte) {
	if w.dict == nil {
		return nil, nil
	}
	weight := make(map[RunRef]int64)
	for i := range w.run.entries {
		for _, s := range w.run.entries[i].Recipe.Spans {
			if s.Segment != w.info.ID {
				weight[RunRef{s.Segment, s.Run}] += int64(s.Count)
			}
		}
	}
	byWeight := slices.SortedFunc(maps.Keys(weight), func(a, b RunRef) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a.Segment, b.Segment), cmp.Compare(a.Run, b.Run))
	})
	needs := make(map[RunRef]bool)
	for _, ref := range byWeight {
		d := w.dict(ref)
		if d == nil || len(d.Content) == 0 || len(d.Content) > dictBytesMax {
			continue
		}
		n := len(needs)
		for _, r := range d.Needs {
			if !needs[r] {
				n++
			}
		}
		if n > dictRunsMax {
			continue
		}
		for _, r := range d.Needs {
			needs[r] = true
		}
		refs, content = append(refs, ref), append(content, d.Content...)
		w.uses[ref.Segment] = true
	}
	return refs, content
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

// decodeWithDict decompresses a frame of at most size bytes.
func decodeWithDict(frame, dict []byte, size int) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(runUnzipMax), zstd.WithDecoderConcurrency(1), zstd.WithDecoderDictRaw(0, dict))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(frame, make([]byte, 0, size))
}

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

package segment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"infomall/store/disk"
)

// Mended counts damaged records of a db-file that was put together from two damaged
// copies.
type Mended struct {
	Bad  int // records that are damaged in the first copy
	Lost int // records that are damaged in both copies, and could not be restored
}

// Mend writes to dst a whole db-file of size bytes, put together from its damaged
// copies a and b. Each record comes from the copy in which it is sound. If it is
// damaged in both, Mend combines the two. A record that is lost in both is written
// as a has it, with zeros for bytes that cannot be read. If a read fails with an error that may
// pass (see disk.MayPass), Mend returns that error. Mend holds two records in memory.
func Mend(ctx context.Context, dst io.Writer, a, b io.ReaderAt, size int64) (m Mended, err error) {
	for at := int64(0); at < size; {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		rec, _, err := readRecord(a, at, size)
		if err != nil && !disk.MayPass(err) {
			m.Bad++
			rec, _, err = readRecord(b, at, size)
		}
		if disk.MayPass(err) {
			return m, err
		}
		if err != nil {
			var sound bool
			if rec, sound, err = mendRecord(ctx, a, b, at, size); err != nil {
				return m, err
			}
			if !sound {
				m.Lost++
			}
		}
		if _, err := dst.Write(rec); err != nil {
			return m, err
		}
		at += int64(len(rec))
	}
	return m, nil
}

// endsMax is how many possible ends mendRecord tries for a record that is damaged
// in both copies. The data of a record may itself look like the beginning of
// another record.
const endsMax = 4

// mendRecord combines the two damaged copies, in a and b, of the record at offset
// at. sound reports whether that restored the record. If not, rec is what a has up
// to the next record. size is the size of each file.
func mendRecord(ctx context.Context, a, b io.ReaderAt, at, size int64) (rec []byte, sound bool, err error) {
	end := at
	for range endsMax {
		next, err := nextRecord(ctx, a, end+1, size)
		if err != nil {
			return nil, false, err
		}
		other, err := nextRecord(ctx, b, end+1, size)
		if err != nil {
			return nil, false, err
		}
		end = min(next, other)
		if end-at > recordBytesMax {
			break
		}
		one, err := readPart(a, at, end)
		if err != nil {
			return nil, false, err
		}
		two, err := readPart(b, at, end)
		if err != nil {
			return nil, false, err
		}
		if rec == nil {
			rec = one
		}
		joined := Choose(one, two, func(b []byte) bool {
			_, _, err := parseHead(b)
			return err == nil
		})
		if joined != nil {
			return joined, true, nil
		}
		if end == size {
			break
		}
	}
	if rec == nil {
		// Longer than any record: everything up to the next record is damaged.
		rec, err = readPart(a, at, min(end, at+recordBytesMax))
	}
	return rec, false, err
}

// readPart returns the bytes of f between the offsets from and to, with zeros for
// bytes that cannot be read. The only error is one that may pass, see disk.MayPass.
func readPart(f io.ReaderAt, from, to int64) ([]byte, error) {
	b := make([]byte, to-from)
	pass := int64(unreadableLeast)
	for at := from; at < to; {
		n, err := f.ReadAt(b[at-from:], at)
		if err == nil || errors.Is(err, io.EOF) {
			break
		}
		if disk.MayPass(err) {
			return nil, err
		}
		bad := b[at-from+int64(n):]
		bad = bad[:min(pass, int64(len(bad)))]
		clear(bad)
		at += int64(n + len(bad))
		pass *= 2
	}
	return b, nil
}

// choicesMax bounds the number of places at which Choose decides between two
// copies. Choose tries up to 2^choicesMax combinations.
const choicesMax = 12

// Choose combines a and b, two copies of the same length that are damaged in
// different places. At each place where they differ it tries the bytes of a and
// those of b, until the function good reports true, and returns that combination.
// It returns nil if no combination is good, or if there are more than choicesMax
// places.
func Choose(a, b []byte, good func([]byte) bool) []byte {
	// A damaged range may contain bytes that are right by chance, so close
	// differences are taken together. But they may also be separate, one in each
	// copy.
	for _, gap := range []int{8, 1} {
		places := differences(a, b, gap)
		if len(places) > choicesMax {
			continue
		}
		out := slices.Clone(a)
		taken := [2][]byte{a, b}
		from := make([]int, len(places))
		// In the order of the Gray code, only one place changes at a time.
		for n := uint(0); n < 1<<len(places); n++ {
			if n > 0 {
				i := bits.TrailingZeros(n)
				from[i] = 1 - from[i]
				copy(out[places[i][0]:places[i][1]], taken[from[i]][places[i][0]:places[i][1]])
			}
			if good(out) {
				return out
			}
		}
	}
	return nil
}

// differences returns the ranges in which a and b differ, each as the offsets at
// which it begins and ends. Differences that are less than gap bytes apart are one
// range.
func differences(a, b []byte, gap int) (places [][2]int) {
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if n := len(places); n > 0 && i-places[n-1][1] < gap {
			places[n-1][1] = i + 1
		} else {
			places = append(places, [2]int{i, i + 1})
		}
	}
	return places
}

// Salvage reads the sound parts of a damaged db-file, or of any fragment of one. It
// needs no other file. Only one goroutine may use it.
type Salvage struct {
	Spans []SalvageSpan // the whole file, in order
	// Other returns a run that is not in the file and on which a run of the file
	// builds. It is nil if no other file is available.
	Other func(RunRef) (*Run, error)
	f     io.ReaderAt
	runs  map[RunRef]int // index in Spans of each run
}

// SalvageSpan is a record of a db-file, or a damaged range of it. Err is set for a
// damaged range.
type SalvageSpan struct {
	Offset, Length int64
	Segment, Run   uint32
	Entries        int   // number of entries of a run; 0 for a run of states and for the end record
	Err            error // what is damaged; nil if the record is sound
}

// OpenSalvage reads f, a db-file or a fragment of size bytes, from start to end,
// and returns a Salvage with all its records and damaged ranges. meta, if not nil,
// is called with the meta of each sound run.
//
// Every record has a checksum, so a damaged record does not affect the others. After
// a damaged record, OpenSalvage continues at the next place that looks like the
// beginning of a record.
func OpenSalvage(ctx context.Context, f io.ReaderAt, size int64, meta func(segment, run uint32, m *Meta) error) (*Salvage, error) {
	s := &Salvage{f: f, runs: make(map[RunRef]int)}
	for at := int64(0); at < size; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		span, m := s.record(at, size)
		if disk.MayPass(span.Err) {
			return nil, span.Err
		}
		if span.Err != nil {
			next, err := nextRecord(ctx, f, at+1, size)
			if err != nil {
				return nil, err
			}
			span.Length = next - at
		} else if m != nil {
			s.runs[RunRef{span.Segment, span.Run}] = len(s.Spans)
			if meta != nil {
				if err := meta(span.Segment, span.Run, m); err != nil {
					return nil, err
				}
			}
		}
		s.Spans = append(s.Spans, span)
		at += span.Length
	}
	return s, nil
}

// record reads the record at offset at of the file, which has size bytes. It
// returns its span and, for a sound run, the meta; m is nil otherwise.
func (s *Salvage) record(at, size int64) (span SalvageSpan, m *Meta) {
	rec, h, err := readRecord(s.f, at, size)
	span = SalvageSpan{Offset: at, Length: int64(len(rec)), Segment: h.segment, Run: h.run, Entries: h.entries}
	if err == nil && h.isRun() {
		var r *Run
		r, err = openRun(rec, h.segment, h.run, nil)
		if err == nil && len(h.behind) == 0 {
			err = r.load(nil, true)
		}
		if err == nil {
			if m = r.Meta; m.States {
				span.Entries = 0
			}
		}
	}
	if err == nil {
		return span, m
	}
	span.Err = err
	if h.entries > 0 && h.url != "" {
		span.Err = fmt.Errorf("%w; its head names the captures from %s to %s, %d in all", err, h.url, cmp.Or(h.lastURL, h.url), h.entries)
	}
	return span, nil
}

// Has reports whether the file has this run of this segment, undamaged.
func (s *Salvage) Has(segment, run uint32) bool {
	_, ok := s.runs[RunRef{segment, run}]
	return ok
}

// Run reads and decodes a sound run of the file, given by its segment and number.
// It returns an error if the file does not have the run or has it damaged. If a run that it builds
// on is missing, the result has the entries, and each of its blocks returns an error.
func (s *Salvage) Run(segment, run uint32) (*Run, error) {
	i, ok := s.runs[RunRef{segment, run}]
	if !ok {
		return nil, fmt.Errorf("run %d of segment %d is not there or is damaged", run, segment)
	}
	span := s.Spans[i]
	rec := make([]byte, span.Length)
	if _, err := s.f.ReadAt(rec, span.Offset); err != nil {
		return nil, err
	}
	r, err := openRun(rec, segment, run, nil)
	if err != nil {
		return nil, err
	}
	err = r.load(func(ref RunRef) (other *Run, err error) {
		if !s.Has(ref.Segment, ref.Run) && s.Other != nil {
			other, err = s.Other(ref)
		} else {
			other, err = s.Run(ref.Segment, ref.Run)
		}
		if err == nil {
			err = other.lacks
		}
		return other, err
	}, true)
	if err != nil && (r.fault != nil || disk.MayPass(err)) {
		return nil, err
	}
	r.lacks = err
	return r, nil
}

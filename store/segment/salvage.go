package segment

import (
	"context"
	"fmt"
	"io"
)

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

// SalvageSpan is a record of a db-file, or a damaged range.
type SalvageSpan struct {
	Offset, Length int64
	Segment, Run   uint32
	Entries        int   // of a run; 0 for the end record
	Err            error // what is damaged; nil if the record is sound
}

// OpenSalvage reads through size bytes of f. meta, if not nil, is called with the
// meta frame of each sound run.
//
// Every record has a checksum, so each is judged by itself. After a damaged record,
// OpenSalvage continues at the next place that looks like the beginning of a
// record.
func OpenSalvage(ctx context.Context, f io.ReaderAt, size int64, meta func(segment, run uint32, m *Meta) error) (*Salvage, error) {
	s := &Salvage{f: f, runs: make(map[RunRef]int)}
	for at := int64(0); at < size; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		span, m := s.record(at, size)
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

// record reads the record at an offset. m is nil if the record is not a run.
func (s *Salvage) record(at, size int64) (span SalvageSpan, m *Meta) {
	rec, h, err := readRecord(s.f, at, size)
	span = SalvageSpan{Offset: at, Length: int64(len(rec)), Segment: h.segment, Run: h.run, Entries: h.entries}
	if err == nil && h.kind == kindRun {
		var r *Run
		if r, err = decodeRun(rec, h.segment, h.run, nil); err == nil {
			m = r.Meta
		}
	}
	if err == nil {
		return span, m
	}
	span.Err = err
	if h.entries > 0 && h.url != "" && h.lastURL != "" {
		span.Err = fmt.Errorf("%w; its head speaks of %d captures, from %s to %s", err, h.entries, h.url, h.lastURL)
	}
	return span, nil
}

// Has reports whether the file has the run, and it is sound.
func (s *Salvage) Has(segment, run uint32) bool {
	_, ok := s.runs[RunRef{segment, run}]
	return ok
}

// Run returns a sound run.
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
	return decodeRun(rec, segment, run, func(ref RunRef) (*Run, error) {
		if !s.Has(ref.Segment, ref.Run) && s.Other != nil {
			return s.Other(ref)
		}
		return s.Run(ref.Segment, ref.Run)
	})
}

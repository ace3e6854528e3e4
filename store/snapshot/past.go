package snapshot

import (
	"context"
	"errors"

	"infomall/store/record"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// Past answers what a crawl asks before it fetches a page again: which captures of
// the page the archive had when Past was opened. Several goroutines may use it. The
// caller closes it.
type Past struct{ v *Snapshot }

// Past pins the current state of the archive and returns it as a Past, for a crawl.
// The caller closes it.
func (s *Source) Past(ctx context.Context) (*Past, error) {
	v, err := s.Open(ctx)
	if err != nil {
		return nil, err
	}
	// Each page is asked about once, so the cache would not help.
	v.SetCache(0)
	return &Past{v}, nil
}

// Close releases the pinned state of the archive.
func (p *Past) Close() error { return p.v.Close() }

// Known returns the last capture of a canonical URL before a time. It passes over
// "not modified" answers and returns the capture before them, if there is one. If
// the URL has no capture, the Time of the result is record.NoTime.
func (p *Past) Known(ctx context.Context, url string, before record.Time) (record.Known, error) {
	key := urlkey.Key(url)
	known := record.Known{Time: record.NoTime}
	err := p.v.walk(ctx, record.Scan{
		Ranges: []urlkey.Range{{From: key, To: key + "\x00"}}, From: record.MinTime, To: before,
		Columns: record.ColMime | record.ColBytes | record.ColStatus | record.ColVia | record.ColTruncated,
	}, func(group []timeline.Capture) error {
		i := len(group) - 1
		for i > 0 && group[i].Via == record.ViaNotModified {
			i--
		}
		e := &group[i]
		known = record.Known{Time: e.Time, Visited: group[len(group)-1].Time, Status: int(e.Status), Kind: e.Kind, Truncated: e.Truncated, Bytes: e.Bytes, Ref: e.Ref()}
		return ErrStop
	})
	if errors.Is(err, ErrStop) {
		err = nil
	}
	return known, err
}

// Head returns the status line and headers of a capture that Known returned, as they
// were received; nil if none are stored with it. ref is the Ref of that result.
func (p *Past) Head(ctx context.Context, ref record.Ref) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := p.v.Runs.Segment(ref.Segment)
	if s == nil {
		return nil, errNoSegment(ref.Segment)
	}
	e, err := p.v.Runs.Entry(timeline.Place{Seg: s, Run: ref.Run, N: ref.N})
	if err != nil {
		return nil, err
	}
	return e.Head, nil
}

// Blocked returns the number of the entry of the block-list that keeps out every capture
// of a canonical URL at time t, or 0 if no entry does.
func (p *Past) Blocked(ctx context.Context, url string, t record.Time) (entry int64, err error) {
	l, err := p.v.BlockList(ctx)
	if err != nil {
		return 0, err
	}
	if e := l.URL(urlkey.Key(url), t); e != nil {
		entry = e.Number
	}
	return entry, nil
}

// Payload reads the response of a capture that Known returned. ref is the Ref of
// that result.
func (p *Past) Payload(ctx context.Context, ref record.Ref) (record.Payload, error) {
	return p.v.Payload(ctx, ref)
}

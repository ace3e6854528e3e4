package store

import (
	"context"

	"infomall/store/record"
	"infomall/store/snapshot"
	"infomall/store/urlkey"
)

// Past answers what a crawl asks before it fetches a page again: which captures of
// the page the archive had when Past was opened. Several goroutines may use it. The
// caller closes it.
type Past struct{ v *snapshot.Snapshot }

// Past pins the current state of the archive, for a crawl that asks which captures a
// page has before it fetches the page again. The caller closes the result.
func (a *Archive) Past(ctx context.Context) (*Past, error) {
	v, err := a.snapshots.Open(ctx)
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
	all, err := p.v.LookupBefore(ctx, urlkey.Key(url), before, record.ColMime|record.ColBytes|record.ColStatus|record.ColVia|record.ColTruncated)
	if err != nil || len(all) == 0 {
		return record.Known{Time: record.NoTime}, err
	}
	i := len(all) - 1
	for i > 0 && all[i].Via == record.ViaNotModified {
		i--
	}
	e := &all[i]
	return record.Known{Time: e.Time, Visited: all[len(all)-1].Time, Status: int(e.Status), Kind: e.Kind, Truncated: e.Truncated, Bytes: e.Bytes, Ref: e.Ref()}, nil
}

// Head returns the status line and headers of a capture that Known returned, as they
// were received; nil if none are stored with it. ref is the Ref of that result.
func (p *Past) Head(ctx context.Context, ref record.Ref) ([]byte, error) {
	return p.v.Head(ctx, ref)
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

package store

import (
	"context"

	"infomall/store/record"
	"infomall/store/snapshot"
	"infomall/store/urlkey"
)

// Past finds out for a crawl which captures of a page the archive had when Past was opened, so
// that the crawl need not store the page again. Several goroutines may use it. The caller
// closes it.
type Past struct{ v *snapshot.Snapshot }

// Past returns a Past for the current state of the archive. The files of that state stay until
// the caller closes the result.
func (a *Archive) Past(ctx context.Context) (*Past, error) {
	v, err := a.snapshots.Open(ctx)
	if err != nil {
		return nil, err
	}
	// Each page is asked about once, so the cache would not help.
	v.SetCache(0)
	return &Past{v}, nil
}

// Close releases the state of the archive that p reads.
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

// Head returns the status line and headers of a capture that Known returned, as they were
// received. It returns nil if none are stored with the capture. ref is the Ref of the result of
// Known.
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

// Payload reads the response of a capture that Known returned. ref is the Ref of the result of
// Known.
func (p *Past) Payload(ctx context.Context, ref record.Ref) (record.Payload, error) {
	return p.v.Payload(ctx, ref)
}

package store

import (
	"context"

	"infomall/store/record"
	"infomall/store/snapshot"
	"infomall/store/urlkey"
)

// Past tells a crawl which captures of a page the archive already has, so that the crawl need
// not store an unchanged page again. It shows the archive as it was when the method
// Archive.Past made it. Several goroutines may use a Past. The caller closes it.
type Past struct{ v *snapshot.Snapshot }

// Past returns a Past that shows the current state of the archive. The files of that state stay
// until the caller closes the result.
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

// Known returns the last capture of a canonical URL that is earlier than the time
// before. It skips captures that are "not modified" answers, unless the URL has no
// others. If the URL has no capture, the Time of the result is record.NoTime.
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

// Head returns the status line and headers of a capture, as they were received. It returns nil
// if none are stored with the capture. ref is the field Ref of a result of Known.
func (p *Past) Head(ctx context.Context, ref record.Ref) ([]byte, error) {
	return p.v.Head(ctx, ref)
}

// Blocked returns the number of the entry of the block-list because of which no capture
// of this canonical URL at time t may be imported, or 0 if there is no such entry.
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

// Payload reads the response of a capture. ref is the field Ref of a result of Known.
func (p *Past) Payload(ctx context.Context, ref record.Ref) (record.Payload, error) {
	return p.v.Payload(ctx, ref)
}

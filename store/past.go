package store

import (
	"context"
	"errors"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// Past is what the archive held when it was pinned, as one asks who comes to a
// page again. It may be used from several goroutines; the caller closes it.
type Past struct{ v *Snapshot }

// Past pins what the archive holds now.
func (a *Archive) Past(ctx context.Context) (*Past, error) {
	v, err := a.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	// Each page is asked about once: what is decoded is kept no longer than for
	// its neighbours.
	v.SetCache(0)
	return &Past{v}, nil
}

// Close lets go what was pinned.
func (p *Past) Close() error { return p.v.Close() }

// Known gives the last capture of a canonical URL before a time, in which a
// server that answers "not modified" stands for what it means. Time is
// record.NoTime where there is none.
func (p *Past) Known(ctx context.Context, url string, before record.Time) (record.Known, error) {
	key := urlkey.Key(url)
	known := record.Known{Time: record.NoTime}
	err := p.v.walk(ctx, record.Scan{
		Ranges: []urlkey.Range{{From: key, To: key + "\x00"}}, From: record.MinTime, To: before,
		Columns: record.ColMime | record.ColBytes | record.ColStatus | record.ColVia | record.ColTruncated,
	}, func(group []located) error {
		i := len(group) - 1
		for i > 0 && group[i].Via == record.ViaNotModified {
			i--
		}
		e := &group[i]
		known = record.Known{Time: e.Time, Status: int(e.Status), Kind: e.Kind, Truncated: e.Truncated, Ref: e.ref()}
		return errStop
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return known, err
}

// Payload reads a capture that Known told of.
func (p *Past) Payload(ctx context.Context, ref record.Ref) (record.Payload, error) {
	return p.v.Payload(ctx, ref)
}

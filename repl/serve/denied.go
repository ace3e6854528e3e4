package serve

import (
	"context"
	"net/http"

	"infomall/exec/access"
	"infomall/exec/relation"
	"infomall/repl/serve/keep"
	"infomall/repl/serve/lookup"
	"infomall/store/record"
)

// deniedAt returns an error with status 451 if an access rule blocks the captures of a
// canonical URL at time t, or the block-list keeps them out. The error says why.
func deniedAt(ctx context.Context, snap relation.Snapshot, url string, t record.Time) error {
	if shared, ok := snap.(*keep.Snapshot); ok {
		snap = shared.Snapshot
	}
	why, denied, err := access.Denied(ctx, snap, url, t)
	switch {
	case err != nil || !denied:
		return err
	case why == "":
		return failf(http.StatusUnavailableForLegalReasons, "this archive does not show %s", url)
	}
	return failf(http.StatusUnavailableForLegalReasons, "this archive does not show %s: %s", url, why)
}

// denied returns an error like deniedAt for a URL of which nothing was found, if it, or
// another form of it, is denied at any time.
func denied(ctx context.Context, snap relation.Snapshot, url string) error {
	for _, u := range lookup.Family(url) {
		if err := deniedAt(ctx, snap, u, record.NoTime); err != nil {
			return err
		}
	}
	return nil
}

package store

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"infomall/store/body"
	"infomall/store/catalog"
)

// snapshots opens the snapshots of one archive, and holds what they share. Several
// goroutines may use it.
type snapshots struct {
	files *body.Files
	bounds

	mu sync.Mutex
	// removals are the removal files read so far, by file name; they never change.
	removals map[string]*catalog.Removal
}

// bounds say how much scans and tallies do at once.
type bounds struct {
	Goroutines     int   // how many goroutines count for one tally at most; with 1, no scan reads ahead
	AheadAfter     int   // as aheadAfter
	SharedCaptures int64 // as sharedCaptures
}

// newSnapshots returns the source of the snapshots of the archive with these files.
func newSnapshots(f *body.Files) *snapshots {
	return &snapshots{
		files: f, bounds: bounds{min(runtime.GOMAXPROCS(0), goroutinesMax), aheadAfter, sharedCaptures},
		removals: make(map[string]*catalog.Removal),
	}
}

// open pins the archive's present state. If there is no archive, the snapshot is
// empty. The caller closes it.
func (s *snapshots) open(ctx context.Context) (*snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := s.files.Folder.Pin()
	if err != nil {
		return nil, fmt.Errorf("open the archive %s: %w", s.files.Folder.Path, err)
	}
	s.files.Pin()
	return &snapshot{from: s, pin: p, runs: body.NewRuns(s.files, p.Catalog)}, nil
}

// warn reports damage that is worked around.
func (v *snapshot) warn(err error) { v.from.files.Warn(err) }

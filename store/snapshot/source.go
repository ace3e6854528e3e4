package snapshot

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"infomall/store/body"
	"infomall/store/catalog"
	"infomall/store/readings"
	"infomall/store/record/task"
)

// Source opens the snapshots of one archive, and has what these snapshots share.
// Several goroutines may use it.
type Source struct {
	files *body.Files
	Options

	mu sync.Mutex
	// removals are the removal files read so far, by file name; they never change.
	removals map[string]*catalog.Removal
	// blocked is the block-list that was read last, and blockedName the name of its file.
	blocked     *task.BlockList
	blockedName string
	// readingsCache has tables of readings, by file name.
	readingsCache map[string]*readings.File
	readingsBytes int64 // size of these tables in bytes
}

// Options say how much work scans and tallies do in parallel or in advance.
type Options struct {
	Goroutines     int   // how many goroutines at most count for one tally; with 1, no scan reads ahead
	AheadAfter     int   // how many batches a scan makes before it begins to read ahead
	SharedCaptures int64 // how many captures a tally must count before a second goroutine helps
}

// NewSource returns a Source that opens snapshots of the archive with the files f.
// Its Options have default values.
func NewSource(f *body.Files) *Source {
	return &Source{
		files: f, Options: Options{min(runtime.GOMAXPROCS(0), goroutinesMax), aheadAfter, sharedCaptures},
		removals: make(map[string]*catalog.Removal),
	}
}

// Open returns a snapshot of the present state of the archive. The files of that state stay
// until the caller closes the snapshot. If there is no archive, the snapshot is empty.
func (s *Source) Open(ctx context.Context) (*Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := s.files.Folder.Pin()
	if err != nil {
		return nil, fmt.Errorf("open the archive %s: %w", s.files.Folder.Path, err)
	}
	s.files.Pin()
	return &Snapshot{from: s, Pin: p, Runs: body.NewRuns(s.files, p.Catalog), damage: new(damageMet), documents: new(documents), states: new(states)}, nil
}

// Warn reports damage that does not stop the caller, through the archive's function
// for warnings.
func (v *Snapshot) Warn(err error) { v.from.files.Warn(err) }

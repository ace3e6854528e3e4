package keep

import (
	"context"
	"sync"
	"time"

	"infomall/exec/relation"
)

// snapshotIdle is how long a snapshot stays open after its last use. Until then the
// archive keeps the files of that state, even if they were merged or deleted.
const snapshotIdle = 10 * time.Second

// Snapshots lets requests share a snapshot as long as the archive does not change,
// because a snapshot that has been used knows which segments have which URLs. Each
// request still sees the archive as it was when the request came.
type Snapshots struct {
	Open func(context.Context) (relation.Snapshot, func(), error)

	mu      sync.Mutex
	current *Snapshot // nil if there is none
}

// Snapshot is a snapshot and how many requests use it. It is closed when it is
// not the current one and nobody uses it.
type Snapshot struct {
	relation.Snapshot
	state   string
	release func()
	users   int
	idle    *time.Timer // nil while somebody uses it
}

// Get returns a snapshot of the present state of the archive. The caller calls
// release once.
func (s *Snapshots) Get(ctx context.Context) (snap relation.Snapshot, release func(), err error) {
	fresh, closeFresh, err := s.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	state := fresh.State()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil && s.current.state == state {
		closeFresh()
	} else {
		s.retire()
		fresh.SkipDamage()
		s.current = &Snapshot{Snapshot: fresh, state: state, release: closeFresh}
	}
	x := s.current
	x.users++
	if x.idle != nil {
		x.idle.Stop()
		x.idle = nil
	}
	var once sync.Once
	return x, func() { once.Do(func() { s.leave(x) }) }, nil
}

// leave ends one use of x.
func (s *Snapshots) leave(x *Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.users--; x.users > 0 {
		return
	}
	if s.current != x {
		x.release()
		return
	}
	x.idle = time.AfterFunc(snapshotIdle, func() { s.expire(x) })
}

// expire closes x, which was not used for a while, unless it is used again.
func (s *Snapshots) expire(x *Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == x && x.users == 0 {
		s.retire()
	}
}

// retire makes the current snapshot no longer current. The caller holds s.mu.
func (s *Snapshots) retire() {
	x := s.current
	if x == nil {
		return
	}
	s.current = nil
	if x.idle != nil {
		x.idle.Stop()
	}
	if x.users == 0 {
		x.release()
	}
}

// Close closes the current snapshot. No request may run.
func (s *Snapshots) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retire()
}

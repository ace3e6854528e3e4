package serve

import (
	"context"
	"sync"
	"time"

	"infomall/exec/relation"
)

// sharedIdle is how long a snapshot stays open after its last use. Until then the
// archive keeps the files of that state, even if they were merged or deleted.
const sharedIdle = 10 * time.Second

// snapshots lets requests share a snapshot as long as the archive does not change,
// because a snapshot that has been used knows which segments have which URLs. Each
// request still sees the archive as it was when the request came.
type snapshots struct {
	open func(context.Context) (relation.Snapshot, func(), error)

	mu      sync.Mutex
	current *sharedSnapshot // nil if there is none
}

// sharedSnapshot is a snapshot and how many requests use it. It is closed when it is
// not the current one and nobody uses it.
type sharedSnapshot struct {
	relation.Snapshot
	state   string
	release func()
	users   int
	idle    *time.Timer // nil while somebody uses it
}

// get returns a snapshot of the present state of the archive. The caller calls
// release once.
func (s *snapshots) get(ctx context.Context) (snap relation.Snapshot, release func(), err error) {
	fresh, closeFresh, err := s.open(ctx)
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
		s.current = &sharedSnapshot{Snapshot: fresh, state: state, release: closeFresh}
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
func (s *snapshots) leave(x *sharedSnapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.users--; x.users > 0 {
		return
	}
	if s.current != x {
		x.release()
		return
	}
	x.idle = time.AfterFunc(sharedIdle, func() { s.expire(x) })
}

// expire closes x, which was not used for a while, unless it is used again.
func (s *snapshots) expire(x *sharedSnapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == x && x.users == 0 {
		s.retire()
	}
}

// retire makes the current snapshot no longer current. The caller holds s.mu.
func (s *snapshots) retire() {
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

// close closes the current snapshot. No request may run.
func (s *snapshots) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retire()
}

package keep

import (
	"context"
	"sync"
	"time"

	"infomall/exec/relation"
	"infomall/store/memo"
)

// snapshotIdle is how long a snapshot stays open after its last use. Until then the
// archive keeps the files of that state, even if they were merged or deleted.
const snapshotIdle = 10 * time.Second

// answersBytes bounds the answers that a snapshot keeps, in bytes.
const answersBytes = 54 << 20

// Snapshots lets requests share one snapshot as long as the archive does not change. A snapshot
// that has been used is faster than a new one, because it knows which segments have which URLs.
// Each request still sees the archive as it was when the request came, or later.
type Snapshots struct {
	// Open opens a snapshot of the present state of the archive. The function that it
	// returns closes the snapshot.
	Open func(context.Context) (relation.Snapshot, func(), error)

	opens   sync.Mutex // held while Open is called
	mu      sync.Mutex
	next    *opening  // the call of Open that has not begun; nil if nobody waits for one
	current *Snapshot // nil if there is none
}

// opening is one call of Open. Its result is for all requests that came before the call began.
type opening struct {
	once  sync.Once
	users int // the requests; protected by Snapshots.mu
	snap  *Snapshot
	err   error
}

// Snapshot is a snapshot and how many requests use it. It is closed when it is
// not the current one and nobody uses it.
type Snapshot struct {
	relation.Snapshot
	// Answers keeps answers that depend on nothing but the request and the state of
	// the archive. They are dropped when the archive changes.
	Answers *memo.Cache
	state   string
	release func()
	users   int
	idle    *time.Timer // nil while somebody uses it
}

// State returns the name of the state; see relation.Snapshot.
func (x *Snapshot) State() string { return x.state }

// Get returns a snapshot of the present state of the archive. The caller calls
// release once.
func (s *Snapshots) Get(ctx context.Context) (snap *Snapshot, release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	if s.next == nil {
		s.next = new(opening)
	}
	o := s.next
	o.users++
	s.mu.Unlock()
	o.once.Do(func() { s.open(context.WithoutCancel(ctx), o) }) // the others must not fail with the first request
	if o.err != nil {
		return nil, nil, o.err
	}
	var once sync.Once
	return o.snap, func() { once.Do(func() { s.leave(o.snap) }) }, nil
}

// open calls Open for the requests that wait for o. It makes the result the current snapshot,
// unless the current snapshot has the same state.
func (s *Snapshots) open(ctx context.Context, o *opening) {
	s.opens.Lock()
	defer s.opens.Unlock()
	s.mu.Lock()
	s.next = nil // a request that comes now may have to see a later state
	s.mu.Unlock()
	fresh, closeFresh, err := s.Open(ctx)
	if err != nil {
		o.err = err
		return
	}
	state := fresh.State()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil && s.current.state == state {
		closeFresh()
	} else {
		s.retire()
		fresh.SkipDamage()
		s.current = &Snapshot{Snapshot: fresh, Answers: memo.New(answersBytes), state: state, release: closeFresh}
	}
	x := s.current
	x.users += o.users
	if x.idle != nil {
		x.idle.Stop()
		x.idle = nil
	}
	o.snap = x
}

// leave ends one use of x by a request.
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

// retire makes s have no current snapshot; the old one is closed when nobody uses it. The caller
// holds s.mu.
func (s *Snapshots) retire() {
	x := s.current
	if x == nil {
		return
	}
	s.current = nil
	x.Answers.Bound(0)
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

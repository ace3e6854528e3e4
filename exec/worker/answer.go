package worker

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/crc32c"
)

// aliveEvery is how often a worker says that it still works on a task.
const aliveEvery = time.Second

// Answerer computes tasks: it is the part of a worker that knows the archive. Its methods
// may be called by several goroutines.
type Answerer struct {
	info    Info
	archive session.Archive
	open    func() *session.Session
	slots   chan struct{}
	kept    kept

	mu   sync.Mutex
	done int64
}

// NewAnswerer returns an Answerer for the archive. open returns a new session of the
// archive, which must be read-only and refuse to read files. info.Slots must be above 0. The
// caller closes the Answerer when all tasks have ended.
func NewAnswerer(archive session.Archive, info Info, open func() *session.Session) *Answerer {
	return &Answerer{info: info, archive: archive, open: open, slots: make(chan struct{}, info.Slots)}
}

// Close closes the snapshots that a keeps for later tasks.
func (a *Answerer) Close() { a.kept.close() }

// Info returns the Info of the worker for a process that asks for an archive in the given
// state. If the worker can read that state, it keeps the state open for later tasks.
func (a *Answerer) Info(ctx context.Context, state string) (Info, error) {
	info := a.info
	info.Busy = len(a.slots)
	a.mu.Lock()
	info.Done = a.done
	a.mu.Unlock()
	if !a.archive.Exists() {
		return info, nil
	}
	k := a.kept.find(state, true)
	if k == nil {
		var err error
		if k, err = a.snapshot(ctx, state); err != nil {
			return info, err
		}
	}
	info.State = k.state
	a.kept.release(k)
	return info, nil
}

// Answer computes a task and calls send with the messages of the answer, one after the
// other. It stops when ctx is done, or when send returns an error, which it returns.
func (a *Answerer) Answer(ctx context.Context, msg []byte, send func([]byte) error) error {
	t, err := decodeTask(msg)
	if err != nil {
		return err // nobody knows which attempt it is
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s := &sender{attempt: t.Attempt, send: send, cancel: cancel}
	stop := s.live(ctx)
	err = a.records(ctx, t, s)
	stop()
	cancel(nil)
	if s.err != nil {
		return s.err
	}
	a.mu.Lock()
	a.done++
	a.mu.Unlock()
	return s.finish(err)
}

// records computes the records of t and gives them to s.
func (a *Answerer) records(ctx context.Context, t *task, s *sender) error {
	if t.Format != format {
		return fmt.Errorf("%w: the task has format %d, and this worker computes format %d", session.ErrOtherArchive, t.Format, format)
	}
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	k, err := a.snapshot(ctx, t.State)
	if err != nil {
		return err
	}
	defer a.kept.release(k)
	q := t.question()
	asked, err := a.session(q)
	if err != nil {
		return err
	}
	for rec, err := range asked.Part(ctx, k.Snapshot, q, t.Part, t.ranges()) {
		if err == nil {
			err = s.record(rec)
		}
		if err != nil {
			return err
		}
	}
	if err := k.Damage(); err != nil {
		a.kept.forget(k)
		return &damagedError{err}
	}
	return nil
}

// damagedError says that records of a part could not be read, because the archive is
// damaged.
type damagedError struct{ error }

// snapshot returns a snapshot of the archive in the given state: a kept one that no task uses, or
// else a new one. If the archive is in another state now, it returns a kept one that another task
// uses, or if there is none, a snapshot of the present state. The caller releases the snapshot.
// Reads through it skip damage.
func (a *Answerer) snapshot(ctx context.Context, state string) (*keptSnapshot, error) {
	if k := a.kept.find(state, false); k != nil {
		return k, nil
	}
	snap, release, err := a.open().SnapshotOrEmpty(ctx)
	if err != nil {
		return nil, err
	}
	snap.SkipDamage()
	k := a.kept.find(snap.State(), false)
	if k == nil && snap.State() != state {
		k = a.kept.find(state, true)
	}
	if k != nil {
		release()
		return k, nil
	}
	return a.kept.add(snap, release), nil
}

// session returns a session with the settings, parameters and time of q.
func (a *Answerer) session(q *session.Question) (*session.Session, error) {
	s := a.open()
	for name, v := range q.Settings {
		k := session.SettingNamed(name)
		if k == nil {
			return nil, fmt.Errorf("%w: this program has no setting %s", session.ErrOtherArchive, name)
		}
		if err := k.Set(s.Settings(), v); err != nil {
			return nil, fmt.Errorf("%w: the setting %s: %w", session.ErrOtherArchive, name, err)
		}
	}
	s.Settings().WarnCost = session.CostLimit{} // the process that asks has warned
	s.SetParams(maps.Clone(q.Params))
	s.SetNow(func() time.Time { return q.Now.Std() })
	return s, nil
}

// sender sends the messages of one answer. The goroutine that computes and the one that
// says alive use it.
type sender struct {
	attempt uint64
	send    func([]byte) error
	cancel  context.CancelCauseFunc // stops the computing when nobody wants the answer

	mu     sync.Mutex
	number uint32
	buf    []byte
	err    error // of send

	content []byte // records that were not sent
	records uint64
	crc     uint32 // of all records
}

// put sends a message. After an error it does nothing but return the error.
func (s *sender) put(k kind, content []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	m := message{k, s.attempt, s.number, content}
	s.number++
	s.buf = m.append(s.buf[:0])
	if s.err = s.send(s.buf); s.err != nil {
		s.cancel(s.err)
	}
	return s.err
}

// live sends a message that says alive, every aliveEvery, until the function that it returns is
// called. That function waits until the last message was sent.
func (s *sender) live(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(aliveEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if s.put(kindAlive, nil) != nil {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	})
	return func() { cancel(); wait.Wait() }
}

// record adds a record to the answer.
func (s *sender) record(rec []byte) error {
	start := len(s.content)
	s.content = append(binary.AppendUvarint(s.content, uint64(len(rec))), rec...)
	s.crc = crc32c.Add(s.crc, s.content[start:])
	s.records++
	for len(s.content) >= ChunkBytes {
		if err := s.put(kindRecords, s.content[:ChunkBytes]); err != nil {
			return err
		}
		s.content = s.content[:copy(s.content, s.content[ChunkBytes:])]
	}
	return nil
}

// finish sends the end of an answer whose records were computed with the error err.
func (s *sender) finish(err error) error {
	var fault *ast.Error
	var damaged *damagedError
	switch {
	case errors.As(err, &fault), errors.As(err, &damaged):
		return s.put(kindFault, []byte(err.Error()))
	case errors.Is(err, session.ErrOtherArchive):
		return s.put(kindRefused, []byte(err.Error()))
	case err != nil:
		return s.put(kindFailed, []byte(err.Error()))
	}
	if len(s.content) > 0 {
		if err := s.put(kindRecords, s.content); err != nil {
			return err
		}
	}
	end := binary.BigEndian.AppendUint64(nil, s.records)
	return s.put(kindEnd, binary.BigEndian.AppendUint32(end, s.crc))
}

// kept keeps snapshots between tasks, because the archive may change while a question is
// answered. The zero value is ready to use.
type kept struct {
	mu   sync.Mutex
	list []*keptSnapshot // the one used last at the end
}

// keptSnapshot is a snapshot that tasks use one after the other. A snapshot remembers the run
// that it has read last of each segment. If two tasks used it at once, each would drop the
// runs of the other: all texts of a million captures took 2.4 times the CPU time.
type keptSnapshot struct {
	relation.Snapshot
	release func() // closes the snapshot
	state   string
	users   int
	used    time.Time
	damaged bool // a read has met damage; no other task may use the snapshot
}

const (
	// keptMost is how many snapshots that no task uses are kept.
	keptMost = 4
	// keptFor is how long a snapshot is kept after its last use. A snapshot keeps files that
	// were removed from the archive.
	keptFor = time.Minute
)

// add keeps snap, which release closes, and returns it. The caller releases it.
func (k *kept) add(snap relation.Snapshot, release func()) *keptSnapshot {
	s := &keptSnapshot{Snapshot: snap, release: release, state: snap.State(), users: 1, used: time.Now()}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, s)
	return s
}

// forget makes find not return s any more, because a snapshot remembers the damage that it
// has met, and the next task may not meet it.
func (k *kept) forget(s *keptSnapshot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s.damaged = true
}

// find returns a snapshot of the state that is kept, or nil. If shared is false, no task uses it.
// The caller releases it.
func (k *kept) find(state string, shared bool) *keptSnapshot {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range k.list {
		if s.state == state && !s.damaged && (shared || s.users == 0) {
			s.users++
			return s
		}
	}
	return nil
}

// release ends the use of s.
func (k *kept) release(s *keptSnapshot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s.users--
	s.used = time.Now()
	k.closeUnused()
	if s.users == 0 {
		time.AfterFunc(keptFor, func() {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.closeUnused()
		})
	}
}

// closeUnused closes the snapshots that were not used for long, and those above keptMost.
func (k *kept) closeUnused() {
	unused := 0
	for i, s := range slices.Backward(k.list) {
		if s.users > 0 {
			continue
		}
		if unused++; s.damaged || unused > keptMost || time.Since(s.used) >= keptFor {
			s.release()
			k.list = slices.Delete(k.list, i, i+1)
		}
	}
}

// close closes all snapshots.
func (k *kept) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range k.list {
		s.release()
	}
	k.list = nil
}

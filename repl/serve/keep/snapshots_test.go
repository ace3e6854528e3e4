package keep

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"testing"

	"infomall/exec/relation"
	"infomall/exec/relation/relationtest"
)

// TestSnapshots shows that requests share a snapshot until the archive changes,
// and that a snapshot is closed when its last user has left it.
func TestSnapshots(t *testing.T) {
	state, open, closed := "1", 0, 0
	s := &Snapshots{Open: func(context.Context) (relation.Snapshot, func(), error) {
		open++
		return stated{relationtest.New(), state}, func() { closed++ }, nil
	}}
	get := func() (relation.Snapshot, func()) {
		snap, release, err := s.Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return snap, release
	}
	a, leaveA := get()
	b, leaveB := get()
	if a != b || open-closed != 1 {
		t.Errorf("two requests in one state have %d snapshots", open-closed)
	}
	leaveA()
	leaveA() // the second time does nothing
	state = "2"
	c, leaveC := get()
	if c == a || c.State() != "test-2" || b.State() != "test-1" || open-closed != 2 {
		t.Errorf("after a change: states %s and %s, %d open", b.State(), c.State(), open-closed)
	}
	leaveB()
	if open-closed != 1 {
		t.Errorf("after the last user of the old state: %d open, want 1", open-closed)
	}
	x := s.current
	s.expire(x)
	if open-closed != 1 {
		t.Error("a snapshot in use has expired")
	}
	leaveC()
	if open-closed != 1 || x.idle == nil {
		t.Error("an unused snapshot is not kept for a while")
	}
	s.expire(x)
	if open-closed != 0 {
		t.Errorf("after its time: %d open", open-closed)
	}
	_, leave := get()
	leave()
	s.Close()
	if open-closed != 0 {
		t.Errorf("after close: %d open", open-closed)
	}
}

// TestSharedOpening shows that all requests that come while a snapshot is opened share the
// next one, which is opened after they came, and that a request that is cancelled does not
// fail the others.
func TestSharedOpening(t *testing.T) {
	const waiting = 10
	begun, goOn := make(chan bool), make(chan bool)
	opened, closed := 0, 0
	s := &Snapshots{Open: func(ctx context.Context) (relation.Snapshot, func(), error) {
		opened++
		begun <- true
		<-goOn
		return stated{relationtest.New(), strconv.Itoa(opened)}, func() { closed++ }, ctx.Err()
	}}
	states := make(chan string, waiting+1)
	get := func(ctx context.Context) {
		snap, release, err := s.Get(ctx)
		if err != nil {
			states <- err.Error()
			return
		}
		release()
		states <- snap.State()
	}
	go get(t.Context())
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	for i := range waiting {
		if i > 0 {
			ctx = t.Context()
		}
		go get(ctx)
		for n := 0; n <= i; runtime.Gosched() {
			s.mu.Lock()
			if s.next != nil {
				n = s.next.users
			}
			s.mu.Unlock()
		}
	}
	cancel()
	goOn <- true
	if got := <-states; got != "test-1" {
		t.Errorf("the first request has the state %s", got)
	}
	<-begun
	goOn <- true
	for range waiting {
		if got := <-states; got != "test-2" {
			t.Errorf("a request that came after the first snapshot was opened has the state %s", got)
		}
	}
	if s.Close(); opened != 2 || closed != 2 {
		t.Errorf("%d snapshots were opened and %d closed, want 2 and 2", opened, closed)
	}
	cancelled, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := s.Get(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled request gets %v", err)
	}
}

// stated is a snapshot in a state that the test has set.
type stated struct {
	*relationtest.Archive
	state string
}

// State returns the state that the test has set.
func (s stated) State() string { return "test-" + s.state }

package keep

import (
	"context"
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

// stated is a snapshot in a state that the test has set.
type stated struct {
	*relationtest.Archive
	state string
}

// State returns the state that the test has set.
func (s stated) State() string { return "test-" + s.state }

package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/disk"
	"infomall/store/disk/disktest"
	"infomall/store/record"
	"infomall/store/record/task"
)

// comings is a sequence of imports, DELETEs and DROPs, and what the archive must
// say after each.
type comings struct {
	do   []func(*Archive) error
	want [][]row // want[n]: after n steps
}

// newComings makes one of a drawn history: half of it comes in, some of that is
// deleted, the rest comes in, the last pool is dropped, what was deleted comes
// in again and is deleted again. Of every second one all pools are sealed behind
// the first half, split where they are large, and again in the end, when static
// pools have captures that were deleted.
func newComings(seed int) *comings {
	m := &removalModel{visits: rapid.Custom(drawHistory).Example(seed), past: make(map[*visit]past), fixed: make(map[*visit]*visit)}
	for _, v := range m.visits {
		if v.as == "digest" || v.as == "before" && seed%2 == 1 {
			v.as = "" // it may be that of a later capture, or become so for good when pools are merged
		}
	}
	slices.SortFunc(m.visits, func(a, b *visit) int { return int(a.time - b.time) })
	half := len(m.visits) / 2
	third := func(v *visit) bool { return slices.Index(m.visits, v)%3 == 0 && slices.Index(m.visits, v) < half }
	c := &comings{want: [][]row{nil}}
	bring := func(list []*visit) {
		m.bring(list)
		var now []*visit
		for _, v := range list {
			as := *v // the model may change it for a later step
			now = append(now, &as)
		}
		c.step(m, func(a *Archive) error {
			var res task.ImportResult
			return putErr(a, now, &res)
		})
	}
	remove := func() {
		list := m.chosen(func(v *visit) bool { return third(v) && m.visible(v) })
		m.take(list)
		c.step(m, func(a *Archive) error {
			_, err := deleteWhere(a, func(url string, at record.Time) bool {
				return slices.ContainsFunc(list, func(v *visit) bool { return v.url == url && v.time == at })
			})
			return err
		})
	}
	sealAll := func() {
		if seed%2 == 1 {
			c.step(m, func(a *Archive) error {
				_, err := a.Merge(context.Background(), task.MergeOptions{Seal: true, PoolLimit: 3000})
				return err
			})
		}
	}
	bring(m.visits[:half])
	sealAll()
	remove()
	bring(m.visits[half:])
	last := m.visits[len(m.visits)-1].time.Pool()
	if seed%2 == 0 { // else it may be in parts
		for _, v := range m.chosen(func(v *visit) bool { return v.time.Pool() == last }) {
			m.past[v] = past{}
		}
		c.step(m, func(a *Archive) error {
			_, err := a.Drop(context.Background(), task.DropOptions{Pool: last})
			var none *task.NoPoolError
			if errors.As(err, &none) {
				return nil // it was done when the process was killed
			}
			return err
		})
	}
	bring(m.chosen(func(v *visit) bool { return third(v) && !m.visible(v) }))
	remove()
	sealAll()
	return c
}

func (c *comings) step(m *removalModel, do func(*Archive) error) {
	c.do = append(c.do, do)
	c.want = append(c.want, m.rows())
}

// run does the steps from some on, on the disk that over makes (nil: of the operating system), each in a process of its own, until one
// fails. It tells how many are done.
func (c *comings) run(over func(disk.FS) disk.FS, dir string, from int, acked func(n int)) (int, error) {
	for n := from; n < len(c.do); n++ {
		a := openOver(dir, Options{}, over)
		err := c.do[n](a)
		if e := a.Close(); err == nil {
			err = e
		}
		if err != nil {
			return n, err
		}
		acked(n + 1)
	}
	return len(c.do), nil
}

// judge tells what is wrong with an archive in which at least acked steps were
// done, and at most begun; each whole or not at all.
func (c *comings) judge(dir string, acked, begun int) error {
	a := openAt(dir, Options{})
	defer a.Close()
	got, err := tellRows(a, record.MinTime, record.MaxTime)
	if err != nil {
		return err
	}
	for n := acked; n <= begun; n++ {
		if equalRows(got, c.want[n]) {
			return nil
		}
	}
	return fmt.Errorf("between %d and %d steps should be done:\n%s", acked, begun, diffRows(got, c.want[acked]))
}

// finish does the steps that are left, and tells what is wrong then: also
// leftovers, and what Verify finds.
func (c *comings) finish(dir string, done int) error {
	if _, err := c.run(nil, dir, done, func(int) {}); err != nil {
		return err
	}
	if err := c.judge(dir, len(c.do), len(c.do)); err != nil {
		return err
	}
	a := openAt(dir, Options{})
	defer a.Close()
	for f, err := range a.Verify(context.Background(), task.VerifyOptions{}) {
		if err != nil {
			return err
		}
		return fmt.Errorf("VERIFY finds %+v", f)
	}
	return noLeftovers(a)
}

// begunBy is how many steps may have begun when acked are done.
func (c *comings) begunBy(acked int) int { return min(acked+1, len(c.do)) }

// TestRemovalKillPoints kills imports, DELETEs and DROPs at many operations:
// each is done whole or not at all, and the next process takes up what is left.
func TestRemovalKillPoints(t *testing.T) {
	const kinds = 4
	count := *killPoints
	if testing.Short() {
		count = min(count, 30)
	}
	var all [kinds]*comings
	var operations [kinds]int
	for i := range all {
		all[i] = newComings(i)
		root := t.TempDir()
		d, over := failing(root)
		if _, err := all[i].run(over, filepath.Join(root, "archive"), 0, func(int) {}); err != nil {
			t.Fatal(err)
		}
		operations[i] = d.Operations()
	}
	r := rand.New(rand.NewPCG(11, 12))
	for i := range count {
		c := all[i%kinds]
		root := t.TempDir()
		dir := filepath.Join(root, "archive")
		d, over := failing(root)
		at := 1 + r.IntN(operations[i%kinds])
		d.Fault = func(n int, _ string) error {
			if n >= at {
				return disktest.ErrKilled
			}
			return nil
		}
		acked, err := c.run(over, dir, 0, func(int) {})
		if err != nil && !errors.Is(err, disktest.ErrKilled) {
			t.Fatal(err)
		}
		err = c.judge(dir, acked, c.begunBy(acked))
		if err == nil {
			err = c.finish(dir, acked)
		}
		if err != nil {
			t.Fatalf("history %d killed at operation %d, %d steps acknowledged: %v", i%kinds, at, acked, err)
		}
		if err := removeAll(root); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kill points", count)
}

// TestRemovalPowerLoss looks at what a power cut may leave of imports, DELETEs
// and DROPs, of which one met an I/O error: what was acknowledged is done.
func TestRemovalPowerLoss(t *testing.T) {
	needsFolder(t, noPower)
	states := *powerStates / 2
	if testing.Short() {
		states = min(states, 200)
	}
	const recordings = 8
	r := rand.New(rand.NewPCG(13, 14))
	looked := 0
	for i := range recordings {
		c := newComings(i % 4)
		root := t.TempDir()
		d := disktest.New(root)
		dir := filepath.Join(root, "archive")
		type mark struct{ at, acked int }
		var marks []mark
		d.Fault = once(200+r.IntN(400), syscall.EIO)
		for done := 0; done < len(c.do); {
			var err error
			done, err = c.run(func(disk.FS) disk.FS { return d }, dir, done, func(n int) { marks = append(marks, mark{d.Mark(), n}) })
			if err != nil && !errors.Is(err, syscall.EIO) {
				t.Fatal(err)
			}
		}
		state := filepath.Join(t.TempDir(), "state")
		for range states / recordings {
			n := marks[0].at + r.IntN(d.Mark()-marks[0].at+1)
			acked := 0
			for _, m := range marks {
				if m.at <= n {
					acked = m.acked
				}
			}
			if err := removeAll(state); err != nil {
				t.Fatal(err)
			}
			if err := d.Crash(n, r).WriteTo(state); err != nil {
				t.Fatal(err)
			}
			looked++
			err := c.judge(filepath.Join(state, "archive"), acked, c.begunBy(acked))
			if err == nil && looked%20 == 0 {
				err = c.finish(filepath.Join(state, "archive"), acked)
			}
			if err != nil {
				t.Fatalf("recording %d after %d of %d operations, %d steps acknowledged: %v", i, n, d.Mark(), acked, err)
			}
		}
	}
	t.Logf("%d states", looked)
}

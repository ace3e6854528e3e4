package frontier

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"infomall/crawl/report"
	"infomall/crawl/state"
	"infomall/store/disk"
	"infomall/store/record"
)

// TestFrontier compares the frontier, over its store on disk, with a list that
// is searched from end to end. At any moment the URL taken out must be the
// first of all URLs whose hosts are free and awake. After a restart, only URLs
// that were out and not done may be delivered again.
func TestFrontier(t *testing.T) {
	dirs := 0
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dirs++
		dir := filepath.Join(root, fmt.Sprint(dirs))
		m := &model{t: t, dir: dir, now: time.UnixMilli(1_000_000), next: make(map[string]time.Time), out: make(map[string]*report.Queued)}
		m.open()
		defer func() { m.check(m.q.Close()) }()
		t.Repeat(map[string]func(*rapid.T){
			"add": m.add, "next": m.take, "done": m.done, "return": m.giveBack, "retry": m.retry, "raise": m.raise, "wait": m.wait, "restart": m.restart,
		})
	})
}

// TestHold holds a host: its URLs are not taken out, it does not keep the crawl from its
// end, and Unhold and a restart deliver its URLs.
func TestHold(t *testing.T) {
	dir := t.TempDir()
	q, err := state.Open(disk.OS, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { q.Close() }()
	f, err := New(q)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"1", "2"} {
		if _, err := f.Add(report.Queued{URL: "http://a.cn/" + path, Host: "a.cn", Due: record.NoTime}); err != nil {
			t.Fatal(err)
		}
	}
	now := time.UnixMilli(1_000_000)
	take := func(want string) report.Queued {
		t.Helper()
		u, _, ok, err := f.Next(now)
		if err != nil || u.URL != want {
			t.Fatalf("took %q, %v, %v, want %q", u.URL, ok, err, want)
		}
		return u
	}
	if err := f.Hold(take("http://a.cn/1")); err != nil {
		t.Fatal(err)
	}
	take("")
	if err := f.Release("a.cn", time.Time{}); err != nil {
		t.Fatal(err)
	}
	take("")
	if !f.Empty() {
		t.Error("the host counts as work that is left")
	}
	if err := f.Unhold("a.cn"); err != nil {
		t.Fatal(err)
	}
	if err := f.Hold(take("http://a.cn/1")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(q.Commit(), q.Close()); err != nil {
		t.Fatal(err)
	}
	if q, err = state.Open(disk.OS, dir); err != nil {
		t.Fatal(err)
	}
	if f, err = New(q); err != nil {
		t.Fatal(err)
	}
	take("http://a.cn/1")
}

// TestRetriedAfterPause takes out a waiting URL as soon as it is due, although
// its host had to be left in peace until then and had no other URL.
func TestRetriedAfterPause(t *testing.T) {
	q, err := state.Open(disk.OS, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	f, err := New(q)
	if err != nil {
		t.Fatal(err)
	}
	now := time.UnixMilli(1_000_000)
	if _, err := f.Add(report.Queued{URL: "http://a.cn/", Host: "a.cn", Due: record.NoTime}); err != nil {
		t.Fatal(err)
	}
	u, _, ok, err := f.Next(now)
	if err != nil || !ok {
		t.Fatalf("took %v, %v", ok, err)
	}
	due := now.Add(3 * time.Second)
	if err := errors.Join(f.Release(u.Host, now.Add(time.Second)), f.Retry(&u, due)); err != nil {
		t.Fatal(err)
	}
	if _, wait, ok, err := f.Next(now); err != nil || ok || !wait.Equal(due) {
		t.Errorf("before it is due: took %v, %v, and is to wait until %v, want %v", ok, err, wait, due)
	}
	if _, wait, ok, err := f.Next(due); err != nil || !ok {
		t.Errorf("when it is due: took %v, %v, and is to wait until %v", ok, err, wait)
	}
}

// model is a frontier together with the list that says what it should do.
type model struct {
	t    *rapid.T
	dir  string
	q    *state.Crawl
	f    *Frontier
	now  time.Time
	n    int
	list []report.Queued           // in the queues, not out
	next map[string]time.Time      // when hosts are awake
	out  map[string]*report.Queued // by host
}

func (m *model) check(err error) {
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *model) open() {
	var err error
	m.q, err = state.Open(disk.OS, m.dir)
	m.check(err)
	m.f, err = New(m.q)
	m.check(err)
}

// add adds some URLs, sometimes more than fit into the window.
func (m *model) add(t *rapid.T) {
	for range rapid.SampledFrom([]int{1, 3, 100}).Draw(t, "count") {
		m.n++
		host := rapid.SampledFrom([]string{"a.cn", "b.cn", "b.cn:81"}).Draw(t, "host")
		u := report.Queued{URL: fmt.Sprintf("http://%s/%d", host, m.n), Host: host, Priority: rapid.Uint64Range(0, 5).Draw(t, "priority"), Due: record.NoTime, Terms: new(report.Terms)}
		added, err := m.f.Add(u)
		m.check(err)
		again, err := m.f.Add(u)
		m.check(err)
		if !added || again {
			t.Fatalf("added %v, and again %v", added, again)
		}
		u.Seq = uint64(m.n)
		m.list = append(m.list, u)
	}
}

// take takes out the next URL and compares it with the list.
func (m *model) take(t *rapid.T) {
	got, _, ok, err := m.f.Next(m.now)
	m.check(err)
	var free []report.Queued
	for _, u := range m.list {
		if m.out[u.Host] == nil && !m.next[u.Host].After(m.now) && (u.Due == record.NoTime || u.Due <= record.At(m.now)) {
			free = append(free, u)
		}
	}
	if len(free) == 0 {
		if ok {
			t.Fatalf("took %s, and nothing is free", got.URL)
		}
		if empty := m.f.Empty(); empty != (len(m.list) == 0 && len(m.out) == 0) {
			t.Fatalf("empty is %v, with %d queued and %d out", empty, len(m.list), len(m.out))
		}
		return
	}
	want := slices.MinFunc(free, func(a, b report.Queued) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Seq, b.Seq))
	})
	if !ok || got.URL != want.URL {
		t.Fatalf("took %q (%v), want %q", got.URL, ok, want.URL)
	}
	m.out[got.Host] = &got
	m.list = slices.DeleteFunc(m.list, func(u report.Queued) bool { return u.URL == got.URL })
}

// anyOut returns a URL that is out, or nil if there is none.
func (m *model) anyOut(t *rapid.T) *report.Queued {
	for _, host := range []string{"a.cn", "b.cn", "b.cn:81"} {
		if u := m.out[host]; u != nil && rapid.Bool().Draw(t, host) {
			return u
		}
	}
	t.Skip("nothing is out")
	return nil
}

func (m *model) release(t *rapid.T, u *report.Queued) time.Time {
	delete(m.out, u.Host)
	var next time.Time
	if rapid.Bool().Draw(t, "pause") {
		next = m.now.Add(time.Second)
	}
	m.next[u.Host] = next
	return next
}

func (m *model) done(t *rapid.T) {
	u := m.anyOut(t)
	m.check(m.f.Release(u.Host, m.release(t, u)))
	m.check(m.f.Done(u))
}

func (m *model) giveBack(t *rapid.T) {
	u := m.anyOut(t)
	m.check(m.f.Return(*u, m.release(t, u)))
	m.list = append(m.list, *u)
}

func (m *model) retry(t *rapid.T) {
	u := *m.anyOut(t)
	m.check(m.f.Release(u.Host, m.release(t, &u)))
	due := m.now.Add(3 * time.Second)
	m.check(m.f.Retry(&u, due))
	m.list = append(m.list, u)
}

// raise gives a URL that is queued or out a priority that is not later than its
// own.
func (m *model) raise(t *rapid.T) {
	if len(m.list) == 0 {
		t.Skip("nothing is queued")
	}
	u := &m.list[rapid.IntRange(0, len(m.list)-1).Draw(t, "which")]
	asked := false
	m.check(m.f.Raise(u.Host, u.URL, func(known *report.Queued) (uint64, bool) {
		asked = true
		if known.URL != u.URL || known.Priority != u.Priority {
			t.Fatalf("found %s of priority %d, want %s of %d", known.URL, known.Priority, u.URL, u.Priority)
		}
		u.Priority = rapid.Uint64Range(0, u.Priority).Draw(t, "to")
		return u.Priority, true
	}))
	if !asked && u.Due == record.NoTime {
		t.Fatalf("%s is not found", u.URL)
	}
	for _, out := range m.out {
		m.check(m.f.Raise(out.Host, out.URL, func(*report.Queued) (uint64, bool) {
			t.Fatalf("%s is out", out.URL)
			return 0, false
		}))
	}
}

func (m *model) wait(t *rapid.T) { m.now = m.now.Add(time.Second) }

// restart ends the process after a commit: pauses are forgotten, and URLs that
// were out are in the queues again.
func (m *model) restart(*rapid.T) {
	m.check(m.q.Commit())
	m.check(m.q.Close())
	for _, u := range m.out {
		m.list = append(m.list, *u)
	}
	clear(m.out)
	clear(m.next)
	m.open()
}

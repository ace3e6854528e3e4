package nats

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"infomall/crawl/report"
	"infomall/crawl/state"
	"infomall/exec/worker/natstest"
	"infomall/store/disk"
	"infomall/store/record"
)

// testSession begins a session of a fetcher called name that owns all partitions.
func testSession(t *testing.T, url, name string) *Session {
	t.Helper()
	s, err := connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	r, err := s.begin(t.Context(), Begin{Name: "c", Statement: "CRAWL", Seeds: []string{"http://a.example/"}}, 4, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	f := &fetcher{run: r, name: name, part: part{Fetcher: name}, ctx: t.Context(), kick: make(chan struct{}, 1), clean: make(map[int]bool), crawl: r.crawl, o: Options{Delay: time.Minute, Lease: time.Hour}, renewed: time.Now()}
	_, _, err = change(t.Context(), r.at, keyOwners, func(o *owners) error {
		o.resize(4)
		for p := range o.Of {
			f.clean[p] = o.Clean[p]
			o.Of[p], o.Clean[p] = name, false
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	q, err := state.Open(disk.OS, filepath.Join(t.TempDir(), "c"))
	if err != nil {
		t.Fatal(err)
	}
	session, err := newSession(t.Context(), f, q, []int{0, 1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// received returns the URLs that a session has received.
func received(t *testing.T, s *Session) (urls []report.Queued) {
	t.Helper()
	err := s.Receive(100, func(u report.Queued, _ bool) error {
		u.Host = "a.example"
		added, err := s.Add(&u)
		if added {
			urls = append(urls, u)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return urls
}

// TestLateOwner shows that the servers refuse the changes of a fetcher whose partitions
// another one has taken, and that the other one fetches what was not acknowledged, after
// the delay of the host.
func TestLateOwner(t *testing.T) {
	url := natstest.Start(t, 1).URLs()
	late := testSession(t, url, "late")
	defer late.Close()
	seed := received(t, late)
	if len(seed) != 1 || seed[0].URL != "http://a.example/" {
		t.Fatalf("the first session has %v, want the seed", seed)
	}
	if tally, err := late.Tally("a.example"); err != nil || tally.Host != "" {
		t.Errorf("nobody has asked the host, but its counts are %+v, %v", tally, err)
	}
	page := report.Queued{URL: "http://a.example/1", Host: "a.example", Due: record.NoTime}
	if added, err := late.Add(&page); !added || err != nil {
		t.Fatalf("add %s: %v, %v", page.URL, added, err)
	}
	if err := errors.Join(late.Done(&seed[0]), late.SetTally(&report.HostTally{Host: "a.example", Fetched: 1, Next: record.At(time.Now())}), late.Commit()); err != nil {
		t.Fatal(err)
	}
	if err := late.Done(&page); err != nil {
		t.Fatal(err)
	}

	next := testSession(t, url, "next")
	defer next.Close()
	if err := late.Commit(); !errors.Is(err, errLost) {
		t.Errorf("the late owner commits, and gets the error %v, want %v", err, errLost)
	}
	if err := late.Commit(); !errors.Is(err, errLost) {
		t.Errorf("the late owner commits again, and gets the error %v, want %v", err, errLost)
	}
	if urls := received(t, next); len(urls) != 1 || urls[0].URL != page.URL {
		t.Errorf("the next owner fetches %v, want only %s", urls, page.URL)
	}
	tally, err := next.Tally("a.example")
	if wait := record.At(next.began.Add(time.Minute)); err != nil || tally.Fetched != 1 || tally.Next < wait {
		t.Errorf("the next owner finds %+v, %v, and asks the host before %v", tally, err, wait.Std())
	}
	if added, err := next.Add(&seed[0]); added || err != nil {
		t.Errorf("a page that is done is queued again: %v, %v", added, err)
	}
}

// TestHolds shows that a fetcher that was silent for too long holds its partitions again only
// when it has read that it still owns them, and never if another fetcher has taken them.
func TestHolds(t *testing.T) {
	url := natstest.Start(t, 1).URLs()
	s := testSession(t, url, "silent")
	defer s.Close()
	silent := func() { s.f.renewed = time.Now().Add(-s.f.o.Lease) }
	if !s.Holds() || s.Leaves() {
		t.Error("a new session does not hold its partitions")
	}
	silent()
	if s.Holds() || !s.Leaves() {
		t.Error("a silent fetcher holds its partitions")
	}
	if err := s.f.storePart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Holds() {
		t.Error("a fetcher that has not read who owns its partitions holds them")
	}
	if err := s.f.hold(t.Context(), s); err != nil || !s.Holds() || s.Leaves() {
		t.Errorf("a fetcher whose partitions nobody has taken does not hold them, %v", err)
	}
	silent()
	next := testSession(t, url, "next")
	defer next.Close()
	if err := s.f.hold(t.Context(), s); err != nil || s.Holds() || !s.Leaves() || !errors.Is(s.failure(), errLost) {
		t.Errorf("a fetcher whose partitions another one has taken: %v, %v, want %v", err, s.failure(), errLost)
	}
	if err := s.Commit(); !errors.Is(err, errLost) {
		t.Errorf("it commits, and gets the error %v, want %v", err, errLost)
	}
}

// TestCameBack shows how long a fetcher that takes the partitions of another one leaves their
// hosts alone: for the delay, and for one lease more if the other one was not dead.
func TestCameBack(t *testing.T) {
	for _, dead := range []bool{true, false} {
		url := natstest.Start(t, 1).URLs()
		late := testSession(t, url, "late")
		next := testSession(t, url, "next")
		defer late.Close()
		defer next.Close()
		_, _, err := change(t.Context(), next.f.run.at, keyOwners, func(o *owners) error {
			for p := range o.Of {
				o.Of[p] = "late"
			}
			return nil
		})
		if err == nil && !dead {
			err = late.f.storePart(t.Context())
		}
		if err = errors.Join(err, next.f.storePart(t.Context())); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		o, m, err := next.f.settleWith(t.Context(), []string{"next"}) // as if it had read the parts before
		if err != nil || len(o.of("next")) != 4 || len(m.take) != 4 {
			t.Fatalf("the moves are %+v, the owners %+v, %v", m, o, err)
		}
		least, most := next.began.Add(next.f.o.Delay), begun.Add(next.f.o.Lease)
		if !dead {
			least, most = begun.Add(next.f.o.Lease+next.f.o.Delay), begun.Add(2*next.f.o.Lease)
		}
		tally, err := next.Tally("a.example")
		if at := tally.Next.Std(); err != nil || at.Before(least.Truncate(time.Millisecond)) || at.After(most) {
			t.Errorf("dead: %v: the host is not asked before %v, want %v to %v, %v", dead, at, least, most, err)
		}
	}
}

// TestForcedTwice shows that a URL that a user has added with FORCE is fetched once for
// each time, also after another fetcher has taken it.
func TestForcedTwice(t *testing.T) {
	url := natstest.Start(t, 1).URLs()
	s := testSession(t, url, "first")
	seed := received(t, s)
	for range 2 {
		if err := Give(t.Context(), url, "c", []string{"http://a.example/"}, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Done(&seed[0]); err != nil {
		t.Fatal(err)
	}
	forced := seed[0]
	forced.Forced = true
	if err := errors.Join(s.Done(&forced), s.Commit(), s.Close()); err != nil {
		t.Fatal(err)
	}
	next := testSession(t, url, "next")
	defer next.Close()
	if urls := received(t, next); len(urls) != 1 || !urls[0].Forced {
		t.Errorf("the next fetcher has %+v, want the forced URL once", urls)
	}
}

// TestChosen shows that partitions spread over fetchers, and that one more moves only what
// it gets.
func TestChosen(t *testing.T) {
	three, four := []string{"a", "b", "c"}, []string{"a", "b", "c", "d"}
	count := make(map[string]int)
	for p := range partitionsDefault {
		before, after := chosen(three, p), chosen(four, p)
		if after != before && after != "d" {
			t.Errorf("partition %d goes from %s to %s", p, before, after)
		}
		count[after]++
	}
	for _, f := range four {
		if n := count[f]; n < partitionsDefault/4*3/4 || n > partitionsDefault/4*5/4 {
			t.Errorf("%s gets %d of %d partitions", f, n, partitionsDefault)
		}
	}
}

// TestGranted shows that pages that a dead fetcher may fetch, and has not fetched, can be
// given to others.
func TestGranted(t *testing.T) {
	var l ledger
	if err := json.Unmarshal([]byte(`{"a":10,"b":20,"c":30}`), &l); err != nil {
		t.Fatal(err)
	}
	parts := []part{{Fetcher: "a", alive: true}, {Fetcher: "b", Crawl: report.Crawl{Fetched: 5}}, {Fetcher: "c", Left: true, Crawl: report.Crawl{Fetched: 40}}}
	if n := l.granted(parts); n != 10+5+30 {
		t.Errorf("%d pages are granted, want 45", n)
	}
}

// TestFirstRequest shows that the first request for messages of a new consumer of a cluster gets them. Each
// consumer that the client makes because it got no answer has a higher number at the end of its name.
func TestFirstRequest(t *testing.T) {
	s := testSession(t, natstest.Start(t, 3).URLs(), "f")
	for range 20 {
		it, err := s.messages(t.Context(), s.owned, s.f.run.addSubject)
		if err != nil {
			t.Fatal(err)
		}
		m, err := next(t.Context(), it)
		if err != nil {
			t.Fatal(err)
		}
		if meta, err := m.Metadata(); err != nil || !strings.HasSuffix(meta.Consumer, "_1") {
			t.Errorf("the message came from consumer %s, %v; want the first one", meta.Consumer, err)
		}
		it.Stop()
	}
}

// refusing is a JetStream that has no streams, and refuses with err to create one with more than one
// replica.
type refusing struct {
	jetstream.JetStream
	err      error
	replicas []int // those asked for
}

func (r *refusing) Stream(context.Context, string) (jetstream.Stream, error) {
	return nil, jetstream.ErrStreamNotFound
}

func (r *refusing) CreateStream(_ context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	r.replicas = append(r.replicas, c.Replicas)
	if c.Replicas > 1 {
		return nil, r.err
	}
	return nil, nil
}

// TestReplicas asks servers for three replicas that they refuse. Only if they cannot place them, the
// stream is created with one.
func TestReplicas(t *testing.T) {
	for _, c := range []struct {
		err  error
		want []int
	}{
		{&jetstream.APIError{Code: 400, ErrorCode: 10005, Description: "no suitable peers for placement"}, []int{3, 1}},
		{&jetstream.APIError{Code: 500, ErrorCode: 10074, Description: "replicas > 1 not supported in non-clustered mode"}, []int{3, 1}},
		{&jetstream.APIError{Code: 400, ErrorCode: 10028, Description: "resource limits exceeded for account"}, []int{3}},
		{&jetstream.APIError{Code: 403, ErrorCode: 10039, Description: "JetStream not enabled for account"}, []int{3}},
		{errors.New("broken"), []int{3}},
	} {
		r := &refusing{err: c.err}
		s := &server{js: r, url: "nats://n.example", replicas: 3}
		_, err := s.stream(t.Context(), jetstream.StreamConfig{Name: "s"})
		if !slices.Equal(r.replicas, c.want) || (err == nil) != (len(c.want) == 2) || err != nil && !errors.Is(err, c.err) {
			t.Errorf("%v: asked for %d replicas, want %d; error %v", c.err, r.replicas, c.want, err)
		}
	}
}

// TestFewNodes shows that a cluster of two nodes keeps one replica.
func TestFewNodes(t *testing.T) {
	s, err := connect(t.Context(), natstest.Start(t, 2).URLs())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	st, err := s.stream(t.Context(), jetstream.StreamConfig{Name: "s", Subjects: []string{"s"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := st.CachedInfo().Config.Replicas; s.replicas != 3 || got != 1 {
		t.Errorf("%d replicas, want 1 of %d", got, s.replicas)
	}
}

// TestMessages shows that messages are read as they were written, and that others are
// refused.
func TestMessages(t *testing.T) {
	b := appendAdd(nil, "s", true)
	b = appendURL(b, &report.Queued{URL: "http://a.example/", Layer: 3, Via: "http://b.example/", Forced: true, Due: record.NoTime, Seq: 7})
	m, err := decodeAdd(b)
	if err != nil || m.session != "s" || !m.given || len(m.urls) != 1 || m.urls[0].Layer != 3 || !m.urls[0].Forced || m.urls[0].Seq != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	for n := range len(b) {
		if m, err := decodeAdd(b[:n]); err == nil && len(m.urls) > 0 {
			t.Errorf("%d of %d bytes are read as %+v", n, len(b), m)
		}
	}
	var s doneSet
	if err := s.add(make([]byte, 15)); err == nil {
		t.Error("15 bytes are read as the URLs that are done")
	}
}

// TestRemoveUnused shows which runs are removed after a try to begin a crawl. In the last case
// the first removal fails: the run of the crawl must stay all the same.
func TestRemoveUnused(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		made         []string
		old, current string
		err          error
		fails        string // the run that cannot be removed
		want         string
	}{
		{current: "a"},
		{made: []string{"b"}, old: "a", current: "b", want: "a"},
		{made: []string{"b"}, current: "b"},
		{made: []string{"b", "c"}, old: "a", current: "c", want: "b a"},
		{made: []string{"b"}, old: "a", current: "other", want: "b a"},
		{made: []string{"b", "c"}, old: "a", err: failed, want: "b c"},
		{made: []string{"b", "c"}, old: "a", current: "c", fails: "b", want: "b a"},
	} {
		var removed []string
		err := removeUnused(c.made, c.old, c.current, c.err, func(id string) error {
			removed = append(removed, id)
			if id == c.fails {
				return failed
			}
			return nil
		})
		if got := strings.Join(removed, " "); got != c.want {
			t.Errorf("%v, old %q, current %q: removed %q, want %q", c.made, c.old, c.current, got, c.want)
		}
		if want := c.err != nil || c.fails != ""; (err != nil) != want {
			t.Errorf("%v: error %v, want one: %v", c.made, err, want)
		}
	}
}

package nats

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"infomall/crawl/report"
	"infomall/store/record"
)

// The keys of the table of a run.
const (
	keyOwners = "owners"
	keyLedger = "ledger"
	keyPart   = "part." // and the token of the fetcher
	keyHost   = "host." // and the token of the host, a dot, and what the value is about
)

// owners says who owns each partition.
type owners struct {
	Of    []string // fetcher; "" if none
	Clean []bool   // no fetcher has the partition, and all before wrote down everything they did
}

// resize makes o a table of n partitions without owners, unless o has n partitions already.
func (o *owners) resize(n int) {
	if len(o.Of) == n && len(o.Clean) == n {
		return
	}
	o.Of, o.Clean = make([]string, n), make([]bool, n)
	for i := range o.Clean {
		o.Clean[i] = true
	}
}

// of returns the numbers of the partitions that a fetcher owns.
func (o *owners) of(fetcher string) (list []int) {
	for p, f := range o.Of {
		if f == fetcher {
			list = append(list, p)
		}
	}
	return list
}

// part is what a fetcher tells the other fetchers about itself.
type part struct {
	Fetcher string
	Left    bool   // it takes part no more
	Idle    bool   // it has nothing to fetch
	Read    uint64 // messages with URLs that it has read, in its session
	Owners  uint64 // sequence number of the owners by which it has its partitions; 0 in no session
	Crawl   report.Crawl
	Stored  int64 // responses that are the first of their URL or show a change, of ended sessions
	Visits  int64 // responses that show no change, of ended sessions

	alive bool // it has not left, and has written its part within the lease
}

// parts returns the parts of all fetchers. A fetcher is alive if its part is not older
// than lease, compared with the part of fetcher me, which must be new.
func (r *run) parts(ctx context.Context, me string, lease time.Duration) (list []part, err error) {
	keys, err := r.at.keys(ctx, keyPart)
	if err != nil {
		return nil, err
	}
	var times []time.Time
	var now time.Time
	for _, key := range keys {
		p, e, err := read[part](ctx, r.at, key)
		if err != nil {
			return nil, err
		}
		if e.seq == 0 {
			continue
		}
		list, times = append(list, p), append(times, e.time)
		if p.Fetcher == me {
			now = e.time
		}
	}
	for i := range list {
		list[i].alive = !list[i].Left && now.Sub(times[i]) <= lease
	}
	return list, nil
}

// alive returns the names of the fetchers that are alive.
func alive(parts []part) (names []string) {
	for i := range parts {
		if parts[i].alive {
			names = append(names, parts[i].Fetcher)
		}
	}
	return names
}

// moves says which partitions a fetcher must take and give up, so that each partition has the
// owner that chosen returns.
type moves struct {
	take []int // partitions that the fetcher takes: it is chosen, and they have no owner, or a dead one
	give []int // partitions that the fetcher owns and has to give up
	wait int   // number of partitions that the fetcher will take when their owners give them up
}

// movesOf returns which partitions the fetcher me must take and give up. alive has the names of
// all fetchers that are alive.
func (o *owners) movesOf(me string, alive []string) (m moves) {
	for p, f := range o.Of {
		want := chosen(alive, p)
		switch {
		case f == me && want != me:
			m.give = append(m.give, p)
		case want != me || f == me:
		case f == "" || !slices.Contains(alive, f):
			m.take = append(m.take, p)
		default:
			m.wait++
		}
	}
	return m
}

// settle gives up the partitions of f that other fetchers are to own, and takes the free
// partitions that f is to own. It returns the owners after these changes, and the moves that it
// found for f.
func (f *fetcher) settle(ctx context.Context) (o owners, m moves, err error) {
	parts, err := f.run.parts(ctx, f.name, f.o.Lease)
	if err != nil {
		return o, m, err
	}
	return f.settleWith(ctx, alive(parts))
}

// settleWith does what settle does, for a caller that knows the names of the fetchers that are
// alive.
func (f *fetcher) settleWith(ctx context.Context, names []string) (o owners, m moves, err error) {
	was := make(map[int]bool) // whether a partition that is taken was clean
	var robbed []string       // fetchers from which partitions are taken
	o, _, err = change(ctx, f.run.at, keyOwners, func(o *owners) error {
		o.resize(f.run.crawl.Partitions)
		m = o.movesOf(f.name, names)
		if len(m.take)+len(m.give) == 0 {
			return errKeep
		}
		clear(was)
		robbed = nil
		for _, p := range m.give {
			o.Of[p], o.Clean[p] = "", f.clean[p]
		}
		for _, p := range m.take {
			if was[p] = o.Clean[p]; o.Of[p] != "" {
				robbed = append(robbed, o.Of[p])
			}
			o.Of[p], o.Clean[p] = f.name, false
		}
		return nil
	})
	if err != nil {
		return o, m, err
	}
	if len(robbed) > 0 {
		now := time.Now()
		parts, err := f.run.parts(ctx, f.name, f.o.Lease)
		if err != nil {
			return o, m, err
		}
		for _, name := range alive(parts) {
			if slices.Contains(robbed, name) { // it came back just before f took its partitions
				f.quiet = now.Add(f.o.Lease)
			}
		}
	}
	o.resize(f.run.crawl.Partitions)
	for _, p := range m.give {
		delete(f.clean, p)
	}
	for p, clean := range was {
		f.clean[p] = clean
	}
	return o, m, nil
}

// storePart stores the part of f, which is what f says about itself to the other fetchers.
func (f *fetcher) storePart(ctx context.Context) error {
	f.mu.Lock()
	data, err := json.Marshal(&f.part)
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return f.run.at.put(ctx, keyPart+token(f.name), data)
}

// hold stores the part of f (what it says about itself) and then reads the owners. If s, the
// session of f, still owns its partitions, hold extends its right to them to two thirds of the
// lease, counted from the time at which hold was called. If not, hold ends s. The order matters:
// a fetcher that was silent for too long, and may have lost its partitions, must not ask a host
// between the two steps.
func (f *fetcher) hold(ctx context.Context, s *Session) error {
	begun := time.Now()
	if err := f.storePart(ctx); err != nil {
		return err
	}
	o, _, err := read[owners](ctx, f.run.at, keyOwners)
	if err != nil {
		return err
	}
	o.resize(f.run.crawl.Partitions)
	if s != nil && !slices.Equal(o.of(f.name), s.owned) {
		s.lose(errLost)
	} else if s != nil {
		f.mu.Lock()
		f.renewed = begun
		f.mu.Unlock()
	}
	return nil
}

// watch reads the description of the crawl, with its orders, every ordersEvery until ctx ends.
// Every o.Every, and more often if f has nothing to fetch, it also writes the part of f, and
// finds out whether the session of f must end, and whether the crawl has ended.
func (f *fetcher) watch(ctx context.Context) {
	looked := time.Now()
	for {
		every, idle := f.o.Every, f.isIdle()
		if idle {
			every = min(every, idleEvery)
		}
		timer := time.NewTimer(min(every, ordersEvery))
		kicked := false
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-f.kick:
			timer.Stop()
			kicked = true
		}
		err := f.refresh(ctx)
		if err == nil && (kicked || time.Since(looked) >= every) {
			looked = time.Now()
			err = f.look(ctx)
		}
		if err != nil && ctx.Err() == nil {
			f.log("crawl %s: %v", f.o.Begin.Name, err)
		}
	}
}

// ordersEvery is how often a fetcher reads the orders for the crawl. idleEvery is how often a
// fetcher that has nothing to fetch checks whether the crawl has ended.
const (
	ordersEvery = 500 * time.Millisecond
	idleEvery   = 250 * time.Millisecond
)

// look writes the part of f once, reads what the other fetchers say, and sets what the
// session of f has to do.
func (f *fetcher) look(ctx context.Context) error {
	f.mu.Lock()
	in := f.session
	f.mu.Unlock()
	if err := f.hold(ctx, in); err != nil {
		return err
	}
	parts, err := f.run.parts(ctx, f.name, f.o.Lease)
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.parts = parts
	f.mu.Unlock()
	if f.over() || in == nil {
		return nil
	}
	o, e, err := read[owners](ctx, f.run.at, keyOwners) // after the parts, as atEnd demands
	if err != nil {
		return err
	}
	if err := f.giveBack(ctx); err != nil {
		return err
	}
	o.resize(f.run.crawl.Partitions)
	names := alive(parts)
	m := o.movesOf(f.name, names)
	steady := slices.Equal(names, f.lastAlive) // as it was when f looked last
	f.lastAlive = names
	switch {
	case !slices.Equal(o.of(f.name), in.owned):
		in.lose(errLost)
	case len(m.give) > 0, len(m.take) > 0 && steady:
		in.leave()
	default:
		f.mu.Lock()
		f.part.Owners = e.seq
		f.mu.Unlock()
	}
	over, err := f.atEnd(ctx, parts, &o, e.seq)
	if err != nil || !over {
		return err
	}
	_, _, err = change(ctx, f.run.crawls, token(f.o.Begin.Name), func(c *Crawl) error {
		if c.over() || c.Run != f.run.crawl.Run {
			return errKeep
		}
		c.State, c.Finished = report.CrawlFinished, record.At(time.Now())
		return nil
	})
	return err
}

// atEnd reports whether the crawl has come to its end: a limit is reached, or no fetcher has
// anything left to fetch. The caller must read parts before o.
func (f *fetcher) atEnd(ctx context.Context, parts []part, o *owners, seq uint64) (bool, error) {
	if f.o.MaxPages > 0 {
		fetched := int64(0)
		for i := range parts {
			fetched += parts[i].Crawl.Fetched
		}
		if fetched >= f.o.MaxPages {
			return true, nil
		}
	}
	if !f.ends.IsZero() && time.Now().After(f.ends) {
		return true, nil
	}
	if !f.isIdle() {
		return false, nil
	}
	seen := uint64(0)
	for i := range parts {
		p := &parts[i]
		if !p.alive || len(o.of(p.Fetcher)) == 0 {
			continue
		}
		if !p.Idle || p.Owners != seq {
			return false, nil
		}
		seen += p.Read
	}
	counts, err := countSubjects(ctx, f.run.log, f.run.prefix+"add.*")
	if err != nil {
		return false, err
	}
	all := uint64(0)
	for _, n := range counts {
		all += n
	}
	if seen != all {
		return false, nil
	}
	_, e, err := read[owners](ctx, f.run.at, keyOwners)
	return err == nil && e.seq == seq, err
}

// errLost is returned by a commit if another fetcher has taken a partition of the session.
var errLost = errors.New("another process has taken hosts of this one, because this one did not answer for too long")

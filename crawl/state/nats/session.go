package nats

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"infomall/crawl/report"
	"infomall/crawl/state"
	"infomall/store/record"
)

// local is the state of a session on disk. It holds the queues, what the crawl has met,
// and the log of attempts.
type local = state.Crawl

// Session is the state of a crawl in one session of a fetcher. It satisfies crawl.State
// and crawl.Shared. Only one goroutine may use it, but any may call Holds.
type Session struct {
	*local
	f     *fetcher
	id    string // marks the messages that the session publishes
	owned []int  // the partitions of the session, sorted
	owns  []bool // whether partition i is in owned
	began time.Time
	fence map[int]*message // by partition, the last message that the session knows in its log of what is done

	// feed gets the messages with URLs of the owned partitions.
	feed      chan addMessage
	broken    chan struct{} // closed when the session has failed
	before    uint64        // messages that were there when the session began, and that Receive has not read
	read      uint64        // messages that Receive has read
	done      doneSet       // URLs that were done before the session began; nil after the first call of Receive
	again     map[urlID]int // how often each forced URL of done was met so far
	caught    bool          // Receive has read all of before
	stop      func()        // ends reading; nil before it begins
	reading   sync.WaitGroup
	receiving bool // Receive is calling the engine

	// These fields hold the changes since the last Commit.
	adds  *adds
	dones map[int][]byte    // by partition: the ids of URLs that are done, one after the other
	hosts map[string][]byte // by key
	seqs  map[string]uint64 // sequence numbers of the values of hosts, by key

	crawl report.Crawl // as SetCrawl stored it last

	mu      sync.Mutex
	failed  error // ends the session at the next Commit
	leaving bool
}

// newSession begins a session with partitions that f owns. Its state on disk is q, which
// the session closes, also if newSession returns an error.
func newSession(ctx context.Context, f *fetcher, q *local, owned []int) (*Session, error) {
	s := &Session{
		local: q, f: f, id: rand.Text(), owned: owned, owns: make([]bool, f.run.crawl.Partitions), began: time.Now(), fence: make(map[int]*message),
		feed: make(chan addMessage, 64), broken: make(chan struct{}), again: make(map[urlID]int), dones: make(map[int][]byte), hosts: make(map[string][]byte), seqs: make(map[string]uint64),
	}
	s.adds = newAdds(f.run, s.id, false)
	for _, p := range owned {
		s.owns[p] = true
	}
	err := s.open(ctx)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open begins the session. It empties the state on disk, publishes an epoch (an empty message
// that marks the beginning of a session) in the log of each partition, reads which URLs are
// done, and begins to read the messages with URLs.
func (s *Session) open(ctx context.Context) error {
	if err := s.local.Reset(); err != nil {
		return err
	}
	c := s.f.counts()
	c.Waiting, c.Kept, c.Excluded, c.Traps, c.State = 0, 0, 0, nil, report.CrawlRunning
	s.crawl = c
	if err := errors.Join(s.local.SetCrawl(&c), s.local.SetOrders(report.CrawlOrders{}), s.local.Commit()); err != nil {
		return err
	}
	r := s.f.run
	epochs := make([]*message, len(s.owned))
	for i, p := range s.owned {
		epochs[i] = &message{subject: r.doneSubject(p)}
		s.fence[p] = epochs[i]
	}
	if err := r.publish(ctx, epochs); err != nil {
		return err
	}
	if o, _, err := read[owners](ctx, r.at, keyOwners); err != nil || !slices.Equal(o.of(s.f.name), s.owned) {
		return errors.Join(err, errLost)
	}
	if err := s.readDone(ctx); err != nil {
		return err
	}
	reading, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	for some := range slices.Chunk(s.owned, consumerMany) {
		n, err := s.count(ctx, some, "add.")
		if err != nil {
			return err
		}
		it, err := s.messages(ctx, some, r.addSubject)
		if err != nil {
			return err
		}
		s.before += n
		s.reading.Go(func() {
			defer it.Stop()
			s.readAdds(reading, it, n)
		})
	}
	return nil
}

// consumerMany is how many partitions one consumer reads. The servers compare all subjects
// of a consumer with each other: for 1,024 subjects that takes them a second.
const consumerMany = 128

// messages returns the messages of some partitions in the log that subject names, from
// the first one. The caller calls Stop of the result.
func (s *Session) messages(ctx context.Context, partitions []int, subject func(p int) string) (it jetstream.MessagesContext, err error) {
	c := jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy, InactiveThreshold: time.Minute}
	for _, p := range partitions {
		c.FilterSubjects = append(c.FilterSubjects, subject(p))
	}
	err = retry(ctx, func(ctx context.Context) error {
		cons, err := s.f.run.log.OrderedConsumer(ctx, c)
		if err == nil {
			err = s.f.run.reach(ctx, cons.CachedInfo())
		}
		if err == nil {
			it, err = cons.Messages(jetstream.PullMaxMessages(500))
		}
		return err
	})
	return it, err
}

// count returns how many messages some partitions have in the log of this name: "add." or
// "done.".
func (s *Session) count(ctx context.Context, partitions []int, log string) (n uint64, err error) {
	prefix := s.f.run.prefix + log
	counts, err := countSubjects(ctx, s.f.run.log, prefix+"*")
	for _, p := range partitions {
		n += counts[prefix+strconv.Itoa(p)]
	}
	return n, err
}

// readDone reads into s.done which URLs of the owned partitions are done, from the logs of these
// partitions.
func (s *Session) readDone(ctx context.Context) error {
	for some := range slices.Chunk(s.owned, consumerMany) {
		n, err := s.count(ctx, some, "done.")
		if err != nil {
			return err
		}
		it, err := s.messages(ctx, some, s.f.run.doneSubject)
		if err != nil {
			return err
		}
		err = s.readSome(ctx, it, n)
		it.Stop()
		if err != nil {
			return fmt.Errorf("read what the crawl has done: %w", err)
		}
	}
	s.done.sort()
	return nil
}

// readSome reads the next n messages from the iterator it, and adds their URLs to s.done.
func (s *Session) readSome(ctx context.Context, it jetstream.MessagesContext, n uint64) error {
	for ; n > 0; n-- {
		m, err := next(ctx, it)
		if err == nil {
			err = s.done.add(m.Data())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// next returns the next message of the iterator it. It waits for the servers if they restart.
func next(ctx context.Context, it jetstream.MessagesContext) (jetstream.Msg, error) {
	for {
		m, err := it.Next(jetstream.NextContext(ctx))
		if err == nil || ctx.Err() != nil || errors.Is(err, jetstream.ErrMsgIteratorClosed) {
			return m, err
		}
		if !errors.Is(err, jetstream.ErrNoHeartbeat) && !passes(err) {
			return nil, err
		}
	}
}

// readAdds puts the messages of the iterator it, which have URLs, into s.feed until ctx ends. The
// first messages were there when the session began; old is their number.
func (s *Session) readAdds(ctx context.Context, it jetstream.MessagesContext, old uint64) {
	for i := uint64(0); ; i++ {
		m, err := next(ctx, it)
		var list addMessage
		if err == nil {
			list, err = decodeAdd(m.Data())
			list.old = i < old
		}
		if err != nil {
			if ctx.Err() == nil {
				s.lose(fmt.Errorf("read the URLs of the crawl: %w", err))
			}
			return
		}
		select {
		case s.feed <- list:
		case <-ctx.Done():
			return
		}
	}
}

// Receive calls add with URLs of the messages that came; see crawl.Shared. The first call
// reads all messages that were there when the session began.
func (s *Session) Receive(n int, add func(u report.Queued, given bool) error) error {
	for {
		var m addMessage
		ok := false
		if s.before > 0 {
			select {
			case m, ok = <-s.feed:
			case <-s.broken:
				return s.failure()
			case <-s.f.ctx.Done():
				return context.Cause(s.f.ctx)
			}
		} else if n > 0 {
			select {
			case m, ok = <-s.feed:
			default:
			}
		}
		if !ok {
			if err := s.failure(); err != nil {
				return err
			}
			s.caught, s.done, s.again = true, nil, nil
			return nil
		}
		if m.session != s.id {
			if err := s.meetAll(&m, add); err != nil {
				return err
			}
			n -= len(m.urls)
		}
		if m.old {
			s.before--
		}
		s.read++
		if s.local.Full() {
			if err := s.local.Commit(); err != nil {
				return err
			}
		}
	}
}

// meetAll calls add with the URLs of m that are not done.
func (s *Session) meetAll(m *addMessage, add func(u report.Queued, given bool) error) error {
	s.receiving = true
	defer func() { s.receiving = false }()
	for i := range m.urls {
		u := &m.urls[i]
		if len(s.done) > 0 {
			if met, err := s.wasDone(u); met || err != nil {
				if err != nil {
					return err
				}
				continue
			}
		}
		if u.Guessed {
			if _, err := s.local.Meet(report.GuessedKey(u.URL)); err != nil {
				return err
			}
		}
		if err := add(*u, m.given); err != nil {
			return err
		}
	}
	return nil
}

// wasDone reports whether u was done before the session began. It then notes that the
// crawl has met u.
func (s *Session) wasDone(u *report.Queued) (bool, error) {
	id := idOf(u)
	n := s.done.count(id)
	if u.Forced {
		if s.again[id] >= n {
			return false, nil
		}
		s.again[id]++
		return true, nil
	}
	if n == 0 {
		return false, nil
	}
	if u.Guessed {
		_, err := s.local.Meet(report.GuessedKey(u.URL))
		return true, err
	}
	_, err := s.local.Meet(u.URL)
	return true, err
}

// Owns reports whether a host is in a partition of the session; see crawl.Shared.
func (s *Session) Owns(host string) bool { return s.owns[partitionOf(host, len(s.owns))] }

// Send gives u to the owner of its host; see crawl.Shared.
func (s *Session) Send(u report.Queued) (bool, error) {
	if !u.Forced {
		if sent, err := s.local.Meet("sent:" + u.URL); sent || err != nil {
			return false, err
		}
	}
	s.adds.add(partitionOf(u.Host, len(s.owns)), &u)
	return true, nil
}

// Add queues u; see crawl.State.
func (s *Session) Add(u *report.Queued) (bool, error) {
	added, err := s.local.Add(u)
	if added && err == nil && !s.receiving {
		s.adds.add(partitionOf(u.Host, len(s.owns)), u)
	}
	return added, err
}

// Done removes u from its queue; see crawl.State. The methods Move, Postpone and Keep of the state
// on disk do not call this one, so that they do not note u as done.
func (s *Session) Done(u *report.Queued) error {
	if err := s.local.Done(u); err != nil {
		return err
	}
	p, id := partitionOf(u.Host, len(s.owns)), idOf(u)
	s.dones[p] = append(s.dones[p], id[:]...)
	return nil
}

// Crawl returns the description of what this fetcher has done; see crawl.State.
func (s *Session) Crawl() (report.Crawl, error) { return s.crawl, nil }

// SetCrawl stores the description of what this fetcher has done. A session that ends
// without an error does not finish the crawl, unless the crawl has ended for all.
func (s *Session) SetCrawl(c *report.Crawl) error {
	s.crawl = *c
	if c.State == report.CrawlFinished && !s.f.over() {
		s.crawl.State, s.crawl.Finished = report.CrawlRunning, record.NoTime
	}
	return s.local.SetCrawl(&s.crawl)
}

// Orders returns the orders for the crawl, which hold for all fetchers.
func (s *Session) Orders() (report.CrawlOrders, error) { return s.f.orders(), nil }

// SetOrders does nothing: the orders stay with the servers until the crawl has ended.
func (s *Session) SetOrders(report.CrawlOrders) error { return nil }

// Reset returns an error: the state is emptied when a session begins, and only then.
func (s *Session) Reset() error {
	return errors.New("the state of a crawl with several processes cannot be emptied while it runs")
}

// Leaves reports whether the session is to end; see crawl.Shared.
func (s *Session) Leaves() bool {
	s.mu.Lock()
	leaving := s.leaving
	s.mu.Unlock()
	return leaving || s.f.over() || !s.Holds()
}

// Holds reports whether no other fetcher can own the partitions of the session at this
// moment; see crawl.Shared.
func (s *Session) Holds() bool { return s.failure() == nil && !s.f.late() }

// leave makes the session end when its running fetches are done.
func (s *Session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaving = true
}

// lose makes the session fail with err at its next Commit.
func (s *Session) lose(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = err
		close(s.broken)
	}
}

func (s *Session) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// Allows reports whether the limit of the crawl allows this fetcher this number of pages in all;
// see crawl.Shared.
func (s *Session) Allows(pages int64) bool {
	ok, err := s.f.allows(context.Background(), pages)
	if err != nil {
		s.lose(err)
	}
	return ok
}

// SetIdle says whether the fetcher has something to fetch; see crawl.Shared.
func (s *Session) SetIdle(idle bool) {
	idle = idle && len(s.feed) == 0 && s.caught
	s.f.setIdle(idle, s.read)
}

// Close ends the session, and closes the state on disk.
func (s *Session) Close() error {
	if s.stop != nil {
		s.stop()
		s.reading.Wait()
	}
	return s.local.Close()
}

package nats

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"infomall/crawl/report"
	"infomall/store/record"
)

// hostBytesMax is the longest value of a host that is stored for the next owner. JetStream
// takes messages of up to 1 MB. A longer value, such as a huge robots.txt, stays on disk:
// the next owner fetches it again.
const hostBytesMax = 900 << 10

// PayloadMin is the size in bytes of messages that the servers of each crawl must take: the longest
// value of a host, with its subject and header.
const PayloadMin = hostBytesMax + 4<<10

// pendingBytes is a size of messages, in bytes. Full returns true when the messages with URLs
// that wait for the next Commit reach this size.
const pendingBytes = 2 << 20

// Full reports whether Commit should be called now; see crawl.State.
func (s *Session) Full() bool {
	return len(s.adds.full)*addBytes >= pendingBytes || s.local.Full()
}

// Commit publishes all changes since the last Commit and makes them durable on disk too.
// If another fetcher has taken a partition, Commit returns an error and changes nothing
// on disk.
func (s *Session) Commit() error {
	err := s.failure()
	if err == nil {
		err = s.publish(context.Background())
	}
	if err != nil {
		s.lose(err) // what was not published is lost, so a later Commit must not publish the rest
		return errors.Join(err, s.local.Rest())
	}
	if err := s.local.Commit(); err != nil {
		return err
	}
	s.f.setCounts(s.crawl)
	return nil
}

// publish publishes the changes since the last Commit, in the order that the package's
// comment gives.
func (s *Session) publish(ctx context.Context) error {
	r := s.f.run
	var first []*message
	var keys []string
	for key, v := range s.hosts {
		first, keys = append(first, &message{subject: r.at.prefix + key, data: v, expect: s.seqs[key], fenced: !strings.Contains(key, cookieKind)}), append(keys, key)
	}
	if err := lostIfConflict(r.publish(ctx, first)); err != nil {
		return err
	}
	for i, m := range first {
		s.seqs[keys[i]] = m.seq
	}
	clear(s.hosts)
	if err := r.publish(ctx, s.adds.take()); err != nil {
		return err
	}
	for len(s.dones) > 0 {
		var done []*message
		for p, ids := range s.dones {
			n := min(len(ids), doneMany*len(urlID{}))
			m := &message{subject: r.doneSubject(p), data: ids[:n:n], expect: s.fence[p].seq, fenced: true}
			if s.fence[p], s.dones[p] = m, ids[n:]; len(ids) == n {
				delete(s.dones, p)
			}
			done = append(done, m)
		}
		if err := lostIfConflict(r.publish(ctx, done)); err != nil {
			return err
		}
	}
	return nil
}

// lostIfConflict returns errLost if err is a conflict, otherwise err.
func lostIfConflict(err error) error {
	if errors.Is(err, errConflict) {
		return errLost
	}
	return err
}

// The kinds of values of a host.
const (
	robotsKind = ".robots"
	siteKind   = ".site"
	tallyKind  = ".tally"
	cookieKind = ".cookies"
)

// keyOf returns the key of what SetHost stores under name: the robots.txt of a host, or the
// cookies of a domain. In the second case name contains a space.
func keyOf(name string) string {
	if strings.Contains(name, " ") {
		return keyHost + token(name) + cookieKind
	}
	return keyHost + token(name) + robotsKind
}

// fetchValue asks the servers for the value of a host under key, and returns it. The previous
// owner of the host has stored the value. It is nil if there is none.
func (s *Session) fetchValue(key string) ([]byte, error) {
	e, err := s.f.run.at.get(context.Background(), key)
	if err != nil || e.seq == 0 {
		return nil, err
	}
	s.seqs[key] = e.seq
	return e.data, nil
}

// setValue notes the value v of a host under key, so that the next Commit stores it on the
// servers for the next owner of the host.
func (s *Session) setValue(key string, v []byte) {
	if len(v) <= hostBytesMax {
		s.hosts[key] = append([]byte(nil), v...)
	}
}

// Host returns what SetHost stored for a host, in this session or an earlier one; see
// crawl.State.
func (s *Session) Host(host string) ([]byte, error) {
	b, err := s.local.Host(host)
	if b != nil || err != nil {
		return b, err
	}
	if b, err = s.fetchValue(keyOf(host)); b == nil || err != nil {
		return nil, err
	}
	return b, s.local.SetHost(host, b)
}

// SetHost stores v for a host, also for the sessions after this one; see crawl.State.
func (s *Session) SetHost(host string, v []byte) error {
	s.setValue(keyOf(host), v)
	return s.local.SetHost(host, v)
}

// Site returns what SetSite stored for a host, in this session or an earlier one; see
// crawl.State.
func (s *Session) Site(host string) ([]byte, error) {
	b, err := s.local.Site(host)
	if b != nil || err != nil || !s.Owns(host) {
		return b, err
	}
	if b, err = s.fetchValue(keyHost + token(host) + siteKind); b == nil || err != nil {
		return nil, err
	}
	return b, s.local.SetSite(host, b)
}

// SetSite stores v for a host, also for the sessions after this one if the session owns
// the host; see crawl.State.
func (s *Session) SetSite(host string, v []byte) error {
	if s.Owns(host) {
		s.setValue(keyHost+token(host)+siteKind, v)
	}
	return s.local.SetSite(host, v)
}

// Tally returns what SetTally stored for a host, in this session or an earlier one; see
// crawl.State. If the previous owner of the host died, the result makes the crawl wait before it
// asks the host: for the delay of the host from the beginning of this session, or until the
// previous owner surely knows that it has lost the host.
func (s *Session) Tally(host string) (report.HostTally, error) {
	t, err := s.local.Tally(host)
	if err != nil || t.Host != "" || !s.Owns(host) {
		return t, err
	}
	b, err := s.fetchValue(keyHost + token(host) + tallyKind)
	if err != nil {
		return t, err
	}
	if b != nil {
		if err := json.Unmarshal(b, &t); err != nil {
			return t, errMessage
		}
	}
	if s.f.clean[partitionOf(host, len(s.owns))] {
		return t, nil
	}
	if t.Host == "" {
		t = report.NewHostTally(host)
	}
	delay := s.f.o.Delay
	if delay < 0 {
		delay = delayUnknown
	}
	from := s.began
	if s.f.quiet.After(from) {
		from = s.f.quiet
	}
	wait := record.At(from.Add(max(t.Delay, delay)))
	if t.Next == record.NoTime || t.Next < wait {
		t.Next = wait
	}
	return t, nil
}

// delayUnknown is how long a host is left alone after the death of its fetcher, if the pause
// between its requests depends on how long requests take. It is the longest pause of this kind.
const delayUnknown = 30 * time.Second

// SetTally stores the counts of a host, also for the sessions after this one; see
// crawl.State.
func (s *Session) SetTally(t *report.HostTally) error {
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	s.setValue(keyHost+token(t.Host)+tallyKind, b)
	return s.local.SetTally(t)
}

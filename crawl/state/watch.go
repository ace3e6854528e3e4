package state

import (
	"bytes"
	"cmp"
	"encoding/json"
	"iter"
	"runtime/debug"
	"slices"

	bolt "go.etcd.io/bbolt"

	"infomall/crawl/report"
)

// alertsMax is how many alerts the state of a crawl keeps. A new one then
// replaces the oldest.
const alertsMax = 1000

// Tally returns what SetTally stored for a host. Its Host is "" if SetTally was
// never called for it.
func (q *Crawl) Tally(host string) (t report.HostTally, err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	b, err := q.bucket(bucketTallies)
	if err != nil {
		return t, err
	}
	err = get(b, []byte(host), &t)
	return t, err
}

// SetTally stores what the crawl has counted for the host t.Host.
func (q *Crawl) SetTally(t *report.HostTally) (err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	b, err := q.bucket(bucketTallies)
	if err != nil {
		return err
	}
	return set(b, []byte(t.Host), t)
}

// Alert adds a to the log of alerts. If the log has alertsMax alerts, the oldest
// is removed.
func (q *Crawl) Alert(a *report.Alert) (err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	b, err := q.bucket(bucketAlerts)
	if err != nil {
		return err
	}
	n, err := b.NextSequence()
	if err != nil {
		return err
	}
	if n > alertsMax {
		if err := b.Delete(seqKey(n - alertsMax)); err != nil {
			return err
		}
	}
	return set(b, seqKey(n), a)
}

// decodeJSON returns a value that is stored as JSON.
func decodeJSON[T any](b []byte) (v T, err error) {
	if json.Unmarshal(b, &v) != nil {
		return v, errEntry
	}
	return v, nil
}

// Alerts yields the alerts of the crawl in dir, the oldest first, in slices of up
// to visitRows. An error is the last pair.
func Alerts(dir string) iter.Seq2[[]report.Alert, error] {
	return pages(dir, bucketAlerts, decodeJSON[report.Alert])
}

// Tallies yields what the crawl in dir has counted for each of its hosts, in
// slices of up to visitRows, sorted by host. The hosts of which nothing was fetched
// yet come last. Tallies counts the URLs of each host that wait or are kept back,
// which takes about a tenth of a second for a million URLs. An error is the last
// pair.
func Tallies(dir string) iter.Seq2[[]report.HostTally, error] {
	return func(yield func([]report.HostTally, error) bool) {
		queues, err := countQueues(dir)
		if err != nil {
			yield(nil, err)
			return
		}
		for list, err := range pages(dir, bucketTallies, decodeJSON[report.HostTally]) {
			for i := range list {
				t := &list[i]
				if n := queues[t.Host]; n != nil {
					t.Waiting, t.Kept = n.waiting, n.kept
					delete(queues, t.Host)
				}
			}
			if !yield(list, err) || err != nil {
				return
			}
		}
		var rest []report.HostTally
		for host, n := range queues {
			t := report.NewHostTally(host)
			t.Waiting, t.Kept = n.waiting, n.kept
			rest = append(rest, t)
		}
		slices.SortFunc(rest, func(a, b report.HostTally) int { return cmp.Compare(a.Host, b.Host) })
		for part := range slices.Chunk(rest, visitRows) {
			if !yield(part, nil) {
				return
			}
		}
	}
}

// hostCounts has the number of URLs in the queues of each host.
type hostCounts map[string]*hostCount

type hostCount struct{ waiting, kept int64 }

// of returns the counts of a host. If c has none, it adds counts of zero.
func (c hostCounts) of(host string) *hostCount {
	n := c[host]
	if n == nil {
		n = new(hostCount)
		c[host] = n
	}
	return n
}

// countRows is how many keys countQueues reads in one transaction. It reads no
// values, so the crawl waits only milliseconds.
const countRows = 50_000

// countQueues counts the URLs of each host in the queues of the crawl in dir.
func countQueues(dir string) (hostCounts, error) {
	counts := make(hostCounts)
	for _, bucket := range [][]byte{bucketQueue, bucketKept} {
		check, from, more := bucket, []byte(nil), true
		for ; more; check = nil {
			err := visit(dir, false, check, func(tx *bolt.Tx) error {
				from = countKeys(tx.Bucket(bucket), from, func(host string, n int64) {
					if of := counts.of(host); bytes.Equal(bucket, bucketKept) {
						of.kept += n
					} else {
						of.waiting += n
					}
				})
				more = from != nil
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	for list, err := range pages(dir, bucketLater, DecodeQueued) {
		if err != nil {
			return nil, err
		}
		for i := range list {
			counts.of(list[i].Host).waiting++
		}
	}
	return counts, nil
}

// countKeys counts up to countRows keys of b, beginning with the first key that is
// not below from. The keys are as queueKey makes them; b may be nil. For each host
// countKeys calls add with the number of its keys. The result next is the value of
// from for the following call, or nil if there are no more keys.
func countKeys(b *bolt.Bucket, from []byte, add func(host string, n int64)) (next []byte) {
	if b == nil {
		return nil
	}
	var prefix []byte // host and 0
	n, all := int64(0), 0
	c := b.Cursor()
	for k, _ := c.Seek(from); k != nil; k, _ = c.Next() {
		if all == countRows {
			next = bytes.Clone(k)
			break
		}
		if prefix == nil || !bytes.HasPrefix(k, prefix) {
			if n > 0 {
				add(string(prefix[:len(prefix)-1]), n)
			}
			prefix, n = k[:bytes.IndexByte(k, 0)+1], 0
			if len(prefix) == 0 {
				return nil // Unreachable unless the database is damaged.
			}
		}
		n++
		all++
	}
	if n > 0 {
		add(string(prefix[:len(prefix)-1]), n)
	}
	return next
}

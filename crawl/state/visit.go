package state

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"

	"infomall/crawl/report"
	"infomall/store/disk"
)

// visitRows is how many rows a visitor (another process or goroutine that
// reads the state of a crawl) reads in one transaction. So the crawl waits
// only milliseconds for a visitor.
const visitRows = 5000

// visit opens the database of the crawl in dir, calls f with a transaction, and closes the
// database. write says whether f may change the database. If a process runs the crawl, visit
// waits until that process has committed its batch and closed the database.
//
// f reads only bucketAbout and the bucket called name, whose pages visit checks before. name is nil
// if f reads no second bucket, or one that an earlier call has checked.
func visit(dir string, write bool, name []byte, f func(*bolt.Tx) error) error {
	gate, err := os.Open(filepath.Join(dir, fileGate))
	if err != nil {
		return err
	}
	defer gate.Close()
	if err := disk.LockShared(gate); err != nil {
		return err
	}
	return guard(dir, func() error {
		db, err := open(dir, !write)
		if err != nil {
			return err
		}
		defer db.Close()
		checked := func(tx *bolt.Tx) error {
			if err := checkPages(tx, bucketAbout, name); err != nil {
				return err
			}
			if err := checkFormat(tx, dir); err != nil {
				return err
			}
			return f(tx)
		}
		if write {
			return db.Update(checked)
		}
		return db.View(checked)
	})
}

// errState is returned if the database of a crawl is damaged, or belongs to
// something other than a crawl.
var errState = errors.New("the crawl's state is damaged; restore it from a copy, or remove the folder and begin the crawl again: what it fetched is in the archive")

// guard calls f, which reads the database of the crawl in dir, and returns
// its error. If f faults or panics, the error is that of caught.
func guard(dir string, f func() error) (err error) {
	defer caught(dir, debug.SetPanicOnFault(true), &err)
	return f()
}

// caught is deferred by functions that read the database of the crawl in dir. bbolt maps the
// database into memory and follows the pointers in it, so a damaged database makes the function
// fault or panic. caught sets the function's error err, which then wraps errState. old is what
// debug.SetPanicOnFault(true) returned when the function began.
func caught(dir string, old bool, err *error) {
	debug.SetPanicOnFault(old)
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: %w (%v)", filepath.Join(dir, fileState), errState, r)
	}
}

// ownState returns an error that wraps errState if the database does not
// belong to a crawl but, for example, to an index. An empty database is no
// error: a crawl may begin in it.
func ownState(tx *bolt.Tx) error {
	if first, _ := tx.Cursor().First(); first != nil && tx.Bucket(bucketAbout) == nil {
		return fmt.Errorf("%s: %w (it has a bucket %q)", tx.DB().Path(), errState, first)
	}
	return nil
}

// Look returns the description of the crawl in dir, and what its workers
// were doing when the crawl last called SetWorkers. If the crawl was killed
// before it began, c is zero and workers is nil.
func Look(dir string) (c report.Crawl, workers []report.Worker, err error) {
	err = visit(dir, false, nil, func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketAbout)
		if b == nil {
			return ownState(tx) // the crawl was killed before it began
		}
		if err := get(b, keyCrawl, &c); err != nil {
			return err
		}
		return get(b, keyWorkers, &workers)
	})
	return c, workers, err
}

// Order calls change with the orders of the crawl in dir, such as to pause,
// and stores what change made of them. A running crawl reads them after its
// next batch. If the crawl has not begun, Order returns an error.
func Order(dir string, change func(*report.CrawlOrders)) error {
	return visit(dir, true, nil, func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketAbout)
		if b == nil {
			return errors.New("the crawl has not begun")
		}
		var o report.CrawlOrders
		if err := get(b, keyOrders, &o); err != nil {
			return err
		}
		change(&o)
		return set(b, keyOrders, o)
	})
}

// Give adds URLs to the inbox of the crawl in dir. A running crawl queues
// them after its next batch. If the crawl has not begun, Give returns an
// error.
func Give(dir string, list []report.Queued) error {
	return visit(dir, true, bucketInbox, func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketInbox)
		if b == nil {
			return errors.New("the crawl has not begun")
		}
		for i := range list {
			seq, err := b.NextSequence()
			if err != nil {
				return err
			}
			if err := b.Put(seqKey(seq), AppendQueued(nil, &list[i])); err != nil {
				return err
			}
		}
		return nil
	})
}

// Fetches yields the log of fetches of the crawl in dir, in the order in
// which they ended, in slices of up to visitRows. An error is the last pair.
func Fetches(dir string) iter.Seq2[[]report.Fetch, error] {
	return pages(dir, bucketFetches, decodeFetch)
}

// Waiting yields the URLs that the crawl in dir has still to fetch, in slices of up to visitRows.
// First come the URLs in the queues, by host; then URLs that are not due; then URLs that are kept
// back in traps or because an order excludes them. An error is the last pair.
func Waiting(dir string) iter.Seq2[[]report.Queued, error] {
	return func(yield func([]report.Queued, error) bool) {
		for _, bucket := range [][]byte{bucketQueue, bucketLater, bucketKept} {
			for list, err := range pages(dir, bucket, DecodeQueued) {
				if !yield(list, err) || err != nil {
					return
				}
			}
		}
	}
}

// pages yields the entries of a bucket of the crawl in dir, decoded, in
// slices of up to visitRows. It opens the database once for each slice. An
// error is the last pair.
func pages[T any](dir string, bucket []byte, decode func([]byte) (T, error)) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		check := bucket // at the first visit
		for from, more := []byte(nil), true; more; check = nil {
			var list []T
			err := visit(dir, false, check, func(tx *bolt.Tx) (err error) {
				if b := tx.Bucket(bucket); b != nil {
					list, from, err = entries(b, from, decode)
				}
				return err
			})
			if err != nil {
				yield(nil, err)
				return
			}
			if len(list) > 0 && !yield(list, nil) {
				return
			}
			more = len(list) == visitRows
		}
	}
}

// entries decodes up to visitRows entries of the bucket b, in order of their
// keys, beginning with the first key that is not below from. The result next is
// the value of from for the following call.
func entries[T any](b *bolt.Bucket, from []byte, decode func([]byte) (T, error)) (list []T, next []byte, err error) {
	c := b.Cursor()
	for k, v := c.Seek(from); k != nil && len(list) < visitRows; k, v = c.Next() {
		row, err := decode(v)
		if err != nil {
			return nil, nil, err
		}
		list, next = append(list, row), append(bytes.Clone(k), 0)
	}
	return list, next, nil
}

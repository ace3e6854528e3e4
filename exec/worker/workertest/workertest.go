// Package workertest has workers in the process of a test, and faults of workers.
package workertest

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"

	"infomall/exec/session"
	"infomall/exec/worker"
)

// Transport carries tasks to workers in this process. It implements worker.Transport.
type Transport struct {
	// Meddle, if not nil, returns what arrives of the messages of an answer. The Transport
	// may call it in several goroutines.
	Meddle func(ctx context.Context, worker string, messages iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error]

	answerers map[string]*worker.Answerer
}

// New returns a Transport with workers named w0, w1 and so on, which have two slots each.
// open returns a session of the archive for a task. Close ends the workers.
func New(archive session.Archive, workers int, open func() *session.Session) *Transport {
	t := &Transport{answerers: map[string]*worker.Answerer{}}
	for i := range workers {
		id := fmt.Sprintf("w%d", i)
		t.answerers[id] = worker.NewAnswerer(archive, worker.Info{ID: id, Host: id, Slots: 2}, open)
	}
	return t
}

// Close ends the workers. All tasks must have ended.
func (t *Transport) Close() {
	for _, a := range t.answerers {
		a.Close()
	}
}

// Workers yields each worker once; see worker.Transport.
func (t *Transport) Workers(ctx context.Context, state string) iter.Seq2[worker.Info, error] {
	return func(yield func(worker.Info, error) bool) {
		for i := range len(t.answerers) {
			info, err := t.answerers[fmt.Sprintf("w%d", i)].Info(ctx, state)
			if ctx.Err() != nil || !yield(info, err) {
				return
			}
		}
	}
}

// Send has a worker compute a task; see worker.Transport.
func (t *Transport) Send(ctx context.Context, id string, task []byte) iter.Seq2[[]byte, error] {
	messages := func(yield func([]byte, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		list := make(chan []byte)
		var wait sync.WaitGroup
		defer wait.Wait()
		defer cancel()
		wait.Go(func() {
			defer close(list)
			t.answerers[id].Answer(ctx, task, func(msg []byte) error { // its error is that of ctx
				select {
				case list <- slices.Clone(msg):
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		})
		for msg := range list {
			if !yield(msg, nil) {
				return
			}
		}
	}
	if t.Meddle != nil {
		return t.Meddle(ctx, id, messages)
	}
	return messages
}

// Fault is a way in which the messages of an answer arrive, or do not.
type Fault uint8

// The faults.
const (
	Whole    Fault = iota // nothing is wrong
	Dies                  // the worker is lost after some messages
	Dawdles               // after some messages no more come, and the worker is not lost
	Twice                 // some messages come twice
	Cut                   // the messages end early, without an error
	Damaged               // a byte of a message is another
	Missing               // a message is missing
	Faults   = Missing + 1
	perFault = 3 // of so many messages about one is at fault
)

// Meddled returns the messages as they arrive with the fault f. r says where; only the
// iteration uses it.
func Meddled(ctx context.Context, f Fault, r *rand.Rand, messages iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for msg, err := range messages {
			if err != nil {
				yield(nil, err)
				return
			}
			hit := r.IntN(perFault) == 0
			switch {
			case !hit || f == Whole:
			case f == Dies:
				yield(nil, worker.ErrLost)
				return
			case f == Dawdles:
				<-ctx.Done()
				return
			case f == Twice:
				if !yield(msg, nil) {
					return
				}
			case f == Cut:
				return
			case f == Damaged:
				msg[r.IntN(len(msg))] ^= 1 << r.IntN(8)
			case f == Missing:
				continue
			}
			if !yield(msg, nil) {
				return
			}
		}
	}
}

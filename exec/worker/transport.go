package worker

import (
	"context"
	"errors"
	"iter"
)

// Info is what a worker says of itself.
type Info struct {
	ID      string // unique among all workers
	Host    string // the name of its machine
	Version string // of the program
	State   string // of the archive as the worker sees it now, see relation.Snapshot; "" if it has none
	Slots   int    // how many tasks it computes at once
	Busy    int    // how many tasks it computes now
	Done    int64  // how many tasks it has computed
}

// ErrLost says that a worker is not there any more.
var ErrLost = errors.New("the worker does not answer")

// Transport carries tasks to workers and messages back. Several goroutines may use it.
type Transport interface {
	// Workers asks who works for an archive in this state, and yields the replies as they
	// come, the same worker again and again, until ctx is done. An error is the last pair.
	Workers(ctx context.Context, state string) iter.Seq2[Info, error]
	// Send gives a task to the worker with this ID, and yields the messages of its answer as
	// they come. A message is valid until the iteration moves on. The messages end when ctx
	// is done or, with ErrLost, when the worker is lost. Ending the iteration cancels the
	// task there.
	Send(ctx context.Context, worker string, task []byte) iter.Seq2[[]byte, error]
}

// Package op holds the operators of a running query: each takes batches of
// columns and yields batches. They stream, stop when asked and watch their
// context; those that must hold rows bound the memory for them.
package op

import (
	"context"
	"iter"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// Snapshot is one unchanging state of an archive. Refs are good for the
// snapshot whose scan gave them. It may be used from several goroutines; all
// of them must be done before Close. Whatever reads gives the error of a context
// that has ended, such that those who read need not look at it each time.
type Snapshot interface {
	// Scan yields captures in order of (key, time, sequence). Opening is cheap,
	// ranging does the work, stopping releases it.
	Scan(ctx context.Context, s record.Scan) record.Rows
	// Tally yields captures to be counted, in no order.
	Tally(ctx context.Context, t record.Tally) record.Rows
	// Payload reads one capture's response.
	Payload(ctx context.Context, ref record.Ref) (record.Payload, error)
	// Stored reads one capture with all that came in with it.
	Stored(ctx context.Context, ref record.Ref) (record.Stored, error)
	// Kept gives what was kept of the version that begins at a capture; what was
	// not is nil.
	Kept(ctx context.Context, ref record.Ref) (record.Facts, error)
	// Knew reports whether the fold that is kept of a capture, which is of the URL
	// with that key and of that time, is to be believed.
	Knew(ctx context.Context, ref record.Ref, key string, at record.Time) (bool, error)
	// LeafFacts gives what was kept of each leaf of a capture's body, in order.
	LeafFacts(ctx context.Context, ref record.Ref) ([][]byte, error)
	// AppendLeaves appends it to dst as it is kept: who wants a part of it need not
	// have all of it made.
	AppendLeaves(ctx context.Context, dst []record.Leaf, ref record.Ref) ([]record.Leaf, error)
	// Digests gives the digests of the blocks in some places, from 0 and ascending,
	// of the cut at a level of a capture's body; nil where the body is not kept in
	// blocks.
	Digests(ctx context.Context, ref record.Ref, level int, places []int) ([]record.Digest, error)
	Pools(ctx context.Context) ([]record.Pool, error)
	Files(ctx context.Context) ([]record.File, error)
	Tombstones(ctx context.Context) ([]record.Tombstone, error)
	// Results lists the results of a kind that are kept, in order of name and
	// time; ResultRows yields the rows of one whose keys lie in one of the ranges,
	// which are sorted and disjoint; nil is all.
	Results(ctx context.Context, kind string) ([]record.Result, error)
	ResultRows(ctx context.Context, r record.Result, ranges []urlkey.Range) iter.Seq2[record.ResultRow, error]
	// Delete removes captures, named by refs of this snapshot, from the archive:
	// the next snapshot is without them. It is record.ErrChanged if another
	// process wrote them anew meanwhile.
	Delete(ctx context.Context, o record.DeleteOptions) (record.DeleteResult, error)
	// Stats counts what was read through this snapshot so far.
	Stats() record.ReadStats
	// SetCache bounds the archive's cache of decoded runs, in bytes; with 0 the
	// snapshot does without.
	SetCache(bytes int64)
	Close() error
}

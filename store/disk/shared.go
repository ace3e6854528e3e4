package disk

import (
	"context"
	"errors"
	"time"
)

// ErrCondition is wrapped by the error of a change to a [Shared] file if another process has
// changed the file since this process read it. The file is then left unchanged.
var ErrCondition = errors.New("another process has changed the object")

// ErrUnsure is wrapped by the error of a change to a [Shared] file if nobody knows whether the
// change was carried out, because the answer of the store was lost and another process has changed
// the file since.
var ErrUnsure = errors.New("the answer of the store was lost, and the object has changed since")

// Place says where a file of an archive in a bucket is kept, and how it is read.
type Place int

// The values of Place.
const (
	Local    Place = iota // only on this machine, in its working folder
	Fixed                 // in the bucket; its content never changes
	Whole                 // like Fixed, but it is always read as a whole, and its name is never used again
	Paged                 // like Fixed, but mostly single pages of some KB are read, such as those of an index
	Changing              // in the bucket; its content changes, so each read asks the bucket
)

// Expected describes a file whose content does not change, except that REPAIR may replace it.
type Expected struct {
	Bytes   int64
	Edition string // a text that changes with each replacement; "" if the file was never replaced
}

// Shared is the FS of an archive in a bucket. There are no locks between machines. Instead, a file
// is changed on the condition that nobody has changed it since it was read.
type Shared interface {
	FS
	// Attempt calls do, which reads files whose Place is Changing and writes them. If
	// another process changes such a file after do has first read it, the write of do
	// returns ErrCondition. Attempt then calls do again, at most 20 times, with waits in
	// between. If another Attempt is running, Attempt waits for it first.
	Attempt(ctx context.Context, do func() error) error
	// Expect tells the FS which files the archive with this ID has, by their paths in the
	// archive's folder. Open then needs no request for such a file.
	Expect(id string, files map[string]Expected)
	// Prefetch fetches the beginnings and ends of files that Expect has named into the cache, all
	// at once. It ignores errors, because a later read of the file returns the same error.
	Prefetch(names []string)
	// Written returns when a file was written, by the clock of the store.
	Written(name string) (time.Time, error)
	// Now returns the present time by the clock of the store, computed from the time of the
	// store's last answer.
	Now() time.Time
	// Touch creates or replaces a file, with a content of one byte. Written then returns the
	// time of this call.
	Touch(name string) error
	// Check returns an error if the store does not honour the conditions on which Attempt relies.
	Check(ctx context.Context) error
	// Forget drops what the running Attempt has read of a file, so that the next read asks the
	// store again.
	Forget(name string)
}

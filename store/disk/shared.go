package disk

import (
	"context"
	"errors"
	"time"
)

// ErrCondition is wrapped by the error of a change to a [Shared] file if another process has
// changed the file since this process read it. The file is then left unchanged.
var ErrCondition = errors.New("another process has changed the object")

// ErrUnsure is wrapped by the error of a change to a [Shared] file if it is not known whether the
// change was carried out: the answer was lost, and another process has changed the file since.
var ErrUnsure = errors.New("the answer of the store was lost, and the object has changed since")

// Place says where a file of an archive in a bucket lies.
type Place int

// The places.
const (
	Local    Place = iota // in the working folder of this machine
	Fixed                 // in the bucket; its content never changes
	Whole                 // like Fixed, and it is read as a whole; its name is never used again
	Paged                 // like Fixed, and single pages of some KB are read, as of an index
	Changing              // in the bucket; its content changes, and each reading asks the bucket
)

// Expected describes a file whose content does not change, except that a repair may replace it.
type Expected struct {
	Bytes   int64
	Edition string // another one after each replacement; "" if the file was never replaced
}

// Shared is the FS of an archive in a bucket. There are no locks between machines. Instead, a file
// is changed on the condition that nobody has changed it since it was read.
type Shared interface {
	FS
	// Attempt calls do, which reads files whose Place is Changing and writes them. A
	// write fails with ErrCondition if another process has changed the file since do
	// read it first. Attempt then calls do again, at most 20 times, with waits in between.
	// One Attempt runs at a time.
	Attempt(ctx context.Context, do func() error) error
	// Expect says what files the archive with this ID has, by their
	// paths below the archive's folder. Opening such a file then needs no request.
	Expect(id string, files map[string]Expected)
	// Prefetch brings the beginnings and ends of files that Expect has named into the cache, all at once.
	// It returns no error: a reader of the file meets it.
	Prefetch(names []string)
	// Written returns when a file was written, by the clock of the store.
	Written(name string) (time.Time, error)
	// Now returns the present time by the clock of the store, as far as the last answer of
	// the store says it.
	Now() time.Time
	// Touch writes a small file, whatever its content was. Its time is then the present.
	Touch(name string) error
	// Check returns an error if the store does not honour the conditions on which Attempt relies.
	Check(ctx context.Context) error
	// Forget makes the running Attempt read a file from the store the next time.
	Forget(name string)
}

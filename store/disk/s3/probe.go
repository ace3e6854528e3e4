package s3

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// dirProbe begins the names of the objects with which FS.Check tests a store.
const dirProbe = "probe/"

// errIgnored is the error of a store that has carried out a write although its condition was not
// true.
var errIgnored = errors.New("the store ignores the condition, and has overwritten the object")

// Refused returns nil if err means that the store has refused a PUT because its condition was not
// true. It also returns nil for ErrUnsure (the answer was lost, and the object has another
// content), which means the same if nobody else writes the object. If err is nil, the store has
// ignored the condition, and Refused returns errIgnored.
func Refused(err error) error {
	switch {
	case err == nil:
		return errIgnored
	case errors.Is(err, ErrCondition), errors.Is(err, ErrUnsure):
		return nil
	}
	return err
}

// ProbeAbsent tests whether a store honours the condition that an object does not exist. It returns
// an error if a PUT with If-None-Match: * replaces an object. It writes the object with this name,
// which must not exist before. The caller removes the object.
func ProbeAbsent(ctx context.Context, c *Client, name string) error {
	if _, err := c.PutBytes(ctx, name, []byte("one"), IfAbsent); err != nil {
		return err
	}
	_, err := c.PutBytes(ctx, name, []byte("two"), IfAbsent)
	return reads(ctx, c, name, "one", Refused(err))
}

// ProbeMatch tests whether a store honours the condition that an object has a given ETag. It
// returns an error if a PUT with If-Match replaces an object with another ETag, or does not replace
// an object with this ETag. It writes the object with this name. The caller removes the object.
func ProbeMatch(ctx context.Context, c *Client, name string) error {
	one, err := c.PutBytes(ctx, name, []byte("one"), Always)
	if err != nil {
		return err
	}
	two, err := c.PutBytes(ctx, name, []byte("two"), IfUnchanged(one.ETag))
	if err != nil {
		return err
	}
	_, err = c.PutBytes(ctx, name, []byte("three"), IfUnchanged(one.ETag))
	if err := Refused(err); err != nil {
		return err
	}
	_, err = c.PutBytes(ctx, name, []byte("four"), IfUnchanged(two.ETag))
	return reads(ctx, c, name, "four", err)
}

// reads returns err if that is not nil. Otherwise it reads the object with this name, and returns
// an error if its content is not want.
func reads(ctx context.Context, c *Client, name, want string, err error) error {
	if err != nil {
		return err
	}
	got, _, err := c.Get(ctx, name, 0, -1, "")
	if err == nil && string(got) != want {
		err = fmt.Errorf("a read gives %q, and %q was written last", got, want)
	}
	return err
}

// fileProbed is the name of a file in the working folder. It exists if Check has found that the
// store honours conditions.
const fileProbed = ".probed"

// Check returns an error if the store does not honour the conditions of writes. An archive there
// would lose data if two writers wrote at once. Check tests the store only once for each working
// folder.
func (d *FS) Check(ctx context.Context) error {
	note := filepath.Join(d.root, fileProbed)
	if _, err := os.Stat(note); err == nil {
		return nil
	}
	name := fmt.Sprintf("%s%016x", dirProbe, rand.Uint64())
	defer func() { _ = d.client.Remove(context.WithoutCancel(ctx), name) }() // if this fails, a small object stays
	err := ProbeAbsent(ctx, d.client, name)
	if err == nil {
		err = ProbeMatch(ctx, d.client, name)
	}
	var failed *Error
	if errors.As(err, &failed) && failed.Remedy != "" {
		return err // the reason is not that the store ignores conditions
	}
	if err != nil {
		return fmt.Errorf("%s at %s cannot hold an archive (%w): use a store that honours If-Match and If-None-Match of PUT",
			d.client.URL(), d.client.endpoint, err)
	}
	return writeWhole(note, []byte("conditions of writes are honoured\n"))
}

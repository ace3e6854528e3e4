package s3

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// Check is one thing that an archive in a bucket needs of a store, and whether the store does it.
type Check struct {
	Name string // such as "if-none-match"
	OK   bool
	Seen string // such as "the second write was refused"
	Err  error  // why the first write failed; nil in all other cases
}

// clockSkewMost is how far the clocks of the store and of this machine may be apart. Signatures
// are refused from 15 minutes on.
const clockSkewMost = 5 * time.Minute

// dirProbe is the folder of the objects that Probe writes.
const dirProbe = "probe/"

// Probe tries out what an archive in a bucket needs of a store. It writes an object below the
// prefix of the client and removes it. It returns one Check for each need. If a request fails,
// the checks that need its answer are missing, and the last Check has the error.
func Probe(ctx context.Context, c *Client) []Check { return probe(ctx, c, false) }

// probe does what Probe does; or it tries the conditions only.
func probe(ctx context.Context, c *Client, conditions bool) (list []Check) {
	add := func(name string, ok bool, format string, args ...any) {
		list = append(list, Check{Name: name, OK: ok, Seen: fmt.Sprintf(format, args...)})
	}
	name := fmt.Sprintf("%s%016x", dirProbe, rand.Uint64())
	first, err := c.PutBytes(ctx, name, []byte("first content"), IfAbsent)
	if err != nil {
		return append(list, Check{Name: "write", Seen: err.Error(), Err: err})
	}
	defer func() {
		err := c.Remove(context.WithoutCancel(ctx), name)
		if err == nil && !conditions {
			_, err = c.Head(ctx, name)
			if add("remove", isMissing(err), "the object is gone"); isMissing(err) {
				return
			}
			err = fmt.Errorf("the object is still there (%v)", err)
			list = list[:len(list)-1]
		}
		if err != nil {
			add("remove", false, "%v", err)
		}
	}()
	add("write", true, "ETag %s", first.ETag)
	refused := func(check string, when Condition) {
		switch _, err := c.PutBytes(ctx, name, []byte("content to be refused"), when); {
		case errors.Is(err, ErrCondition), errors.Is(err, ErrUnsure): // nobody else writes this object
			add(check, true, "a write whose condition was not true was refused")
		case err == nil:
			add(check, false, "a write whose condition was not true was carried out")
		default:
			add(check, false, "%v", err)
		}
	}
	refused("if-none-match", IfAbsent)
	refused("if-match", IfUnchanged("00000000000000000000000000000000"))
	now, err := c.Head(ctx, name)
	if err != nil {
		add("look", false, "%v", err)
		return list
	}
	second, err := c.PutBytes(ctx, name, []byte("second content"), IfUnchanged(now.ETag))
	if add("if-match-holds", err == nil, "a write whose condition was true was carried out"); err != nil {
		list[len(list)-1].Seen = err.Error()
		return list
	}
	if conditions {
		return list
	}
	b, info, err := c.Get(ctx, name, 7, 7, "")
	switch {
	case err != nil:
		add("read", false, "%v", err)
	case string(b) != "content" || info.ETag != second.ETag:
		add("read", false, "bytes 7 to 13 were %q with the ETag %s after a write with the ETag %s", b, info.ETag, second.ETag)
	default:
		add("read", true, "a range of what was written last")
	}
	listed := false
	for i, err := range c.List(ctx, dirProbe, false) {
		if err != nil {
			add("list", false, "%v", err)
			return list
		}
		listed = listed || i.Name == name
	}
	if listed {
		add("list", true, "the list shows what was written")
	} else {
		add("list", false, "the list does not show what was written")
	}
	switch skew := time.Since(info.Date).Truncate(time.Second); {
	case info.Date.IsZero():
		add("clock", false, "the answers have no Date")
	default:
		add("clock", skew.Abs() < clockSkewMost, "the clock of the store is %v behind that of this machine", skew)
	}
	return list
}

// fileProbed is the local file that says that the store was found to honour conditions.
const fileProbed = ".probed"

// Check returns an error if the store does not honour the conditions of writes: an archive there
// would lose what two writers write at once. It tries that once for each working folder.
func (d *FS) Check(ctx context.Context) error {
	note := filepath.Join(d.root, fileProbed)
	if _, err := os.Stat(note); err == nil {
		return nil
	}
	for _, c := range probe(ctx, d.client, true) {
		var failed *Error
		if errors.As(c.Err, &failed) && failed.Remedy != "" {
			return c.Err // the reason is not that the store ignores conditions
		}
		if !c.OK {
			return fmt.Errorf("%s at %s cannot hold an archive (%s: %s): use a store that honours If-Match and If-None-Match of PUT",
				d.client.URL(), d.client.endpoint, c.Name, c.Seen)
		}
	}
	return writeWhole(note, []byte("conditions of writes are honoured\n"))
}

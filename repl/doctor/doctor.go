// Package doctor checks an S3 store, which may keep an archive, and NATS servers, on which
// questions by many workers and crawls by many fetchers depend. A store that has the
// interface does not always do what the interface promises. Each check tests one promise.
// If the promise is broken, the result says what that means for infomall.
//
// The checks use a prefix and streams with names of their own. They remove what they have
// made, also when they fail.
package doctor

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"infomall/store/disk/s3"
)

// verdict is the result of one check.
type verdict string

const (
	ok     verdict = "ok"
	note   verdict = "note"  // the user should know it; infomall works
	failed verdict = "FAILS" // infomall needs it
)

// report writes the results of checks as lines.
type report struct {
	w      io.Writer
	failed int // how many checks that infomall needs failed
}

// line writes the result of the check with this name.
func (r *report) line(v verdict, name, format string, args ...any) {
	if v == failed {
		r.failed++
	}
	fmt.Fprintf(r.w, "  %-5s  %-24s  %s\n", v, name, fmt.Sprintf(format, args...))
}

// check runs do and writes the result: ok with the text that do returns; or a failure, with the
// error of do and the text means, which says what the failure means for infomall. It returns
// whether do succeeded.
func (r *report) check(name, means string, do func() (string, error)) bool {
	text, err := do()
	if err != nil {
		r.line(failed, name, "%v: %s", err, means)
		return false
	}
	r.line(ok, name, "%s", text)
	return true
}

// IsPlace reports whether the doctor can check the place with this URL: s3://bucket/prefix, or
// servers of NATS such as nats://host:4222,nats://other:4222.
func IsPlace(url string) bool { return s3.IsURL(url) || isNATS(url) }

func isNATS(url string) bool {
	return strings.HasPrefix(url, "nats://") || strings.HasPrefix(url, "tls://")
}

// Check checks the places, writes one line for each check to w, and returns how many of the
// checks failed whose promises infomall needs. IsPlace must be true for each place. The error says
// that the checks were cancelled.
func Check(ctx context.Context, w io.Writer, places ...string) (failures int, err error) {
	r := &report{w: w}
	for _, p := range places {
		if err := ctx.Err(); err != nil {
			return r.failed, context.Cause(ctx)
		}
		if isNATS(p) {
			checkNATS(ctx, r, p)
			continue
		}
		c, err := s3.Open(ctx, p)
		if err != nil {
			r.line(failed, "URL", "%v", err)
			continue
		}
		checkBucket(ctx, r, c)
	}
	if ctx.Err() != nil {
		return r.failed, context.Cause(ctx)
	}
	return r.failed, nil
}

// times are how long each of several requests took.
type times []time.Duration

// took runs do and adds the time that it took to t.
func (t *times) took(do func() error) error {
	start := time.Now()
	err := do()
	*t = append(*t, time.Since(start))
	return err
}

package s3

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"
)

// Info describes an object.
type Info struct {
	Name     string // in a list, a name that ends with "/" stands for all objects whose names begin with it
	Size     int64  // in bytes, of the whole object
	ETag     string
	Modified time.Time // by the clock of the store, in whole seconds
	Date     time.Time // the time of the answer by the clock of the store, in whole seconds; zero in a list
}

// Condition says what must be true of an object for a PUT to change it. The zero value means that
// the PUT always changes it.
type Condition struct{ match, none string }

// The conditions without an ETag: Always is always true, and IfAbsent is true if the object does
// not exist.
var (
	Always   = Condition{}
	IfAbsent = Condition{none: "*"}
)

// IfUnchanged returns a Condition that is true while the object has this ETag.
func IfUnchanged(etag string) Condition { return Condition{match: etag} }

const (
	attemptsDefault = 8
	// partSize is the size in bytes of the parts in which a large object is sent. If the
	// connection breaks, the whole part is sent again.
	partSize = 16 << 20
	// partsAtOnce is how many parts are sent at once. Each takes partSize bytes of memory.
	partsAtOnce = 4
	// patience is how long a read of an object may wait for its next byte. Any other request may take
	// so long, besides the time for the transfer of its bytes at the rate slowest.
	patience = time.Minute
	// slowest is the rate, in bytes per second, below which a transfer counts as broken.
	slowest = 64 << 10
)

// try calls do, and repeats it after a wait if it fails and may succeed the next time. It calls do
// at most c.attempts times, and returns the last error. n is how many bytes one call transfers; if it
// is negative, do itself sees to it that it ends.
// unsure reports whether the store may have carried out a call that failed.
func (c *Client) try(ctx context.Context, n int64, do func(ctx context.Context) error) (unsure bool, err error) {
	for i := range c.attempts {
		if i > 0 {
			c.meter.repeat()
			longest := min(c.backoff<<(i-1), 5*time.Second)
			select {
			case <-time.After(rand.N(longest)):
			case <-ctx.Done():
				return unsure, ctx.Err()
			}
		}
		one, cancel := ctx, func() {}
		if n >= 0 {
			one, cancel = context.WithTimeout(ctx, patience+time.Duration(n/slowest)*time.Second)
		}
		err = do(one)
		cancel()
		if err == nil {
			return unsure, nil
		}
		again, sure := mayPass(err)
		unsure = unsure || !sure
		if ctx.Err() != nil || !again {
			return unsure, err
		}
	}
	return unsure, err
}

// Get reads n bytes of an object, starting at the offset off, or fewer if the object ends before.
// If n is negative, it reads all bytes from off to the end. If etag is the ETag of the object, Get
// reads nothing and returns nil bytes; with etag "" it always reads.
func (c *Client) Get(ctx context.Context, name string, off, n int64, etag string) (b []byte, info Info, err error) {
	var opts minio.GetObjectOptions
	switch {
	case n == 0 && off == 0 && etag == "":
		info, err = c.Head(ctx, name)
		return nil, info, err
	case n > 0:
		_ = opts.SetRange(off, off+n-1) // fails only if the end is before the start
	case off > 0:
		_ = opts.SetRange(off, 0)
	}
	if etag != "" {
		_ = opts.SetMatchETagExcept(etag) // fails only for ""
	}
	_, err = c.try(ctx, -1, func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		// The transport bounds the wait for the header.
		answer, o, header, err := c.core.GetObject(withDate(ctx, &info.Date), c.bucket, c.prefix+name, opts)
		if err != nil {
			return err
		}
		defer answer.Close()
		body := newPatient(answer, cancel)
		defer body.idle.Stop()
		info.Name, info.ETag, info.Modified, info.Size = name, o.ETag, o.LastModified, o.Size
		want := o.Size
		if _, whole, ok := strings.Cut(header.Get("Content-Range"), "/"); ok {
			if info.Size, err = strconv.ParseInt(whole, 10, 64); err != nil {
				return fmt.Errorf("the store answers with the range %q", header.Get("Content-Range"))
			}
		} else if opts.Header().Get("Range") != "" && o.Size > 0 {
			if b, err = io.ReadAll(body); err != nil { // the store does not know ranges
				return err
			}
			b = b[min(off, int64(len(b))):]
			if n >= 0 {
				b = b[:min(n, int64(len(b)))]
			}
			return nil
		}
		if n > 0 {
			want = min(want, n)
		}
		if b, err = readSized(body, want); err != nil {
			return io.ErrUnexpectedEOF // the answer was torn
		}
		return nil
	})
	var r minio.ErrorResponse
	switch {
	case err == nil:
		return b, info, nil
	case errors.As(err, &r) && r.StatusCode == http.StatusNotModified:
		info.Name, info.ETag = name, etag
		return nil, info, nil
	case errors.As(err, &r) && r.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return nil, Info{Name: name, Date: info.Date}, nil
	}
	return nil, Info{}, c.fail(ctx, "read", name, err)
}

// patient is an io.Reader that reads from r. If a Read does not return a byte within patience, it
// calls stop, which must end that Read.
type patient struct {
	r    io.Reader
	idle *time.Timer // calls stop; the caller stops it after the last Read
}

func newPatient(r io.Reader, stop func()) *patient {
	return &patient{r, time.AfterFunc(patience, stop)}
}

func (p *patient) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if n > 0 {
		p.idle.Reset(patience)
	}
	return n, err
}

// sizeTrusted is how many bytes readSized allocates before any of them has come.
const sizeTrusted = 16 << 20

// readSized reads the number of bytes that a store has announced; a negative number means all. The
// store may be wrong, so memory is allocated as the bytes come.
func readSized(r io.Reader, want int64) ([]byte, error) {
	if want < 0 {
		return io.ReadAll(r)
	}
	b := make([]byte, 0, min(want, sizeTrusted))
	for int64(len(b)) < want {
		if len(b) == cap(b) {
			b = slices.Grow(b, int(min(want-int64(len(b)), int64(len(b)))))
		}
		n, err := io.ReadFull(r, b[len(b):min(int64(cap(b)), want)])
		if b = b[:len(b)+n]; err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Head returns what the store knows about an object.
func (c *Client) Head(ctx context.Context, name string) (info Info, err error) {
	_, err = c.try(ctx, 0, func(ctx context.Context) error {
		o, err := c.core.StatObject(withDate(ctx, &info.Date), c.bucket, c.prefix+name, minio.StatObjectOptions{})
		info.Name, info.ETag, info.Modified, info.Size = name, o.ETag, o.LastModified, o.Size
		return err
	})
	if err != nil {
		return Info{}, c.fail(ctx, "look at", name, err)
	}
	return info, nil
}

// Put writes an object of size bytes, which it reads from body. It returns when the store
// has acknowledged the whole object. If the condition when is not true, the error wraps
// ErrCondition.
//
// If the answer to a conditional write was lost, Put looks at the object. If it has the content of
// body, Put succeeds; otherwise the error wraps ErrUnsure. If two writers may write the same
// content, they therefore cannot know which of them wrote it.
func (c *Client) Put(ctx context.Context, name string, body io.ReaderAt, size int64, when Condition) (Info, error) {
	if size > partSize {
		return c.putParts(ctx, name, body, size, when)
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(body, 0, size), b); err != nil {
		return Info{}, fmt.Errorf("read the bytes for %s%s: %w", c.prefix, name, err)
	}
	return c.PutBytes(ctx, name, b, when)
}

// PutBytes writes an object with the content b. Condition, result and errors are as for Put.
func (c *Client) PutBytes(ctx context.Context, name string, b []byte, when Condition) (Info, error) {
	md, sha := md5.Sum(b), sha256.Sum256(b)
	var up minio.UploadInfo
	info := Info{Name: name, Size: int64(len(b))}
	unsure, err := c.try(ctx, int64(len(b)), func(ctx context.Context) (err error) {
		up, err = c.core.PutObject(withDate(ctx, &info.Date), c.bucket, c.prefix+name, bytes.NewReader(b), int64(len(b)), base64.StdEncoding.EncodeToString(md[:]), hex.EncodeToString(sha[:]), when.options())
		return err
	})
	if err == nil {
		info.ETag, info.Modified = up.ETag, info.Date
		return info, nil
	}
	err = c.fail(ctx, "write", name, err)
	if when != Always && isMissing(err) {
		err = &Error{Deed: "write", Bucket: c.bucket, Key: c.prefix + name, Endpoint: c.endpoint, Err: ErrCondition}
	}
	if when == Always || !unsure {
		return Info{}, err
	}
	return c.compare(ctx, name, b, err)
}

// compare finds out whether a conditional PUT of b, which failed with err, was carried out after
// all. If the object has the content b, compare returns its Info. If it has another content or
// does not exist, the error wraps ErrUnsure. If the object cannot be read, the error wraps err.
func (c *Client) compare(ctx context.Context, name string, b []byte, err error) (Info, error) {
	found, info, e := c.Get(ctx, name, 0, -1, "")
	switch {
	case e == nil && bytes.Equal(found, b):
		return info, nil
	case e == nil, isMissing(e):
		return Info{}, &Error{Deed: "write", Bucket: c.bucket, Key: c.prefix + name, Endpoint: c.endpoint, Err: ErrUnsure}
	}
	return Info{}, fmt.Errorf("%w; nobody can say whether it was written", err)
}

// isMissing reports whether an error says that an object, not its bucket, does not exist.
func isMissing(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Key != "" && errors.Is(err, fs.ErrNotExist)
}

// options returns the condition as options for a PUT of the library minio.
func (w Condition) options() minio.PutObjectOptions {
	o := minio.PutObjectOptions{ContentType: "application/octet-stream"}
	if w.match != "" {
		o.SetMatchETag(w.match)
	}
	if w.none != "" {
		o.SetMatchETagExcept(w.none)
	}
	return o
}

// putParts does the work of Put for a large object, which it sends in parts. The object appears as
// a whole, with the last request. If a part cannot be sent, putParts removes the parts that were
// sent.
func (c *Client) putParts(ctx context.Context, name string, body io.ReaderAt, size int64, when Condition) (Info, error) {
	key := c.prefix + name
	var id string
	if _, err := c.try(ctx, 0, func(ctx context.Context) (err error) {
		id, err = c.core.NewMultipartUpload(ctx, c.bucket, key, Always.options())
		return err
	}); err != nil {
		return Info{}, c.fail(ctx, "write", name, err)
	}
	length := int64(partSize)
	for size/length >= 10_000 { // no store takes more parts
		length *= 2
	}
	parts := make([]minio.CompletePart, (size+length-1)/length)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(partsAtOnce)
	for i := range parts {
		g.Go(func() error {
			n := min(length, size-int64(i)*length)
			b := make([]byte, n)
			if _, err := io.ReadFull(io.NewSectionReader(body, int64(i)*length, n), b); err != nil {
				return fmt.Errorf("read the bytes for %s: %w", key, err)
			}
			md, sha := md5.Sum(b), sha256.Sum256(b)
			_, err := c.try(gctx, n, func(ctx context.Context) error {
				p, err := c.core.PutObjectPart(ctx, c.bucket, key, id, i+1, bytes.NewReader(b), n, minio.PutObjectPartOptions{Md5Base64: base64.StdEncoding.EncodeToString(md[:]), Sha256Hex: hex.EncodeToString(sha[:])})
				parts[i] = minio.CompletePart{PartNumber: i + 1, ETag: p.ETag}
				return err
			})
			if err != nil {
				return c.fail(gctx, "write", name, err)
			}
			return nil
		})
	}
	err := g.Wait()
	info := Info{Name: name, Size: size}
	if err == nil {
		var up minio.UploadInfo
		var unsure bool
		unsure, err = c.try(ctx, 0, func(ctx context.Context) (err error) {
			up, err = c.core.CompleteMultipartUpload(withDate(ctx, &info.Date), c.bucket, key, id, parts, when.options())
			return err
		})
		if err == nil {
			info.ETag, info.Modified = up.ETag, info.Date
			return info, nil
		}
		err = c.fail(ctx, "write", name, err)
		if unsure {
			// The upload that is missing now may be the one that became this object.
			if now, e := c.Head(ctx, name); e == nil && now.Size == size && strings.HasSuffix(now.ETag, "-"+strconv.Itoa(len(parts))) && now.ETag == joined(parts) {
				return now, nil
			}
		}
	}
	clear, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	_ = c.core.AbortMultipartUpload(clear, c.bucket, key, id) // if this fails, the store's own rule for old uploads removes it
	return Info{}, err
}

// joined returns the ETag that a store gives to an object that was uploaded in these parts, or ""
// if the ETags of the parts are no checksums.
func joined(parts []minio.CompletePart) string {
	sum := md5.New()
	for _, p := range parts {
		b, err := hex.DecodeString(p.ETag)
		if err != nil {
			return ""
		}
		sum.Write(b)
	}
	return fmt.Sprintf("%x-%d", sum.Sum(nil), len(parts))
}

// List yields the objects whose names begin with prefix, sorted by name. If deep is false, it does
// not yield objects whose names have a "/" after the prefix: in their place it yields each folder
// once, as a name that ends with "/", such as "pools/". A list may lack objects that were written
// shortly before, and may still have removed ones.
func (c *Client) List(ctx context.Context, prefix string, deep bool) iter.Seq2[Info, error] {
	delimiter := "/"
	if deep {
		delimiter = ""
	}
	return func(yield func(Info, error) bool) {
		token := ""
		for {
			var r minio.ListBucketV2Result
			if _, err := c.try(ctx, 0, func(ctx context.Context) (err error) {
				// The library's list takes no context.
				if err := ctx.Err(); err != nil {
					return err
				}
				r, err = c.core.ListObjectsV2(c.bucket, c.prefix+prefix, "", token, delimiter, 1000)
				return err
			}); err != nil {
				yield(Info{}, c.fail(ctx, "list", prefix, err))
				return
			}
			o, p := r.Contents, r.CommonPrefixes
			for len(o) > 0 || len(p) > 0 {
				var i Info
				if len(p) == 0 || len(o) > 0 && o[0].Key < p[0].Prefix {
					i, o = Info{Name: o[0].Key, Size: o[0].Size, ETag: strings.Trim(o[0].ETag, `"`), Modified: o[0].LastModified}, o[1:]
				} else {
					i, p = Info{Name: p[0].Prefix}, p[1:]
				}
				i.Name = strings.TrimPrefix(i.Name, c.prefix)
				if !yield(i, nil) {
					return
				}
			}
			if token = r.NextContinuationToken; !r.IsTruncated || token == "" {
				return
			}
		}
	}
}

// Remove removes an object. It is no error if the object does not exist.
func (c *Client) Remove(ctx context.Context, name string) error {
	_, err := c.try(ctx, 0, func(ctx context.Context) error {
		return c.core.RemoveObject(ctx, c.bucket, c.prefix+name, minio.RemoveObjectOptions{})
	})
	if err == nil {
		return nil
	}
	if err = c.fail(ctx, "remove", name, err); isMissing(err) {
		return nil
	}
	return err
}

package repl

import (
	"context"
	"io"
	"iter"

	"infomall/exec/lake"
	"infomall/store/disk/s3"
)

// bucket is the place of a data set in a bucket.
type bucket struct{ client *s3.Client }

// openDataSet returns the place of a data set by a URL such as s3://bucket/prefix/. The store
// and the credentials are those of the environment.
func openDataSet(ctx context.Context, url string) (lake.Place, error) {
	c, err := s3.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	return bucket{c}, nil
}

func (b bucket) Read(ctx context.Context, name string, off, n int64) ([]byte, error) {
	bytes, _, err := b.client.Get(ctx, name, off, n, "")
	return bytes, err
}

// Write writes one object, which appears when it is whole.
func (b bucket) Write(ctx context.Context, name string, body io.ReaderAt, size int64) error {
	_, err := b.client.Put(ctx, name, body, size, s3.Always)
	return err
}

func (b bucket) List(ctx context.Context) iter.Seq2[lake.File, error] {
	return func(yield func(lake.File, error) bool) {
		for o, err := range b.client.List(ctx, "", true) {
			if !yield(lake.File{Name: o.Name, Size: o.Size}, err) || err != nil {
				return
			}
		}
	}
}

func (b bucket) Remove(ctx context.Context, name string) error { return b.client.Remove(ctx, name) }

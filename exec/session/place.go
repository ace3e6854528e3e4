package session

import (
	"context"
	"fmt"
	"strings"

	"infomall/exec/lake"
)

// InBucket reports whether the name of a place for files, such as s3://bucket/prefix/, means
// a prefix in a bucket and not a folder.
func InBucket(name string) bool { return strings.HasPrefix(name, "s3://") }

// OpenPlace returns the place with this name for a data set: a folder, or a prefix in a
// bucket. It sends no request to the bucket.
func (s *Session) OpenPlace(ctx context.Context, name string) (lake.Place, error) {
	if !InBucket(name) {
		return lake.Folder(name), nil
	}
	if s.o.Bucket == nil {
		return nil, fmt.Errorf("%s is in a bucket, which cannot be reached from here; use the program infomall", name)
	}
	return s.o.Bucket(ctx, name)
}

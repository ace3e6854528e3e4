package store

import (
	"time"

	"infomall/store/commit"
	"infomall/store/disk/s3"
)

// BucketOptions are the settings of an archive in a bucket. The zero value works.
type BucketOptions struct {
	// Folder is the working folder, in which files are made and objects are cached. "" means a
	// folder in the user's cache folder.
	Folder string
	// CacheBytes is how large the cache of objects becomes; 0 means 10 GB.
	CacheBytes int64
	// Grace is how long files stay after they went out of force, for statements that read
	// them; 0 means 24 hours.
	Grace time.Duration
	// Lease is after what time without a sign of life a process loses its right to write; 0 means 2
	// minutes.
	Lease time.Duration
}

// OpenBucket returns the archive in the place of a bucket that the client reads, which need not
// exist. It does not read or create anything yet.
func OpenBucket(c *s3.Client, b BucketOptions, o Options) (*Archive, error) {
	d, err := s3.NewFS(c, s3.Options{Root: b.Folder, CacheBytes: b.CacheBytes, Place: commit.PlaceOf})
	if err != nil {
		return nil, err
	}
	o.Disk = d
	a := Open(d.Root(), o)
	a.folder.SetGrace(b.Grace)
	a.folder.SetLease(b.Lease)
	return a, nil
}

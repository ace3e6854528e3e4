package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/disk/s3"
	"infomall/store/disk/tier"
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

// Buckets returns a client for the place in a bucket that a URL names, such as
// s3://bucket/prefix, and the settings with which archives there are opened. It makes no
// request.
type Buckets func(url string) (*s3.Client, BucketOptions, error)

// OpenBucket returns the archive in the place of a bucket that the client reads, which need not
// exist. It does not read or create anything yet.
func OpenBucket(c *s3.Client, b BucketOptions, o Options) (*Archive, error) {
	d, err := b.fs(c, commit.PlaceOf)
	if err != nil {
		return nil, err
	}
	o.Disk = d
	a := Open(d.Root(), o)
	a.bucket, a.settings = c, b
	b.set(a.folder)
	return a, nil
}

// uncached returns the archive as its bucket, or the bucket of its tier, has it, without what the
// cache of this machine has. It returns nil if no file of the archive is in a bucket. The caller
// closes it.
func (a *Archive) uncached() *Archive {
	o := a.opts
	switch own := a.folder.Disk.(type) {
	case *s3.FS:
		o.Disk = own.Fresh()
	case *tier.FS:
		if link, err := tier.ReadLink(own.FS, a.dir); err != nil || !commit.IsURL(link.Place) {
			return nil
		}
	default:
		return nil
	}
	f := Open(a.dir, o)
	f.bucket, f.settings, f.fresh = a.bucket, a.settings, true
	f.settings.set(f.folder)
	return f
}

// fs returns the FS of the place that c reads. lies says where a file below the place
// lies.
func (b *BucketOptions) fs(c *s3.Client, lies func(rel string) disk.Place) (*s3.FS, error) {
	return s3.NewFS(c, s3.Options{Root: b.Folder, CacheBytes: b.CacheBytes, Place: lies})
}

// set gives an archive in a bucket the settings of b.
func (b *BucketOptions) set(f *commit.Folder) {
	f.SetGrace(b.Grace)
	f.SetLease(b.Lease)
}

// client returns a client for a place in a bucket other than that of the archive, and its
// settings. If the archive's settings name a working folder, the place has one below it.
func (a *Archive) client(url string) (*s3.Client, BucketOptions, error) {
	if a.opts.Bucket == nil {
		return nil, BucketOptions{}, errors.New("buckets cannot be reached here")
	}
	c, b, err := a.opts.Bucket(url)
	if err == nil && b.Folder != "" {
		sum := sha256.Sum256([]byte(c.Endpoint() + " " + c.URL()))
		b.Folder = filepath.Join(b.Folder, ".places", hex.EncodeToString(sum[:8]))
	}
	return c, b, err
}

// objects returns the FS of a place in a bucket in which all files are objects. It uses the cache
// of this machine unless a comes from uncached.
func (a *Archive) objects(url string) (*s3.FS, error) {
	c, b, err := a.client(url)
	if err != nil {
		return nil, err
	}
	d, err := b.fs(c, func(string) disk.Place { return disk.Fixed })
	if err != nil || !a.fresh {
		return d, err
	}
	return d.Fresh(), nil
}

// folders returns the FS for folders of this machine.
func (a *Archive) folders() disk.FS {
	if a.bucket != nil {
		return disk.OS
	}
	return a.opts.Disk
}

// tier opens a tier of the archive, see tier.Opener.
func (a *Archive) tier(place string) (disk.FS, string, error) {
	if !commit.IsURL(place) {
		return a.folders(), place, nil
	}
	d, err := a.objects(place)
	if err != nil {
		return nil, "", err
	}
	return d, d.Root(), nil
}

// elsewhere returns the folder of another archive, see mend.Opener.
func (a *Archive) elsewhere(place string) (*commit.Folder, error) {
	var f *commit.Folder
	if commit.IsURL(place) {
		c, b, err := a.client(place)
		if err != nil {
			return nil, err
		}
		if a.bucket != nil && a.bucket.URL() == c.URL() && a.bucket.Endpoint() == c.Endpoint() {
			return a.folder, nil
		}
		d, err := b.fs(c, commit.PlaceOf)
		if err != nil {
			return nil, err
		}
		d = d.Fresh() // COPY and REPAIR check the bytes in the bucket
		f = commit.Open(d.Root(), d)
		b.set(f)
	} else {
		f = commit.Open(place, a.folders())
	}
	f.Now = a.opts.Now
	return f, nil
}

// file returns the FS for a file that a user names by its path or its URL, and its path
// in the FS.
func (a *Archive) file(name string) (disk.FS, string, error) {
	if !commit.IsURL(name) {
		return disk.OS, name, nil
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(name, s3.Scheme), "/")
	d, err := a.objects(s3.Scheme + bucket)
	if err != nil {
		return nil, "", err
	}
	return d, filepath.Join(d.Root(), filepath.FromSlash(key)), nil
}

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
	// Folder is the working folder on this machine. New files are made there, and objects of
	// the bucket are cached there. "" means a folder in the user's cache folder.
	Folder string
	// CacheBytes is the greatest size of the cache of objects, in bytes; 0 means 10 GB.
	CacheBytes int64
	// Grace is how long files stay in the bucket after they went out of force, because
	// statements may still read them; 0 means 24 hours.
	Grace time.Duration
	// Lease is how long this process may write after it last renewed its lease. After that,
	// another process may take the right to write away from it. 0 means 2 minutes.
	Lease time.Duration
}

// Buckets returns a client for a place in a bucket, and the settings with which an archive
// there is opened. url is a URL such as s3://bucket/prefix. Buckets makes no request.
type Buckets func(url string) (*s3.Client, BucketOptions, error)

// OpenBucket returns the archive that is in a bucket, at the place that the client c reads. The
// archive need not exist. OpenBucket does not read or create anything yet.
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

// uncached opens the archive a again, so that it reads the files in the bucket and not their
// copies in the cache of this machine. It returns nil if neither the archive nor its tier (a
// second place for db-files) is in a bucket. The caller closes the result.
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

// fs returns a file system for the place in a bucket that c reads. The function lies gets the
// path of a file below that place, and returns whether the file is kept in the bucket or only on
// this machine (see disk.Place).
func (b *BucketOptions) fs(c *s3.Client, lies func(rel string) disk.Place) (*s3.FS, error) {
	return s3.NewFS(c, s3.Options{Root: b.Folder, CacheBytes: b.CacheBytes, Place: lies})
}

// set passes the settings Grace and Lease of b to f, the folder of an archive in a bucket.
func (b *BucketOptions) set(f *commit.Folder) {
	f.SetGrace(b.Grace)
	f.SetLease(b.Lease)
}

// client returns a client and settings for the place in a bucket with this URL. The place is not
// the archive's own. If the settings name a working folder, client changes it to a folder below
// that one which only this place uses.
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

// objects returns a file system for the place in a bucket with this URL. It treats every file
// there as an object that never changes. It uses the cache of this machine, unless a was made by
// the method uncached.
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

// folders returns the file system for folders of this machine.
func (a *Archive) folders() disk.FS {
	if a.bucket != nil {
		return disk.OS
	}
	return a.opts.Disk
}

// tier returns the file system in which a tier of the archive (a second place for db-files) is,
// and the path of the tier in it. place is the path or the URL of the tier. See tier.Opener.
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

// elsewhere returns the folder of another archive, such as a copy of this one. place is the path
// or the URL of that archive. See mend.Opener.
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

// file returns the file system that has the file with this name, and the path of the file in it.
// name is a path or a URL, as a user writes it.
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

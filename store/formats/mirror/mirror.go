// Package mirror reads pages that lie on disk as plain files: single ones that a
// browser saved, and mirrors of sites such as wget and HTTrack make. Each file
// is a capture. Its URL comes from what the reader is told, from the file, or
// from where the file lies; its time likewise.
package mirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"infomall/store/record"
	"infomall/store/record/message"
)

// Options says what to read and how.
type Options struct {
	// Files are the names of the files, each below Root.
	Files []string
	Root  string
	// Base is the URL of Root, if it ends in a slash, or else of the only file.
	// Without it a file's URL is the one that it says it was saved from, or its
	// path below Root, if that begins with the name of a host.
	Base string
	// Time is when the files were fetched. With NoTime it is the date that the
	// program wrote into a page, or else when the file was changed last.
	Time   record.Time
	Limits message.BodyLimits
	// Read, if not nil, is told of the bytes of each file dealt with.
	Read func(bytes int64)
}

// noURL says why a file is no capture.
const noURL = "its URL is not known: name it with BASE"

// Read reads files in the order given. One that can't be read is damage, one
// whose URL can't be told is skipped; an error, the last pair, is one of the
// disk for large files or the cause for which ctx ended. The receiver owns each
// item, and closes its capture's Spool.
func Read(ctx context.Context, o Options) iter.Seq2[record.Item, error] {
	return func(yield func(record.Item, error) bool) {
		for _, name := range o.Files {
			if err := context.Cause(ctx); err != nil {
				yield(record.Item{}, err)
				return
			}
			it, err := o.item(ctx, name)
			if !yield(it, err) || err != nil {
				return
			}
		}
	}
}

// item makes the item of one file.
func (o *Options) item(ctx context.Context, name string) (record.Item, error) {
	f, err := os.Open(name)
	if err != nil {
		return unreadable(name, err), nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return unreadable(name, err), nil
	}
	if o.Read != nil {
		defer o.Read(info.Size())
	}
	c := &record.Capture{
		Via: record.ViaResource, Time: o.Time, RefersTime: record.NoTime, Source: name,
	}
	w := message.NewWindow(ctx, f)
	start, err := w.View(0, int(min(info.Size(), commentsWithin)))
	if err != nil {
		return faultOf(ctx, name, err)
	}
	c.Mime = mimeOf(name, start)
	said := saidBy(start)
	if c.AskedURL = o.url(name, said.url); c.AskedURL == "" {
		return record.Item{Type: "file", Skipped: noURL}, nil
	}
	if c.Time == record.NoTime {
		if c.Time = said.time; c.Time == record.NoTime {
			c.Time = record.At(info.ModTime())
		}
	}
	if err := message.ReadBody(c, w, 0, info.Size(), o.Limits); err != nil {
		return faultOf(ctx, name, err)
	}
	return record.Item{Type: "file", Capture: c}, nil
}

func unreadable(name string, err error) record.Item {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return record.Item{Type: "file", Damage: fmt.Sprintf("%s can't be read: %v", name, err)}
}

// faultOf parts a file that can't be read from reading that has to end.
func faultOf(ctx context.Context, name string, err error) (record.Item, error) {
	var at *fs.PathError
	if cause := context.Cause(ctx); cause != nil {
		return record.Item{}, cause
	}
	if errors.As(err, &at) && at.Path != name {
		return record.Item{}, err // of the temporary file
	}
	return unreadable(name, err), nil
}

// indexName is the file that stands for its folder.
const indexName = "index.html"

// url is the URL of a file that says it was saved from said; "" if there is no
// telling.
func (o *Options) url(name, said string) string {
	rel, err := filepath.Rel(o.Root, name)
	if err != nil {
		return ""
	}
	rel = filepath.ToSlash(rel)
	switch {
	case o.Base != "" && !strings.HasSuffix(o.Base, "/"):
		return o.Base
	case o.Base != "":
		return o.Base + escapePath(rel)
	case said != "":
		return said
	}
	host, rest, ok := strings.Cut(rel, "/")
	if !ok || !isHost(host) {
		return ""
	}
	return "http://" + strings.Replace(host, "+", ":", 1) + "/" + escapePath(rest)
}

// escapePath is a file's path as that of a URL. What follows a question mark is
// the query; mirrors escape no other bytes than URLs do, and keep theirs.
func escapePath(rel string) string {
	rel, query, asked := strings.Cut(rel, "?")
	if dir, name := path.Split(rel); name == indexName && !asked {
		rel = dir
	}
	rel = strings.ReplaceAll(rel, "#", "%23")
	if asked {
		rel += "?" + strings.ReplaceAll(query, "#", "%23")
	}
	return rel
}

var hostName = regexp.MustCompile(`^(?i)(localhost|[\pL\pN_-]+(\.[\pL\pN_-]+)*\.(\pL[\pL\pN-]+|[0-9]{1,3}))([:+][0-9]{1,5})?$`)

// isHost reports whether a folder's name may be that of a host, with its port
// behind a colon or, as on Windows, a plus sign.
func isHost(s string) bool { return hostName.MatchString(s) }

// commentsWithin is how many bytes of a page are looked at for what the program
// that saved it says.
const commentsWithin = 16 << 10

// said is what a page says of how it came to be saved.
type said struct {
	url  string
	time record.Time
}

var (
	// <!-- saved from url=(0023)http://www.example.com/ -->, as browsers write it.
	savedFrom = regexp.MustCompile(`<!-- *saved from url=\([0-9]+\)([^ >]+) *-->`)
	// <!-- Mirrored from www.example.com/ by HTTrack Website Copier/3.x [XR&CO'2014], Tue, 12 Mar 2013 10:11:12 GMT -->
	mirroredFrom = regexp.MustCompile(`<!-- *Mirrored from ([^ ]+) by HTTrack[^>]*?, ([A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT) *-->`)
)

// saidBy reads the comment of a program that saved a page.
func saidBy(start []byte) said {
	s := said{time: record.NoTime}
	if m := mirroredFrom.FindSubmatch(start); m != nil {
		if s.url = string(m[1]); !strings.Contains(s.url, "://") {
			s.url = "http://" + s.url
		}
		if t, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", string(m[2])); err == nil {
			s.time = record.At(t)
		}
	} else if m := savedFrom.FindSubmatch(start); m != nil {
		s.url = string(m[1])
	}
	if u, err := url.Parse(s.url); err != nil || u.Scheme == "" || u.Host == "" {
		s.url = ""
	}
	return s
}

// mimes are the types of files by the ends of their names.
var mimes = map[string]string{
	".html": "text/html", ".htm": "text/html", ".shtml": "text/html", ".xhtml": "application/xhtml+xml",
	".txt": "text/plain", ".css": "text/css", ".js": "application/javascript", ".mjs": "application/javascript", ".json": "application/json",
	".xml": "application/xml", ".rss": "application/rss+xml", ".atom": "application/atom+xml", ".csv": "text/csv", ".md": "text/markdown",
	".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".gif": "image/gif", ".webp": "image/webp", ".svg": "image/svg+xml",
	".ico": "image/vnd.microsoft.icon", ".bmp": "image/bmp", ".pdf": "application/pdf", ".zip": "application/zip", ".gz": "application/gzip",
	".doc": "application/msword", ".xls": "application/vnd.ms-excel", ".ppt": "application/vnd.ms-powerpoint", ".swf": "application/x-shockwave-flash",
	".mp3": "audio/mpeg", ".mp4": "video/mp4", ".webm": "video/webm", ".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf",
}

// mimeOf is the type of a file by its name, or as a page if it begins like one.
func mimeOf(name string, start []byte) string {
	name, _, _ = strings.Cut(filepath.Base(name), "?")
	if m := mimes[strings.ToLower(filepath.Ext(name))]; m != "" {
		return m
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\xef\xbb\xbf")), " \t\r\n")
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<!--"} {
		if len(text) >= len(tag) && strings.EqualFold(string(text[:len(tag)]), tag) {
			return "text/html"
		}
	}
	return ""
}

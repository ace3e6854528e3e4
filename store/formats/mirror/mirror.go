// Package mirror reads pages that lie on disk as plain files: single pages that a
// browser saved, and mirrors of sites such as wget and HTTrack make. Each file is a
// capture. Its URL and its time come from the Options, from the content of the
// file, or from the file's place and date on disk.
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
	"sync"
	"time"

	"infomall/store/record"
	"infomall/store/record/message"
)

// Options says which files Read reads, and what is known of them.
type Options struct {
	// Files are the names of the files, each below Root.
	Files []string
	Root  string
	// Base is the URL of the folder Root, if it ends in a slash. Otherwise it is
	// the URL of the only file. Without Base, the URL of a file is the one that its
	// content says it was saved from. If it says none, the URL is the file's path
	// below Root, if that path begins with the name of a host.
	Base string
	// Time is when the files were fetched. If it is NoTime, the time of a file is
	// the date that the saving program wrote into the page, or else the date when
	// the file was changed last.
	Time   record.Time
	Limits message.BodyLimits
	// Read, if not nil, is called with the size of each file after the file was
	// read.
	Read func(bytes int64)
}

// noURL is the reason given for a file that is skipped because its URL is not
// known.
const noURL = "its URL is not known: name it with BASE"

// Read reads the files of o.Files in their order and yields one item for each. The item
// of a file that can't be read has Damage set, and that of a file whose URL is not
// known has Skipped set. An error comes as the last pair: writing a large body to the
// disk failed, or ctx ended. The receiver owns each item, and closes its capture's
// Spool.
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

// item returns the item for the file called name. It has a capture, or the reason why
// the file is skipped, or Damage. An error means that Read must stop.
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

// faultOf decides whether Read can continue after the error err, which occurred while
// it read the file called name. If only that file can't be read, faultOf returns an
// item with Damage set. If ctx ended or writing a temporary file failed, it returns an
// error, and Read must stop.
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

// indexName is the name of a file that has the page of its folder. The URL of the file
// is that of the folder, without the name.
const indexName = "index.html"

// url returns the URL of the file called name, or "" if it is not known. said is
// the URL from which the file's content says that it was saved, or "".
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

// escapePath returns rel, the path of a file below the mirror's root, as the path
// of a URL. The part after a question mark is the query. Without a query,
// index.html at the end is left out. Mirrors escape the same bytes as URLs do and
// keep the escapes of URLs, so only # is escaped here.
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

var hostName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^((?i:localhost)|[\pL\pN_-]+(\.[\pL\pN_-]+)*\.(\pL[\pL\pN-]+|[0-9]{1,3}))([:+][0-9]{1,5})?$`)
})

// isHost reports whether s, the name of a folder, may be the name of a host. A port
// may come after the host, with a colon or, as on Windows, a plus sign before it.
func isHost(s string) bool { return hostName().MatchString(s) }

// commentsWithin is how many bytes at the start of a page are searched for the
// comment of the program that saved the page.
const commentsWithin = 16 << 10

// said is what the comment of the saving program in a page says: from which URL the
// page was saved ("" if it says none), and when (NoTime if it does not say).
type said struct {
	url  string
	time record.Time
}

var (
	// <!-- saved from url=(0023)http://www.example.com/ -->, as browsers write it.
	savedFrom = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<!-- *saved from url=\([0-9]+\)([^ >]+) *-->`) })
	// <!-- Mirrored from www.example.com/ by HTTrack Website Copier/3.x [XR&CO'2014], Tue, 12 Mar 2013 10:11:12 GMT -->
	mirroredFrom = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<!-- *Mirrored from ([^ ]+) by HTTrack[^>]*?, ([A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT) *-->`)
	})
)

// saidBy reads the comment that a program left in a page when it saved it. start is
// the beginning of the page.
func saidBy(start []byte) said {
	s := said{time: record.NoTime}
	if m := mirroredFrom().FindSubmatch(start); m != nil {
		if s.url = string(m[1]); !strings.Contains(s.url, "://") {
			s.url = "http://" + s.url
		}
		if t, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", string(m[2])); err == nil {
			s.time = record.At(t)
		}
	} else if m := savedFrom().FindSubmatch(start); m != nil {
		s.url = string(m[1])
	}
	if u, err := url.Parse(s.url); err != nil || u.Scheme == "" || u.Host == "" {
		s.url = ""
	}
	return s
}

// mimes maps the extension of a file name to the media type of the file.
var mimes = map[string]string{
	".html": "text/html", ".htm": "text/html", ".shtml": "text/html", ".xhtml": "application/xhtml+xml",
	".txt": "text/plain", ".css": "text/css", ".js": "application/javascript", ".mjs": "application/javascript", ".json": "application/json",
	".xml": "application/xml", ".rss": "application/rss+xml", ".atom": "application/atom+xml", ".csv": "text/csv", ".md": "text/markdown",
	".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".gif": "image/gif", ".webp": "image/webp", ".svg": "image/svg+xml",
	".ico": "image/vnd.microsoft.icon", ".bmp": "image/bmp", ".pdf": "application/pdf", ".zip": "application/zip", ".gz": "application/gzip",
	".doc": "application/msword", ".xls": "application/vnd.ms-excel", ".ppt": "application/vnd.ms-powerpoint", ".swf": "application/x-shockwave-flash",
	".mp3": "audio/mpeg", ".mp4": "video/mp4", ".webm": "video/webm", ".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf",
}

// mimeOf returns the media type of the file called name, by its extension. If the
// extension is unknown, it returns "text/html" if start, the beginning of the file,
// looks like a page, and otherwise "".
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

package crawl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"infomall/crawl/fetch"
	"infomall/crawl/report"
	"infomall/store/record"
	"infomall/store/record/task"
)

// fileScheme is how the URL of a file on this machine begins.
const fileScheme = "file:///"

// indexes are names of files. To read a folder, the crawl reads the first of these files that
// exists in it.
var indexes = []string{"index.html", "index.htm"}

// folders are the folders of this machine that a crawl may read, which are the
// folders of its seeds. Symbolic links cannot lead out of them.
type folders struct {
	prefix []string // canonical URLs that end in a slash
	root   []*os.Root
}

// openFolders opens the folders of those seeds that are files on this
// machine. The caller closes the result.
func openFolders(seeds []string) (*folders, error) {
	f := new(folders)
	for _, s := range seeds {
		if !strings.HasPrefix(s, fileScheme) {
			continue
		}
		prefix := s[:strings.LastIndexByte(s, '/')+1]
		name, err := url.PathUnescape(strings.TrimPrefix(prefix, "file://"))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("seed %s: %w", s, err), f.close())
		}
		root, err := os.OpenRoot(filepath.FromSlash(name))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("seed %s: %w", s, err), f.close())
		}
		f.prefix, f.root = append(f.prefix, prefix), append(f.root, root)
	}
	return f, nil
}

func (f *folders) close() error {
	var errs []error
	for _, r := range f.root {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

// find returns the folder that contains the file of the canonical URL u, and the file's name
// relative to the folder. ok is false if the file is in none of the folders.
func (f *folders) find(u string) (root *os.Root, name string, ok bool) {
	for i, prefix := range f.prefix {
		if rest, within := strings.CutPrefix(u, prefix); within {
			rest, _, _ = strings.Cut(rest, "?")
			name, err := url.PathUnescape(rest)
			return f.root[i], name, err == nil && !strings.Contains(name, "\x00")
		}
	}
	return nil, "", false
}

// readFile reads the file of the file URL u. The capture in the result is a
// resource: a page without an HTTP response. If the file cannot be read,
// Outcome and Reason of the result say why.
func (e *engine) readFile(u string) fetch.Response {
	begun := e.now()
	root, name, ok := e.rules.files.find(u)
	if !ok {
		return fetch.Response{Outcome: report.OutcomeFiltered, Reason: "outside the seeds' folders"}
	}
	body, err := e.contents(root, name)
	if errors.Is(err, errTooLong) {
		return fetch.Response{Outcome: report.OutcomeFiltered, Reason: fmt.Sprintf("longer than %d bytes", e.client.BodyMax())}
	}
	if err != nil {
		var fault *fs.PathError
		if errors.As(err, &fault) {
			err = fault.Err // without the path, which the URL has
		}
		return fetch.Response{Outcome: report.OutcomeUnreachable, Reason: err.Error()}
	}
	c := &record.Capture{
		AskedURL: u, Time: record.At(begun), Via: record.ViaResource, RefersTime: record.NoTime, Body: body,
		Mime: fetch.FileType(name, body),
	}
	return fetch.Response{Capture: c, Outcome: report.OutcomeOK, Elapsed: e.now().Sub(begun)}
}

// errTooLong is returned by contents for a file that is longer than a body may be.
var errTooLong = errors.New("the file is too long")

// contents reads the file called name in root, a folder that the crawl may
// read. For a folder it reads the first of indexes that exists. It returns
// errTooLong for a file longer than the limit of the crawl.
func (e *engine) contents(root *os.Root, name string) ([]byte, error) {
	if name == "" || strings.HasSuffix(name, "/") {
		for _, index := range indexes {
			body, err := e.contents(root, name+index)
			if !errors.Is(err, fs.ErrNotExist) {
				return body, err
			}
		}
		return nil, fmt.Errorf("the folder has no %s", strings.Join(indexes, " or "))
	}
	name = filepath.FromSlash(path.Clean(name))
	info, err := root.Stat(name) // before Open, which would wait for a writer of a named pipe
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("it is a folder, whose URL ends in a slash")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, e.client.BodyMax()+1))
	if err == nil && int64(len(body)) > e.client.BodyMax() {
		err = errTooLong
	}
	return body, err
}

// recall returns the last capture of the URL u before the time e.o.Before
// from the archive, as the response to a request. If there is none, Outcome
// is OutcomeUnreachable.
func (e *engine) recall(ctx context.Context, u string) fetch.Response {
	begun := e.now()
	k, p, err := e.past.last(ctx, u, e.o.Before)
	switch {
	case err != nil:
		return fetch.Response{Outcome: report.OutcomeInternal, Reason: err.Error()}
	case k.Time == record.NoTime:
		return fetch.Response{Outcome: report.OutcomeUnreachable, Reason: "the archive has no capture of it"}
	}
	c := &record.Capture{AskedURL: u, Time: record.At(begun), Status: k.Status, Head: p.Head, Body: p.Body, Mime: p.Mime, RefersTime: record.NoTime}
	res := fetch.Response{Capture: c, Outcome: fetch.OutcomeOf(c), Elapsed: e.now().Sub(begun), Reason: "captured " + k.Time.Std().Format("2006-01-02T15:04:05Z")}
	if len(p.Head) == 0 {
		c.Via, res.Outcome = record.ViaResource, report.OutcomeOK
	}
	return res
}

// nowhere is a Sink that stores nothing, for pages that came from the archive.
type nowhere struct{}

func (nowhere) Put(context.Context, *record.Capture) error { return nil }
func (nowhere) Sync() error                                { return nil }
func (nowhere) Publish() error                             { return nil }
func (nowhere) Counts() task.ImportResult                  { return task.ImportResult{} }
func (nowhere) Close(context.Context) error                { return nil }

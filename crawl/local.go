package crawl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"infomall/store/record"
)

// fileScheme begins the URLs of files of this machine.
const fileScheme = "file:///"

// indexes are the files that stand for a folder.
var indexes = []string{"index.html", "index.htm"}

// folders are the parts of this machine's files that a crawl may read: those that
// the seeds lie in. Symbolic links do not lead out of them.
type folders struct {
	prefix []string // canonical URLs that end in a slash
	root   []*os.Root
}

// openFolders opens those of seeds. The caller closes them.
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

// find gives the folder that a canonical URL lies in, and the file's name in it;
// ok is false if it lies in none.
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

// readFile reads the file of a URL as it is. It is a resource: a page without a
// response around it.
func (e *engine) readFile(u string) response {
	begun := e.now()
	root, name, ok := e.rules.files.find(u)
	if !ok {
		return response{outcome: record.OutcomeFiltered, reason: "outside of the seeds' folders"}
	}
	body, err := e.contents(root, name)
	if errors.Is(err, errCut) {
		return response{outcome: record.OutcomeFiltered, reason: fmt.Sprintf("longer than %d bytes", e.client.bodyMax)}
	}
	if err != nil {
		var fault *fs.PathError
		if errors.As(err, &fault) {
			err = fault.Err // the URL says which
		}
		return response{outcome: record.OutcomeUnreachable, reason: err.Error()}
	}
	c := &record.Capture{
		AskedURL: u, Time: record.At(begun), Via: record.ViaResource, RefersTime: record.NoTime, Body: body,
		Mime: mimeOf(name, body),
	}
	return response{capture: c, outcome: record.OutcomeOK, elapsed: e.now().Sub(begun)}
}

// contents reads a file, or the one that stands for a folder.
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
	f, err := root.Open(filepath.FromSlash(path.Clean(name)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("it is a folder, whose URL ends in a slash")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	}
	body, err := io.ReadAll(io.LimitReader(f, e.client.bodyMax+1))
	if err == nil && int64(len(body)) > e.client.bodyMax {
		err = errCut
	}
	return body, err
}

// mimeOf is the type of a file by the end of its name, or by what it begins
// with.
func mimeOf(name string, body []byte) string {
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = http.DetectContentType(body)
	}
	return record.Mime(kind)
}

// recall gives a page as the archive has it.
func (e *engine) recall(ctx context.Context, u string) response {
	begun := e.now()
	k, p, err := e.past.last(ctx, u, e.o.Before)
	switch {
	case err != nil:
		return response{outcome: record.OutcomeInternal, reason: err.Error()}
	case k.Time == record.NoTime:
		return response{outcome: record.OutcomeUnreachable, reason: "the archive has no capture of it"}
	}
	c := &record.Capture{AskedURL: u, Time: record.At(begun), Status: k.Status, Head: p.Head, Body: p.Body, Mime: p.Mime, RefersTime: record.NoTime}
	res := response{capture: c, outcome: outcomeOf(c), elapsed: e.now().Sub(begun), reason: "captured " + k.Time.Std().Format("2006-01-02T15:04:05Z")}
	if len(p.Head) == 0 {
		c.Via, res.outcome = record.ViaResource, record.OutcomeOK
	}
	return res
}

// nowhere takes in what is not to be stored: what came from the archive.
type nowhere struct{}

func (nowhere) Put(context.Context, *record.Capture) error { return nil }
func (nowhere) Sync() error                                { return nil }
func (nowhere) Publish() error                             { return nil }
func (nowhere) Counts() record.ImportResult                { return record.ImportResult{} }
func (nowhere) Close(context.Context) error                { return nil }

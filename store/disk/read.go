package disk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrUnanswered is matched by the error of a read if the store did not answer or refused the
// request. Such an error says nothing about the file.
var ErrUnanswered = errors.New("the store did not answer")

// MayPass reports whether err, the error of a read, says nothing about the file: a later read may
// succeed without a change of the file. The caller then must not count the file as damaged.
func MayPass(err error) bool {
	var code syscall.Errno
	return errors.Is(err, ErrUnanswered) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &code) && code.Temporary()
}

// ReadFile returns the content of a file.
func ReadFile(d FS, name string) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Glob returns the paths of the files whose paths in the folder dir match a pattern,
// sorted. Each element of the pattern, such as the two of "*/*.raw", is a pattern of
// filepath.Match. A folder that does not exist has no files. Unlike filepath.Glob, it
// returns an error if a folder cannot be read.
func Glob(d FS, dir, pattern string) ([]string, error) {
	element, rest, deeper := strings.Cut(filepath.ToSlash(pattern), "/")
	if deeper && !strings.ContainsAny(element, `*?[\`) {
		return Glob(d, filepath.Join(dir, element), rest)
	}
	entries, err := d.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if ok, err := filepath.Match(element, e.Name()); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if !deeper {
			out = append(out, path)
			continue
		}
		if !isFolder(d, path, e) {
			continue
		}
		below, err := Glob(d, path, rest)
		if err != nil {
			return nil, err
		}
		out = append(out, below...)
	}
	return out, nil
}

// isFolder reports whether the entry e with this path is a folder or a symbolic link to
// a folder.
func isFolder(d FS, path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := d.Stat(path)
	return err == nil && info.IsDir()
}

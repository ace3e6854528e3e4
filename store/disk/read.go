package disk

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
)

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

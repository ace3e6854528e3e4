package disk

import (
	"io"
	"path/filepath"
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

// Glob returns the paths of the files in a folder whose names match a pattern of
// filepath.Match, sorted. It returns none if the folder does not exist or cannot be read.
func Glob(d FS, dir, pattern string) ([]string, error) {
	entries, err := d.ReadDir(dir)
	if err != nil {
		entries = nil
	}
	var out []string
	for _, e := range entries {
		ok, err := filepath.Match(pattern, e.Name())
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out, nil
}

// Package glob finds the files that a file name or pattern in a statement
// matches, such as 'crawls/**/*.warc.gz'. A pattern is one of path/filepath,
// with two differences: ** matches any number of folders, and, as in a shell, a wildcard at the
// beginning of a name does not match a dot, so *.txt does not match .hidden.txt. But ** matches
// hidden files and folders, too, because a mirror of a site may have them.
package glob

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// File is a file that matches a pattern.
type File struct {
	Name string
	Size int64 // in bytes
}

// Files returns the files that match pattern, sorted by name. It leaves out folders. It
// returns an error if no file matches, or if only one folder matches. If a folder that
// pattern names does not exist, the error says so.
func Files(pattern string) ([]File, error) {
	names, err := match(pattern)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, noFile(pattern)
	}
	slices.Sort(names)
	files := make([]File, 0, len(names))
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir() && len(names) == 1:
			return nil, fmt.Errorf("%s is a folder: name its files, such as '%s', or '%s' for all below it", name, filepath.Join(name, "*"), filepath.Join(name, "**"))
		case !info.IsDir():
			files = append(files, File{name, info.Size()})
		}
	}
	return files, nil
}

// match returns the names of the files that match pattern, unsorted. Names of
// folders may be among them.
func match(pattern string) ([]string, error) {
	// A file may have a bracket in its name. If a file of exactly this name
	// exists, it is meant.
	if _, err := os.Stat(pattern); err == nil {
		return []string{pattern}, nil
	}
	root := Root(pattern)
	parts := split(strings.TrimPrefix(strings.TrimPrefix(filepath.Clean(pattern), root), string(filepath.Separator)))
	if !slices.Contains(parts, anyFolders) {
		names, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		parts := split(filepath.Clean(pattern))
		return slices.DeleteFunc(names, func(name string) bool {
			for i, part := range split(name) {
				if !matchesPart(parts[i], part) {
					return true
				}
			}
			return false
		}), nil
	}
	for _, p := range parts {
		if _, err := filepath.Match(p, ""); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
	}
	var names []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // the root does not exist, or a file was removed during the walk
		case err != nil:
			return err
		case !d.Type().IsRegular():
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err == nil && matches(parts, split(rel)) {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// anyFolders is the part of a pattern that matches any number of folders. As the
// last part it matches all files below the folder before it.
const anyFolders = "**"

func split(name string) []string { return strings.Split(filepath.ToSlash(name), "/") }

// matches reports whether a file name matches a pattern. Both are split at slashes.
// The parts of the pattern must be well-formed.
func matches(pattern, name []string) bool {
	for i, p := range pattern {
		if p == anyFolders {
			rest := pattern[i+1:]
			if len(rest) == 0 {
				return len(name) > 0
			}
			for n := range name {
				if matches(rest, name[n:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 {
			return false
		}
		if !matchesPart(p, name[0]) {
			return false
		}
		name = name[1:]
	}
	return len(name) == 0
}

// matchesPart reports whether name, a part of a file name between two slashes, matches pattern, the
// part of a pattern at the same position, which must be well-formed. A wildcard at the beginning of
// pattern does not match a dot.
func matchesPart(pattern, name string) bool {
	if strings.HasPrefix(name, ".") && pattern != "" && hasMeta(pattern[:1]) {
		return false
	}
	ok, _ := filepath.Match(pattern, name)
	return ok
}

// Root returns the folder that contains all files that can match pattern: the
// part of the pattern before the first part with a wildcard. For a name without
// wildcards it is the folder of the file.
func Root(pattern string) string {
	dir, name := filepath.Split(pattern)
	for hasMeta(dir) {
		dir, name = filepath.Split(strings.TrimRight(dir, string(filepath.Separator)))
	}
	if hasMeta(name) || dir != "" {
		return filepath.Clean(dir)
	}
	return "."
}

func hasMeta(s string) bool { return strings.ContainsAny(s, "*?[") }

// noFile returns the error for a pattern p that matches no file. If the folder of p
// does not exist, the error names that folder.
func noFile(p string) error {
	if !hasMeta(p) {
		return fmt.Errorf("no file %s: %w", p, fs.ErrNotExist)
	}
	dir := filepath.Dir(p)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && !hasMeta(dir) {
		return fmt.Errorf("no file matches %s: there is no folder %s", p, dir)
	}
	return fmt.Errorf("no file matches %s", p)
}

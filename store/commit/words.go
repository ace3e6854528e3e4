package commit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infomall/store/segment"
)

// The indexes of words are derived from segments. No generation names them: they may be
// missing, and are then made again. The name of such a file has the numbers of all db-files
// of which it is, such as 000017-000023.words, so that it can be removed together with any
// of them.

const wordsEnding = ".words"

// WordsFile returns the path, in the archive's folder, of the index of the words of these
// segments.
func WordsFile(segments []*segment.Info) string {
	var b strings.Builder
	for i, s := range segments {
		if i > 0 {
			b.WriteByte('-')
		}
		fmt.Fprintf(&b, "%06d", s.Number())
	}
	return filepath.Join(DirSearch, b.String()+wordsEnding)
}

// wordsNumbers returns the numbers of the db-files of which the index of words with this
// name is; nil if it is no such name.
func wordsNumbers(name string) (numbers []uint32) {
	stem, ok := strings.CutSuffix(filepath.Base(name), wordsEnding)
	if !ok {
		return nil
	}
	for part := range strings.SplitSeq(stem, "-") {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return nil
		}
		numbers = append(numbers, uint32(n))
	}
	return numbers
}

// WordsFiles returns the paths, in the archive's folder, of all indexes of words, by the
// numbers of their db-files. An index of several db-files is in the list of each.
func (f *Folder) WordsFiles() (map[uint32][]string, error) {
	entries, err := os.ReadDir(filepath.Join(f.Path, DirSearch))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	out := make(map[uint32][]string)
	for _, e := range entries {
		for _, n := range wordsNumbers(e.Name()) {
			out[n] = append(out[n], filepath.Join(DirSearch, e.Name()))
		}
	}
	return out, nil
}

// WordsOf reports whether an index of words is of db-files with these numbers only.
func WordsOf(name string, numbers map[uint32]bool) bool {
	of := wordsNumbers(name)
	return of != nil && !slices.ContainsFunc(of, func(n uint32) bool { return !numbers[n] })
}

// RemoveWords removes all indexes of words but those to keep, which are paths in the
// archive's folder.
func (f *Folder) RemoveWords(keep []string) error {
	files, err := f.WordsFiles()
	if err != nil {
		return err
	}
	for _, list := range files {
		for _, name := range list {
			if slices.Contains(keep, name) {
				continue
			}
			if err := f.remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// wordsOf returns the indexes of words that are of one of the files.
func (f *Folder) wordsOf(files []string) ([]string, error) {
	var all map[uint32][]string
	var out []string
	for _, name := range files {
		id, again, ok := segment.ParseName(filepath.Base(name))
		if !ok {
			continue
		}
		if all == nil {
			var err error
			if all, err = f.WordsFiles(); err != nil {
				return nil, err
			}
		}
		if again != 0 {
			id = again
		}
		out = append(out, all[id]...)
	}
	return out, nil
}

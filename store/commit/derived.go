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

// Derived is a kind of files that are made from db-files: the indexes of words, or the readings
// of documents (the text extracted from them). No generation names such a file: if it is
// missing, it is made again. Its name has the numbers of the db-files from which it was made,
// such as 000017-000023.words, so that it can be removed together with any of them.
type Derived struct {
	Dir    string // path of the folder of the files, in the archive's folder
	ending string // of the names of the files
}

// The kinds of derived files.
var (
	Words     = Derived{"search", ".words"}
	Documents = Derived{"documents", ".docs"}
)

var allDerived = [...]Derived{Words, Documents}

// DerivedMost is the largest number of db-files from which one derived file is made. The
// name of the derived file has their numbers, and may have 255 bytes.
const DerivedMost = 28

// File returns the path, in the archive's folder, of the file of kind d that is made from the
// db-files of these segments.
func (d Derived) File(segments []*segment.Info) string {
	numbers := make([]uint32, len(segments))
	for i, s := range segments {
		numbers[i] = s.Number()
	}
	return d.FileOf(numbers, 0)
}

// FileOf returns the path, in the archive's folder, of the derived file that is made from the
// db-files with these numbers. If tag is not 0, it is the middle of the name, as 120 in
// 000017.120.docs, so that several files can be made from the same db-files.
func (d Derived) FileOf(numbers []uint32, tag uint32) string {
	var b strings.Builder
	for i, n := range numbers {
		if i > 0 {
			b.WriteByte('-')
		}
		fmt.Fprintf(&b, "%06d", n)
	}
	if tag > 0 {
		fmt.Fprintf(&b, ".%d", tag)
	}
	return filepath.Join(d.Dir, b.String()+d.ending)
}

// numbers returns the numbers of the db-files from which the file with this name was made. It
// returns nil if the name is not that of a file of this kind.
func (d Derived) numbers(name string) (numbers []uint32) {
	stem, ok := strings.CutSuffix(filepath.Base(name), d.ending)
	if !ok {
		return nil
	}
	stem, _, _ = strings.Cut(stem, ".")
	for part := range strings.SplitSeq(stem, "-") {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return nil
		}
		numbers = append(numbers, uint32(n))
	}
	return numbers
}

// DerivedNames returns the paths, in the archive's folder, of all files of the kind d, sorted. It
// recognizes them by the endings of their names.
func (f *Folder) DerivedNames(d Derived) ([]string, error) {
	entries, err := f.Disk.ReadDir(filepath.Join(f.Path, d.Dir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), d.ending) {
			out = append(out, filepath.Join(d.Dir, e.Name()))
		}
	}
	return out, nil
}

// ByNumber returns, for the number of each db-file, the paths in the list paths of the files of
// kind d that were made from it. A file that was made from several db-files is in the list of
// each.
func (d Derived) ByNumber(paths []string) map[uint32][]string {
	out := make(map[uint32][]string)
	for _, path := range paths {
		for _, n := range d.numbers(path) {
			out[n] = append(out[n], path)
		}
	}
	return out
}

// DerivedFiles returns, for the number of each db-file, the paths of the files of kind d that were
// made from it. The paths are relative to the archive's folder.
func (f *Folder) DerivedFiles(d Derived) (map[uint32][]string, error) {
	names, err := f.DerivedNames(d)
	return d.ByNumber(names), err
}

// DerivedOf reports whether name is the name or path of a derived file that was made only from
// db-files with the given numbers.
func DerivedOf(name string, numbers map[uint32]bool) bool {
	return slices.ContainsFunc(allDerived[:], func(d Derived) bool {
		of := d.numbers(name)
		return of != nil && !slices.ContainsFunc(of, func(n uint32) bool { return !numbers[n] })
	})
}

// RemoveDerived removes the files of the kind d, except those in keep. keep has paths in the
// archive's folder.
func (f *Folder) RemoveDerived(d Derived, keep []string) error {
	files, err := f.DerivedFiles(d)
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

// derivedOf returns the paths of the derived files that were made from at least one of the given
// db-files. It ignores other files in the list.
func (f *Folder) derivedOf(files []string) ([]string, error) {
	var all []map[uint32][]string
	var out []string
	for _, name := range files {
		id, again, ok := segment.ParseName(filepath.Base(name))
		if !ok {
			continue
		}
		for len(all) < len(allDerived) {
			list, err := f.DerivedFiles(allDerived[len(all)])
			if err != nil {
				return nil, err
			}
			all = append(all, list)
		}
		if again != 0 {
			id = again
		}
		for _, list := range all {
			out = append(out, list[id]...)
		}
	}
	return out, nil
}

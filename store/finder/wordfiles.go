package finder

import (
	"errors"

	"infomall/store/commit"
	"infomall/store/record"
	"infomall/store/search/index"
	"infomall/store/segment"
)

// wordFiles has the indexes of words of a snapshot, and opens each when it is first needed.
// Only one goroutine may use it.
type wordFiles struct {
	v    *Finder
	list map[uint32][]string    // by number of a db-file: the file names of its indexes
	open map[string]*index.File // the opened indexes, by file name; nil for one that cannot be used
}

// wordFile is the index of words of one segment. Several segments may share an index. In the
// list of all its runs, the runs of this segment begin at index first.
type wordFile struct {
	*index.File
	first, runs uint32
	number      uint32 // number of the segment's db-file
}

// has reports whether this index has the texts of the leaves that named describes: some leaves
// of a run of this segment, read in one way. The index f of another segment refers to them. The
// result is false if f refers to another form of this segment's db-file.
func (of *wordFile) has(f *index.File, named index.Named) bool {
	return named.Run < of.runs && f.Seen(named) == of.number && of.Knows(of.first+named.Run, f.Readings[named.Reading])
}

// wordFiles returns the indexes of words of the archive. It opens none of them yet.
func (v *Finder) wordFiles() (*wordFiles, error) {
	list, err := v.indexes.folder.DerivedFiles(commit.Words)
	return &wordFiles{v: v, list: list, open: make(map[string]*index.File)}, err
}

// file returns the index of words of a segment. ok is false if the segment has none, or none that
// can be used.
func (w *wordFiles) file(s *segment.Info) (_ wordFile, ok bool) {
	number := s.Number()
	want := index.Name{Number: number, Bytes: s.Bytes, CRC: s.CRC}
	for _, name := range w.list[number] {
		f, known := w.open[name]
		if !known {
			var err error
			if f, err = w.v.file(name); err != nil && !errors.Is(err, index.ErrOther) {
				w.v.Warn(err)
			}
			w.open[name] = f
		}
		if f == nil {
			continue
		}
		for _, g := range f.Segments {
			if g.Name == want && int(g.Runs) == s.Runs {
				return wordFile{f, g.First, g.Runs, number}, true
			}
		}
	}
	return wordFile{}, false
}

// indexedRuns says which runs in an index belong to the segment with the number id.
type indexedRuns struct{ id, first, runs uint32 }

// segments returns one element for each segment in list whose words are in the index f. The
// element says which runs of f are those of the segment.
func (w *wordFiles) segments(f *index.File, list []*segment.Info) (out []indexedRuns) {
	for _, s := range list {
		if of, ok := w.file(s); ok && of.File == f {
			out = append(out, indexedRuns{s.ID, of.first, of.runs})
		}
	}
	return out
}

// groupBytes is the greatest total size, in bytes, of the db-files of segments that share an index
// of words. Segments that share an index share its terms, and a query opens fewer files. For a
// site of 5,082 captures in 104 pools, an index for each segment takes 1.9 MB in all, and
// shared indexes 1.3 MB.
const groupBytes = 4 << 20

// WordGroups divides segments into groups; the segments of a group get one common index of words.
// segments must be sorted by pool and number.
func WordGroups(segments []*segment.Info) (out [][]*segment.Info) {
	bytes := int64(0)
	for _, s := range segments {
		if n := len(out) - 1; n < 0 || bytes+s.Bytes > groupBytes || len(out[n]) == commit.DerivedMost {
			out, bytes = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], s)
		bytes += s.Bytes
	}
	return out
}

// WordsIndexed counts segments with captures in from <= time < to: all is the number of such
// segments, and indexed is how many of them have an index of words. captures is the number of
// all captures in the indexed ones. WordsIndexed opens no index.
func (v *Finder) WordsIndexed(from, to record.Time) (indexed, all int, captures int64) {
	list, err := v.indexes.folder.DerivedFiles(commit.Words)
	if err != nil {
		return 0, 0, 0 // the folder of the indexes cannot be read: they are not used either
	}
	for _, s := range v.Pin.Segments {
		if s.First >= to || s.Last < from {
			continue
		}
		if all++; len(list[s.Number()]) > 0 {
			indexed++
			captures += s.Captures
		}
	}
	return indexed, all, captures
}

// WordsUsable counts as WordsIndexed does, but opens the indexes: usable is how many segments have
// an index of words that a search uses, and unusable is how many have only indexes that are
// damaged, of another version, or of another form of the segment's db-file.
func (v *Finder) WordsUsable(from, to record.Time) (usable, unusable, all int) {
	w, err := v.wordFiles()
	for _, s := range v.Pin.Segments {
		if s.First >= to || s.Last < from {
			continue
		}
		all++
		if err != nil {
			continue // the folder of the indexes cannot be read: no index is used
		}
		if _, ok := w.file(s); ok {
			usable++
		} else if len(w.list[s.Number()]) > 0 {
			unusable++
		}
	}
	return usable, unusable, all
}

// HasWords returns the IDs of those segments that have an index of words that can be used. whole
// reports whether all of them have one common index that no other segment shares.
func (v *Finder) HasWords(segments []*segment.Info) (has map[uint32]bool, whole bool, err error) {
	w, err := v.wordFiles()
	if err != nil {
		return nil, false, err
	}
	has = make(map[uint32]bool)
	for _, s := range segments {
		if _, ok := w.file(s); ok {
			has[s.ID] = true
		}
	}
	f := w.open[commit.Words.File(segments)]
	whole = f != nil && len(f.Segments) == len(segments) && len(has) == len(segments)
	return has, whole, nil
}

package finder

import (
	"errors"

	"infomall/store/commit"
	"infomall/store/record"
	"infomall/store/search/index"
	"infomall/store/segment"
)

// wordFiles are the indexes of words of a snapshot that are open. Only one goroutine may
// use them.
type wordFiles struct {
	v    *Finder
	list map[uint32][]string // by number of a db-file: the indexes of it
	open map[string]*index.File
}

// wordFile is the index of words of one segment: the runs of the segment are those from
// first on in the index.
type wordFile struct {
	*index.File
	first, runs uint32
	number      uint32 // of the db-file
}

// has reports whether the documents of the index have all leaves that the index f names
// with named.
func (of *wordFile) has(f *index.File, named index.Named) bool {
	return named.Run < of.runs && f.Seen(named) == of.number && of.Knows(of.first+named.Run, f.Readings[named.Reading])
}

// wordFiles returns the indexes of words of the archive, of which none is open yet.
func (v *Finder) wordFiles() (*wordFiles, error) {
	list, err := v.indexes.folder.DerivedFiles(commit.Words)
	return &wordFiles{v: v, list: list, open: make(map[string]*index.File)}, err
}

// file returns the index of a segment. ok is false if there is none that can be used.
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

// indexedRuns says which runs of an index are those of a segment.
type indexedRuns struct{ id, first, runs uint32 }

// segments returns those of the segments list of which an index is.
func (w *wordFiles) segments(f *index.File, list []*segment.Info) (out []indexedRuns) {
	for _, s := range list {
		if of, ok := w.file(s); ok && of.File == f {
			out = append(out, indexedRuns{s.ID, of.first, of.runs})
		}
	}
	return out
}

// groupBytes is how many bytes of db-files have an index of words in one file. Segments that
// share an index share its terms, and a question opens fewer files. For a site of 5,082
// captures in 104 pools, indexes of one segment each take 1.9 MB, and 1.3 MB together.
const groupBytes = 4 << 20

// WordGroups divides segments, which are in order of pool and number, into groups that
// have an index of words in one file.
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

// WordsIndexed returns how many segments have captures in the time from <= time < to, how
// many of these have an index of words, and how many captures the latter have. It opens no
// index.
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

// HasWords reports for which of the segments there is an index of words that can be used.
// whole reports whether there is one file that is of all of them and of no others.
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

package segment

import (
	"bytes"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// Count makes the cursor count in w each chunk that it moves to, also those that
// PassOver leaves out. w may be nil.
func (c *ChunkCursor) Count(w *record.Work) { c.work = w }

// Size returns the size in bytes of the chunk that was decoded last, as the index
// stores it. It is 0 for a chunk made from the db-file.
func (c *ChunkCursor) Size() int { return c.size }

// ToRead adds to sum what a scan reads of the segment for the ranges of keys, which
// are sorted and disjoint; part says what it reads of the db-file. If a range has
// the whole segment, no file is read to find this out. Otherwise ToRead goes over
// the keys of the chunks in the ranges, and decodes none.
func (s *Reader) ToRead(ranges []urlkey.Range, part record.FilePart, sum *record.Reading) error {
	chunks, size := int64(s.Info.Runs), s.Info.IndexBytes
	if !hasAll(ranges, s.Info) {
		var err error
		if chunks, size, err = s.chunksIn(ranges); err != nil {
			return err
		}
	}
	if chunks == 0 {
		return nil
	}
	sum.Segments++
	sum.Chunks += chunks
	sum.IndexBytes += size
	share := func(n int64) int64 { return (n*chunks + int64(s.Info.Runs) - 1) / int64(s.Info.Runs) }
	sum.Captures += share(s.Info.Captures)
	switch {
	case part == record.FileWhole || part == record.FileEntries && !s.Info.Follows:
		// If a body of the segment was not known when it was written, columns of its
		// captures may come from whole runs.
		sum.FileBytes += share(s.Info.Bytes)
	case part == record.FileEntries:
		n, err := s.entryBytes()
		if err != nil {
			return err
		}
		sum.FileBytes += share(n)
	}
	return nil
}

// hasAll reports whether one of ranges contains all keys of the segment i.
func hasAll(ranges []urlkey.Range, i *Info) bool {
	for _, r := range ranges {
		if r.From <= i.FirstKey && (r.To == "" || i.LastKey < r.To) {
			return true
		}
	}
	return false
}

// chunksIn returns how many chunks a cursor moves to for the ranges of keys, and
// their size in bytes. Without a valid index, these are all.
func (s *Reader) chunksIn(ranges []urlkey.Range) (chunks, size int64, err error) {
	s.mu.Lock()
	bad := s.badIndex
	s.mu.Unlock()
	if bad {
		return int64(s.Info.Runs), s.Info.IndexBytes, nil
	}
	c, err := s.index.cursor(s.Info.Bucket())
	if err != nil {
		return 0, 0, err
	}
	defer c.close()
	var last []byte // the key of the chunk that was counted last
	for _, r := range ranges {
		k, v, err := c.seek([]byte(max(r.From, "\x01")))
		for ; k != nil && err == nil; k, v, err = c.next() {
			if !bytes.Equal(k, last) {
				chunks, size = chunks+1, size+int64(len(v))
				last = append(last[:0], k...)
			}
			if r.To != "" && string(lastKeyOf(k)) >= r.To {
				break // the chunk also has keys after the range
			}
		}
		if err != nil {
			return 0, 0, err
		}
	}
	return chunks, size, nil
}

// entryBytes returns how many bytes of the db-file hold the entries of its runs,
// without bodies and facts.
func (s *Reader) entryBytes() (n int64, err error) {
	if _, err := s.handle(); err != nil {
		return 0, err
	}
	runEnds, metaEnds, err := s.table()
	if err != nil {
		return 0, err
	}
	for i := range metaEnds {
		from, _, err := span(runEnds, uint32(i))
		if err != nil {
			return 0, err
		}
		n += metaEnds[i] - from
	}
	return n, nil
}

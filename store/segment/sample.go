package segment

import (
	"encoding/binary"
	"slices"

	"infomall/store/packed"
	"infomall/store/segment/column"
	"infomall/store/urlkey"
)

// The bounds of the sample of a segment. Only SetSampling changes these numbers.
var (
	// sampleURLs is how many URLs the sample of a segment has at most.
	sampleURLs = 1 << 11
	// sampleShare is the least number of entries of a segment for each entry of its sample.
	// With fewer, reading all chunks is nearly as fast.
	sampleShare = 8
)

const (
	// sampleDeep is how many urlkey.Levels the second part of a sample begins above the first
	// level of the whole sample. The second part is smaller, because fewer URLs have a higher
	// level. A reader of many segments mostly needs only the second part.
	sampleDeep = 3
	// sampleEntries is how many entries the sample of a segment has at most. It bounds the
	// memory of a writer.
	sampleEntries = 1 << 14
)

// SetSampling sets how many URLs the sample of a segment has at most, and the least number of
// entries of a segment for each entry of its sample. The function restore sets both numbers
// back. SetSampling exists for tests, in which segments are small. Nobody may write or check
// segments until restore has been called.
func SetSampling(urls, share int) (restore func()) {
	u, s := sampleURLs, sampleShare
	sampleURLs, sampleShare = urls, share
	return func() { sampleURLs, sampleShare = u, s }
}

// sampleTaker chooses a sample of the entries that are added: all entries of the URLs whose
// urlkey.Level is at least level. It raises the level when there are too many URLs.
type sampleTaker struct {
	level   int
	entries []Entry // the entries of the sample
	urls    int     // number of different URLs in entries
	key     string  // key of the URL that was added last
	chosen  bool    // the URL that was added last is in the sample
	all     int     // number of entries that were added
	tooMany bool    // there is no sample, because a few URLs have too many entries
}

// add adds the entry e. Entries must be added in order.
func (t *sampleTaker) add(e *Entry) {
	t.all++
	if t.tooMany {
		return
	}
	if t.all == 1 || e.Key != t.key {
		t.key, t.chosen = e.Key, urlkey.Level(e.Key) >= t.level
		if t.chosen {
			t.urls++
		}
	}
	if !t.chosen {
		return
	}
	t.entries = append(t.entries, *e)
	for t.urls > sampleURLs {
		t.raise()
	}
	if len(t.entries) > sampleEntries {
		t.tooMany, t.entries = true, nil
	}
}

// raise raises the level of the sample by one, to save memory, and drops the entries whose
// URLs have a lower level. About half of the URLs stay.
func (t *sampleTaker) raise() {
	t.level++
	t.urls = 0
	key, keep := "", false
	kept := slices.DeleteFunc(t.entries, func(e Entry) bool {
		if e.Key != key {
			if key, keep = e.Key, urlkey.Level(e.Key) >= t.level; keep {
				t.urls++
			}
		}
		return !keep
	})
	t.entries, t.chosen = kept, urlkey.Level(t.key) >= t.level
}

// encode returns the sample of all entries that were added, in the form in which the index
// stores it: the level, a chunk of the whole sample, and a chunk of its second part. It
// returns nil if the sample is not small compared to the entries.
func (t *sampleTaker) encode() []byte {
	if t.tooMany || t.level == 0 || len(t.entries)*sampleShare > t.all {
		return nil
	}
	all := make([]Stored, len(t.entries)) // of each, only the field Entry is set
	var deep []Stored
	for i := range all {
		e := &all[i]
		if e.Entry = t.entries[i]; urlkey.Level(e.Key) >= t.level+sampleDeep {
			deep = append(deep, *e)
		}
	}
	b := binary.AppendUvarint(nil, uint64(t.level))
	b = packed.AppendSized(b, appendChunk(nil, 0, all))
	return appendChunk(b, 0, deep)
}

// cutSample cuts apart b, the sample that encode returned. least is the least urlkey.Level in
// the sample. chunk has the entries whose URLs have at least the given level. It may have
// entries of lower levels, too, and shares the memory of b.
func cutSample(b []byte, level int) (least int, chunk []byte, err error) {
	r := packed.Reader{B: b}
	n, whole := r.Uvarint(), r.Sized()
	if r.Bad || n == 0 || n > 64 {
		return 0, nil, column.ErrDamaged
	}
	if level >= int(n)+sampleDeep {
		return int(n), r.B, nil
	}
	return int(n), whole, nil
}

// SampleLevel returns the least urlkey.Level of the URLs in the segment's sample, which the
// index stores. It returns 0 if there is no sample or the index is damaged.
func (s *Reader) SampleLevel() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.badIndex || s.sampled {
		return s.sampleLevel
	}
	c, err := s.index.Cursor(s.Info.Bucket())
	if err == nil {
		defer c.Close()
		err = s.index.Guard(func() error {
			b, err := c.Find(keySample, s.Info.unsealed(keySample))
			if err == nil && b != nil {
				s.sampleLevel, _, err = cutSample(b, 0)
			}
			return err
		})
	}
	if err != nil {
		s.sampleLevel = 0
		s.giveUpIndex(err)
	}
	s.sampled = true
	return s.sampleLevel
}

// Sample returns a cursor over the entries of the segment's sample whose URLs have at least the
// given urlkey.Level. It may yield entries of lower levels, too. All entries are in one chunk,
// whose Run means nothing. level must be at least s.SampleLevel(). If the index turns out to be
// damaged, the cursor yields all chunks of the segment.
func (s *Reader) Sample(level int, want Want) *ChunkCursor {
	c := s.Chunks(want)
	c.sample = level
	return c
}

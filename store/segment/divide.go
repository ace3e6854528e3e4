package segment

import (
	"context"

	"infomall/store/urlkey"
)

// ChunkKeys calls f with the last key of each index chunk of the segment that has keys in
// ranges, which are sorted and disjoint, in order. It decodes no chunk. Each chunk is for
// one run, and the runs of a segment have about the same size. Without a valid index,
// ChunkKeys calls f with the last key of the segment.
func (s *Reader) ChunkKeys(ctx context.Context, ranges []urlkey.Range, f func(key string)) error {
	s.mu.Lock()
	bad := s.badIndex
	s.mu.Unlock()
	if bad {
		f(s.Info.LastKey)
		return nil
	}
	c, err := s.index.cursor(s.Info.Bucket())
	if err != nil {
		return err
	}
	defer c.close()
	for _, r := range ranges {
		k, _, err := c.seek([]byte(max(r.From, "\x01")))
		for n := 0; k != nil && err == nil; k, _, err = c.next() {
			if n++; n&1023 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			key := string(lastKeyOf(k))
			f(key)
			if r.To != "" && key >= r.To {
				break // the chunk also has keys after the range
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

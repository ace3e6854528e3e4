package store

import (
	"context"

	"infomall/store/record"
)

// looker looks up URLs in the order of their keys. It keeps a place in each
// segment, so that neighbouring URLs share what was decoded.
type looker struct {
	v       *Snapshot
	cursors []*cursor // one a segment
	group   []located
}

// looker returns one over all segments. The caller closes it.
func (v *Snapshot) looker() *looker {
	l := &looker{v: v}
	for _, i := range v.pin.segments {
		l.cursors = append(l.cursors, newCursor(v.reader(i), wants(record.ColMime|record.ColBytes), v.readChunk))
	}
	return l
}

func (l *looker) close() {
	for _, c := range l.cursors {
		c.close()
	}
}

// at gives the settled captures of one URL. Its key is not before that of the
// last call; the slice is valid until the next.
func (l *looker) at(ctx context.Context, key string) ([]located, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.group = l.group[:0]
	for _, c := range l.cursors {
		if !c.seg.MayHave(key) {
			continue
		}
		if err := c.seek(key); err != nil {
			return nil, err
		}
		if c.end || c.key() != key {
			continue
		}
		var err error
		if l.group, err = c.group(l.group); err != nil {
			return nil, err
		}
	}
	return l.v.resolved(ctx, l.group, record.MaxTime)
}

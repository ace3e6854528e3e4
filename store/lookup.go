package store

import (
	"context"
	"math"

	"infomall/store/record"
	"infomall/store/segment"
)

// endOfTime is after every time that is stored, also after those past the year
// 9999 that a misnamed pool may have: a merge must not lose these.
const endOfTime record.Time = math.MaxInt64

// looker looks up URLs in the order of their keys. It keeps a place in each
// segment, so that neighbouring URLs share what was decoded.
type looker struct {
	v       *Snapshot
	cursors []*cursor // one a segment
	probe   segment.Probe
	group   []located
	visible []located
	// disturbed: of the last URL captures are hidden, or were. Its hints are
	// those that settleVisible makes of group.
	disturbed bool
	// raw are its captures as they are stored, if keepRaw asks for them.
	raw     []located
	keepRaw bool
}

// looker returns one over all segments, which reads some columns besides those
// that every look-up needs. The caller closes it.
func (v *Snapshot) looker(more record.Columns) *looker {
	l := &looker{v: v}
	for _, i := range v.pin.segments {
		l.cursors = append(l.cursors, newCursor(v.reader(i), wants(more|record.ColMime|record.ColBytes), v))
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
	return l.until(ctx, key, endOfTime)
}

// until is at for the archive as it was at a time: without what lies there or
// later.
func (l *looker) until(ctx context.Context, key string, to record.Time) ([]located, error) {
	if err := l.gather(ctx, key); err != nil {
		return nil, err
	}
	if l.keepRaw {
		l.raw = append(l.raw[:0], l.group...)
	}
	var err error
	if l.disturbed, err = l.v.disturbed(l.group); err != nil {
		return nil, err
	}
	if !l.disturbed {
		l.group, err = l.v.resolved(ctx, l.group, to)
		return l.group, err
	}
	if l.group, err = l.v.mark(l.group); err != nil {
		return nil, err
	}
	if l.group, err = l.v.withBodies(ctx, l.group, to); err != nil {
		return nil, err
	}
	l.visible = settleVisible(append(l.visible[:0], l.group...))
	return l.visible, nil
}

// gather reads the captures of one URL as they are stored into l.group.
func (l *looker) gather(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.group = l.group[:0]
	l.probe.Reset(key)
	for _, c := range l.cursors {
		if !c.seg.May(&l.probe) {
			continue
		}
		if err := c.seek(key); err != nil {
			return err
		}
		if c.end || c.key() != key {
			continue
		}
		var err error
		if l.group, err = c.group(l.group); err != nil {
			return err
		}
	}
	return nil
}

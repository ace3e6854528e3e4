package store

import (
	"context"

	"infomall/store/catalog"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// looker looks up URLs in the order of their keys. It keeps its position in each
// segment, so that neighbouring URLs share what was decoded.
type looker struct {
	v       *snapshot
	cursors []*cursor // one for each segment
	probe   segment.Probe
	group   []timeline.Capture
	visible []timeline.Capture
	// disturbed is set if captures of the last URL are hidden, or were. group then
	// has its captures, with the hints that settleVisible makes.
	disturbed bool
	// raw are the captures of the last URL as they are stored, if keepRaw is set.
	raw     []timeline.Capture
	keepRaw bool
}

// looker returns a looker over all segments. It reads the given columns besides
// those that every look-up needs. The caller closes it.
func (v *snapshot) looker(more record.Columns) *looker {
	l := &looker{v: v}
	for _, i := range v.pin.Segments {
		l.cursors = append(l.cursors, newCursor(v.runs.Reader(i), wants(more|record.ColMime|record.ColBytes), v))
	}
	return l
}

func (l *looker) close() {
	for _, c := range l.cursors {
		c.close()
	}
}

// at returns the settled captures of one URL. Its key must not be less than that of
// the last call. The slice is valid until the next call.
func (l *looker) at(ctx context.Context, key string) ([]timeline.Capture, error) {
	return l.until(ctx, key, catalog.EndOfTime)
}

// until does what at does, as if the archive had no captures at the time to or
// later.
func (l *looker) until(ctx context.Context, key string, to record.Time) ([]timeline.Capture, error) {
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
	l.visible = timeline.SettleVisible(append(l.visible[:0], l.group...))
	return l.visible, nil
}

// gather reads the captures of one URL, as they are stored, into l.group.
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

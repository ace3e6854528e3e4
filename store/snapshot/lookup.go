package snapshot

import (
	"context"

	"infomall/store/catalog"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// Looker looks up URLs in the order of their keys. It keeps its position in each
// segment, so that neighbouring URLs share what was decoded.
type Looker struct {
	v       *Snapshot
	cursors []*Cursor // one for each segment
	probe   segment.Probe
	Group   []timeline.Capture
	visible []timeline.Capture
	// Disturbed is set if captures of the last URL are hidden, or were. group then
	// has its captures, with the hints that settleVisible makes.
	Disturbed bool
	// Raw are the captures of the last URL as they are stored, if keepRaw is set.
	Raw     []timeline.Capture
	KeepRaw bool
}

// NewLooker returns a looker over all segments. It reads the given columns besides
// those that every look-up needs. The caller closes it.
func (v *Snapshot) NewLooker(more record.Columns) *Looker {
	l := &Looker{v: v}
	for _, i := range v.Pin.Segments {
		l.cursors = append(l.cursors, NewCursor(v.Runs.Reader(i), wants(more|record.ColMime|record.ColBytes), v))
	}
	return l
}

// Close closes the cursors of the looker.
func (l *Looker) Close() {
	for _, c := range l.cursors {
		c.Close()
	}
}

// At returns the settled captures of one URL. Its key must not be less than that of
// the last call. The slice is valid until the next call.
func (l *Looker) At(ctx context.Context, key string) ([]timeline.Capture, error) {
	return l.until(ctx, key, catalog.EndOfTime)
}

// until does what at does, as if the archive had no captures at the time to or
// later.
func (l *Looker) until(ctx context.Context, key string, to record.Time) ([]timeline.Capture, error) {
	if err := l.gather(ctx, key); err != nil {
		return nil, err
	}
	if l.KeepRaw {
		l.Raw = append(l.Raw[:0], l.Group...)
	}
	var err error
	if l.Disturbed, err = l.v.disturbed(l.Group); err != nil {
		return nil, err
	}
	if !l.Disturbed {
		l.Group, err = l.v.resolved(ctx, l.Group, to)
		return l.Group, err
	}
	if l.Group, err = l.v.mark(l.Group); err != nil {
		return nil, err
	}
	if l.Group, err = l.v.withBodies(ctx, l.Group, to); err != nil {
		return nil, err
	}
	l.visible = timeline.SettleVisible(append(l.visible[:0], l.Group...))
	return l.visible, nil
}

// gather reads the captures of one URL, as they are stored, into l.group.
func (l *Looker) gather(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.Group = l.Group[:0]
	l.probe.Reset(key)
	for _, c := range l.cursors {
		if !c.seg.May(&l.probe) {
			continue
		}
		if err := c.Seek(key); err != nil {
			return err
		}
		if c.End || c.Key() != key {
			continue
		}
		var err error
		if l.Group, err = c.Group(l.Group); err != nil {
			return err
		}
	}
	return nil
}

package snapshot

import (
	"infomall/store/record"
	"infomall/store/segment"
)

// notNeeded returns a function that reports which chunks (the index's part for one run) of
// the segments the scan s does not need, from the bounds of a chunk. It returns nil if the
// scan needs all.
//
// A scan can do without a chunk if what it asks of a capture does not depend on other
// captures of the URL. A capture whose body is at another capture does depend on others.
// So a chunk with such a capture is always needed; and if chunks are left out, the URL of
// such a capture is looked up by itself, as for a walk that is partial.
func (v *Snapshot) notNeeded(s record.Scan, segments []*segment.Info) func(segment.Bounds) bool {
	removed, err := v.Removals()
	if err != nil || len(removed) > 0 || v.hiding.Meets(s.Ranges) || s.Columns&colsHints != 0 || oneURL(s.Ranges) {
		return nil
	}
	if s.Sizes == nil && !timesMatter(s, segments) {
		return nil
	}
	return func(b segment.Bounds) bool {
		if b.Lost {
			return false
		}
		return b.LastTime < s.From || b.FirstTime >= s.To || s.Sizes != nil && b.LeastBytes >= 0 && !s.Sizes(b.LeastBytes, b.GreatestBytes)
	}
}

// timesMatter reports whether the scan s may do without chunks because of their times
// alone. For that, the archive must have the bodies of all captures: otherwise more URLs
// might be looked up by themselves than chunks are left out.
func timesMatter(s record.Scan, segments []*segment.Info) bool {
	inside := true
	for _, i := range segments {
		if !i.Follows {
			return false
		}
		inside = inside && i.First >= s.From && i.Last < s.To
	}
	return !inside
}

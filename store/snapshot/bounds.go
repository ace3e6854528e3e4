package snapshot

import (
	"infomall/store/record"
	"infomall/store/segment"
)

// notNeeded returns a function that reports whether the scan s can skip a
// chunk (the index's part for one run), given the chunk's bounds: its first and
// last times and its least and greatest sizes. notNeeded returns nil if the
// scan needs all chunks.
//
// A scan can skip a chunk if the values that it reads of a capture do not
// depend on other captures of the URL. They do depend on others if the body of
// the capture is stored at another capture, so a chunk with such a capture is
// always read. The scan then looks up all captures of that URL, because it may
// have skipped some of them.
func (v *Snapshot) notNeeded(s record.Scan, segments []*segment.Info) func(segment.Bounds) bool {
	removed, err := v.Removals()
	if err != nil || len(removed) > 0 || v.hiding.Meets(s.Ranges) || s.Columns&colsHints != 0 || s.More != nil || oneURL(s.Ranges) {
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

// timesMatter reports whether the scan s may skip chunks because of their times alone. It may
// not if a segment has captures whose bodies the archive does not have: the scan would look up
// the URLs of these captures one by one, and these might be more than the chunks that it skips.
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

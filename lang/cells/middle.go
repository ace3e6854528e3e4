package cells

import "unicode/utf8"

// ClipMiddle returns s shortened to width terminal cells, and whether it was
// shortened. A shortened text has … in place of its middle, so that the end of a
// URL or a path stays. One third of the cells is for the start. For a long s,
// ClipMiddle reads only both ends.
func ClipMiddle(s string, width int) (shown string, clipped bool) {
	if limit := (width + 1) * ClusterBytesMax; len(s) <= 2*limit && Width(s) <= width {
		return s, false
	}
	if width < 4 {
		return Clip(s, width)
	}
	start := Head(clipBytes(s, width), (width-1)/3)
	room := width - 1 - Width(start)
	from, end := len(s), "" // end is the longest text at the end of s that fits
	for from > len(start) {
		_, n := utf8.DecodeLastRuneInString(s[:from])
		if longer := s[from-n:]; Width(longer) <= room {
			end = longer
		} else if room < Width(longer)-2 {
			break // a combining mark may still follow a letter that fits
		}
		from -= n
	}
	return start + "…" + end, true
}

// clipBytes returns the part at the start of s that Clip reads for width cells.
func clipBytes(s string, width int) string {
	limit := (width + 1) * ClusterBytesMax
	if len(s) <= limit {
		return s
	}
	for !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

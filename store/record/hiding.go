package record

import (
	"sort"

	"infomall/store/urlkey"
)

// Hiding says which captures a snapshot does not show, in addition to deleted captures.
// It must not be changed once a snapshot has it. Several goroutines may use it.
type Hiding struct {
	// Ranges has the keys of all URLs of which captures are hidden, and perhaps of other
	// URLs. The ranges are sorted and disjoint.
	Ranges []urlkey.Range
	// Hides reports whether the capture at time t of the URL whose sort key is key is hidden.
	Hides func(key string, t Time) bool
	// Name identifies what is hidden: two Hidings that hide different captures have different names.
	// The name becomes a part of the state of the snapshot.
	Name string
}

// Near reports whether key is in one of h.Ranges. If it is not, limit is the start of
// the first range after key, or "" if there is none.
func (h *Hiding) Near(key string) (in bool, limit string) {
	if h == nil {
		return false, ""
	}
	i := sort.Search(len(h.Ranges), func(i int) bool { return h.Ranges[i].From > key })
	if i > 0 && h.Ranges[i-1].Contains(key) {
		return true, ""
	}
	if i < len(h.Ranges) {
		limit = h.Ranges[i].From
	}
	return false, limit
}

// Meets reports whether h may hide captures of URLs in ranges, which are sorted and
// disjoint; nil means all URLs.
func (h *Hiding) Meets(ranges []urlkey.Range) bool {
	return h != nil && len(h.Ranges) > 0 && (ranges == nil || len(urlkey.Common(h.Ranges, ranges)) > 0)
}

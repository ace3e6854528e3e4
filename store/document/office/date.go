package office

import (
	"strings"
	"time"

	"infomall/store/record"
)

// Date returns the time that text says, such as 2008-06-12T10:00:00Z or 2008-06-12. A
// time without a zone is taken as UTC. Date returns record.NoTime if text is no time,
// or is a time before the year 1900, which programs write if they know none.
func Date(text string) record.Time {
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, text); err == nil {
			if t.Year() < 1900 {
				return record.NoTime
			}
			return record.At(t)
		}
	}
	return record.NoTime
}

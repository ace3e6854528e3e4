package exec

import "time"

// Settings are the values that SET changes. The zero value is not ready for
// use; DefaultSettings is.
type Settings struct {
	Timezone       *time.Location // of literals without an offset and of printing
	ImportTimezone *time.Location // of dates without a zone in imports
	MemoryBytes    int64          // operators' limit before they spill
	Cache          bool
	CacheBytes     int64
	Mode           string // output format of the shell; "auto"
	NullValue      string
	Timer          bool
	Color          string // auto, always, never
	Width          int    // of a table in cells; 0 is the window's
}

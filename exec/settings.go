package exec

import (
	"strconv"
	"time"

	"infomall/crawl/report"
	"infomall/store/record"
)

// Settings holds the values that SET changes. Start from DefaultSettings; the zero value
// is not usable.
type Settings struct {
	Timezone       *time.Location // of literals without an offset and of printing
	ImportTimezone *time.Location // of dates without a zone in imports
	Earliest       *record.Time   // of a capture in imports; nil is record.EarliestDefault
	Latest         *record.Time   // of a capture in imports; nil is a day from now
	MemoryBytes    int64          // what sorting and grouping may use before they write temporary files
	TempDir        string         // folder of temporary files, as an absolute path; "" means the one that the archive is in
	Cache          bool
	CacheBytes     int64
	Mode           string // output format of the shell; "auto"
	NullValue      string
	Timer          bool
	Color          string // auto, always, never
	PageLimit      int64  // bytes of a body that are read for title, text, links and blocks
	PoolLimit      int64  // size in bytes above which a pool is split
	Width          int    // of a table in cells; 0 is the window's
	Pager          string // when results on a terminal go through a pager: auto, on, off

	Agent        string         // User-Agent of crawls; "" for the program's own
	Contact      string         // of the person who crawls: a URL or a mail address
	Delay        time.Duration  // between two requests to a host; negative means auto, by how long they take
	Workers      int            // requests of a crawl at the same time
	BodyLimit    int64          // length in bytes at which a crawl cuts a body
	Publish      time.Duration  // after which fetched pages are published at the latest,
	PublishBytes int64          // or after this many bytes of responses
	Robots       bool           // whether crawls obey robots.txt
	Sessions     string         // URL arguments that name a session, or with a minus a page
	NoArchive    bool           // whether crawls keep pages that ask for no copy to be kept
	Netrc        string         // file with the names and passwords of hosts that crawls have; "" for none
	Weights      report.Weights // of the terms of priority in the order BEST
	Domains      string         // what URLs are worth by their domain, as parseDomains reads it
	Revisit      time.Duration  // in which CRAWL DUE visits each page once, on average

	Level        string // of the cut for blocks and changes: auto, leaves or a number from 1
	DefaultLevel int    // what auto is, from 1
	Profile      string // how pages are divided: modern or classic
}

// cutLevel returns the level of the cut as a number from 1, or 0 for leaves.
func (s *Settings) cutLevel() int {
	switch s.Level {
	case levelAuto:
		return s.DefaultLevel
	case levelLeaves:
		return 0
	}
	level, _ := strconv.Atoi(s.Level) // it was checked when set
	return level
}

// cacheBytes returns how many bytes of cache a snapshot may use, 0 if cache is off.
func (s *Settings) cacheBytes() int64 {
	if !s.Cache {
		return 0
	}
	return s.CacheBytes
}

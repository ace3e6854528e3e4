package exec

import (
	"strconv"
	"time"

	"infomall/store/record"
)

// Settings are the values that SET changes. The zero value is not ready for
// use; DefaultSettings is.
type Settings struct {
	Timezone       *time.Location // of literals without an offset and of printing
	ImportTimezone *time.Location // of dates without a zone in imports
	Earliest       *record.Time   // of a capture in imports; nil is record.EarliestDefault
	Latest         *record.Time   // of a capture in imports; nil is a day from now
	MemoryBytes    int64          // operators' limit before they spill
	TempDir        string         // folder for what they spill, as an absolute path; "" for that of the archive
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
	Contact      string         // of who crawls: a URL or a mail address
	Delay        time.Duration  // between two requests to a host; -1 goes by how long they take
	Workers      int            // of a crawl
	BodyLimit    int64          // bytes of a body, after which a crawl cuts it
	Publish      time.Duration  // after which what a crawl fetched comes into force at the latest,
	PublishBytes int64          // or after which bytes of responses
	Robots       bool           // whether crawls obey robots.txt
	Sessions     string         // arguments of URLs that name visits, and with a minus pages
	NoArchive    bool           // whether crawls keep pages that ask for no copy to be kept
	Netrc        string         // file with the names and passwords of hosts that crawls have; "" for none
	Weights      record.Weights // of the terms of priority in the order BEST
	Domains      string         // what URLs are worth by their domain, as parseDomains reads it
	Revisit      time.Duration  // in which CRAWL DUE has a visit for each page, on average

	Level        string // of the cut for blocks and changes: auto, leaves or a number from 1
	DefaultLevel int    // what auto is, from 1
	Profile      string // how pages are divided: modern or classic
}

// cutLevel is the level of the cut as plan.Env has it.
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

// cacheBytes is what a snapshot may use of the cache.
func (s *Settings) cacheBytes() int64 {
	if !s.Cache {
		return 0
	}
	return s.CacheBytes
}

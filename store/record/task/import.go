package task

import (
	"time"

	"infomall/store/record"
)

// ImportOptions says which files IMPORT reads and how.
type ImportOptions struct {
	Patterns []string       // file names or patterns; each must match at least one file
	Format   string         // tianwang, warc, arc, wacz or html; "" means that the content decides
	Job      string         // name stored with each capture
	Zone     *time.Location // time zone of dates without a zone; nil is UTC
	Base     string         // for html: URL of the folder, ending in a slash, or of the only file; "" means that the files say it
	At       time.Time      // for HTML files: when they were fetched; zero means to take the time from each file
	// Earliest and Latest bound the times of captures; see Dates. Nil means
	// 1990-01-01, and one day after now.
	Earliest, Latest *record.Time
	// PoolLimit is the size in bytes above which a pool is split by URL; 0
	// means 64 GB.
	PoolLimit int64
	// PageLimit is how many bytes of a body are parsed for its title, text,
	// links and blocks; 0 means 8 MB.
	PageLimit int64
	// Requests says how much of the heads of requests in the files is kept.
	Requests record.Requests
	// Progress, if not nil, is called from time to time, by one goroutine.
	Progress func(ImportProgress)
}

// ImportProgress says how far an import has come.
type ImportProgress struct {
	Source      string // the current file
	Done, Total int64  // bytes of all files together, as they are on disk
	Records     int64
}

// ImportResult counts what became of the records of one imported file. Records =
// Stored + Visits + Skipped + Damaged.
type ImportResult struct {
	Source   string
	Records  int64
	Stored   int64 // captures that are the first of their URL or found a change
	Visits   int64 // captures that found no change, revisits and 304 included
	Skipped  int64
	Damaged  int64
	Bytes    int64 // size of all bodies
	NewBytes int64 // size of the bodies that were stored
	Elapsed  time.Duration
	Skips    map[string]int64 // number of skipped records by reason
	Damages  []Damage         // the first DamagesKept places of damage

	Digests    DigestCounts
	Mismatches []Damage // captures with a wrong declared digest, the first DamagesKept
}

// SkipBlocked is the reason, in ImportResult.Skips, of captures that were skipped because of the
// block-list.
const SkipBlocked = "the block-list has it"

// DigestCounts counts the captures whose record declares a digest of the body. Programs that write
// WARC files compute this digest of different bytes. Each field counts the captures whose digest
// fits one choice of bytes.
type DigestCounts struct {
	Body    int64 // the body, after transfer-decoding
	Wire    int64 // the body with its chunk framing, as it was sent
	Record  int64 // the whole response, head and body as sent
	Wrong   int64 // the digest fits none of the three: it is wrong
	Unknown int64 // the algorithm or encoding of the digest is not known
}

// DamagesKept is how many places of damage an ImportResult lists for one file at
// most. Further places are only counted.
const DamagesKept = 10000

// Damage is one place in an imported file that could not be read.
type Damage struct {
	Offset, Length int64 // where the damage begins in the file, and its length, in bytes; Length is 0 if unknown
	Why            string
}

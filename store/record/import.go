package record

import "time"

// ImportOptions says what to import and how.
type ImportOptions struct {
	Patterns []string       // file names or globs; each must match something
	Format   string         // "" tells by content; or tianwang, warc, arc, wacz, html
	Job      string         // recorded with each capture
	Zone     *time.Location // of dates without a zone; nil is UTC
	Base     string         // of format html: URL of the folder, ending in a slash, or of the one file; "" tells by the files
	At       time.Time      // of format html: when the files were fetched; zero tells by the files
	// Earliest and Latest bound the times of captures. A capture outside is
	// damage. Nil is 1990-01-01, and a day from now.
	Earliest, Latest *Time
	// PoolLimit is the size in bytes above which a pool is split by URL; 0 is
	// 64 GB.
	PoolLimit int64
	// PageLimit is how many bytes of a body are read for its title, text, links and
	// blocks; 0 is 8 MB.
	PageLimit int64
	// Progress, if not nil, is called now and then from one goroutine.
	Progress func(ImportProgress)
}

// ImportProgress tells how far an import is.
type ImportProgress struct {
	Source      string
	Done, Total int64 // bytes of all files together, as they lie on disk
	Records     int64
}

// ImportResult accounts for every record of one file: Records = Stored +
// Visits + Skipped + Damaged.
type ImportResult struct {
	Source   string
	Records  int64
	Stored   int64 // captures that brought a new body
	Visits   int64 // captures that found what was known
	Skipped  int64
	Damaged  int64
	Bytes    int64 // of all bodies
	NewBytes int64 // of the bodies stored
	Elapsed  time.Duration
	Skips    map[string]int64 // count by reason
	Damages  []Damage         // the first DamagesKept

	Digests    DigestCounts
	Mismatches []Damage // captures whose declared digest is wrong, the first DamagesKept
}

// DigestCounts tells of the captures with a body and a declared digest what
// that is the digest of. Writers of files differ in it.
type DigestCounts struct {
	Body    int64 // the entity, after transfer-decoding
	Wire    int64 // the entity in the chunks that it was sent in
	Record  int64 // the whole response: of records with no other digest
	Wrong   int64 // nothing that is there
	Unknown int64 // in a form that is not known
}

// DamagesKept is how many damages of a file are listed; the rest are counted.
const DamagesKept = 10000

// Damage is one span of a file that could not be read.
type Damage struct {
	Offset, Length int64 // Length 0 if unknown
	Why            string
}

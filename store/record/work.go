package record

import (
	"math"
	"sync/atomic"
)

// Work counts the chunks of indexes that a scan has come past, whether it decoded
// or skipped them. Whoever shows the progress of the scan compares the count with
// Reading.Chunks. Several goroutines may use it. A nil Work counts nothing.
type Work struct{ chunks atomic.Int64 }

// Add counts n more chunks.
func (w *Work) Add(n int64) {
	if w != nil {
		w.chunks.Add(n)
	}
}

// Chunks returns how many chunks were counted.
func (w *Work) Chunks() int64 { return w.chunks.Load() }

// Reading is how much a scan reads: what is left of the archive when segments and
// chunks outside its ranges of keys and times are left out. A scan of everything
// reads at most this much if it reads nothing twice. For a range of keys within a
// segment, Captures is an estimate.
type Reading struct {
	Segments   int   // segments to open
	Chunks     int64 // chunks of indexes to decode or to skip
	Captures   int64 // captures that the chunks list
	IndexBytes int64 // size of these chunks
	FileBytes  int64 // bytes to read from db-files, compressed as they are

	Expected Expected
}

// Expected is how much of the captures that a Reading lists is likely in the scan's
// ranges of keys and times, by what the catalogue and the censuses of segments say.
// Captures of a segment count as evenly spread over its time.
type Expected struct {
	Captures  float64
	Versions  float64 // captures that begin a version
	URLs      float64 // the sum over the segments: a URL in two segments counts twice
	URLsMost  float64 // of the segment that has the most
	Hosts     float64 // of the segment that has the most; 1 if no census says it
	Blocks    float64 // stored blocks
	BodyBytes float64 // size of the bodies of the versions, decompressed
	FileBytes float64 // size of the db-files, compressed as they are
	// EntryBytes is the size of the entries of the runs that are read, without bodies and
	// facts. It is 0 if the scan does not read whole runs.
	EntryBytes int64
	// First and Last bound the times of the captures. Both are 0 if there are none.
	First, Last Time
	// Traits has how many captures of some of the segments have which traits. Their sum
	// is not Captures.
	Traits []TraitCount
}

// TraitCount is how many captures have the same status, kind and media type.
type TraitCount struct {
	Status   int32
	Kind     Kind
	Mime     string
	Captures int64
}

// Distinct returns about how many different URLs there are. That is at least URLsMost
// and at most URLs; Distinct returns their geometric mean.
func (e *Expected) Distinct() float64 { return math.Sqrt(e.URLs * e.URLsMost) }

// Bytes returns the bytes to read from indexes and db-files.
func (r Reading) Bytes() int64 { return r.IndexBytes + r.FileBytes }

// FilePart is the part of the db-files that a scan reads besides the indexes.
type FilePart uint8

// The parts of a db-file. A scan whose columns are all in the index reads
// FileNothing. For other columns of a capture it reads FileEntries, which stand in
// front of each run. For what is stored about pages, or their bodies, it reads
// FileWhole.
const (
	FileNothing FilePart = iota
	FileEntries
	FileWhole
)

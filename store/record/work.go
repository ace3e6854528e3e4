package record

import (
	"math"
	"sync/atomic"
)

// Work counts the chunks of indexes that a scan has decoded or skipped so far. To show the
// progress of the scan, compare the count with Reading.Chunks. Several goroutines may use a Work.
// A nil Work counts nothing.
type Work struct{ chunks atomic.Int64 }

// Add adds n chunks to the count.
func (w *Work) Add(n int64) {
	if w != nil {
		w.chunks.Add(n)
	}
}

// Chunks returns how many chunks were counted.
func (w *Work) Chunks() int64 { return w.chunks.Load() }

// Reading estimates how much of the archive a scan reads. Segments and chunks outside the scan's
// ranges of keys and times are not included. A scan of everything reads at most this much if it
// reads nothing twice. If a range of keys covers only a part of a segment, Captures is an
// estimate.
type Reading struct {
	Segments   int   // segments to open
	Chunks     int64 // chunks of indexes to decode or to skip
	Captures   int64 // captures that the chunks list
	IndexBytes int64 // size of these chunks
	FileBytes  int64 // bytes to read from db-files, compressed as they are

	Expected Expected
}

// Expected estimates how many of the captures in a Reading are in the scan's ranges of keys and
// times. The estimate comes from the catalogue and from the censuses of segments (counts of what a
// segment holds). It assumes that the captures of a segment are spread evenly over the segment's
// time.
type Expected struct {
	Captures  float64
	Versions  float64 // captures that begin a version
	URLs      float64 // number of URLs, added over the segments: a URL in two segments counts twice
	URLsMost  float64 // number of URLs in the segment that has most of them
	Hosts     float64 // number of hosts in the segment that has most of them; 1 if it is not known
	BodyBytes float64 // size of the bodies of the versions, decompressed
	FileBytes float64 // size of the db-files, compressed as they are
	// EntryBytes is the size in bytes of the entries of captures in the runs to read, without bodies
	// and facts. It is 0 if the scan does not read whole runs.
	EntryBytes int64
	// First and Last bound the times of the captures. Both are 0 if there are none.
	First, Last Time
	// Traits counts captures by status, kind and media type. Only some of the segments have these
	// counts, so their sum is not Captures.
	Traits []TraitCount
}

// TraitCount says how many captures have this status, kind and media type.
type TraitCount struct {
	Status   int32
	Kind     Kind
	Mime     string
	Captures int64
}

// Distinct returns an estimate of the number of different URLs. The true number is at least
// URLsMost and at most URLs; Distinct returns the geometric mean of the two.
func (e *Expected) Distinct() float64 { return math.Sqrt(e.URLs * e.URLsMost) }

// Bytes returns how many bytes the scan reads from indexes and db-files together.
func (r Reading) Bytes() int64 { return r.IndexBytes + r.FileBytes }

// FilePart is the part of the db-files that a scan reads besides the indexes.
type FilePart uint8

// The values of FilePart. A scan that needs only columns of the index reads FileNothing. Other
// columns of a capture need FileEntries, the entries at the beginning of each run. Bodies, and the
// values stored about pages, need FileWhole.
const (
	FileNothing FilePart = iota
	FileEntries
	FileWhole
)

package record

import "sync/atomic"

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
}

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

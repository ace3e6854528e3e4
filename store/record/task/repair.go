package task

// RepairOptions says which pool REPAIR repairs, and from where.
type RepairOptions struct {
	Pool string
	Dir  string // folder of another copy of the archive
	// Dry means: return what would be repaired, and write nothing.
	Dry bool
	// Progress, if not nil, is called with the number of bytes handled so far
	// and the number of all bytes.
	Progress func(file string, done, total int64)
}

// RepairState says in which state REPAIR found a file, and what it did with it.
type RepairState uint8

// The values of RepairState: what REPAIR found and did with a file.
const (
	RepairWhole   RepairState = iota // the file was not damaged
	RepairTaken                      // the file was damaged or missing, and was replaced by the one of the copy
	RepairMended                     // both files were damaged, and a whole one was put together from both
	RepairPartly                     // as mended, but records that are damaged in both files are lost
	RepairDamaged                    // the file is damaged, and the copy does not help
)

// String returns the name of the state, such as "partly mended".
func (s RepairState) String() string {
	switch s {
	case RepairWhole:
		return "whole"
	case RepairTaken:
		return "taken"
	case RepairMended:
		return "mended"
	case RepairPartly:
		return "partly mended"
	}
	return "damaged"
}

// RepairResult says what REPAIR did with one file.
type RepairResult struct {
	File  string
	Bytes int64
	State RepairState
	// Lost is how many records of the file are still damaged. For an index it
	// is 0: if an index is damaged, queries read the db-file instead.
	Lost int
}

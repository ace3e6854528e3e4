package record

// RepairOptions says what is repaired from where.
type RepairOptions struct {
	Pool string
	Dir  string // folder of another copy of the archive
	// Dry tells what would be repaired, and writes nothing.
	Dry bool
	// Progress, if not nil, is told how many bytes of how many are dealt with.
	Progress func(file string, done, total int64)
}

// RepairState says what became of a file.
type RepairState uint8

// The states.
const (
	RepairWhole   RepairState = iota // it was what was written
	RepairTaken                      // it was damaged or missing, and is that of the copy now
	RepairMended                     // both were damaged, and it was put together from both
	RepairPartly                     // the same, and what both have lost is lost
	RepairDamaged                    // it is damaged, and the copy does not help
)

// String is the state's name.
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

// RepairResult is what became of one file.
type RepairResult struct {
	File  string
	Bytes int64
	State RepairState
	// Lost is how many records of the file are damaged still. An index has none:
	// where it is damaged, queries read the db-file.
	Lost int
}

// Package indexfile writes and reads index files: databases of bbolt with one bucket
// for each segment. A segment puts its own pairs into its bucket; the package does
// not know their meaning.
//
// # Words
//
//	bucket    the index of one segment: pairs of a key and a value, sorted by key
//	builder   writes one index file, bucket after bucket
//	cursor    a place in one bucket of an index file that is open for reading
//	tree      the reader of an index file, which stands damage; bbolt only writes index files
//
// An index file on a local disk is mapped into memory. If it cannot be read or was cut, a read
// faults, which File.Guard turns into ErrDamaged. Other index files are read by ranges.
package indexfile

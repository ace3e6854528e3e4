// Package indexfile writes and reads index files: databases of bbolt with one bucket
// for each segment. A segment puts its own pairs into its bucket; the package does
// not know their meaning.
//
// # Words
//
//	bucket    the index of one segment: pairs of a key and a value, sorted by key
//	builder   writes one index file, bucket after bucket
//	cursor    a place in one bucket of an index file that is open for reading
//	tree      an index file that is read by ranges, because it is not on a local disk
//
// An index file on a local disk is mapped into memory. Damage of such a file can make
// bbolt panic, or a read fault. File.Guard turns both into ErrDamaged.
package indexfile

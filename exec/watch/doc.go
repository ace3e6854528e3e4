// Package watch keeps the rows that a watch has found, and finds out which rows of
// its query are new. A watch is a query that runs again and again; see the
// statement WATCH.
//
// # Words
//
//	batch     the new rows of one run, with a number: 1, 2, 3, …
//	key       the values that say whether a row is new; its hash is kept for good
//	part      a file with the rows and key hashes of one batch or more. Parts follow
//	          each other without a gap
//	mark      a file without rows, which says up to which batch THEN is done
//	deletion  a file with hashes of URLs, whose rows are no longer shown, because
//	          DELETE has deleted captures of these URLs, or because the rows stand only
//	          on captures of a pool that DROP POOL has removed
//
// # Files
//
// Each file is a result of the archive (task.Result) of the kind
// task.ResultWatches, with the name of the watch. It comes into force as a whole, so
// that the rows of a run, their keys and their number are one commit. Its properties
// are, in decimal:
//
//	created   when the watch was defined; files of an earlier watch of the name are ignored
//	first     number of the first batch of a part; 0 for a mark or a deletion
//	last      number of the last batch
//	edition   of two parts with the same batches, the one with the greater edition is in force
//	level     how often the rows were merged; eight parts of a level become one of the next
//	done      up to this batch THEN is done
//	deleted   of a deletion: the time of the DELETE
//	columns   of a part: a line for each column of the query, with its type and name
//
// A part whose batches are all in another part is not in force. A part has rows of
// two kinds, a deletion has rows of the third kind; each begins with a letter:
//
//	k, hash of a key (16 bytes)            nothing
//	r, batch (8 bytes), row (8 bytes)      the time of the run, and the values
//	d, hash of a URL's key (8 bytes)       nothing, or for DROP POOL a Gone: three times
package watch

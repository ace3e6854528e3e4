// Package store keeps web captures in an archive: a folder of pools, which have immutable
// segment files, and a catalogue that names the segments that are current. It returns captures
// in order of URL key (SURT) and time. It knows nothing of the query language.
//
// # Words
//
//	pool      the captures of one month, such as 200806, or a part of them (200806A)
//	segment   one immutable file of captures of a pool, with its index; also: db-file
//	run       captures of neighbouring URLs in a segment, compressed together
//	block     a piece of a body; stored once, however many captures have it
//	layout    the bytes of a page between its leaves; leaf: a block with text
//	recipe    the list of a body's blocks
//	facts     what was found out about a page when it was imported
//	fold      how a version's blocks relate to those of earlier versions of its URL
//	hints     how a capture differs from the one before it: Change, Previous, VersionTime
//	settle    to order a URL's captures, drop duplicates and correct their hints
//	removal   captures or pools that were deleted; they stay in files, hidden, until a merge
//	block-list  what DELETE … FOREVER keeps out of the archive
//	names     a file that says where the blocks of merged segments are now
//	static    a pool that was sealed: no captures are added to it
//
// A generation is one state of the catalogue, numbered from 1. A segment is in force if the
// current generation names it. A snapshot pins a generation: its files stay until the snapshot
// is closed.
//
// # Writing
//
// No file in the folder is ever changed in place. A writer makes new files in a folder of its
// own, syncs them, renames them to their places, and then publishes a new generation of the
// catalogue, again by a rename. Readers therefore never wait, and each reader sees one state
// from start to end. Files that a killed process leaves are never in force. FORMAT.md draws the
// files.
//
// # Packages
//
// This package is the facade: an Archive, with one line for each statement. The work is done by
// the packages below it, each of which imports only those above it in this list.
//
//	urlkey, words         canonical URLs and their keys; words of texts
//	record                captures, and captures in columns; message: HTTP; task: what statements ask
//	disk                  changes to files, locks; lines: small text files with a checksum
//	formats               WARC, WACZ, ARC, Tianwang, mirrors, CDX
//	page, block           what a page says: charset, markup; how it is divided, labelled and compared
//	segment               one db-file and its index
//	timeline              the captures of one URL in order
//	catalog               one generation of the archive as a value
//	commit                how a generation comes into force
//	body                  bodies out of blocks, wherever merges moved these
//	derive                what is read off a body when it is imported
//	snapshot              one unchanging state of the archive: scans, tallies, payloads
//	finder                captures found by words and links; the indexes of words
//	notes                 definitions, jobs and results
//	ingest, merge         IMPORT; MERGE, SEAL, REINDEX DERIVED
//	remove, mend          DELETE, ALLOW, DROP POOL; VERIFY, REINDEX, REPAIR, COPY, RECOVER
package store

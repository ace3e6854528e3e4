// Package format says what the bytes of a body are, by the registry PRONOM: a PDF 1.4
// is "fmt/18", plain text is "x-fmt/111". It looks at the bytes only, never at a name
// or at what a server declares.
//
// # Words
//
//	signature   what the bytes of a format have in common: a list of sequences, all of which must match
//	sequence    a list of pieces that follow one another, at offsets from the start or the end, or anywhere
//	piece       a main pattern with fragments to its left and right
//	fragment    a pattern some bytes away from the main pattern, with alternatives
//	pattern     a list of bytes, ranges of bytes and the like
//	container   a zip file or an OLE2 file; what is inside says which format it is
//	weak        said of a signature that a text may well match by chance
//
// # The table
//
// The file formats.table has the formats and signatures of PRONOM, version 122 of
// 2026-01-19, and its container signatures of the same day. They are published by The
// National Archives (UK) under the Open Government Licence v3.0,
// https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/. Package
// pronom makes the table, which is read in place. It consists of the eight bytes
// "formats1" and of sections, each of which begins with its length, a uint32. Numbers of
// fixed size have the least significant byte first; the others are Uvarints.
//
//	about       version, date, source and licence, as text
//	format at   for each format, by its identifier: where it is in the next section, a uint32
//	formats     kind (0 fmt, 1 x-fmt), number; where its name, version and media types are in names;
//	            number of formats over which it has priority, and their indexes
//	names       length and text
//	patterns    length<<1 and bytes, or length<<1|1 and elements: operator and two operands
//	groups      number of alternatives; for each least and greatest distance, and where its pattern is
//	signatures  index of the format; flags (1 weak, 2 pieces that may be anywhere are searched in all of the body,
//	            4 its first sequence is at one place); number of bytes that it compares; sequences
//	fixed       for each offset: the offset and a count, uint32; then that many signatures whose
//	            first sequence has its main pattern there: first byte<<24 | where the signature is
//	near        signatures that are checked for each body: where they are, uint32
//	wide        signatures that a scan finds: four bytes of each, sorted, then where each is, uint32
//	containers  for each its length; kind (0 OLE2, 1 zip), index of the format, number of files;
//	            for each file: length and path, sequences
//
// Sequences are a count, and for each its anchor (0 none, 1 start, 2 end), the number of
// its pieces, and for each piece: the least offset, the greatest offset plus one or 0 if
// it has no bound, where its main pattern is, the number of groups to the left, and the
// same for the right. If there are groups, the number of bytes that they take at the least
// and at the most follows, and where each group is. The sequence by which a signature is found is
// its first.
package format

//go:generate go run pronom/maketable.go DROID_SignatureFile_V122.xml container-signature-20260119.xml

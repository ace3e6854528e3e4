// Package duplicate has the statement DEDUP, which finds pages, blocks or pictures that are similar
// or contained in each other. Package dedup has the methods; this package reads the texts from the
// archive, remembers what was compared, and stores the result.
//
// # Words
//
// A shingle is a few consecutive words of a text, as a number. Two texts are similar if they have
// most of their shingles in common. A method finds candidates, which are pairs that may be similar;
// comparing their shingles confirms a candidate or rejects it.
//
// A print of a text is the numbers by which a method finds candidates. Prints are stored for the
// next DEDUP, which compares only what is new or changed.
//
// Pictures are compared by their perceptual hashes, which the archive has stored when it read the
// pictures. They have no shingles and no stored prints.
//
// The representative of a group of similar texts is the earliest text.
package duplicate

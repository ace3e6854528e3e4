// Package draw shows the blocks of a page, how a page changed between two captures, since
// when its text is there and what happened to it, to people: as text for a
// terminal and as an HTML page that needs no other file. It shows events and reports the
// same way. It knows no archive.
//
// # Words
//
// The colour of text on a terminal is called ink. Marks are put around the words
// of a text that were removed or added: colours, or brackets as in [-old-] {+new+}.
package draw

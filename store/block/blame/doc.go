// Package blame follows the words of one page through its versions. It says for
// each word of the last version in which version the word came in, and which text
// it replaced. It is pure: it reads no archive.
//
// A word keeps its age while the block (the part of the page) that contains it
// keeps its identity and a comparison of the block's texts, word by word, finds
// the word in both. The comparison is life.Align. Text that moves to another block
// keeps its age too.
//
// # Words
//
//	origin  the version in which a piece of text came in, and the text that it replaced
//	piece   a word or a line of a leaf, with its origin
//	hunk    a place of a leaf at which pieces were removed, added, or both
//	run     pieces of one hunk: those that left, or those that came
package blame

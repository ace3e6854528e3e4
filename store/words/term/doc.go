// Package term reads the terms of texts: the words that can be counted over time. It also
// finds Chinese words that no list has, from texts alone. All its functions are pure.
//
// # Words
//
//	term      a word, folded as package match folds it: muller for Müller
//	script    a way of writing: with spaces between words, Chinese, or another one without
//	run       letters of one script without spaces that directly follow each other
//	piece     a word, or a single letter, that the cutter makes of a Chinese run
//	sequence  pieces that directly follow each other
//	new word  a sequence that texts use like one word, but the list of words does not have
//	neighbour the piece before or after a sequence
//
// # What is a term
//
// In scripts with spaces, the terms are the words of package match. A Chinese run is cut
// by package cut, and each piece is a term. A new word is a further term: its pieces are
// terms as well. So the counts of other terms do not depend on which new words there are.
// A run of another script without spaces, such as kana, Hangul or Thai, is one term,
// because nothing here knows where its words end.
//
// # New words
//
// A sequence is a new word if its pieces are short, one of them is a single letter, and
// the texts show two things. Its parts stand together much more often than chance puts
// them together, wherever the sequence is parted: the pointwise mutual information of the
// best split (K. Church and P. Hanks, "Word association norms, mutual information, and
// lexicography", 1990). And it has many different neighbours: their entropy is high on
// both sides (Z. Jin and K. Tanaka-Ishii, "Unsupervised segmentation of Chinese
// text by use of branching entropy", 2006).
package term

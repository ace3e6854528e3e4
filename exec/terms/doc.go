// Package terms counts in how many versions each term occurs. It reads each stored leaf
// about once, however many versions have it, and no bodies of versions whose leaves are
// known.
//
// # Words
//
//	term      a word as package store/words/term reads it; a new word is one that no list has
//	leaf      a block of a page that is stored once and divides no further
//	period    the versions with the same AsOf: with EACH those of one month, for example;
//	          else all versions
//	part      versions that follow each other, and whose counts fit in memory together
//
// # Memory
//
// All periods are counted at once, so that each page is read once. The versions are sorted by
// the place where they are stored, and are counted one after the other. When the counts take
// too much memory, a part ends: they go to a spill.Sorter, and the next part begins with no
// counts. At the end, the counts of the parts are added up, term by term. The number of
// different texts is no sum, so each part has the hashes of the texts of the parts before.
// The terms of leaves are remembered up to a limit. Leaves that were not used for some
// time are then read again. Lists of versions, of leaves and of counts go to temporary files
// when they grow.
package terms

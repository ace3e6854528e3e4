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
//	class     the terms whose hashes end with certain bits
//
// # Memory
//
// The counts of all terms of a period are held in memory. If they take too much, the
// terms are divided into two classes by one bit of their hash, and the period is counted
// once for each class. A class that still takes too much is divided by a further bit.
// The terms of leaves are remembered up to a limit. Leaves that were not used for some
// time are then read again. Lists of versions, of leaves and of rows go to temporary files
// when they grow.
package terms

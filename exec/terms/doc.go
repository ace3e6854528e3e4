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
// class of all terms is parted in two by one more bit of the hash, and the period is
// counted once for each class; a class that still takes too much is parted further.
// What is remembered of leaves is bounded too: leaves that were not used lately are read
// again. Lists of versions, of leaves and of rows go to temporary files when they grow.
package terms

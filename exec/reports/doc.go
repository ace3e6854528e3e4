// Package reports groups texts into sets of near-copies, such as the report of a news agency
// that several papers print. It works on numbers alone and reads no archive.
//
// # Words
//
//	text     what one page says, at one time
//	print    a short form of the words of a text; see dedup.Print
//	near     two texts are near if their prints agree in enough places
//	order    texts are ordered by publication, or else by when they were first seen, then by
//	         when they were seen, then by URL, then by ID
//	leader   the first text of a set in this order; it represents the set
//	cluster  texts that are near each other, directly or through further texts
//	owner    a text whose ID became the ID of a set
//
// # Sets
//
// Texts are taken in their order. A text joins the set of the first leader that it is near;
// if there is none, it leads a new set. So each text of a set is near the leader, and sets do
// not grow along chains of texts that each differ a little from the one before. The sets
// depend on the texts alone, not on the order in which they arrive.
//
// A set never reaches beyond a cluster. So a new text can change only the sets of clusters
// with texts that it is near. An update makes only these sets again.
//
// # IDs
//
// The ID of a set is the ID of its leader at the time when the set was made. It stays while
// that text, its owner, is in the set. If owners of several sets come into one set, the
// owner that was made first, and of owners of one update the first in the order, gives the ID.
// The set then has the IDs of the others in Merged. If the set falls apart again, each part
// with an owner gets the ID of that owner back.
package reports

// Package reports groups texts into sets of near-copies, such as the report of a news agency
// that several papers print. It works on numbers alone and reads no archive.
//
// # Words
//
//	text     what one page says, at one time
//	print    a short form of the words of a text; see dedup.Print
//	near     two texts are near if their prints agree in enough places
//	order    texts are ordered by publication, or else by when they were first seen, then by
//	         when they were seen, then by ID
//	leader   the first text of a set in this order; it represents the set
//	cluster  texts that are near each other, directly or through further texts
//	place    the cluster and the leader of a text
//
// # Sets
//
// Texts are taken in their order. A text joins the set of the first leader that it is near;
// if there is none, it leads a new set. So each text of a set is near the leader, and sets do
// not grow along chains of texts that each differ a little from the one before. The sets
// depend on the texts alone, not on the order in which they arrive.
//
// A set never reaches beyond a cluster. So a text that comes or goes can change only the sets of
// clusters with texts that it is near. An update makes only these sets again.
//
// # One more day
//
// A caller can store the texts and their places, restore them later, and add the texts that came
// since. The update then compares each new text with the others, and no old text with another.
package reports

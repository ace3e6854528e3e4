package events

import "iter"

// Document is one text of the stream: a report, once, however many copies it has.
type Document struct {
	// Key names the document in all runs. It is the identity of its report.
	Key uint64
	// Period is the number of the period, such as a day, in which the document was
	// published, or else first seen.
	Period int
	// Dated reports that the page says when it was published.
	Dated bool
	// Source is the number of the source that wrote the text. Copies elsewhere are no
	// sources of their own.
	Source uint32
	// Words has the words of the title and the text by number, in the order of the text,
	// without stop words. The first Title of them are those of the title. Which number a word
	// has does not matter.
	Words []uint32
	Title int
}

// Stream yields the documents, always in the same order. Find reads it several times. A
// document is valid until the next one. An error is the last pair.
type Stream func() iter.Seq2[*Document, error]

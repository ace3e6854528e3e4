// Package kept has the form in which an archive stores the events that EVENTS has found,
// and reads them.
//
// # Words
//
//	ranking   the events that one EVENTS has found, kept under a name
//	text      one new text of a page: an article or a headline
//	report    a set of texts that are nearly the same
//	event     reports that use the same words in the same time
//
// # Rows
//
// A stored result of the kind task.ResultEvents has one row for each text of an event,
// and one row for each event.
//
//	key of a text    key of the URL, 0, time of the capture in 8 bytes, number of the text in 8 bytes
//	key of an event  255, number of the event in 10 digits
//
// The row of an event has numbers and times only. All words are in the rows of texts: the
// row of a text has those keywords and places of its event that the text itself has. So the
// words of a page are in the rows of the page. Access rules hide these rows, DELETE removes
// them, and what is left has none of the words.
package kept

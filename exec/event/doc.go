// Package event has the statements EVENTS, DROP EVENTS and TRACE EVENT.
//
// # Words
//
//	text      one row of the relation articles: an article or a headline that no page had before
//	report    a set of texts that are nearly the same; see package reports
//	document  a report as package events sees it: its period, and the words of its representative
//	use       a word and a text that has it; package events reads uses, not texts
//	period    an hour, day, week or month: the unit in which EVENTS counts documents
//	stream    the texts that EVENTS has read, in the form in which it stores them for its next run
//
// # How EVENTS works
//
//	articles ── cut into words ──> texts ── package reports ──> reports ── package events ──> events
//	             dictionary.go      texts.go                     find.go                       save.go
//
// EVENTS stores two results: the events and their reports, see package kept, and the stream.
// A second EVENTS with the same name and clauses reads the stream, and the captures that were
// added to the archive after the first. It adds a part to the stream. It finds the same events as
// if it read all captures.
package event

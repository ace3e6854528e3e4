// Package events finds events in documents: words that are suddenly used much
// more than usual, and the documents that use them together. It works on numbers alone: it
// knows no clock, no file and no word.
//
// # Terms
//
//	period    a day, an hour, a week; periods are numbered from 0
//	coverage  how much there was to read in a period; without coverage, a period is a gap
//	rate      documents with a word, by coverage
//	burst     a word and the periods in which its rate is much higher than usual
//	save      how much shorter a series can be written if the burst is known: the logarithm
//	          of a ratio of likelihoods, in nats; the cost of the burst's start is taken off
//	story     a set of bursts that the same documents have, with the documents; a story is
//	          an event if its documents have a burst themselves
//
// # Steps of Find
//
//	sort      the documents by time; words that cannot burst are left out       corpus.go
//	bursts    Kleinberg's automaton for each word                              automaton.go, bursts.go
//	vectors   each document has the bursts of its words at its time: BurstVSM  cluster.go
//	clusters  bursts which the same documents have are joined                  cluster.go
//	stories   all documents that match a cluster, at any time                  match.go
//	settle    stories with a burst; the same stories are joined; then          settle.go
//	          documents that are probably of a story join it
//	events    start, peak, end, keywords, title                                event.go
//
// BurstVSM (Zhao, Chen, Fan, Yan, Li: ACL 2012) clusters documents by the bursts they share.
// Here, bursts are clustered by the documents that have them, with the same vectors: there
// are fewer bursts than documents, and a document that has the words of two events harms
// neither. Both need no pair that shares nothing.
//
// # One more day
//
// A further day changes how many periods and documents there are, and with them the mean rate of
// each word, so Find looks at all words again. It reads an Index, which has the documents of each
// word: it needs no texts, and a caller can keep the index and add the documents of the day.
// Number then gives the events of each run the numbers that they had in the run before.
package events

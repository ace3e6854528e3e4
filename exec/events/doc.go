// Package events finds events in a stream of documents: words that are suddenly used much
// more than usual, and the documents that use them together. It works on numbers alone.
package events

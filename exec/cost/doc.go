// Package cost estimates what a plan costs before it runs: how many rows each node
// yields, how many bytes of the archive are read, and how many seconds that takes. There
// is no other estimate: EXPLAIN, the setting warn_cost and the progress of statements all
// use this one.
//
// # Words
//
//	guess       what the catalogue and built-in rates say of a node
//	correction  a factor, measured at plans that ran, by which a guess is multiplied
//	shape       a node's text without names, numbers and times: equal shapes do like work
//
// # How a plan is estimated
//
// The guess of a Source comes from record.Reading: sizes in the catalogue, keys of chunks
// and censuses. No captures are read for it. The guess of any other node follows from the
// rows of the nodes below it. Each guess is multiplied by a correction. Of two
// corrections that fit, that of the same node is taken before that of the same shape.
//
// # How corrections are measured
//
// When a plan has run, Learn compares rows, bytes and times with the guesses, and moves
// the corrections. Rates keeps the corrections of one archive on this machine. They are
// a bounded number, and can be lost without harm: the guesses are then what is left.
package cost

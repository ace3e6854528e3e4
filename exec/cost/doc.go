// Package cost estimates what a plan costs before it runs: how many rows each node
// yields, how many bytes of the archive are read, and how many seconds that takes. There
// is no other estimate: EXPLAIN, the setting warn_cost and the progress of statements all
// use this one.
//
// # Words
//
//	guess       what the catalogue and built-in rates say of a node
//	correction  a factor, measured at plans that ran, by which a guess is multiplied
//	draw        a random sample of the rows of a node, by which its rows are counted
//	shape       a node's text without names, numbers and times: equal shapes do like work
//
// # How a plan is estimated
//
// The guess of a Source comes from record.Reading: sizes in the catalogue, keys of chunks
// and censuses. No captures are read for it. The guess of any other node follows from the
// rows of the nodes below it. Each guess is multiplied by a correction. Of two
// corrections that fit, that of the same node is taken before that of the same shape.
//
// # How rows are counted
//
// A guess does not know how many rows a condition leaves. So an estimate with a Runner runs
// the lower nodes of the plan on a draw. The draw of a Source has all rows if they are few,
// and otherwise the rows of a random sample of URLs. If only few URLs could be read in the
// time, the draw has the rows of a few ranges of URLs. The draw of another node is what the
// node yields for the draws below it:
//
//	filter: status = 404        draw: 3 of 100 rows; 480 rows are expected
//	  versions: url, status     draw: 100 rows of 64 URLs, of 10,240
//
// A Join joins the draw of one side with all rows of the other side. If it looks up rows of
// the right side by URL, it looks up the URLs of the draw. A Group by URL has a draw too. For
// other keys, the number of groups is extrapolated from the values that came once and twice.
// Different URLs are counted by a sample too, if the catalogue does not say how many there are.
// A draw is thrown away if it is too small to say anything; the guess is then used. The work
// of all draws is bounded: it is estimated before it is done. A draw reads captures and runs
// no other command: nodes that read files have none.
//
// # How corrections are measured
//
// When a plan has run, Learn compares rows, bytes and times with the guesses, and moves
// the corrections. Rates keeps the corrections of one archive on this machine. They are
// a bounded number, and can be lost without harm: the guesses are then what is left.
package cost

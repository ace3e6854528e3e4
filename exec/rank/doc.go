// Package rank has the statements about links as a graph: PAGERANK, HITS, EXPLAIN RANK,
// SHOW PATH, IMPORT with FORMAT graph, and DROP GRAPH. Package graph computes; this
// package makes the graph from the archive and stores the results in it.
//
// # Words
//
// A node of the graph is a page, a host, or a name in a named graph. A named graph is a
// graph that was imported from a list of edges, without captures.
//
// A ranking is the values of all nodes that one PAGERANK or HITS computed. It is stored
// under a name, beside older rankings of that name.
//
// The roots of a HITS are the pages with the words of FOR. HITS ranks the roots and the
// pages around them, by links.
package rank

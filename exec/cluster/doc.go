// Package cluster has the statements CLUSTER, which divides the texts of a query into clusters and
// stores them, and DROP CLUSTERS. Package clustering has the methods; this package reads the texts,
// and chooses some words as the name of each cluster.
//
// # Memory
//
// The words of the texts go to a spool, which moves to a temporary file when it grows. The URL and
// the fingerprint of each text, and the dictionary of the words, stay in memory; with BY words also
// the weights of all words of all texts. All together may take what the setting memory allows.
package cluster

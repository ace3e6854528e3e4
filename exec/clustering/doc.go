// Package clustering divides texts into clusters by their fingerprints or by their words.
// It works on numbers and vectors alone: no files, no clock, no archive.
//
// # Words
//
//	point      one text: a fingerprint, or a vector of weighted words
//	distance   for fingerprints, the bits in which they differ; for vectors of length 1,
//	           1 minus the cosine of the angle between them
//	neighbours the points within the distance EPS of a point, and the point itself
//	core       a point with at least MINPTS neighbours
//	border     a point that is no core, but the neighbour of one
//	noise      any other point: it is in no cluster
//
// # DBSCAN
//
// Two cores that are neighbours are in the same cluster (Ester, Kriegel, Sander and Xu, "A
// density-based algorithm for discovering clusters in large spatial databases with noise",
// 1996). A border point goes to the cluster of its nearest core, and of several equally
// near cores to that of the first in order. So the clusters do not depend on the order in
// which pairs of neighbours are found.
//
// # Numbers of clusters
//
// Clusters are numbered from 0, the largest first, and of equal size the one with the
// first point in order first.
package clustering

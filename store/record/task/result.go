package task

import "infomall/store/record"

// The kinds of results (computed tables, see Result) that an archive stores.
const (
	ResultRanks      = "ranks"
	ResultDuplicates = "duplicates"
	ResultGraphs     = "graphs"
	ResultWatches    = "watches" // rows that watches have found; see package exec/watch
	ResultPrints     = "prints"  // fingerprints of compared pages, for the next comparison
	ResultEvents     = "events"  // events that EVENTS has found, and the reports of each
	ResultStream     = "stream"  // the texts that EVENTS has read, for its next run
	ResultClassifier = "classifier"
	ResultClusters   = "clusters"
	ResultGazetteer  = "gazetteer" // places that users have imported
)

// Result describes a named result that was computed from the archive and is
// stored in it, such as the ranks of pages. Each computation adds one Result;
// older ones of the same kind and name stay.
type Result struct {
	Kind, Name string
	Computed   record.Time
	AsOf       record.Time // the time whose state of the archive the result describes
	Statement  string
	Properties map[string]string // further properties, by name
	Rows       int64
	Bytes      int64 // size of the file of the result
	File       string
}

// ResultRow is one row of a Result. The keys of a result are in ascending order;
// what keys and values mean depends on the kind of the result. Both slices are
// valid until the next row.
type ResultRow struct{ Key, Value []byte }

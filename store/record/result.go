package record

// The kinds of results that an archive keeps.
const (
	ResultRanks      = "ranks"
	ResultDuplicates = "duplicates"
	ResultGraphs     = "graphs"
	ResultPrints     = "prints" // of what was compared, for the next time
)

// Result describes a named result that was computed from the archive and is kept
// beside its captures. Results of one kind and name lie beside each other, one
// each time it was computed.
type Result struct {
	Kind, Name string
	Computed   Time
	AsOf       Time // the moment that it is about
	Statement  string
	Properties map[string]string // what else is to be known of it
	Rows       int64
	Bytes      int64 // of its file
	File       string
}

// ResultRow is a row of a result. Keys of a result rise; what a value is made of,
// its kind says. Both are valid until the next row.
type ResultRow struct{ Key, Value []byte }

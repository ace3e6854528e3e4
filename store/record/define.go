package record

// The kinds of Definition.
const (
	KindView     = "view"
	KindMetadata = "metadata"
	KindQuery    = "query"
)

// Definition is something that an archive knows by a name, by the statement
// that defines it.
type Definition struct {
	Kind    string // KindView, KindMetadata or KindQuery
	Name    string // as it was written; case does not tell names of a kind apart
	Text    string // the statement
	Created Time
}

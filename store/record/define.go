package record

// The kinds of Definition.
const (
	KindView     = "view"
	KindMetadata = "metadata"
	KindQuery    = "query"
	KindSchedule = "schedule"
)

// Definition is something that an archive knows by a name, by the statement
// that defines it.
type Definition struct {
	Kind    string // KindView, KindMetadata, KindQuery or KindSchedule
	Name    string // as it was written; case does not tell names of a kind apart
	Text    string // the statement; of a schedule, behind the SET of each setting that it goes by
	Created Time
}

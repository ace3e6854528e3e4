package task

import "infomall/store/record"

// The kinds of Definition.
const (
	KindView     = "view"
	KindMetadata = "metadata"
	KindQuery    = "query"
	KindSchedule = "schedule"
	KindWatch    = "watch"
	KindRule     = "rule"
)

// Definition is a named object of an archive, such as a view, with the
// statement that defines it.
type Definition struct {
	Kind    string // KindView, KindMetadata, KindQuery, KindSchedule, KindWatch or KindRule
	Name    string // as the user wrote it; two names of a kind that differ in case only are the same
	Text    string // the statement; for a schedule or a watch, after one SET statement for each setting it runs with
	Created record.Time
}

package relation

import "infomall/exec/value"

var Duplicates = &Relation{
	Name: "duplicates", Doc: "one of several pages or blocks that DEDUP found to be nearly the same", Scoped: true, OwnTime: "time",
	Columns: []Column{
		{Name: "group_id", Type: value.Int, Doc: "number of the group within what was computed together"},
		{Name: "url", Type: value.URL, Doc: "canonical URL of the page"},
		{Name: "time", Type: value.Time, Doc: "when its version was first seen"},
		{Name: "block", Type: value.Text, Doc: "path of the block; NULL for a page"},
		{Name: "method", Type: value.Text, Doc: "minhash, simhash, keywords or containment"},
		{Name: "distance", Type: value.Int, Doc: "bits in which its fingerprint differs from the representative's"},
		{Name: "similarity", Type: value.Float, Doc: "share of shingles of five words in common with the representative"},
		{Name: "containment", Type: value.Float, Doc: "share of the representative's shingles that it has"},
		{Name: "representative", Type: value.Bool, Doc: "whether it is the first of its group by time"},
		{Name: "computed", Type: value.Time, Doc: "when that was computed"},
		{Name: "keywords", Type: value.Text, Doc: "what its group has in common, if the method is keywords", Aside: true},
	},
}

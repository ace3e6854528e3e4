package relation

import "infomall/exec/value"

var Ranks = &Relation{
	Name: "ranks", Doc: "one URL in one ranking that PAGERANK or HITS has made", Scoped: true, OwnTime: "as_of",
	Columns: []Column{
		{Name: "url", Type: value.URL, Doc: "canonical URL; of a host its home page's"},
		{Name: "ranking", Type: value.Text, Doc: "name of the ranking"},
		{Name: "computed", Type: value.Time, Doc: "when it was computed"},
		{Name: "as_of", Type: value.Time, Doc: "the moment that it is about"},
		{Name: "rank", Type: value.Float, Doc: "PageRank"},
		{Name: "hub", Type: value.Float, Doc: "how well it leads to authorities, by HITS"},
		{Name: "authority", Type: value.Float, Doc: "how well hubs lead to it, by HITS"},
	},
}

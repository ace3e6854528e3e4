// Package all lists all relations. Package relation has the relations of captures, package result
// the relations of stored results, and package work the relations of the archive itself and of the
// work on it.
package all

import (
	"strings"

	"infomall/exec/relation"
	"infomall/exec/relation/result"
	"infomall/exec/relation/work"
)

// list has all relations, in the order of the manual.
var list = []*relation.Relation{
	relation.Captures, relation.Versions, relation.Pages, relation.Blocks, relation.Changes, relation.Layouts,
	relation.Links, relation.Hosts, relation.Articles, relation.Findings, relation.Terms,
	relation.Ranks, result.Duplicates, result.Events, result.Reports, result.Clusters, result.Classifiers,
	result.Graphs, result.Edges, result.Gazetteer,
	relation.Periods, work.Pools, work.Files, work.Tombstones, work.Blocked,
	work.Fetches, work.Frontier, work.Crawls, work.CrawlHosts, work.Traps, work.Alerts, work.Workers,
	work.Schedules, work.Watches, work.Watched, work.Jobs, work.Rules, work.History,
}

// Relations returns all relations, in the order of the manual. The caller must not
// change the result.
func Relations() []*relation.Relation { return list }

// Find returns the relation with this name, or nil if there is none. Case is
// ignored.
func Find(name string) *relation.Relation {
	for _, r := range list {
		if strings.EqualFold(r.Name, name) {
			return r
		}
	}
	return nil
}

// Names returns the names of all relations, in the order of the manual.
func Names() []string {
	names := make([]string, len(list))
	for i, r := range list {
		names[i] = r.Name
	}
	return names
}

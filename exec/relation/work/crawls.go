package work

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"infomall/crawl/report"
	"infomall/exec/relation"
	"infomall/store/record"
)

// Crawls declares the relation crawls, which has one row per crawl.
var Crawls = relation.List(relation.Relation{
	Name: "crawls", Doc: "one crawl", Shown: true, OfSession: true,
	Columns: []relation.Column{
		relation.IntOf("id", "number of times that a crawl of this name has begun", func(c *report.Crawl) int64 { return c.ID }),
		relation.TextOf("name", "name", func(c *report.Crawl) string { return c.Name }),
		relation.TextOf("state", "running, paused, finished, stopped or interrupted (no process runs it; CRAWL or RESUME CRAWL continues it)", func(c *report.Crawl) string { return c.State.String() }),
		relation.TextOf("statement", "CRAWL statement", func(c *report.Crawl) string { return c.Statement }),
		relation.TimeOf("started", "when the crawl began", func(c *report.Crawl) record.Time { return c.Started }),
		relation.TimeOf("finished", "when the crawl ended", func(c *report.Crawl) record.Time { return c.Finished }),
		relation.IntOf("fetched", "number of pages fetched", func(c *report.Crawl) int64 { return c.Fetched }),
		relation.IntOf("failed", "number of attempts without a response", func(c *report.Crawl) int64 { return c.Failed }),
		relation.IntOf("waiting", "number of URLs still to fetch", func(c *report.Crawl) int64 { return c.Waiting }),
		relation.IntOf("kept", "number of URLs held back because they are in traps", func(c *report.Crawl) int64 { return c.Kept }),
		relation.IntOf("layer", "most hops from a seed so far", func(c *report.Crawl) int64 { return int64(c.Layer) }),
		relation.IntOf("bytes", "size of the bodies fetched", func(c *report.Crawl) int64 { return c.Bytes }),
		relation.TextOf("stages", "for each stage, the number of URLs and the seconds spent, summed over all workers", stagesText),
		relation.TextOf("error", "reason for the interruption", func(c *report.Crawl) string { return c.Error }),
	},
}, crawls)

func crawls(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]report.Crawl, error] {
	if r.Crawls == nil {
		return relation.None
	}
	return relation.Listed(ctx, r.Crawls.Crawls)
}

// stagesText returns how many URLs went through each stage of a crawl and how
// long the stage took in all, such as "fetch 12 in 3.250 s, ...". Stages
// without URLs are left out.
func stagesText(c *report.Crawl) string {
	var list []string
	for i, tally := range c.Stages {
		if tally.Count > 0 {
			list = append(list, fmt.Sprintf("%s %d in %.3f s", report.Stage(i), tally.Count, tally.Took.Seconds()))
		}
	}
	return strings.Join(list, ", ")
}

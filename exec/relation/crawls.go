package relation

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"infomall/crawl/report"
	"infomall/store/record"
)

// Crawls declares the relation crawls, which has one row per crawl.
var Crawls = list(Relation{
	Name: "crawls", Doc: "one crawl", Shown: true, OfSession: true,
	Columns: []Column{
		intOf("id", "number of times that a crawl of this name has begun", func(c *report.Crawl) int64 { return c.ID }),
		textOf("name", "name", func(c *report.Crawl) string { return c.Name }),
		textOf("state", "running, paused, finished, stopped or interrupted (no process runs it; CRAWL or RESUME CRAWL continues it)", func(c *report.Crawl) string { return c.State.String() }),
		textOf("statement", "CRAWL statement", func(c *report.Crawl) string { return c.Statement }),
		timeOf("started", "when the crawl began", func(c *report.Crawl) record.Time { return c.Started }),
		timeOf("finished", "when the crawl ended", func(c *report.Crawl) record.Time { return c.Finished }),
		intOf("fetched", "number of pages fetched", func(c *report.Crawl) int64 { return c.Fetched }),
		intOf("failed", "number of attempts without a response", func(c *report.Crawl) int64 { return c.Failed }),
		intOf("waiting", "number of URLs still to fetch", func(c *report.Crawl) int64 { return c.Waiting }),
		intOf("kept", "number of URLs held back because they are in traps", func(c *report.Crawl) int64 { return c.Kept }),
		intOf("layer", "most hops from a seed so far", func(c *report.Crawl) int64 { return int64(c.Layer) }),
		intOf("bytes", "size of the bodies fetched", func(c *report.Crawl) int64 { return c.Bytes }),
		textOf("stages", "for each stage, the number of URLs and the seconds spent, summed over all workers", stagesText),
		textOf("error", "reason for the interruption", func(c *report.Crawl) string { return c.Error }),
	},
}, (*Reader).crawls)

func (r *Reader) crawls(ctx context.Context, _ *Request) iter.Seq2[[]report.Crawl, error] {
	if r.Crawls == nil {
		return none
	}
	return listed(ctx, r.Crawls.Crawls)
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

package work

import (
	"context"
	"fmt"
	"iter"
	"math"
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
		relation.IntOf("excluded", "number of URLs held back because an order excludes them", func(c *report.Crawl) int64 { return c.Excluded }),
		relation.IntOf("layer", "most hops from a seed so far", func(c *report.Crawl) int64 { return int64(c.Layer) }),
		relation.IntOf("bytes", "size of the bodies fetched", func(c *report.Crawl) int64 { return c.Bytes }),
		relation.TextOf("stages", "for each stage, the number of URLs and the seconds spent, summed over all workers", stagesText),
		relation.TextOf("outcomes", "for each outcome, the number of attempts and decisions", outcomesText),
		rate("pages_per_second", "pages per second over the last minute; NULL unless the crawl runs", func(c *report.Crawl) float64 { return c.Minute.Pages }),
		rate("bytes_per_second", "bytes per second over the last minute; NULL unless the crawl runs", func(c *report.Crawl) float64 { return c.Minute.Bytes }),
		rate("pages_per_second_hour", "pages per second over the last hour; NULL unless the crawl runs", func(c *report.Crawl) float64 { return c.Hour.Pages }),
		rate("bytes_per_second_hour", "bytes per second over the last hour; NULL unless the crawl runs", func(c *report.Crawl) float64 { return c.Hour.Bytes }),
		relation.IntOf("alerts", "number of alerts", func(c *report.Crawl) int64 { return c.Alerts }),
		relation.TextOf("error", "reason for the interruption or the pause", func(c *report.Crawl) string { return c.Error }),
	},
}, crawls)

func crawls(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]report.Crawl, error] {
	if r.Crawls == nil {
		return relation.None
	}
	return relation.Listed(ctx, r.Crawls.Crawls)
}

// outcomesText returns how many attempts of a crawl had each outcome, such as
// "ok 120, redirect 3". Outcomes that did not occur are left out.
func outcomesText(c *report.Crawl) string {
	var list []string
	for o, n := range c.Outcomes {
		if n > 0 {
			list = append(list, fmt.Sprintf("%s %d", report.Outcome(o), n))
		}
	}
	return strings.Join(list, ", ")
}

// rate returns a column of the relation crawls, of type Float and rounded to three
// digits, that is NULL unless the crawl is running or paused.
func rate(name, doc string, f func(*report.Crawl) float64) relation.Column {
	return relation.FloatOrNull(name, doc, func(c *report.Crawl) (float64, bool) {
		return math.Round(f(c)*1000) / 1000, c.State == report.CrawlRunning || c.State == report.CrawlPaused
	})
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

package crawls

import (
	"context"
	"fmt"
	"strings"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// seedsMax bounds the seeds that a query may give. A crawl holds its seeds in memory until
// they are in its frontier.
const seedsMax = 1_000_000

// readSeedQuery plans the query of a CRAWL (query).
func (c *crawl) readSeedQuery() (err error) {
	q := c.st.Query
	if q == nil {
		return nil
	}
	if c.seeds, err = plan.Build(q, c.s.Env()); err != nil {
		return err
	}
	if n := len(c.seeds.Columns()); n != 1 {
		return ast.Errorf(q, "the seeds come from a query with one column, and this one has %d", n)
	}
	return nil
}

// querySeeds sets the seeds to the rows of the query: each URL once, in the order of the
// rows. A row may have several URLs, one a line, as missing_urls of CHECK REPLAY has. Rows that
// are no URL with http or https are left out, and a note counts them.
func (c *crawl) querySeeds(ctx context.Context) error {
	snap, release, err := c.s.SnapshotFor(ctx, c.seeds)
	if err != nil {
		return err
	}
	defer release()
	rows, err := c.s.Runner(snap, "crawl: seeds").Rows(ctx, c.seeds)
	if err != nil {
		return err
	}
	seen := make(map[string]bool)
	left, example := 0, ""
	c.o.Seeds = nil
	for b, err := range rows {
		if err != nil {
			return err
		}
		for i := range b.N {
			for line := range strings.Lines(string(b.Cols[0].AppendText(nil, i, c.s.Settings().Timezone))) {
				line = strings.TrimSpace(line)
				if line == "" {
					continue
				}
				u, err := crawlURL(line, false) // data must not lead a crawl to files of this machine
				if err != nil || posted(u) {
					if left++; left == 1 {
						example = line
					}
					continue
				}
				if seen[u] {
					continue
				}
				if len(c.o.Seeds) == seedsMax {
					return ast.Errorf(c.st.Query, "the query gives over %d seeds; give it a LIMIT, and crawl the rest later", seedsMax)
				}
				seen[u] = true
				c.o.Seeds = append(c.o.Seeds, u)
			}
		}
	}
	if left > 0 {
		c.notes = append(c.notes, fmt.Sprintf("left out: %s of the query that a crawl cannot begin with, such as %.200s", value.Counted(left, "line"), example))
	}
	if len(c.o.Seeds) == 0 {
		c.notes = append(c.notes, "the query gives no URL to begin with")
	}
	return nil
}

package relation

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"strings"

	"infomall/exec/graph"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// PageRanking and HostRanking are the names of rankings that were computed
// without a name. The column rank of pages and of hosts reads them.
const (
	PageRanking = "pagerank"
	HostRanking = "hostrank"
)

// The flags with which the value of a row of a ranking begins.
const (
	hasRank  = 1
	hasHubs  = 2
	rankBits = 8 // bytes per number
)

// Standing is what a ranking says of a URL.
type Standing struct {
	Rank           float64
	Hub, Authority float64
	Ranked, Judged bool // it has a rank; it has hub and authority values
}

// Append appends s as the value of a row of a stored ranking.
func (s Standing) Append(dst []byte) []byte {
	put := func(x float64) { dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x)) }
	var flags byte
	if s.Ranked {
		flags |= hasRank
	}
	if s.Judged {
		flags |= hasHubs
	}
	dst = append(dst, flags)
	if s.Ranked {
		put(s.Rank)
	}
	if s.Judged {
		put(s.Hub)
		put(s.Authority)
	}
	return dst
}

// parseStanding returns the Standing that Append wrote.
func parseStanding(b []byte) (s Standing, err error) {
	rest := b
	take := func() float64 {
		if len(rest) < rankBits {
			err = fmt.Errorf("a ranking has a damaged row of %d bytes", len(b))
			return 0
		}
		x := math.Float64frombits(binary.LittleEndian.Uint64(rest))
		rest = rest[rankBits:]
		return x
	}
	if len(rest) == 0 {
		return s, fmt.Errorf("a ranking has an empty row")
	}
	flags := rest[0]
	rest = rest[1:]
	if s.Ranked = flags&hasRank != 0; s.Ranked {
		s.Rank = take()
	}
	if s.Judged = flags&hasHubs != 0; s.Judged {
		s.Hub, s.Authority = take(), take()
	}
	return s, err
}

// rankRow is a URL in a ranking.
type rankRow struct {
	Standing
	key string
	of  *task.Result // the ranking
}

// Ranks is the relation ranks.
var Ranks = list(Relation{
	Name: "ranks", Doc: "one URL in one ranking made by PAGERANK or HITS", Scoped: true, OwnTime: "as_of",
	Results: task.ResultRanks, NoResults: "nothing was ranked yet; run PAGERANK or HITS",
	Columns: []Column{
		urlOf("url", "canonical URL; for a host, the URL of its home page", func(r *rankRow) string { return urlkey.URL(r.key) }),
		textOf("ranking", "name of the ranking", func(r *rankRow) string { return r.of.Name }),
		timeOf("computed", "when the ranking was computed", func(r *rankRow) record.Time { return r.of.Computed }),
		timeOf("as_of", "time that the ranking describes", func(r *rankRow) record.Time { return r.of.AsOf }),
		floatOrNull("rank", "PageRank", func(r *rankRow) (float64, bool) { return r.Rank, r.Ranked }),
		floatOrNull("hub", "hub score of HITS: how well the page leads to authorities", func(r *rankRow) (float64, bool) { return r.Hub, r.Judged }),
		floatOrNull("authority", "authority score of HITS: how well hubs lead to the page", func(r *rankRow) (float64, bool) { return r.Authority, r.Judged }),
	},
}, (*Reader).ranks)

// ranks yields one row per URL and ranking, sorted by URL, as_of and name of
// the ranking.
func (r *Reader) ranks(ctx context.Context, n *Request) iter.Seq2[[]rankRow, error] {
	return paged(r.rankRows(ctx, n))
}

// rankRows yields the rows of ranks.
func (r *Reader) rankRows(ctx context.Context, n *Request) iter.Seq2[*rankRow, error] {
	return func(yield func(*rankRow, error) bool) {
		results, err := r.Snapshot.Results(ctx, task.ResultRanks)
		if err != nil {
			yield(nil, err)
			return
		}
		var list []*rankCursor
		defer func() {
			for _, c := range list {
				c.stop()
			}
		}()
		for i := range results {
			if x := &results[i]; x.AsOf >= n.Window.From && x.AsOf < n.Window.To {
				list = append(list, r.rankCursor(ctx, x, n.Ranges))
			}
		}
		for {
			// An archive has few rankings, so comparing all of them is fast enough.
			var least *rankCursor
			for _, c := range list {
				if c.more && (least == nil || c.compare(least) < 0) {
					least = c
				}
				if c.err != nil {
					yield(nil, c.err)
					return
				}
			}
			if least == nil {
				return
			}
			if (n.Match == nil || n.Match(least.row.key)) && !yield(&least.row, nil) {
				return
			}
			least.advance()
		}
	}
}

// rankCursor reads a ranking row by row.
type rankCursor struct {
	next func() (task.ResultRow, error, bool)
	stop func()
	row  rankRow
	more bool // row is valid
	err  error
}

// rankCursor returns a cursor at the first row in the ranges. The caller calls
// stop.
func (r *Reader) rankCursor(ctx context.Context, of *task.Result, ranges []urlkey.Range) *rankCursor {
	c := &rankCursor{row: rankRow{of: of}}
	c.next, c.stop = iter.Pull2(r.Snapshot.ResultRows(ctx, *of, ranges))
	c.advance()
	return c
}

// advance goes to the next row.
func (c *rankCursor) advance() {
	row, err, more := c.next()
	c.more = more && err == nil
	if c.err = err; !c.more {
		return
	}
	c.row.key = string(row.Key)
	if c.row.Standing, c.err = parseStanding(row.Value); c.err != nil {
		c.more = false
	}
}

// compare returns a negative number if the row of c comes before that of o.
func (c *rankCursor) compare(o *rankCursor) int {
	x, y := &c.row, &o.row
	return cmp.Or(strings.Compare(x.key, y.key), cmp.Compare(x.of.AsOf, y.of.AsOf), strings.Compare(x.of.Name, y.of.Name), cmp.Compare(x.of.Computed, y.of.Computed))
}

// seek goes forward to a key, and reports whether the ranking has it. Keys must
// come in ascending order.
func (c *rankCursor) seek(key string) bool {
	for c.more && c.row.key < key {
		c.advance()
	}
	return c.more && c.row.key == key
}

// standings returns a function find that looks up URLs in the ranking with the
// given name, for the relations pages and hosts. Each PAGERANK stores one
// result under that name, about one moment. find uses the last result about a
// moment before the end of the source's window, or else the first after it.
// With EACH, it uses asOf, the end of the period, instead of the window. Keys
// must come in ascending order. The caller calls done at the end.
func (r *Reader) standings(ctx context.Context, n *Request, name string, ranges []urlkey.Range) (find func(key string, asOf record.Time) (Standing, error), done func(), err error) {
	results, err := r.Snapshot.Results(ctx, task.ResultRanks)
	if err != nil {
		return nil, nil, err
	}
	cursors := map[*task.Result]*rankCursor{}
	find = func(key string, asOf record.Time) (Standing, error) {
		to := n.Window.To
		if n.Choice.Kind == ChooseEach {
			to = asOf + 1
		}
		of := fitting(results, name, to)
		if of == nil {
			return Standing{}, nil
		}
		c := cursors[of]
		if c == nil {
			c = r.rankCursor(ctx, of, ranges)
			cursors[of] = c
		}
		if c.seek(key) {
			return c.row.Standing, nil
		}
		return Standing{}, c.err
	}
	done = func() {
		for _, c := range cursors {
			c.stop()
		}
	}
	return find, done, nil
}

// fitting returns the result with this name about the last moment before to, or
// else about the first moment after. Among several about one moment, it returns
// the one computed last. It returns nil if there is none.
func fitting(results []task.Result, name string, to record.Time) *task.Result {
	var best *task.Result
	for i := range results {
		x := &results[i]
		switch {
		case x.Name != name:
		case best == nil,
			x.AsOf < to && (best.AsOf >= to || x.AsOf >= best.AsOf),
			x.AsOf >= to && best.AsOf >= to && x.AsOf <= best.AsOf:
			best = x
		}
	}
	return best
}

// StandingOf returns what a ranking says of a URL or name, and reports whether
// it has it.
func StandingOf(ctx context.Context, snap Snapshot, of *task.Result, url string) (Standing, bool, error) {
	key := urlkey.Key(url)
	c := (&Reader{Snapshot: snap}).rankCursor(ctx, of, []urlkey.Range{{From: key, To: key + "\x00"}})
	defer c.stop()
	return c.row.Standing, c.more, c.err
}

// RanksOf returns the rank of each node of a graph in a ranking, or 0 if the
// ranking does not have it.
func RanksOf(ctx context.Context, snap Snapshot, of *task.Result, g *graph.Named) ([]float64, error) {
	c := (&Reader{Snapshot: snap}).rankCursor(ctx, of, nil)
	defer c.stop()
	rank := make([]float64, g.Nodes())
	i := 0
	for key, err := range g.Keys() {
		if err != nil {
			return nil, err
		}
		if c.seek(string(key)) {
			rank[i] = c.row.Rank
		}
		i++
	}
	return rank, c.err
}

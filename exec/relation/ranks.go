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

// PageRanking and HostRanking are the names under which a ranking of pages or
// of hosts is stored if the PAGERANK statement gives no name. The column rank
// of the relations pages and hosts comes from these rankings.
const (
	PageRanking = "pagerank"
	HostRanking = "hostrank"
)

// A stored row of a ranking begins with a byte of flags. hasRank says that a
// rank follows, and hasHubs that a hub and an authority value follow. rankBits
// is the size of each of these numbers, in bytes.
const (
	hasRank  = 1
	hasHubs  = 2
	rankBits = 8
)

// Standing holds the values that a ranking gives to one URL: a PageRank, or the
// hub and authority values of HITS.
type Standing struct {
	Rank           float64
	Hub, Authority float64
	Ranked, Judged bool // Rank is set; Hub and Authority are set
}

// Append appends to dst the fields of s, encoded as the value of a row of a
// stored ranking. parseStanding reads it back.
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

// parseStanding returns the Standing that Standing.Append encoded as b. The
// error says that b is damaged.
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

// rankRow is one row of the relation ranks: one URL, by its key, in one
// ranking.
type rankRow struct {
	Standing
	key string
	of  *task.Result // the stored ranking that has the row
}

// Ranks declares the relation ranks, which has one row per URL and stored
// ranking.
var Ranks = List(Relation{
	Name: "ranks", Doc: "one URL in one ranking made by PAGERANK or HITS", Scoped: true, OwnTime: "as_of",
	Results: task.ResultRanks, NoResults: "nothing was ranked yet; run PAGERANK or HITS",
	Columns: []Column{
		URLOf("url", "canonical URL; for a host, the URL of its home page", func(r *rankRow) string { return urlkey.URL(r.key) }),
		TextOf("ranking", "name of the ranking", func(r *rankRow) string { return r.of.Name }),
		TimeOf("computed", "when the ranking was computed", func(r *rankRow) record.Time { return r.of.Computed }),
		TimeOf("as_of", "time that the ranking describes", func(r *rankRow) record.Time { return r.of.AsOf }),
		FloatOrNull("rank", "PageRank", func(r *rankRow) (float64, bool) { return r.Rank, r.Ranked }),
		FloatOrNull("hub", "hub score of HITS: how well the page leads to authorities", func(r *rankRow) (float64, bool) { return r.Hub, r.Judged }),
		FloatOrNull("authority", "authority score of HITS: how well hubs lead to the page", func(r *rankRow) (float64, bool) { return r.Authority, r.Judged }),
	},
}, (*Reader).ranks)

// ranks yields the rows of the relation ranks in batches: one row per URL and
// ranking, sorted by URL, then by the moment that the ranking is about, then by
// its name.
func (r *Reader) ranks(ctx context.Context, n *Request) iter.Seq2[[]rankRow, error] {
	return Paged(r.rankRows(ctx, n))
}

// rankRows yields the rows of the relation ranks that n selects, one at a time,
// in the order of ranks. It merges the stored rankings, each of which is sorted
// by URL. A row is valid until the iteration moves on.
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

// rankCursor reads one stored ranking row by row, in the order of keys.
type rankCursor struct {
	next func() (task.ResultRow, error, bool)
	stop func()
	row  rankRow
	more bool // row is valid; false at the end, and after an error
	err  error
}

// rankCursor returns a cursor that reads a stored ranking, the parameter named
// of. It starts at the first row whose key lies in ranges; nil ranges mean all
// rows. The caller calls the cursor's stop.
func (r *Reader) rankCursor(ctx context.Context, of *task.Result, ranges []urlkey.Range) *rankCursor {
	c := &rankCursor{row: rankRow{of: of}}
	c.next, c.stop = iter.Pull2(r.Snapshot.ResultRows(ctx, *of, ranges))
	c.advance()
	return c
}

// advance moves c to the next row. At the end it sets c.more to false, and
// after an error c.err also.
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

// compare returns a negative number if the current row of c comes before that
// of o in the relation ranks, a positive number if it comes after, and
// otherwise 0.
func (c *rankCursor) compare(o *rankCursor) int {
	x, y := &c.row, &o.row
	return cmp.Or(strings.Compare(x.key, y.key), cmp.Compare(x.of.AsOf, y.of.AsOf), strings.Compare(x.of.Name, y.of.Name), cmp.Compare(x.of.Computed, y.of.Computed))
}

// seek moves c forward to the first row whose key is not less than key, and
// reports whether that row has exactly this key. Calls must come with ascending
// keys.
func (c *rankCursor) seek(key string) bool {
	for c.more && c.row.key < key {
		c.advance()
	}
	return c.more && c.row.key == key
}

// standings returns the function find, which looks up the values of URLs in the
// rankings stored under a name. It serves the relations pages and hosts.
//
// Each PAGERANK stores a ranking about one moment, and several may have the
// same name. find uses the last ranking about a moment before the end of n's
// window, or if there is none, the first about a later moment. With EACH, find
// uses the end of the period, asOf, instead of the end of the window. If there
// is no ranking, or it does not have the key, find returns the zero Standing.
//
// Calls of find must come with ascending keys, all of which lie in ranges; nil
// ranges mean all keys. The caller calls done at the end.
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

// fitting returns the ranking in results with this name that is about the last
// moment before the time in the parameter to. If there is none, it returns the one
// that is about the first moment after this time.
// If several are about the same moment, it returns the one computed last. It
// returns nil if no ranking has this name.
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

// StandingOf returns the values that a stored ranking (the parameter named of)
// gives to a URL or a name, and reports whether the ranking has that URL or
// name.
func StandingOf(ctx context.Context, snap Snapshot, of *task.Result, url string) (Standing, bool, error) {
	key := urlkey.Key(url)
	c := (&Reader{Snapshot: snap}).rankCursor(ctx, of, []urlkey.Range{{From: key, To: key + "\x00"}})
	defer c.stop()
	return c.row.Standing, c.more, c.err
}

// RanksOf returns the rank of each node of the graph g in a stored ranking, the
// parameter named of. The index is the number of the node. A node that the
// ranking does not have gets 0.
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

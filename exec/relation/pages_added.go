package relation

import (
	"context"
	"hash/maphash"
	"iter"
	"strings"

	"infomall/exec/graph"
	"infomall/store/record"
)

// linkedPages adds to pages how many pages link to them, and to how many URLs
// they link, if n reads these columns. For that it builds the graph of all
// links in the time of the source.
func (r *Reader) linkedPages(ctx context.Context, n *Request, in iter.Seq2[*pageRow, error]) iter.Seq2[*pageRow, error] {
	if !n.Asks("inlinks", "outlinks") {
		return in
	}
	return func(yield func(*pageRow, error) bool) {
		g, err := r.LinkGraph(ctx, linksOf(n), LinkOptions{}, graph.NamedOptions{})
		if err != nil {
			yield(nil, err)
			return
		}
		defer g.Close()
		next, stop := iter.Pull2(g.Keys())
		defer stop()
		node := -1
		key, err, more := []byte(nil), error(nil), true
		for p, e := range in {
			for e == nil && err == nil && more && (node < 0 || string(key) < p.key) {
				key, err, more = next()
				node++
			}
			if e == nil {
				e = err
			}
			if e == nil {
				p.inlinks, p.outlinks = 0, 0
				if more && string(key) == p.key {
					p.inlinks, p.outlinks = g.InDegree(node), int64(g.OutWeight(node))
				}
			}
			if !yield(p, e) || e != nil {
				return
			}
		}
	}
}

// Revisit is how often a page changes, estimated from its visits.
type Revisit struct {
	Key    string      // of its URL
	Visits int         // how many, after the first
	Rate   float64     // changes per day
	Due    record.Time // the next visit; NoTime if it was not asked for
}

// revisitedPages adds to pages how often they change and when they are due, if
// n reads these columns.
func (r *Reader) revisitedPages(ctx context.Context, n *Request, in iter.Seq2[*pageRow, error]) iter.Seq2[*pageRow, error] {
	due := n.Asks("next_due")
	if r.Revisits == nil || !due && !n.Asks("change_rate") {
		return in
	}
	return func(yield func(*pageRow, error) bool) {
		next, stop := iter.Pull2(r.Revisits(ctx, n, due))
		defer stop()
		v, err, more := next()
		for p, e := range in {
			for e == nil && err == nil && more && v.Key < p.key {
				v, err, more = next()
			}
			if e == nil {
				e = err
			}
			if e == nil {
				p.revisit = Revisit{Due: record.NoTime}
				if more && v.Key == p.key {
					p.revisit = v
				}
			}
			if !yield(p, e) || e != nil {
				return
			}
		}
	}
}

// foundOn is how a crawl reached a page.
type foundOn struct {
	known  bool
	time   record.Time // when the crawl fetched the page
	layer  int32
	weight float64
	via    string
}

// foundPages adds to pages how crawls reached them, if n reads these columns.
// It holds some 80 bytes per URL of the source that was crawled.
func (r *Reader) foundPages(ctx context.Context, n *Request, in iter.Seq2[*pageRow, error]) iter.Seq2[*pageRow, error] {
	if r.Crawls == nil || !n.Asks("layer", "weight", "via") {
		return in
	}
	return func(yield func(*pageRow, error) bool) {
		seed := maphash.MakeSeed()
		found := make(map[uint64]foundOn)
		vias := make(map[string]string) // each text once
		for list, err := range r.Crawls.Fetches(ctx) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range list {
				f := &list[i]
				if f.Bytes < 0 || !asksFor(n, f) {
					continue
				}
				h := maphash.String(seed, f.URL)
				if x := found[h]; x.known && x.time > f.Time {
					continue
				}
				via, known := vias[f.Via]
				if !known {
					via = strings.Clone(f.Via)
					vias[via] = via
				}
				found[h] = foundOn{true, f.Time, int32(f.Layer), f.Score, via}
			}
		}
		for p, err := range in {
			if err == nil {
				p.found = found[maphash.String(seed, p.url)]
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

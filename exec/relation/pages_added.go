package relation

import (
	"context"
	"hash/maphash"
	"iter"
	"strings"

	"infomall/exec/graph"
	"infomall/store/record"
)

// linkedPages yields the pages that in yields, each with the number of pages
// that link to it and of URLs that it links to. For that it builds the graph of
// all links in the time that n selects. If n reads neither column, linkedPages
// returns in unchanged.
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

// Revisit says how often a page changes, as estimated from its visits, and when
// to visit it next.
type Revisit struct {
	Key    string      // the key of the page's URL
	Visits int         // the visits of the page after the first
	Rate   float64     // changes per day
	Due    record.Time // the next visit; NoTime if it was not asked for
}

// revisitedPages yields the pages that in yields, each with how often it
// changes and when its next visit is due. If n reads neither column, or r has
// no Revisits, it returns in unchanged.
func (r *Reader) revisitedPages(ctx context.Context, n *Request, in iter.Seq2[*pageRow, error]) iter.Seq2[*pageRow, error] {
	due := n.Asks("next_due")
	if r.Revisits == nil || !due && !n.Asks("change_rate") {
		return in
	}
	return func(yield func(*pageRow, error) bool) {
		next, stop := iter.Pull2(r.Revisits(ctx, r.Snapshot, n, due))
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

// foundOn says how the last crawl that fetched a page had reached it.
type foundOn struct {
	known  bool        // false if no crawl has fetched the page
	time   record.Time // when the crawl fetched the page
	layer  int32
	weight float64
	via    string
}

// foundPages yields the pages that in yields, each with how a crawl reached it:
// the number of hops, the priority, and the page that led there. It holds about
// 80 bytes in memory per crawled URL in the scope of n. If n reads none of
// these columns, or there are no crawls, foundPages returns in unchanged.
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
				if f.Bytes < 0 || !n.Covers(f.URL, f.Time) || !r.heard(f.Time) {
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

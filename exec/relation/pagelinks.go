package relation

import (
	"context"
	"iter"

	"infomall/exec/graph"
)

// linkedPages adds to pages how many pages link to them, and to how many URLs
// they link, if n reads these columns. For that it builds the graph of all
// links in the time of the source.
func (r *Reader) linkedPages(ctx context.Context, n *Request, in iter.Seq2[*pageRow, error]) iter.Seq2[*pageRow, error] {
	if !n.Asks("inlinks") && !n.Asks("outlinks") {
		return in
	}
	return func(yield func(*pageRow, error) bool) {
		g, err := r.LinkGraph(ctx, LinksOf(n), LinkOptions{}, graph.NamedOptions{})
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

package op

import (
	"context"
	"iter"

	"infomall/exec/plan"
	"infomall/store/page"
)

// VotingKinds are the kinds of links that lead from a page to another. Images,
// style sheets and the like are parts of a page.
var VotingKinds = []page.LinkKind{page.LinkA, page.LinkArea, page.LinkFrame, page.LinkIframe, page.LinkRefresh}

// votes tells for each kind whether it is one of VotingKinds.
var votes = func() (is [256]bool) {
	for _, k := range VotingKinds {
		is[k] = true
	}
	return is
}()

// linkedPages adds to pages how many pages link to them, and to how many they
// link, where that is asked. For that it makes the graph of all links of the
// source's time.
func (r *Runner) linkedPages(ctx context.Context, n *plan.Source, in iter.Seq2[*pageRow, error]) iter.Seq2[*pageRow, error] {
	if !n.Wants("inlinks") && !n.Wants("outlinks") {
		return in
	}
	return func(yield func(*pageRow, error) bool) {
		g, err := r.Graph(ctx, r.votingEdges(ctx, plan.LinksOf(n)), GraphOptions{})
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

// votingEdges yields the links of a source of links that lead from one page to
// another.
func (r *Runner) votingEdges(ctx context.Context, links *plan.Source) iter.Seq2[Edge, error] {
	return func(yield func(Edge, error) bool) {
		for list, err := range r.linkRows(ctx, links) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(Edge{}, err)
				return
			}
			for i := range list {
				l := &list[i]
				if l.target != "" && votes[l.Kind] && !yield(Edge{From: l.url, To: l.target, Weight: 1}, nil) {
					return
				}
			}
		}
	}
}

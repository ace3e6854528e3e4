package relation

import (
	"context"

	"infomall/exec/graph"
)

// TemporalLinks returns a graph of links between pages, each with the times at which it
// is known to be there: from the first to the last visit that found the version which
// has the link. links is a request for the relation links, and chooses the versions;
// only links of VotingKinds become edges. find lists URLs whose nodes the caller needs.
// The caller closes the graph.
func (r *Reader) TemporalLinks(ctx context.Context, links *Request, find []string) (*graph.Temporal, error) {
	return graph.BuildTemporal(ctx, &r.Memory, find, func(m *graph.TemporalMaker) error {
		l := &linker{Reader: r, ctx: ctx, source: links, m: m.Maker, timed: m}
		return l.read()
	})
}

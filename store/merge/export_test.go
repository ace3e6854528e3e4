package merge

import (
	"context"

	"infomall/store/catalog"
	"infomall/store/segment"
)

// PlaceBytes is what the place of a block takes in memory.
const PlaceBytes = placeBytes

// Rounds merges a pool and returns how many rounds that takes. It does each round
// twice, the first time without publishing it: then it calls held with the bytes of
// places in memory after each URL.
func (m *Merger) Rounds(ctx context.Context, pool string, seal bool, held func(bytes int64)) (rounds int, err error) {
	w, err := m.folder.NewWriter(ctx)
	if err != nil {
		return 0, err
	}
	t := mergeTask{pool: pool, seal: seal, choose: func(c *catalog.Catalog) []*segment.Info { return c.PoolSegments(pool) }}
	for more := true; more; rounds++ {
		v, err := m.snapshots.Open(ctx)
		if err != nil {
			return rounds, err
		}
		in := t.choose(v.Pin.Catalog)
		if some := crowded(in, m.Bounds.Ways); some != nil {
			in = some
		}
		v.Runs.Shelve(m.Bounds.Runs, m.Bounds.Ways+1)
		g := newMerging(w, v, t, in, v.Pin.Segments, m.Bounds.Places)
		if g.hidden, err = v.IsHidden(); err != nil {
			return rounds, err
		}
		g.progress = func(int64, int64) { held(g.at.held) }
		if err := g.run(ctx); err != nil {
			return rounds, err
		}
		g.close()
		if err := v.Close(); err != nil {
			return rounds, err
		}
		if _, more, err = m.mergeOnce(ctx, w, &t); err != nil {
			return rounds, err
		}
	}
	return rounds, w.Close()
}

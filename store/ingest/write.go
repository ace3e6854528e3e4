package ingest

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"infomall/store/body"
	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// write writes a new segment for each pool of the planned batch b, in the order of the
// pools' names, and publishes these segments. It returns them.
func (g *Importer) write(ctx context.Context, b *batchPlan) ([]commit.Made, error) {
	if len(b.pools) == 0 {
		return nil, nil
	}
	plans := make([]*poolPlan, 0, len(b.pools))
	for _, p := range b.pools {
		plans = append(plans, p)
	}
	sort.Slice(plans, func(i, j int) bool { return plans[i].name < plans[j].name })
	first, err := g.w.Allocate(ctx, len(plans))
	if err != nil {
		return nil, err
	}
	coming := make(map[uint32]string)
	for i, p := range plans {
		p.id = first + uint32(i)
		coming[p.id] = p.name
	}
	turn := g.blocks.Turn()
	known := &body.Known{Runs: b.v.Runs, Blocks: g.blocks, Wrote: g.wrote}
	known.SetValid(coming)
	if g.nearby == nil {
		g.nearby = newNearby(b.v)
	}
	g.nearby.begin(b.v, known)
	defer g.nearby.begin(nil, nil)
	// One after the other, because a pool shares blocks of earlier pools.
	done := make([]commit.Made, len(plans))
	for i, p := range plans {
		if done[i], err = g.segment(ctx, b, p, known); err != nil {
			return nil, err
		}
	}
	if err := g.w.Publish(ctx, commit.Publication{Change: catalog.Change{Seen: b.v.Pin.Generation, On: b.v.Pin.Catalog, Imports: true}, Made: done}); err != nil {
		return nil, err
	}
	for _, p := range plans {
		g.wrote[p.id] = turn
	}
	return done, nil
}

// segment writes the db-file with the captures of the batch that go to pool p. Before
// each capture, it adds to known the stored blocks that the capture may share.
func (g *Importer) segment(ctx context.Context, b *batchPlan, p *poolPlan, known *body.Known) (commit.Made, error) {
	f, err := g.w.CreateSegment(p.id)
	if err != nil {
		return commit.Made{}, err
	}
	defer f.Close()
	w := segment.NewWriter(f, g.enc, p.name, p.id, p.urls, g.blocks)
	w.Quick(g.quick)
	// The time that the entries get. The catalogue will have the exact time at which the captures
	// were added; the time in the entries is used if the catalogue is lost.
	now := max(record.At(g.intake.now()), b.v.Pin.LastAdded()+1)
	for pool := range p.depends {
		w.Depend(pool)
	}
	for n, i := range p.at {
		if err := ctx.Err(); err != nil {
			return commit.Made{}, err
		}
		if n%knownAhead == 0 {
			b.remember(known, p.at[n:min(n+knownAhead, len(p.at))])
		}
		s := b.staged[i]
		e := s.stored()
		e.Added = now
		e.Fold, e.Sense = b.folds[i], b.senses[i]
		if s.inBatch {
			e.Holder = segment.Holder{Segment: b.pools[s.holderPool].id}
		}
		if e.Holder.Segment == p.id {
			e.Holder.Segment = 0
		}
		switch {
		case e.Body != segment.BodyOwn:
		case s.before != nil: // remember has read its blocks
		case s.read != nil && !s.read.Single:
			if err := g.nearby.near(ctx, e.Key, p.name); err != nil {
				if ctx.Err() != nil {
					return commit.Made{}, err
				}
				g.intake.warn(err) // unreadable blocks cannot be shared
			}
		}
		body := g.read.Divide(s.read, s.body)
		body.Spool = s.spool
		if b.newBytes[i], err = w.Add(e, body); err != nil {
			return commit.Made{}, fmt.Errorf("write %s: %w", f.Name(), err)
		}
		g.nearby.room += b.newBytes[i]
	}
	for _, id := range w.Uses() {
		w.Depend(b.poolOf(id))
	}
	info, err := w.Finish()
	if err != nil {
		return commit.Made{}, fmt.Errorf("write %s: %w", f.Name(), err)
	}
	info.Fresh, info.Follows = p.fresh, p.follows
	if err := f.Sync(); err != nil {
		return commit.Made{}, fmt.Errorf("sync %s: %w", f.Name(), err)
	}
	return commit.Made{Info: &info, Writer: w}, nil
}

// knownAhead is how many captures of a batch segment passes to remember at once.
const knownAhead = 4096

// remember adds to known the stored blocks that some captures of the batch may share.
// captures has the indexes of these captures in b.staged. remember reads the blocks in
// the order in which they are stored, so that each run is read once.
func (b *batchPlan) remember(known *body.Known, captures []int) {
	var places []timeline.Place
	for _, i := range captures {
		s := b.staged[i]
		if s.Body != segment.BodyOwn || s.before == nil {
			continue
		}
		if len(s.before.blocks.IDs) > 0 {
			known.AddBlocks(s.before.place, s.before.blocks)
			s.before.blocks = body.Blocks{} // known has them now
		} else {
			places = append(places, s.before.place)
		}
	}
	slices.SortFunc(places, timeline.ComparePlaces)
	for _, p := range places {
		known.Add(p)
	}
}

// poolOf returns the name of the pool of the segment with this number, which must be in
// force or belong to this batch.
func (b *batchPlan) poolOf(id uint32) string {
	if s := b.v.Runs.Info(id); s != nil {
		return s.Pool
	}
	for _, p := range b.pools {
		if p.id == id {
			return p.name
		}
	}
	panic(fmt.Sprintf("store: a recipe names segment %d, which is not there", id))
}

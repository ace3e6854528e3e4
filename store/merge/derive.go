package merge

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/derive"
	"infomall/store/page/charset"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/snapshot"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// Derive carries out REINDEX DERIVED for one pool, or for all pools in turn. It looks for segments
// that another version of the program has analysed when they were imported. It analyses the
// bodies in these segments again, and rewrites the segments, with captures and blocks in the same
// places. It returns one result for each pool that has such segments.
func (m *Merger) Derive(ctx context.Context, o task.ReindexOptions) ([]task.ReindexResult, error) {
	p, err := m.folder.Pin()
	if err != nil {
		return nil, err
	}
	p.Release() // outdated segments are chosen when the pool's turn comes
	pools := p.PoolNames()
	if o.Pool != "" {
		if !slices.Contains(pools, o.Pool) {
			return nil, &task.NoPoolError{Name: o.Pool, Pools: pools}
		}
		pools = []string{o.Pool}
	}
	var out []task.ReindexResult
	for _, pool := range pools {
		var r task.ReindexResult
		err := commit.Retry(ctx, func() (err error) {
			r, err = m.derivePool(ctx, pool, o)
			return err
		})
		if err != nil {
			return out, err
		}
		if r.Segments > 0 {
			out = append(out, r)
		}
	}
	return out, nil
}

// derivePool does what Derive does, for one pool. It returns catalog.ErrStale if the
// pool was changed meanwhile.
func (m *Merger) derivePool(ctx context.Context, pool string, o task.ReindexOptions) (task.ReindexResult, error) {
	res := task.ReindexResult{Pool: pool}
	v, err := m.snapshots.Open(ctx)
	if err != nil {
		return res, err
	}
	defer v.Close()
	var old []*segment.Info
	for _, s := range v.Pin.PoolSegments(pool) {
		is, err := derivedByOther(ctx, v, s)
		if err != nil {
			return res, err
		}
		if is {
			old = append(old, s)
			res.Segments++
			res.Captures += s.Captures
			res.Bytes += s.Bytes
		}
	}
	if o.Dry || len(old) == 0 {
		return res, nil
	}
	w, err := m.folder.NewWriter(ctx)
	if err != nil {
		return res, err
	}
	p := commit.Publication{Change: catalog.Change{Seen: v.Pin.Generation, On: v.Pin.Catalog}}
	for i, s := range old {
		if o.Progress != nil {
			o.Progress(int64(i), int64(len(old)))
		}
		d := newDeriving(ctx, v, s, o.PageLimit, m.histories)
		f := &newForm{w: w, s: d.s, static: v.Pin.IsStatic(pool), dict: func(ref segment.RunRef) *segment.Dict { return v.Runs.Dict(ref, pool) }}
		form, err := f.write(ctx, d.run)
		d.look.Close()
		if err != nil {
			return res, errors.Join(err, w.Close())
		}
		p.Made = append(p.Made, form)
	}
	if err = w.Publish(ctx, p); err == nil {
		m.published(ctx, p.Made)
	}
	for _, f := range p.Made {
		res.IndexBytes += f.Info.IndexBytes
	}
	return res, errors.Join(err, w.Close())
}

// derivedByOther reports whether the facts of segment s (what was found out about its
// pages) were computed by another version of the program, or are missing although the
// segment has pages.
func derivedByOther(ctx context.Context, v *snapshot.Snapshot, s *segment.Info) (bool, error) {
	r := v.Runs.Reader(s)
	for n := range uint32(s.Runs) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		encoded, err := v.Runs.Facts(r, n)
		if err != nil {
			return false, err
		}
		meta, err := v.Runs.Meta(r, n)
		if err != nil {
			return false, err
		}
		pages, err := meta.Pages(record.ColCounts)
		if err != nil {
			return false, err
		}
		for i := uint32(0); encoded.Empty() && i < uint32(meta.Len()); i++ {
			if pages.Of(i).BlockCount > 0 {
				return true, nil
			}
		}
		if encoded.Any(facts.Outdated) {
			return true, nil
		}
	}
	return false, nil
}

// deriving is the state of REINDEX DERIVED for one segment. REINDEX DERIVED computes again what
// was found out about the segment's bodies when they were imported.
type deriving struct {
	ctx   context.Context
	v     *snapshot.Snapshot
	s     *segment.Reader
	read  *derive.Reader
	fold  *derive.FoldMaker
	look  *snapshot.Looker
	key   string                    // key of the URL whose folds were computed last
	folds map[timeline.Place]foldOf // the folds of that URL, by the place of the version
}

// foldOf has the fold of one version (how its blocks relate to those of earlier versions) and
// its sense.
type foldOf struct {
	fold  []byte
	sense record.Sense
}

func newDeriving(ctx context.Context, v *snapshot.Snapshot, s *segment.Info, pageLimit, histories int64) *deriving {
	r, read := v.Runs.Reader(s), derive.NewReader()
	read.Limit = pageLimit
	fold := &derive.FoldMaker{Read: read, Histories: derive.NewHistories(histories), Source: v.Versions(), Of: r}
	return &deriving{ctx: ctx, v: v, s: r, look: v.NewLooker(0), read: read, fold: fold}
}

// run copies run n of the segment to w. It analyses the bodies in the run again, and writes the
// new results instead of the old ones.
func (d *deriving) run(n uint32, w *segment.Writer) error {
	r, err := d.v.Runs.Run(d.s, n)
	if err != nil {
		return err
	}
	encoded, err := r.Facts()
	if err != nil {
		return err
	}
	all, err := r.Meta.Entries()
	if err != nil {
		return err
	}
	ends, err := r.Meta.BlockEnds()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return w.Repeat(d.s, nil, nil, false) // a piece of a body, or blocks kept for other segments
	}
	entries, blocks := encoded.Of(all), make([][]byte, len(ends))
	for i := range entries {
		if err := d.entry(timeline.Place{Seg: d.s, Run: n, N: uint32(i)}, &entries[i], blocks); err != nil {
			return err
		}
	}
	return w.Repeat(d.s, entries, blocks, true)
}

// entry analyses the body of e again, and sets the fields of e that are computed from a body,
// such as the charset and the facts. The parameter at is the place of e. facts has
// the facts of each block of the run of e, by the number of the block; entry sets those of the
// body's blocks. It changes neither the kind of the capture nor whether the capture begins a
// version.
func (d *deriving) entry(at timeline.Place, e *segment.Stored, facts [][]byte) (err error) {
	fold, err := d.foldOf(at, e.Key)
	if err != nil {
		return err
	}
	if e.Fold, e.Sense = fold.fold, fold.sense; e.Body == segment.BodyNone {
		return nil
	}
	p, err := d.v.Payload(d.ctx, record.Ref{Segment: at.Seg.Info.ID, Run: at.Run, N: at.N})
	if err != nil || p.NoBody != "" || p.Large != nil {
		if d.ctx.Err() == nil && err != nil {
			d.v.Warn(err) // VERIFY reports it too; the old facts stay
			err = nil
		}
		return err
	}
	read := d.read.Of(e.ID, p.Body, e.Head, e.Mime)
	if read.Unsure {
		if read, err = d.byHost(read, e, p.Body); err != nil {
			return err
		}
	}
	before := e.Page
	e.Page = read.PageOf(e)
	if e.Kind != record.KindSoftMissing {
		e.Page.Reason = ""
	}
	if e.Kind != record.KindPage {
		e.Page.BlockCount = before.BlockCount
	}
	if e.Facts = read.Facts; e.Change == record.ChangeSame && e.Body != segment.BodyOwn {
		e.Facts = nil // the capture that begins the version has them
	}
	if e.Body != segment.BodyOwn || !read.Plain {
		return nil
	}
	opened := d.read.Open(read, p.Body)
	if opened == nil {
		return nil
	}
	same, err := d.divides(e, opened)
	if err != nil {
		return err
	}
	if same {
		d.blocks(at, e, opened, facts)
		if same, err = d.haveFacts(at, e, facts); err != nil {
			return err
		}
	}
	if same || e.Facts == nil {
		return nil
	}
	if b, ok := divide.Open(p.Body, *read.As, divide.Options{}); ok {
		r := d.read.Blocks.Read(b)
		e.Facts = r.AppendFacts(nil, b.Page.Meta(b.Charset).Base, true)
		r.Close()
	}
	return nil
}

// divides reports whether this version of the program divides page e into the same blocks as the
// version that stored it. opened is the page as this version reads it. If the result is false,
// the caller stores the facts of the blocks with the page, and not with each block.
func (d *deriving) divides(e *segment.Stored, opened *facts.Reading) (bool, error) {
	if e.Recipe.Layout == 0 { // The whole body is one block.
		return len(opened.Made) == 1, nil
	}
	spans, err := d.v.Runs.Spans(e.Recipe)
	if err != nil {
		return false, err
	}
	layout, err := d.v.Runs.Layout(d.ctx, spans, int(e.Recipe.Layout))
	if err != nil {
		return false, err
	}
	return bytes.Equal(layout, opened.Layout()), nil
}

// byHost analyses a body that does not declare its charset once more, with the charset that most
// other pages of its host have. read is the analysis of the body without that charset. byHost
// returns the new analysis, or read if the URL has no host.
func (d *deriving) byHost(read *derive.Analysis, e *segment.Stored, body []byte) (*derive.Analysis, error) {
	host := e.Key[:urlkey.HostPrefix(e.Key)]
	if host == "" {
		return read, nil
	}
	var pages charset.Counts
	if err := d.v.CountCharsets(d.ctx, host, &pages); err != nil {
		return nil, err
	}
	as := *read.As
	as.Usual = pages.Usual()
	return d.read.As(e.ID, body, as), nil
}

// haveFacts reports whether all leaves (blocks with text) of page e have facts that this version
// of the program computed. A leaf has none if the capture with which it was stored was removed,
// and the leaf stayed only because e uses it. If the result is false, the caller stores the facts
// with the page. The parameter at is the place of e, and blocks has the new facts of the blocks
// of the run at that place.
func (d *deriving) haveFacts(at timeline.Place, e *segment.Stored, blocks [][]byte) (bool, error) {
	spans, err := d.v.Runs.Spans(e.Recipe)
	if err != nil {
		return false, err
	}
	for _, b := range refs(spans)[e.Recipe.Layout:] {
		var encoded []byte
		if b.Segment == at.Seg.Info.ID && b.Run == at.Run && int(b.N) < len(blocks) {
			encoded = blocks[b.N]
		} else {
			of, err := d.v.Runs.Facts(d.v.Runs.Segment(b.Segment), b.Run)
			if err != nil {
				return false, err
			}
			encoded = of.Kept(b.N)
		}
		if len(encoded) == 0 || facts.Outdated(encoded) {
			return false, nil
		}
	}
	return true, nil
}

// blocks stores the new facts of the leaves of page e in the parameter blocks, which has the facts
// of each block of the current run by number. It leaves out leaves that are in other runs. opened
// is the page as this version of the program reads it, and the parameter at is the place of e.
func (d *deriving) blocks(at timeline.Place, e *segment.Stored, opened *facts.Reading, blocks [][]byte) {
	leaves := refs(e.Recipe.Spans)[e.Recipe.Layout:]
	if e.Recipe.Layout == 0 && len(leaves) != 1 || len(leaves) > len(opened.Made) {
		return
	}
	for i, b := range leaves {
		if b.Segment == at.Seg.Info.ID && b.Run == at.Run && int(b.N) < len(blocks) {
			blocks[b.N] = opened.Made[i].Facts
		}
	}
}

// foldOf returns the fold and the sense of the version that begins at the entry at a place. key is
// the key of the entry's URL. The result is empty if no version begins there, or if the earlier
// versions of the URL cannot be read.
func (d *deriving) foldOf(at timeline.Place, key string) (foldOf, error) {
	if key != d.key || d.folds == nil {
		all, err := d.look.At(d.ctx, key)
		if err != nil {
			return foldOf{}, err
		}
		d.key, d.folds = key, make(map[timeline.Place]foldOf)
		if !d.look.Disturbed {
			if err := d.fold.Folds(d.ctx, all, func(l *timeline.Capture, fold []byte, sense record.Sense) {
				if !l.AsWritten && l.Change != record.ChangeFirst {
					sense = record.SenseUnknown // the hints of the entry stay as they are
				}
				d.folds[l.Place] = foldOf{fold, sense}
			}); err != nil {
				return foldOf{}, err
			}
		}
	}
	return d.folds[at], nil
}

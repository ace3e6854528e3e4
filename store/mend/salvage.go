package mend

import (
	"context"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"

	"infomall/store/body"
	"infomall/store/disk"
	"infomall/store/formats/warc"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/snapshot"
	"infomall/store/urlkey"
)

// salvager recovers the captures of one db-file. If the file is in the folder of an
// archive, the salvager reads blocks of other segments from their db-files. It
// returns a body only if its sha256 is correct.
type salvager struct {
	own    *salvaged
	others map[uint32]*salvaged      // other db-files, by number of the segment; nil for a missing file
	disk   disk.FS                   // reads the files in the folder that has the pools' folders
	names  map[uint32]*segment.Names // by number of a merged segment: where its blocks are now; nil until needed
	recent []keptRun                 // the runs decoded last, newest last
	out    *warc.Writer              // nil until something is written
	to     io.Writer                 // where out currently writes to
}

// salvaged is a db-file of which the undamaged parts can be read.
type salvaged struct {
	file   disk.Source
	s      *segment.Salvage
	owners map[segment.ID]owner // by ID of a body: the entry that stores it; takes about 50 bytes for each body
	states map[capture]state    // the last state of each capture
}

// capture identifies a capture of a db-file, whatever its place in the file.
type capture struct {
	segment uint32
	key     string
	time    record.Time
	seq     int64
}

// state says where a state of a capture is stored. A state is a period in which the capture had
// its body from a capture that was deleted since (see segment.Info.States).
type state struct {
	owner
	since record.Time // when the period began
	body  bool        // the state has a body
}

// owner is the place of an entry: its segment, its run, and its number in the run.
type owner struct{ segment, run, n uint32 }

// keptRun is a decoded run: run n of a segment.
type keptRun struct {
	segment, n uint32
	run        *segment.Run
}

// keptRuns is how many decoded runs are kept in memory. The blocks of a page are
// usually in eight runs at most.
const keptRuns = 16

func newSalvager(ctx context.Context, d disk.FS, name string) (*salvager, error) {
	own, err := openSalvaged(ctx, d, name)
	if err != nil {
		return nil, err
	}
	v := &salvager{own: own, disk: disk.Inside(d, filepath.Dir(filepath.Dir(name))), others: make(map[uint32]*salvaged)}
	own.s.Other = v.otherRuns(ctx)
	return v, nil
}

func openSalvaged(ctx context.Context, d disk.FS, name string) (*salvaged, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	out := &salvaged{file: f, owners: make(map[segment.ID]owner), states: make(map[capture]state)}
	out.s, err = segment.OpenSalvage(ctx, f, info.Size(), func(number, run uint32, m *segment.Meta) error {
		entries, err := m.Entries()
		for i := range entries {
			e, at := &entries[i], owner{number, run, uint32(i)}
			if e.Body == segment.BodyOwn {
				out.owners[e.ID] = at
			}
			if of := (capture{number, e.Key, e.Time, e.Seq}); m.States && out.states[of].since <= e.Added {
				out.states[of] = state{at, e.Added, e.Body == segment.BodyOwn}
			}
		}
		return err
	})
	if err != nil {
		f.Close()
		return nil, err
	}
	return out, nil
}

func (v *salvager) close() {
	v.own.file.Close()
	for _, o := range v.others {
		if o != nil {
			o.file.Close()
		}
	}
}

// recover yields the content of the db-file. For each undamaged run it yields a span of the
// file, followed by the run's captures; a capture has no span of its own. For each damaged part
// it yields a span that says what is damaged.
func (v *salvager) recover(ctx context.Context) iter.Seq2[task.Recovered, error] {
	return func(yield func(task.Recovered, error) bool) {
		spans := v.own.s.Spans
		for i, s := range spans {
			r := task.Recovered{Offset: s.Offset, Length: s.Length, Time: record.NoTime}
			if s.Err != nil {
				r.What = s.Err.Error()
				if !yield(r, nil) {
					return
				}
				continue
			}
			r.State = task.RecoverChained
			if i > 0 && spans[i-1].Err != nil && i+1 < len(spans) && spans[i+1].Err != nil {
				r.State = task.RecoverConfirmed
			}
			if !yield(r, nil) {
				return
			}
			for r, err := range v.captures(ctx, s, r.State) {
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// captures yields the captures of the undamaged run that s describes. The field Write of each
// writes the capture as a WARC record. A capture whose body cannot be put together is yielded as
// damaged, without Write. state is the State of the others.
func (v *salvager) captures(ctx context.Context, s segment.SalvageSpan, state task.RecoverState) iter.Seq2[task.Recovered, error] {
	return func(yield func(task.Recovered, error) bool) {
		if s.Entries == 0 {
			return
		}
		run, err := v.run(ctx, s.Segment, s.Run)
		if err != nil {
			yield(task.Recovered{}, err)
			return
		}
		entries, err := run.Meta.Entries()
		if err != nil {
			yield(task.Recovered{}, err)
			return
		}
		for i := range entries {
			e := &entries[i]
			r := task.Recovered{Offset: s.Offset, State: state, Records: 1, Time: record.NoTime}
			c, err := v.stored(ctx, s.Segment, e)
			if err != nil {
				if disk.MayPass(err) {
					yield(task.Recovered{}, err)
					return
				}
				r.State, r.Records, r.URL, r.Time = task.RecoverDamaged, 0, urlkey.URL(e.Key), e.Time
				r.What = "its run is undamaged, but its body cannot be put together: " + err.Error()
			} else {
				r.Write = func(w io.Writer) error { return v.write(w, &c) }
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// write writes capture c to w as a WARC record. Before the first capture it writes
// the beginning of a WARC file.
func (v *salvager) write(w io.Writer, c *message.Stored) error {
	v.to = w
	if v.out == nil {
		var err error
		v.out, err = warc.NewWriter(writerFunc(func(p []byte) (int, error) { return v.to.Write(p) }), warc.WriterOptions{
			Plain: true, Filename: filepath.Base(v.own.file.Name()), Software: "infomall", Now: c.Time,
		})
		if err != nil {
			return err
		}
	}
	_, err := v.out.Write(c)
	return err
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// stored returns the capture of entry e, with its body, whose digest it has checked. number is the
// number of e's segment. An error means that the body cannot be put together.
func (v *salvager) stored(ctx context.Context, number uint32, e *segment.Stored) (message.Stored, error) {
	out := snapshot.StoredOf(e)
	holder := e
	switch e.Body {
	case segment.BodyNone:
		last := v.own.states[capture{number, e.Key, e.Time, e.Seq}]
		if !last.body {
			out.NoBody = snapshot.NoBody(e)
			return out, nil
		}
		var err error
		if holder, err = v.entry(ctx, last.owner); err != nil {
			return out, err
		}
	case segment.BodyOwn:
	default:
		var err error
		if holder, err = v.holder(ctx, e); err != nil {
			return out, err
		}
	}
	out.Digest = holder.Digest
	pieces := body.Read(ctx, salvagedBlocks{v, ctx}, holder)
	if out.Size = holder.Bytes; out.Size > record.LargeBody {
		for _, err := range pieces {
			if err != nil {
				return out, err
			}
		}
		out.Large = pieces
	} else {
		for b, err := range pieces {
			if err != nil {
				return out, err
			}
			out.Body = append(out.Body, b...)
		}
		out.Size = int64(len(out.Body))
	}
	if len(out.Head) == 0 && holder != e {
		out.Head, out.Status, out.Mime = holder.Head, int(holder.Status), holder.Mime
	}
	return out, nil
}

// holder returns the entry that stores the body of entry e. It looks first in the db-file being
// recovered, then in the db-file of the segment that e names. If that segment was merged, it
// looks in all db-files of the archive. It returns an error if no file has the body.
func (v *salvager) holder(ctx context.Context, e *segment.Stored) (*segment.Stored, error) {
	if o, ok := v.own.owners[e.ID]; ok {
		return v.entry(ctx, o)
	}
	numbers := []uint32{e.Holder.Segment}
	names, err := disk.Glob(v.disk, ".", filepath.Join("*", "*.raw"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if id, _, ok := segment.ParseName(filepath.Base(name)); ok {
			numbers = append(numbers, id)
		}
	}
	for _, number := range numbers {
		other, err := v.other(ctx, number)
		if err != nil {
			return nil, err
		}
		if other == nil {
			continue
		}
		if o, ok := other.owners[e.ID]; ok {
			return v.entry(ctx, o)
		}
	}
	return nil, fmt.Errorf("the capture that has it, in segment %d, is not there or is damaged", e.Holder.Segment)
}

// entry reads the entry that is stored at the place o.
func (v *salvager) entry(ctx context.Context, o owner) (*segment.Stored, error) {
	run, err := v.run(ctx, o.segment, o.run)
	if err != nil {
		return nil, err
	}
	return run.Meta.Entry(o.n)
}

// salvagedBlocks reads blocks from the db-files of a salvager, some of which may be damaged. It
// implements body.Source.
type salvagedBlocks struct {
	v   *salvager
	ctx context.Context
}

func (b salvagedBlocks) Spans(recipe segment.Recipe) ([]segment.Span, error) {
	return b.v.spans(b.ctx, recipe.Spans, 0)
}

func (b salvagedBlocks) WithBlocks(id, n uint32) (*segment.Run, error) {
	return b.v.run(b.ctx, id, n)
}

func (b salvagedBlocks) Fault(_ uint32, err error) error { return err }

// otherRuns returns a function that reads a run of any segment. It is needed because a run of a
// static pool can only be decompressed with the content of other runs.
func (v *salvager) otherRuns(ctx context.Context) func(segment.RunRef) (*segment.Run, error) {
	return func(ref segment.RunRef) (*segment.Run, error) { return v.run(ctx, ref.Segment, ref.Run) }
}

// spans returns where the blocks in list are now, as spans (blocks that lie one after the other in
// a run) of segments whose db-files exist. If a segment was merged, a names file says where its
// blocks are now. hops is how many names files were followed so far; a number that is too high
// means a circle.
func (v *salvager) spans(ctx context.Context, list []segment.Span, hops int) ([]segment.Span, error) {
	var out []segment.Span
	for _, s := range list {
		other, err := v.other(ctx, s.Segment)
		if err != nil {
			return nil, err
		}
		if v.own.s.Has(s.Segment, s.Run) || other != nil {
			out = append(out, s)
			continue
		}
		names, err := v.namesOf(s.Segment)
		if err != nil {
			return nil, err
		}
		if names == nil || hops > len(v.names) {
			out = append(out, s)
			continue
		}
		for s.Count > 0 {
			to, ok := names.Find(s)
			if !ok {
				return nil, fmt.Errorf("block %d of run %d of segment %d is in no db-file", s.N, s.Run, s.Segment)
			}
			moved, err := v.spans(ctx, []segment.Span{to}, hops+1)
			if err != nil {
				return nil, err
			}
			out = append(out, moved...)
			s.N, s.Count = s.N+to.Count, s.Count-to.Count
		}
	}
	return out, nil
}

// namesOf returns where the blocks of the merged segment with this number are now, or nil if no
// undamaged names file says that. The only error is one that may pass, see disk.MayPass.
func (v *salvager) namesOf(id uint32) (*segment.Names, error) {
	if v.names != nil {
		return v.names[id], nil
	}
	all := make(map[uint32]*segment.Names)
	files, err := disk.Glob(v.disk, ".", filepath.Join("*", "*.names")) // names that cannot be read count as lost
	if disk.MayPass(err) {
		return nil, err
	}
	for _, name := range files {
		b, err := disk.ReadFile(v.disk, name)
		if disk.MayPass(err) {
			return nil, err
		}
		if err != nil {
			continue
		}
		list, err := segment.ReadNames(b)
		if err != nil {
			continue
		}
		for _, n := range list {
			all[n.Segment] = n
		}
	}
	v.names = all
	return all[id], nil
}

// run returns run n of the segment with this number, from the db-file that is
// recovered or from another db-file of the archive.
func (v *salvager) run(ctx context.Context, number, n uint32) (*segment.Run, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, k := range v.recent {
		if k.segment == number && k.n == n {
			return k.run, nil
		}
	}
	s := v.own.s
	if !s.Has(number, n) {
		if other, err := v.other(ctx, number); err != nil {
			return nil, err
		} else if other != nil {
			s = other.s
		}
	}
	run, err := s.Run(number, n)
	if err != nil {
		return nil, err
	}
	if len(v.recent) == keptRuns {
		v.recent = append(v.recent[:0], v.recent[1:]...)
	}
	v.recent = append(v.recent, keptRun{number, n, run})
	return run, nil
}

// other returns the db-file of another segment of the archive, given by number, or
// nil if that file is missing.
func (v *salvager) other(ctx context.Context, number uint32) (*salvaged, error) {
	if o, ok := v.others[number]; ok {
		return o, nil
	}
	names, err := disk.Glob(v.disk, ".", filepath.Join("*", fmt.Sprintf("%06d*.raw", number)))
	if err != nil {
		return nil, err
	}
	var o *salvaged
	names = slices.DeleteFunc(names, func(name string) bool {
		id, _, ok := segment.ParseName(filepath.Base(name))
		return !ok || id != number
	})
	if len(names) > 0 {
		if o, err = openSalvaged(ctx, v.disk, slices.Max(names)); err != nil {
			return nil, err
		}
		o.s.Other = v.otherRuns(ctx)
	}
	v.others[number] = o
	return o, nil
}

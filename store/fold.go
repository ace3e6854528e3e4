package store

import (
	"context"

	"infomall/store/block"
	"infomall/store/record"
	"infomall/store/segment"
)

// foldBack is how many versions of a URL an import reads again at most to compute
// the fold of a new version. If captures arrive so far out of order that more are
// needed, the import leaves the fold out, and a query computes it.
const foldBack = 32

// folder computes folds. It follows the blocks of one URL through its settled
// captures, those of the archive and those of a batch, as far as the new versions
// need it.
type folder struct {
	b       *batchPlan
	ctx     context.Context
	all     []located
	history block.History
	at      int // the version taken last, -1 for none
	// of is the segment whose versions are read again; nil for versions of a batch.
	of   *segment.Reader
	sums []uint64 // result of versionSums
}

// fold computes the folds of the new versions among the captures of a URL. A
// version after a capture whose body is not in the archive gets none, because that
// body may still be imported.
func (b *batchPlan) fold(ctx context.Context, all []located) error {
	if b.look.disturbed {
		return nil // the folds in the archive were made before captures were removed
	}
	f := &folder{b: b, ctx: ctx, all: all, at: -1, sums: versionSums(all)}
	return f.folds(func(l *located, fold []byte) { b.folds[l.n] = fold })
}

// folds computes the folds of all versions of f.of, and calls take with each.
func (f *folder) folds(take func(l *located, fold []byte)) error {
	b, all := f.b, f.all
	last := -1 // index of the last version
	for i := range all {
		l := &all[i]
		if l.Body == segment.BodyNone && !l.before || l.unknown {
			return nil
		}
		if l.Change == record.ChangeSame {
			continue
		}
		if fold := f.first(last, l); fold != nil {
			take(l, fold)
		} else if l.seg == f.of {
			rev, reading, err := f.next(last, i)
			if err != nil {
				return err
			}
			if rev != nil {
				take(l, rev.AppendFold(nil, reading))
			}
		}
		last = i
	}
	if f.at >= 0 && f.at == last {
		b.tails.remember(all[last].Key, f.sums[last], f.history)
	}
	return nil
}

// first computes the fold of version l without a history. That works if l is the
// first version, has one block and belongs to the batch, as most small texts do.
func (f *folder) first(last int, l *located) []byte {
	if last >= 0 || l.seg != nil {
		return nil
	}
	s := f.b.staged[l.n]
	if s.Via == record.ViaRevisit || s.Via == record.ViaNotModified || s.read == nil || s.spool != nil || !s.read.single || len(s.body) == 0 || len(s.body) > dividedMax {
		return nil
	}
	return block.AppendFirstFold(nil, l.Kind == record.KindPage && s.read.facts != nil, int64(len(s.body)))
}

// next takes version i, which follows version last. It returns nil if that is
// impossible.
func (f *folder) next(last, i int) (*block.Revision, *block.Reading, error) {
	if f.at != last {
		if ok, err := f.bring(last); !ok {
			return nil, nil, err
		}
	}
	return f.add(i)
}

// bring takes versions until last is the one taken last.
func (f *folder) bring(last int) (bool, error) {
	f.history, f.at = block.History{}, -1
	path := []int{} // versions to take, last first
	for i := last; i >= 0; i-- {
		if f.all[i].Change == record.ChangeSame {
			continue
		}
		if ok, err := f.resume(i); ok || err != nil {
			if err != nil {
				return false, err
			}
			break
		}
		if path = append(path, i); len(path) > foldBack {
			return false, nil
		}
	}
	for n := len(path) - 1; n >= 0; n-- {
		if rev, _, err := f.add(path[n]); rev == nil {
			return false, err
		}
	}
	return true, nil
}

// resume begins at version i. It can do so if the import remembers the URL's
// history up to i, or if the archive has the fold of i and that fold is still
// valid.
func (f *folder) resume(i int) (bool, error) {
	l := &f.all[i]
	if h, ok := f.b.tails.at(l.Key, f.sums[i]); ok {
		f.history, f.at = h, i
		return true, nil
	}
	if l.seg == nil {
		return false, nil
	}
	for j := range f.all[:i] {
		if k := &f.all[j]; k.seg == nil || newer(k.seg.Info, l.seg.Info) {
			return false, nil
		}
	}
	facts, err := f.b.v.facts(l.seg, l.run)
	if err != nil {
		return false, err
	}
	fold, err := block.ReadFold(facts.Fold(l.n), l.Time)
	if err != nil {
		return false, nil // another version of the program made it
	}
	v, _, err := f.version(i)
	if v == nil || err != nil {
		return false, err
	}
	if !f.history.Resume(*v, fold) {
		return false, nil
	}
	f.at = i
	return true, nil
}

// newer reports whether the captures of s were imported after the hints of o were
// computed.
func newer(s, o *segment.Info) bool { return s.Born > o.Seen && s.Born != o.Born }

// add takes version i.
func (f *folder) add(i int) (*block.Revision, *block.Reading, error) {
	v, reading, err := f.version(i)
	if v == nil || err != nil {
		f.history, f.at = block.History{}, -1
		return nil, nil, err
	}
	f.at = i
	return f.history.Add(*v), reading, nil
}

// version reads version i as a query would. It returns nil if it cannot.
func (f *folder) version(i int) (*block.Version, *block.Reading, error) {
	l := &f.all[i]
	v := &block.Version{Time: l.Time, Kind: l.Kind}
	if l.seg != nil {
		return f.stored(v, l)
	}
	s := f.b.staged[l.n]
	read := s.read
	if read == nil || s.spool != nil || len(s.body) > dividedMax {
		return nil, nil, nil
	}
	if s.Via == record.ViaRevisit || s.Via == record.ViaNotModified {
		// s.read has the headers of its original, which may differ.
		read = f.b.read.of(s.ID, s.body, s.Head, s.Mime)
		f.b.change(int(l.n)).Facts = read.facts
	}
	v.Digest, v.Size = s.Digest, int64(len(s.body))
	reading := f.b.read.open(read, s.body)
	if reading != nil {
		v.Body, v.Made = reading.Body, reading.Made
	}
	return v, reading, nil
}

// stored completes a version with what the archive stores of it.
func (f *folder) stored(v *block.Version, l *located) (*block.Version, *block.Reading, error) {
	e, err := f.b.v.stored(l.place)
	if err != nil {
		return nil, nil, err
	}
	p, err := f.b.v.Payload(f.ctx, record.Ref{Segment: l.seg.Info.ID, Run: l.run, N: l.n})
	if err != nil || p.NoBody != "" || len(p.Body) > dividedMax || p.Large != nil {
		return nil, nil, err
	}
	v.Digest, v.Size = e.Digest, int64(len(p.Body))
	body := openPage(&p)
	if body != nil && l.seg == f.of {
		reading := f.b.read.reader.Read(body)
		reading.Close()
		v.Body, v.Made = reading.Body, reading.Made
		return v, reading, nil
	}
	if body != nil {
		r := block.Reading{Body: body}
		r.Close()
		v.Body = r.Body
	}
	return v, nil, nil
}

package derive

import (
	"bytes"
	"context"
	"slices"

	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/block/life"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// FoldBack is the greatest number of earlier versions of a URL that an import reads again, to
// compute the fold of a new version (how its blocks relate to those of earlier versions). If
// captures arrive so far out of order that more versions are needed, the import stores no fold,
// and a query computes it.
const FoldBack = 32

// FoldMaker computes the folds of new versions of URLs (how the blocks of a version relate to those
// of earlier versions). For each URL it follows the blocks from version to version, first those
// in the archive and then those in a batch. It skips versions that the new ones do not need.
type FoldMaker struct {
	Read      *Reader
	Histories *Histories
	Source    Versions
	// Of is the segment whose versions are new, and get folds. If it is nil, the versions of
	// the batch are new.
	Of *segment.Reader
	// Last says that no later batch follows, so that Folds does not remember histories.
	Last bool

	// The URL whose folds are computed:
	ctx     context.Context
	all     []timeline.Capture // the settled captures of the URL
	sums    []uint64           // versionSums(all)
	history life.History       // the blocks of the versions up to all[at]
	at      int                // index in all of the last version in history; -1 if history is empty

	fold []byte // working memory
}

// Versions reads versions of URLs for a Folder: those whose folds are computed, and earlier
// versions.
type Versions interface {
	// StoredFold returns the fold that is stored with the version at this place of the
	// archive, or nil if none is stored.
	StoredFold(at timeline.Place) ([]byte, error)
	// VersionBody returns the body of the version that begins at capture l. The bool
	// is false if l has no body, or one that is too large to be divided into blocks.
	VersionBody(ctx context.Context, l *timeline.Capture) (Body, bool, error)
}

// Body is the body of a version, and how it is read: as which MIME type, charset and so on.
type Body struct {
	Digest record.Digest
	Body   []byte
	As     divide.As
	Read   *Analysis // analysis of the body of a capture of a batch; nil for a capture of the archive
}

// Folds computes the folds of new versions of one URL (how the blocks of a version relate to
// those of earlier versions). all has the captures of the URL, settled by timeline.Settle. The new
// versions are those in segment f.Of, or, if that is nil, those in the batch. Folds calls the
// function take with each new version, its fold, and its sense (whether it differs from the version before in
// content or only by noise). A version after a capture whose body is not in the archive gets no
// fold, because that body may still be imported.
func (f *FoldMaker) Folds(ctx context.Context, all []timeline.Capture, take func(l *timeline.Capture, fold []byte, sense record.Sense)) error {
	f.ctx, f.all, f.sums, f.history, f.at = ctx, all, versionSums(all), life.History{}, -1
	last := -1 // index of the last version
	for i := range all {
		l := &all[i]
		if l.Body == segment.BodyNone && !l.AsBefore || l.Unknown {
			return nil
		}
		if l.Change == record.ChangeSame {
			continue
		}
		fold, err := f.first(last, l)
		if err != nil {
			return err
		}
		if fold != nil {
			take(l, fold, record.SenseContent)
		} else if l.Seg == f.Of {
			rev, reading, err := f.next(last, i)
			if err != nil {
				return err
			}
			if rev != nil {
				f.fold = rev.AppendFold(f.fold[:0], reading)
				take(l, bytes.Clone(f.fold), senseOf(rev))
			}
		}
		last = i
	}
	if !f.Last && f.at >= 0 && f.at == last {
		f.Histories.remember(all[last].Key, f.sums[last], f.history)
	}
	return nil
}

// senseOf returns the sense of a version: whether it differs from the version before in
// content, or only by noise. The sense is unknown if one of the two versions is not text,
// because its body may be read as a document later.
func senseOf(rev *life.Revision) record.Sense {
	switch {
	case rev.Before == nil:
		return record.SenseContent
	case rev.Size > 0 && !rev.Readable() || rev.Before.Size > 0 && !rev.Before.Readable():
		return record.SenseUnknown
	case rev.Sense(facts.KeptLevel).Substantial:
		return record.SenseContent
	}
	return record.SenseNoise
}

// first returns the fold of version l, without using the history of its URL. It can do so if l is
// the first version, has at most two blocks, and belongs to the batch, as most small texts do.
// Otherwise first returns nil. last is the index of the version before l, or -1.
func (f *FoldMaker) first(last int, l *timeline.Capture) ([]byte, error) {
	if last >= 0 || l.Seg != nil || l.Via == record.ViaRevisit || l.Via == record.ViaNotModified {
		return nil, nil
	}
	b, ok, err := f.Source.VersionBody(f.ctx, l)
	if !ok || err != nil || !b.Read.Single || len(b.Body) == 0 {
		return nil, err
	}
	return life.AppendFirstFold(nil, l.Kind == record.KindPage && b.Read.Facts != nil, int64(len(b.Body))), nil
}

// next brings f.history up to version f.all[i], a new version. last is the index in f.all of the
// version before it, or -1. The first result says how the two versions differ; it is nil if the
// new version, or an earlier version that is needed, cannot be read. The second result has the
// blocks and facts of the new version; it is nil if that version does not divide into blocks.
func (f *FoldMaker) next(last, i int) (*life.Revision, *facts.Reading, error) {
	if f.at != last {
		if ok, err := f.bring(last); !ok {
			return nil, nil, err
		}
	}
	return f.add(i)
}

// bring sets f.history to the history of the versions up to and including f.all[last]. If last is
// -1, the history becomes empty. bring returns false if a version cannot be read, or if more than
// FoldBack versions would have to be read.
func (f *FoldMaker) bring(last int) (bool, error) {
	f.history, f.at = life.History{}, -1
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
		if path = append(path, i); len(path) > FoldBack {
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

// resume sets f.history to the history of the versions up to and including f.all[i], without
// reading earlier versions. It returns false unless f.Histories has that history, or the archive
// has a valid fold of the version.
func (f *FoldMaker) resume(i int) (bool, error) {
	l := &f.all[i]
	if h, ok := f.Histories.at(l.Key, f.sums[i]); ok {
		f.history, f.at = h, i
		return true, nil
	}
	if l.Seg == nil {
		return false, nil
	}
	if !FoldHolds(f.all, i) {
		return false, nil
	}
	stored, err := f.Source.StoredFold(l.Place)
	if err != nil {
		return false, err
	}
	fold, err := life.ReadFold(stored, l.Time)
	if err != nil {
		return false, nil // another version of the program made it
	}
	v, _, err := f.version(i)
	if v == nil || err != nil {
		return false, err
	}
	if f.history.Resume(*v, fold) == nil {
		return false, nil
	}
	f.at = i
	return true, nil
}

// FoldHolds reports whether the fold (how the blocks of a version relate to those of earlier
// versions) that is stored with all[i] is still valid. It is not if a capture of an earlier time
// was imported after all[i]. all has the settled captures of a URL: in order, with correct hints.
// all[i] must be stored in the archive; it may not be a capture that an import is still gathering.
func FoldHolds(all []timeline.Capture, i int) bool {
	of := all[i].Seg.Info
	return !slices.ContainsFunc(all[:i], func(c timeline.Capture) bool { return c.Seg == nil || c.Seg.Info.Newer(of) })
}

// add adds version f.all[i] to f.history. It returns how the version differs from the one before,
// and its blocks with their facts, which are nil if the version does not divide into blocks. If
// the body of the version cannot be read, both results are nil, and f.history becomes empty.
func (f *FoldMaker) add(i int) (*life.Revision, *facts.Reading, error) {
	v, reading, err := f.version(i)
	if v == nil || err != nil {
		f.history, f.at = life.History{}, -1
		return nil, nil, err
	}
	f.at = i
	return f.history.Add(*v), reading, nil
}

// version reads the body of version f.all[i], as a query does. It returns nil if the version has
// no body, or one that is too large to be divided into blocks. The second result has the blocks
// and their facts. It is nil if the body does not divide, or if the version is not new (see
// FoldMaker.Of).
func (f *FoldMaker) version(i int) (*life.Version, *facts.Reading, error) {
	l := &f.all[i]
	b, ok, err := f.Source.VersionBody(f.ctx, l)
	if !ok || err != nil {
		return nil, nil, err
	}
	v := &life.Version{Time: l.Time, Kind: l.Kind, Digest: b.Digest, Size: int64(len(b.Body))}
	if b.Read != nil {
		reading := f.Read.Open(b.Read, b.Body)
		if reading != nil {
			v.Body, v.Made = reading.Body, reading.Made
		}
		return v, reading, nil
	}
	body, ok := divide.Open(b.Body, b.As, divide.Options{})
	if !ok {
		return v, nil, nil
	}
	if l.Seg == f.Of {
		reading := f.Read.Blocks.Read(body)
		reading.Close()
		v.Body, v.Made = reading.Body, reading.Made
		return v, reading, nil
	}
	r := facts.Reading{Body: body}
	r.Close()
	v.Body = r.Body
	return v, nil, nil
}

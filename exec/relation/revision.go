package relation

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"infomall/store/block/divide"
	"infomall/store/block/life"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// profiles maps the names of profiles in the language to those of package
// block.
var profiles = map[string]divide.Profile{"": divide.Modern, "modern": divide.Modern, "classic": divide.Classic}

// options returns how n divides pages.
func options(n *Request) divide.Options { return divide.Options{Profile: profiles[n.Profile]} }

// revision is one chosen version, with its blocks and how they relate to those
// before. It is valid until the iteration moves on.
type revision struct {
	*life.Revision
	span     *spanBatch
	row      int        // in span
	old, new record.Ref // the versions compared; old only if there is a Before
}

// url returns the URL of the version.
func (v *revision) url() string { return v.span.URL[v.row] }

// revisions yields the chosen versions, in order. It leaves out versions whose
// body the archive does not have, because nothing is known of their blocks.
//
// It reads the bodies of a URL from the version before the first chosen one on,
// because the stored fold of that version says how its blocks relate to earlier
// ones. If the fold is missing or does not hold, and n reads names of blocks,
// it reads the bodies from the first version on. It holds two versions of one
// URL at a time.
func (r *Reader) revisions(ctx context.Context, n *Request) iter.Seq2[*revision, error] {
	return func(yield func(*revision, error) bool) {
		f := r.follow(ctx, n)
		defer f.close()
		scan := r.Snapshot.Scan(ctx, n.Scan(record.ColChange|record.ColPrevious))
		for b, err := range r.spans(ctx, scan, n, false) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				rev, err := f.again(b, i)
				if err != nil {
					yield(nil, err)
					return
				}
				if rev == nil {
					continue
				}
				if !yield(&revision{Revision: rev, span: b, row: i, old: f.old, new: b.Ref[i]}, nil) {
					return
				}
			}
		}
	}
}

// follow returns a follower for the versions that n chooses. The caller closes
// it.
func (r *Reader) follow(ctx context.Context, n *Request) *follower {
	return &follower{r: r, ctx: ctx, to: n.Window.To, options: options(n), whole: n.Asks("identity", "first_seen")}
}

// follower reads the versions of one URL after the other and compares each with
// the one before.
type follower struct {
	r       *Reader
	ctx     context.Context
	to      record.Time
	options divide.Options
	whole   bool           // know the blocks' lives from the first version on
	also    record.Columns // columns of batch that the caller needs

	key     string
	from    record.Time
	history life.History
	begun   bool // history has a version
	next    func() (*record.Batch, error, bool)
	stop    func()
	batch   *record.Batch
	row     int
	last    record.Ref // the version last added to history
	old     record.Ref // the version before last
	asked   record.Ref // the version that again returned last
	given   *life.Revision
}

// errUnfound is returned if a scan does not find a version that an equal scan
// found.
var errUnfound = errors.New("a version found by one scan of the archive is missing from another")

// again is find, except that it may be asked for the same version several
// times: with EACH, one version may be in force in several periods.
func (f *follower) again(b *spanBatch, i int) (*life.Revision, error) {
	if f.next != nil && f.key == b.Key[i] && f.asked == b.Ref[i] {
		return f.given, nil
	}
	rev, err := f.find(b, i)
	f.asked, f.given = b.Ref[i], rev
	return rev, err
}

// find reads up to the version at row i of b, which must come after the
// versions found before. It returns the version's blocks, or nil if the archive
// does not have its body.
func (f *follower) find(b *spanBatch, i int) (*life.Revision, error) {
	if f.next == nil || f.key != b.Key[i] {
		from := record.MinTime
		if p := b.PreviousVersion[i]; p != record.NoTime {
			from = p
		}
		f.begin(b.Key[i], from)
	}
	for {
		ref, rev, err := f.step()
		if errors.Is(err, errUnkept) {
			f.begin(b.Key[i], record.MinTime)
			continue
		}
		if err != nil || ref == b.Ref[i] {
			return rev, err
		}
		if !f.begun && f.from != record.MinTime {
			// The archive has no body of the version before, so an earlier one is needed.
			f.begin(b.Key[i], record.MinTime)
		}
	}
}

// errUnkept is returned by step if the stored lives of a version's blocks are
// needed and missing.
var errUnkept = errors.New("the lives of blocks are not kept")

// begin starts reading the versions of a URL from a time on.
func (f *follower) begin(key string, from record.Time) {
	f.close()
	*f = follower{r: f.r, ctx: f.ctx, to: f.to, options: f.options, whole: f.whole, also: f.also, key: key, from: from}
	f.next, f.stop = iter.Pull2(f.r.Snapshot.Scan(f.ctx, record.Scan{
		Ranges:  []urlkey.Range{{From: key, To: key + "\x00"}},
		From:    from,
		To:      f.to,
		Columns: record.ColChange | record.ColKind | record.ColDigest | f.also,
	}))
}

// close ends the scan.
func (f *follower) close() {
	if f.stop != nil {
		f.stop()
	}
}

// step reads the URL's next version and adds it to the history. The revision is
// nil if the archive does not have the body.
func (f *follower) step() (record.Ref, *life.Revision, error) {
	for {
		if f.batch == nil || f.row == f.batch.N {
			b, err, ok := f.next()
			if err == nil && !ok {
				err = errUnfound
			}
			if err != nil {
				return record.Ref{}, nil, err
			}
			f.batch, f.row = b, 0
			continue
		}
		i := f.row
		f.row++
		if f.batch.Change[i] != record.ChangeSame {
			rev, err := f.add(f.batch, i)
			return f.batch.Ref[i], rev, err
		}
	}
}

// add adds the version at row i of b to the history. The first version that is
// added resumes the history from its stored fold, if the lives of blocks are
// needed.
func (f *follower) add(b *record.Batch, i int) (*life.Revision, error) {
	var fold *life.Fold
	if !f.begun && f.whole && f.from != record.MinTime {
		var err error
		if fold, err = f.fold(b, i); fold == nil {
			return nil, cmp.Or(err, errUnkept)
		}
	}
	res, err := f.r.response(f.ctx, b.Ref[i], f.options)
	if err != nil || res.NoBody != "" {
		return nil, err
	}
	v := res.version(b.Time[i], b.Kind[i], b.Digest[i])
	if fold != nil {
		if f.begun = f.history.Resume(v, fold); !f.begun {
			return nil, errUnkept
		}
		f.last = b.Ref[i]
		return nil, nil
	}
	rev := f.history.Add(v)
	f.begun, f.old, f.last = true, f.last, b.Ref[i]
	return rev, nil
}

// fold returns the stored fold of the version at row i of b, or nil if it is
// missing or does not hold.
func (f *follower) fold(b *record.Batch, i int) (*life.Fold, error) {
	if f.options != (divide.Options{}) {
		return nil, nil
	}
	kept, err := f.r.kept(f.ctx, b.Ref[i], b.Time[i])
	if err != nil || kept.Fold == nil {
		return nil, err
	}
	holds, err := f.r.Snapshot.Knew(f.ctx, b.Ref[i], b.Key[i], b.Time[i])
	if !holds {
		return nil, err
	}
	return kept.Fold, nil
}

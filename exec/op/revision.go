package op

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"infomall/exec/plan"
	"infomall/store/block"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// profiles are the ways of dividing by their names in the language.
var profiles = map[string]block.Profile{"": block.Modern, "modern": block.Modern, "classic": block.Classic}

// options say how n divides pages.
func options(n *plan.Source) block.Options { return block.Options{Profile: profiles[n.Profile]} }

// revision is one version of those chosen, with its blocks and what became of
// them. It is valid until the next.
type revision struct {
	*block.Revision
	span     *spanBatch
	row      int        // of span
	old, new record.Ref // the versions compared; old only if there is a Before
}

func (v *revision) url() string { return v.span.URL[v.row] }

// revisions yields the versions chosen, in order. Those whose body the archive
// does not have are left out: nothing is known of their blocks.
//
// Of a URL with a version chosen the bodies are read from the version before on,
// as it is kept how that one's blocks stand to those before; where it is not, or
// cannot be believed, and names of blocks are asked for, from the first version
// on. One URL is held at a time, and two of its versions.
func (r *Runner) revisions(ctx context.Context, n *plan.Source) iter.Seq2[*revision, error] {
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

// follow returns a follower for the versions that n chooses.
func (r *Runner) follow(ctx context.Context, n *plan.Source) *follower {
	return &follower{r: r, ctx: ctx, to: n.Window.To, options: options(n), whole: n.Asks("identity", "first_seen")}
}

// follower goes through the versions of one URL after the other.
type follower struct {
	r       *Runner
	ctx     context.Context
	to      record.Time
	options block.Options
	whole   bool           // from the first version on
	also    record.Columns // what batch has beside what is needed here

	key     string
	from    record.Time
	history block.History
	begun   bool // history has a version
	next    func() (*record.Batch, error, bool)
	stop    func()
	batch   *record.Batch
	row     int
	last    record.Ref // of the version last added to history
	old     record.Ref // of the one before
	asked   record.Ref // the version asked for last
	given   *block.Revision
}

// errUnfound tells of a scan that did not find what an equal one did.
var errUnfound = errors.New("a version found by one scan of the archive is missing from another")

// again gives the version at row i of b as find does, or that which was asked
// for last: of EACH one may be in force in several periods.
func (f *follower) again(b *spanBatch, i int) (*block.Revision, error) {
	if f.next != nil && f.key == b.Key[i] && f.asked == b.Ref[i] {
		return f.given, nil
	}
	rev, err := f.find(b, i)
	f.asked, f.given = b.Ref[i], rev
	return rev, err
}

// find goes on to the version at row i of b, which is behind those asked for
// before, and gives its blocks; nil if its body is not in the archive.
func (f *follower) find(b *spanBatch, i int) (*block.Revision, error) {
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
			// The version before has no body: what counts is one further back.
			f.begin(b.Key[i], record.MinTime)
		}
	}
}

// errUnkept tells that the lives of a version's blocks are not kept.
var errUnkept = errors.New("the lives of blocks are not kept")

// begin turns to the versions of a URL from a time on.
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

func (f *follower) close() {
	if f.stop != nil {
		f.stop()
	}
}

// step adds the URL's next version to its history, if it has a body.
func (f *follower) step() (record.Ref, *block.Revision, error) {
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

func (f *follower) add(b *record.Batch, i int) (*block.Revision, error) {
	var fold *block.Fold
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

// fold gives what is kept of the blocks' lives up to the version at row i of b,
// if it can be believed.
func (f *follower) fold(b *record.Batch, i int) (*block.Fold, error) {
	if f.options != (block.Options{}) {
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

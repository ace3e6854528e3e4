package op

import (
	"context"
	"errors"
	"slices"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/store/block"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// learned is what the versions of one URL tell of each other, by the captures
// that they begin with. They are read once for all rows of the URL.
type learned struct {
	key      string
	options  block.Options
	versions map[record.Ref]learnedVersion
}

// learnedVersion is what is known of a version when all before it are.
type learnedVersion struct {
	level       int
	levelReason string
	substantial bool
}

// learnedFields computes the columns of versions that need the versions before.
var learnedFields = map[string]func(v *learnedVersion) value.Value{
	"level":        func(v *learnedVersion) value.Value { return value.OfInt(int64(v.level)) },
	"level_reason": func(v *learnedVersion) value.Value { return textOrNull(v.levelReason) },
	"substantial":  func(v *learnedVersion) value.Value { return value.OfBool(v.substantial) },
}

// lateVersion gives a function that computes the late columns of a version.
func (r *Runner) lateVersion(ctx context.Context, n *plan.Source, ref record.Ref) lateColumn {
	return func(name string) (value.Value, error) {
		if f := learnedFields[name]; f != nil {
			v, ok, err := r.learnedVersion(ctx, n, ref)
			if err != nil || !ok {
				return value.Value{}, err
			}
			return f(&v), nil
		}
		res, err := r.response(ctx, ref, options(n))
		if err != nil {
			return value.Value{}, err
		}
		return versionFields[name](res), nil
	}
}

// learnedVersion is what is known of the version that begins at ref; false if
// its body is not in the archive.
func (r *Runner) learnedVersion(ctx context.Context, n *plan.Source, ref record.Ref) (learnedVersion, bool, error) {
	if v, ok := r.learned.versions[ref]; ok && r.learned.options == options(n) {
		return v, true, nil
	}
	stored, err := r.Snapshot.Stored(ctx, ref)
	if err != nil {
		return learnedVersion{}, false, err
	}
	if key := urlkey.Key(stored.URL); key != r.learned.key || r.learned.options != options(n) {
		if err := r.learn(ctx, n, key); err != nil {
			return learnedVersion{}, false, err
		}
	}
	v, ok := r.learned.versions[ref]
	return v, ok, nil
}

// learn reads all versions of a URL.
func (r *Runner) learn(ctx context.Context, n *plan.Source, key string) error {
	r.learned = learned{key: key, options: options(n), versions: map[record.Ref]learnedVersion{}}
	f := &follower{r: r, ctx: ctx, to: record.MaxTime, options: options(n), whole: true}
	f.begin(key, record.MinTime)
	defer f.close()
	var m block.LevelManager
	words := slices.ContainsFunc(n.Fields, func(f *plan.Column) bool { return f.Name == "substantial" })
	for {
		ref, rev, err := f.step()
		if errors.Is(err, errUnfound) {
			return nil // That was the last.
		}
		if err != nil {
			return err
		}
		if rev == nil {
			continue
		}
		m.Learn(rev)
		v := learnedVersion{substantial: words && rev.Substantial(block.KeptLevel)}
		v.level, v.levelReason = m.Level()
		r.learned.versions[ref] = v
	}
}

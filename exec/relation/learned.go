package relation

import (
	"cmp"
	"context"
	"errors"

	"infomall/exec/value"
	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/block/life"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// learned is a cache of what comparing all versions of one URL shows about each
// version. The versions are read once for all rows of the URL.
type learned struct {
	learnedOf
	versions map[record.Ref]learnedVersion
}

// learnedOf says for what the versions were compared.
type learnedOf struct {
	key     string
	options divide.Options
	cut     int  // the level of the blocks
	words   bool // compute which changes are substantial
	level   bool // compute the best level
}

// learnedVersion is what is known of a version after comparing it with all
// earlier ones.
type learnedVersion struct {
	level       int
	levelReason string
	first       bool
	reason      string       // why the version is soft_missing, or not substantial
	senses      []life.Sense // of the blocks of the cut, then of the blocks removed
}

// substantial reports whether v changed what the page says.
func (v *learnedVersion) substantial() bool { return v.first || life.Together(v.senses).Substantial }

// ofHistory returns the code of a column of versions for which a version must be
// compared with all earlier ones. The column is NULL if the archive does not
// have the body.
func ofHistory(f func(*learnedVersion) value.Value) lateCode {
	return func(l *LateRow) (value.Value, error) {
		v, ok, err := l.reader.learnedVersion(l.ctx, l.request, l.ref(0))
		if err != nil || !ok {
			return value.Value{}, err
		}
		return f(&v), nil
	}
}

// ofSense returns the code of a column of blocks for which a version must be
// compared with the one before. The column is NULL if the archive does not have
// the body.
func ofSense(f func(life.Sense) value.Value) lateCode {
	return func(l *LateRow) (value.Value, error) {
		sense, ok, err := l.reader.sense(l.ctx, l.request, l.ref(0), l.number(2)-1)
		if err != nil || !ok {
			return value.Value{}, err
		}
		return f(sense), nil
	}
}

// sense returns whether the change of a block is substantial. ordinal is the
// place of the block in the cut of its version. It reports false if the archive
// does not have the body.
func (r *Reader) sense(ctx context.Context, n *Request, ref record.Ref, ordinal int) (life.Sense, bool, error) {
	v, ok, err := r.learnedVersion(ctx, n, ref)
	if err != nil || !ok {
		return life.Sense{}, false, err
	}
	if v.first || ordinal >= len(v.senses) {
		return life.Sense{Substantial: v.first}, true, nil
	}
	return v.senses[ordinal], true, nil
}

// learnedVersion returns what comparing the version that begins at ref with all
// earlier ones shows. It reports false if the archive does not have the body.
func (r *Reader) learnedVersion(ctx context.Context, n *Request, ref record.Ref) (learnedVersion, bool, error) {
	of := learnedOf{options: options(n), cut: facts.KeptLevel, words: n.Asks("substantial", "reason"), level: n.Asks("level", "level_reason")}
	if n.Relation.Cut {
		of.cut = n.Level
	}
	if of.key = r.learned.key; of == r.learned.learnedOf {
		if v, ok := r.learned.versions[ref]; ok {
			return v, true, nil
		}
	}
	stored, err := r.Snapshot.Stored(ctx, ref)
	if err != nil {
		return learnedVersion{}, false, err
	}
	if of.key = urlkey.Key(stored.URL); of != r.learned.learnedOf || r.learned.versions == nil {
		if err := r.learn(ctx, of); err != nil {
			return learnedVersion{}, false, err
		}
	}
	v, ok := r.learned.versions[ref]
	return v, ok, nil
}

// learn reads and compares all versions of a URL.
func (r *Reader) learn(ctx context.Context, of learnedOf) error {
	r.learned = learned{}
	versions := map[record.Ref]learnedVersion{}
	f := &follower{r: r, ctx: ctx, to: record.MaxTime, options: of.options, whole: true, also: record.ColPage}
	f.begin(of.key, record.MinTime)
	defer f.close()
	var m life.LevelManager
	for {
		ref, rev, err := f.step()
		if errors.Is(err, errUnfound) {
			r.learned = learned{of, versions}
			return nil // the last version was read
		}
		if err != nil {
			return err
		}
		if rev == nil {
			continue
		}
		v := learnedVersion{first: rev.Before == nil}
		if of.level {
			m.Learn(rev)
			v.level, v.levelReason = m.Level()
		}
		if of.words {
			v.senses = rev.Senses(of.cut)
			v.reason = f.reason(&v)
		}
		versions[ref] = v
	}
}

// reason returns why the version of the last step is soft_missing, or else why
// it is not substantial. If all blocks are the same, the reason is markup.
func (f *follower) reason(v *learnedVersion) string {
	i := f.row - 1
	switch {
	case f.batch.Reason[i] != "" || v.substantial():
		return f.batch.Reason[i]
	case f.batch.Change[i] == record.ChangeLayout:
		return cmp.Or(life.Together(v.senses).Reason, "markup")
	}
	return life.Together(v.senses).Reason
}

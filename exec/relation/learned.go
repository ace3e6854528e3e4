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

// learned is a cache for one URL. For each version of the URL, it holds what a
// comparison of all its versions has shown, so that the versions are read once
// for all rows of the URL.
type learned struct {
	learnedOf
	versions map[record.Ref]learnedVersion
}

// learnedOf says which URL the entries of learned are for, how its pages were
// divided into blocks, and what was computed.
type learnedOf struct {
	key     string // of the URL
	options divide.Options
	cut     int  // the level of the blocks
	words   bool // compute which changes are substantial
	each    bool // and that for each block, not only for the whole version
	level   bool // compute the best level
}

// learnedVersion is what comparing a version with all earlier versions of its
// URL has shown.
type learnedVersion struct {
	level       int // the level at which blocks show most of the changes, learned so far
	levelReason string
	first       bool         // the version is the first that has a body
	reason      string       // why the version is soft_missing, could not be read as a document, or is not substantial
	sense       life.Sense   // what all changes together mean
	senses      []life.Sense // what each change means: first of the blocks of the version, then of removed blocks; only with learnedOf.each
}

// substantial reports whether v changed what the page says: words other than
// dates, counters and the like. It is true for a first version.
func (v *learnedVersion) substantial() bool { return v.first || v.sense.Substantial }

// ofHistory returns the code of a late column (one that needs stored pages) of
// the relation versions. f computes the value from what comparing the version
// with all earlier ones has shown. The value is NULL if the archive does not
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

// ofSense returns the code of a late column (one that needs stored pages) of
// the relation blocks. f computes the value from the sense of the block's
// change: whether it is substantial, and if not, why. The value is NULL if the
// archive does not have the body.
func ofSense(f func(life.Sense) value.Value) lateCode {
	return func(l *LateRow) (value.Value, error) {
		sense, ok, err := l.reader.sense(l.ctx, l.request, l.ref(0), l.number(2)-1)
		if err != nil || !ok {
			return value.Value{}, err
		}
		return f(sense), nil
	}
}

// sense returns whether a change of a block is substantial, and if not, why.
// ref is the first capture of the version, and ordinal the place of the block
// in it, from 0. sense reports false if the archive does not have the body.
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

// learnedVersion compares a version with all earlier versions of its URL, and returns
// the differences. ref is the version's first capture. learnedVersion reports
// false if the archive does not have the body. It computes only the values that the
// columns of n need.
func (r *Reader) learnedVersion(ctx context.Context, n *Request, ref record.Ref) (learnedVersion, bool, error) {
	of := learnedOf{options: options(n), cut: facts.KeptLevel, words: n.Asks("substantial", "reason"), level: n.Asks("level", "level_reason")}
	if n.Relation.Cut {
		of.cut, of.each = n.Level, true
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

// learn reads all versions of a URL, compares each with the earlier ones, and
// stores what it has shown in r.learned. The parameter named of says which URL,
// and what to compute.
func (r *Reader) learn(ctx context.Context, of learnedOf) error {
	r.learned = learned{}
	versions := map[record.Ref]learnedVersion{}
	f := &follower{r: r, ctx: ctx, to: record.MaxTime, options: of.options, whole: true, also: record.ColReason}
	f.reset(of.key, record.MinTime)
	f.start([]urlkey.Range{keyRange(of.key)}, of.key, record.MinTime)
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
			if of.each {
				v.senses = rev.Senses(of.cut)
				v.sense = life.Together(v.senses)
			} else {
				v.sense = rev.Sense(of.cut)
			}
			v.reason = f.reason(&v)
		}
		versions[ref] = v
	}
}

// reason returns the value of the column reason for the version that f read last. If the version is
// soft_missing (an error page with the status of a good one), or its body could not be read
// completely as a document, it says why. Otherwise it says why the changes v of the version are not
// substantial, such as "date", or returns "" if they are. If only the layout changed, and no block,
// the reason is "markup".
func (f *follower) reason(v *learnedVersion) string {
	b, i := f.many.batch, f.many.row-1
	switch {
	case b.Reason[i] != "" || f.unread != "" || v.substantial():
		return cmp.Or(b.Reason[i], f.unread)
	case b.Change[i] == record.ChangeLayout:
		return cmp.Or(v.sense.Reason, "markup")
	}
	return v.sense.Reason
}

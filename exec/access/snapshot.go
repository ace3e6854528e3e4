package access

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"strings"

	"infomall/exec/classify"
	"infomall/exec/event/kept"
	"infomall/exec/relation"
	"infomall/exec/relation/result"
	"infomall/exec/watch"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// snapshot hides results and other things that are not made from captures. The snapshot in it
// already hides captures.
type snapshot struct {
	relation.Snapshot
	rules *Rules
}

// KnownAt returns the snapshot of what was known at time t, under the same rules.
func (s *snapshot) KnownAt(t record.Time) relation.Snapshot {
	return &snapshot{relation.KnownAt(s.Snapshot, t), s.rules}
}

// Tombstones returns the tombstones, without reasons that mention a hidden URL.
func (s *snapshot) Tombstones(ctx context.Context) ([]task.Tombstone, error) {
	list, err := s.Snapshot.Tombstones(ctx)
	for i := range list {
		s.rules.blank(&list[i].Reason)
	}
	return list, err
}

// BlockList returns the block-list without the entries about hidden URLs.
func (s *snapshot) BlockList(ctx context.Context) (*task.BlockList, error) {
	l, err := s.Snapshot.BlockList(ctx)
	if err != nil {
		return nil, err
	}
	shown := &task.BlockList{Next: l.Next}
	for _, e := range l.Entries {
		if s.rules.mentions(task.ScopesText(e.Scopes)) || s.rules.mentions(task.ScopesText(e.Allowed)) {
			continue
		}
		s.rules.blank(&e.Reason)
		shown.Entries = append(shown.Entries, e)
	}
	shown.Prepare()
	return shown, nil
}

// Results returns the results of a kind. It returns none of the kinds that only statements read and
// no query. It returns no imported graphs either, because it is not known which of their nodes are
// URLs. It leaves out classifiers that have learned from hidden texts.
func (s *snapshot) Results(ctx context.Context, kind string) ([]task.Result, error) {
	if kind == task.ResultGraphs || kind == task.ResultPrints || kind == task.ResultStream {
		return nil, ctx.Err()
	}
	list, err := s.Snapshot.Results(ctx, kind)
	for i := range list {
		s.rules.blank(&list[i].Statement)
	}
	if kind != task.ResultClassifier {
		return list, err
	}
	var shown []task.Result
	for i := range list {
		hidden, err := s.hidesClassifier(ctx, &list[i])
		if err != nil {
			return nil, err
		}
		if !hidden {
			shown = append(shown, list[i])
		}
	}
	return shown, err
}

// hidesClassifier reports whether a classifier may have learned from hidden captures: one of its
// texts is of a URL with hidden captures, or the URL of a text is not known.
func (s *snapshot) hidesClassifier(ctx context.Context, r *task.Result) (bool, error) {
	m, err := classify.About(r)
	if err != nil || m.Unnamed > 0 {
		return true, nil // the archivist sees the damage
	}
	for row, err := range s.Snapshot.ResultRows(ctx, *r, []urlkey.Range{classify.URLRows}) {
		if err != nil {
			return true, err
		}
		if s.rules.hidesSome(string(row.Key[1:]), record.MaxTime) {
			return true, nil
		}
	}
	return false, nil
}

// ResultRows yields the rows of a result, without rows about hidden captures. A ranking is about
// the captures of its time. Of a watch it leaves out rows whose URL has hidden captures, and rows
// without a URL.
func (s *snapshot) ResultRows(ctx context.Context, r task.Result, ranges []urlkey.Range) iter.Seq2[task.ResultRow, error] {
	if r.Kind == task.ResultWatches {
		return watch.Hide(r, s.Snapshot.ResultRows(ctx, r, ranges), func(url string) bool { return s.rules.hidesURL(url, record.NoTime) })
	}
	if r.Kind == task.ResultClusters {
		return result.HideClustered(s.Snapshot.ResultRows(ctx, r, nil), s.Snapshot.ResultRows(ctx, r, ranges), s.rules.hidesURL)
	}
	return func(yield func(task.ResultRow, error) bool) {
		for row, err := range s.Snapshot.ResultRows(ctx, r, ranges) {
			if err == nil && s.rules.hidesRow(&r, row.Key) {
				continue
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// hidesRow reports whether the row of a result with this key is about a hidden capture. A ranking is
// about the captures up to its time. The other results about URLs have a time in the key. A place, a
// part of a classifier, and an event as such are not about one URL.
func (r *Rules) hidesRow(of *task.Result, key []byte) bool {
	if of.Kind == task.ResultGazetteer || of.Kind == task.ResultClassifier || of.Kind == task.ResultEvents && kept.Events[0].Contains(string(key)) {
		return false
	}
	url, rest, timed := strings.Cut(string(key), "\x00")
	if timed && len(rest) >= 8 {
		return r.Hides(url, record.Time(binary.BigEndian.Uint64([]byte(rest[:8]))^1<<63)) // see result.Compared.AppendKey
	}
	return r.hidesSome(url, of.AsOf)
}

// errDelete is returned by Delete, because a caller that sees only a part of the captures must not
// delete any.
var errDelete = errors.New("nothing can be deleted here: access rules hide a part of the archive")

// Delete returns an error and deletes nothing.
func (s *snapshot) Delete(context.Context, task.DeleteOptions) (task.DeleteResult, error) {
	return task.DeleteResult{}, errDelete
}

// Denied reports whether a rule blocks the captures of a canonical URL at time t, and why. With
// record.NoTime it reports whether a rule blocks captures of any time.
func (s *snapshot) Denied(url string, t record.Time) (why string, denied bool) {
	key := urlkey.Key(url)
	if t != record.NoTime {
		rule := s.rules.at(key, t)
		if rule == nil || rule.Action != ast.RuleBlock {
			return "", false
		}
		return rule.Reason, true
	}
	if rule := s.rules.hiderOf(key, record.MaxTime, func(rule *Rule) bool { return rule.Action == ast.RuleBlock }); rule != nil {
		return rule.Reason, true
	}
	return "", false
}

// Excluded reports whether a rule makes the captures of a canonical URL at time t as if
// they had never existed.
func (s *snapshot) Excluded(url string, t record.Time) bool {
	rule := s.rules.at(urlkey.Key(url), t)
	return rule != nil && rule.Action != ast.RuleBlock && rule.hides(t)
}

// Denied returns why a page of a canonical URL at time t is refused, if one of the rules
// blocks it or the block-list keeps it out. With record.NoTime it asks about any time.
// snap is a snapshot of a guarded archive. err is only set if ctx has ended.
func Denied(ctx context.Context, snap relation.Snapshot, url string, t record.Time) (why string, denied bool, err error) {
	if g, ok := snap.(*snapshot); ok {
		if why, denied := g.Denied(url, t); denied {
			return why, true, nil
		}
		if t != record.NoTime && g.Excluded(url, t) {
			return "", false, nil
		}
	}
	l, err := snap.BlockList(ctx)
	if ctx.Err() != nil {
		return "", false, ctx.Err()
	}
	if err != nil {
		return "", false, nil // VERIFY reports the damage; what the list names is not in the archive anyway
	}
	key := urlkey.Key(url)
	if t != record.NoTime {
		if e := l.URL(key, t); e != nil {
			return e.Reason, true, nil
		}
		return "", false, nil
	}
	for i := range l.Entries {
		if e := &l.Entries[i]; e.Digests == nil && e.About(key, e.From) {
			return e.Reason, true, nil
		}
	}
	return "", false, nil
}

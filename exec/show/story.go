package show

import (
	"context"
	"fmt"
	"iter"

	"infomall/exec/draw"
	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// telling is a SHOW STORY statement whose clauses were read.
type telling struct {
	s      *session.Session
	st     *ast.ShowStory
	asked  *pageAsked
	block  string          // the identity of the block; "" means the whole page
	window relation.Window // entries with a time outside of it are left out
	during bool            // the last entry before the window counts, too
}

// Story is the statement SHOW STORY, which lists what happened to a page or a block.
var Story = session.Declare("SHOW STORY", session.Answers, readStory)

// readStory makes a telling of a SHOW STORY statement. It checks the URL, the identity
// and the range.
func readStory(s *session.Session, st *ast.ShowStory) (*telling, error) {
	s, err := s.KnownAt(st.Known)
	if err != nil {
		return nil, err
	}
	t := &telling{s: s, st: st, asked: &pageAsked{s: s, urlAt: st.URL}}
	if err := t.asked.read(); err != nil {
		return nil, err
	}
	env := s.Env()
	if st.Block != nil {
		if t.block, err = expr.ConstantText(st.Block, env); err != nil {
			return nil, err
		}
	}
	t.window, err = plan.Range(st.Range, env)
	t.during = st.Range != nil && st.Range.Op == ast.RangeDuring
	return t, err
}

// Run returns one row per entry of the story, the oldest first, and a drawing. The
// versions of the page are read while the caller ranges over the rows.
func (t *telling) Run(ctx context.Context) (*session.Result, error) {
	snap, release, err := t.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	snap.SkipDamage() // to other captures of the page
	err = t.asked.settleForm(ctx, snap)
	if err == nil {
		err = t.begins(ctx, snap)
	}
	if err != nil {
		release()
		return nil, err
	}
	res := &session.Result{Kind: session.ResultRows, Columns: storyColumns, Close: release}
	if a := t.asked; a.absent != "" {
		res.Notes = append(res.Notes, fmt.Sprintf("the story of %s; %s was never captured", a.url, a.absent))
	}
	entries := t.noted(ctx, snap, res)
	res.Rows = storyRows(entries)
	res.Drawing = &draw.Story{URL: t.asked.url, Of: t.block, Entries: t.drawn(entries)}
	return res, nil
}

// begins returns an error if the archive has no capture of the page before the end of
// the range.
func (t *telling) begins(ctx context.Context, snap relation.Snapshot) error {
	for b, err := range snap.Scan(ctx, t.asked.scan(t.window.To)) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if b.N > 0 {
			return nil
		}
	}
	if t.st.Range != nil {
		t.asked.whenAt, t.asked.when = t.st.URL, &value.Period{From: t.window.From, To: t.window.To}
	}
	return t.asked.noPage(ctx, snap)
}

// noted yields the entries of the story in the range of the statement. At their end, it
// adds notes to res.
func (t *telling) noted(ctx context.Context, snap relation.Snapshot, res *session.Result) iter.Seq2[*entry, error] {
	return func(yield func(*entry, error) bool) {
		r := t.reader(ctx, snap)
		var held *entry // with DURING, the last entry before the range
		for e, err := range r.entries() {
			if err != nil {
				yield(nil, err)
				return
			}
			if e.time < t.window.From {
				if t.during {
					held = e
				}
				continue
			}
			if held != nil && e.time > t.window.From && !yield(held, nil) {
				return
			}
			held = nil
			if !yield(e, nil) {
				return
			}
		}
		if held != nil && !yield(held, nil) {
			return
		}
		res.Notes = append(res.Notes, r.notes...)
		if r.grouped && !t.st.All {
			res.Notes = append(res.Notes, "small edits are counted; write ALL at the end to see each")
		}
		if err := snap.Damage(); err != nil {
			res.Notes = append(res.Notes, err.Error())
		}
	}
}

// Would returns one line for EXPLAIN, which says which versions would be read.
func (t *telling) Would(context.Context) ([]string, error) {
	line := "reads each version of " + t.asked.url
	if t.window.To <= record.MaxTime {
		line += " before " + t.s.Stamp(t.window.To)
	}
	return []string{line, fmt.Sprintf("looks for the first %d blocks that come or go with a version on other pages of the host", soughtMax)}, nil
}

package pool

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// Delete is the statement DELETE, which deletes captures from the archive.
var Delete = session.Declare("DELETE", session.Writes|session.Works, readDelete).NotedAs(noteDelete)

// noteDelete returns the text by which the log of jobs records the DELETE statement st. For
// BY DIGEST, the text leaves out the URLs, which the archive must not keep.
func noteDelete(st ast.Statement) string {
	if d := st.(*ast.Delete); d.ByDigest {
		return "DELETE FROM … FOREVER BY DIGEST"
	}
	return st.String()
}

// deletion is a DELETE statement that is ready to run.
type deletion struct {
	s      *session.Session
	st     *ast.Delete
	reason string
	node   plan.Node     // the query for the captures to delete
	src    *plan.Source  // the source that node reads
	stays  *task.Forever // of FOREVER; otherwise nil
}

// readDelete makes a deletion of a DELETE statement: it checks the clauses and
// plans the query for the captures.
func readDelete(s *session.Session, st *ast.Delete) (d *deletion, err error) {
	env := s.Env()
	d = &deletion{s: s, st: st}
	if st.Reason != nil {
		if d.reason, err = expr.ConstantText(st.Reason, env); err != nil {
			return nil, err
		}
	}
	if d.node, d.src, err = plan.Captures(st, env); err != nil || !st.Forever {
		return d, err
	}
	d.stays = &task.Forever{From: d.src.Window.From, To: d.src.Window.To, ByDigest: st.ByDigest, Some: st.Where != nil}
	d.stays.Scopes, err = blockScopes(st.Scopes, env)
	return d, err
}

// blockScopes converts the scopes of a statement to the form in which the block-list stores
// scopes.
func blockScopes(list []ast.Scope, env *expr.Env) (out []task.BlockScope, err error) {
	for i := range list {
		s := &list[i]
		from, to, err := expr.ScopeTexts(s, env)
		if err != nil {
			return nil, err
		}
		scope, err := task.NewBlockScope(from, to)
		if err != nil {
			return nil, ast.Errorf(s, "%v", err)
		}
		out = append(out, scope)
	}
	return out, nil
}

// deleteTries is how many times DELETE tries to delete. It tries again if another process
// has rewritten segments (files of a pool) meanwhile.
const deleteTries = 10

// Run deletes the captures after the user has confirmed it. Its result has one
// row per pool, with how many captures and versions were deleted.
func (d *deletion) Run(ctx context.Context) (*session.Result, error) {
	res, err := d.count(ctx)
	if err != nil {
		return nil, err
	}
	if len(res.Pools) > 0 || d.stays != nil {
		if err := d.s.Confirm(ctx, d.st, "DELETE", d.lines(&res)); err != nil {
			return nil, err
		}
		hidden, err := d.hideWatched(ctx)
		if err != nil {
			return nil, err
		}
		events, err := d.forgetEvents(ctx)
		if err != nil {
			return nil, err
		}
		defer events.close()
		for range deleteTries {
			if res, err = d.delete(ctx); !errors.Is(err, task.ErrChanged) {
				break
			}
		}
		if err == nil {
			err = hidden.repeat(ctx)
		}
		if err == nil {
			err = events.forget(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	t := session.NewTable(session.Text("pool"), session.Text("kind"), session.Whole("captures"), session.Whole("versions"))
	var n session.Count
	for _, p := range res.Pools {
		t.Add(value.OfText(p.Name), value.OfText(record.PoolKind(p.Static)), value.OfInt(p.Captures), value.OfInt(p.Versions))
		n.Rows += p.Captures
	}
	out := t.Work(n, nil)
	if res.Left > 0 {
		out.Notes = append(out.Notes, leftNote(res.Left))
	}
	if len(res.Pools) > 0 {
		note, err := d.wordsNote(ctx)
		if err != nil {
			return nil, err
		}
		if note != "" {
			out.Notes = append(out.Notes, note)
		}
	}
	if len(res.Pools) == 0 {
		out.Notes = append(out.Notes, "no capture matches, and nothing was deleted")
	}
	if d.stays != nil {
		out.Notes = append(out.Notes, d.blockNotes(&res)...)
	}
	return out, nil
}

// Would returns lines for EXPLAIN that say how many captures would be deleted. It counts the
// captures and deletes none.
func (d *deletion) Would(ctx context.Context) ([]string, error) {
	res, err := d.count(ctx)
	if err != nil {
		return nil, err
	}
	return d.lines(&res), nil
}

// delete deletes the captures that the query finds, and returns how many there
// were in each pool.
func (d *deletion) delete(ctx context.Context) (task.DeleteResult, error) {
	return d.ask(ctx, task.DeleteOptions{Reason: d.reason, Forever: d.stays})
}

// count returns the same result as delete, but deletes nothing.
func (d *deletion) count(ctx context.Context) (task.DeleteResult, error) {
	return d.ask(ctx, task.DeleteOptions{Reason: d.reason, Forever: d.stays, Dry: true})
}

// ask calls the archive's method that deletes captures, with the captures that the query
// finds and the options o. It returns the result of that method.
func (d *deletion) ask(ctx context.Context, o task.DeleteOptions) (res task.DeleteResult, err error) {
	snap, release, err := d.s.Snapshot(ctx)
	if err != nil {
		return res, err
	}
	defer release()
	rows, err := d.s.Runner(snap, "delete").Rows(ctx, d.node)
	if err != nil {
		return res, err
	}
	o.Targets = targets(rows, d.src)
	return snap.Delete(ctx, o)
}

// targets yields one task.Target for each row. A target names a capture to delete. src is
// the source of the query that returned the rows.
func targets(rows value.Rows, src *plan.Source) iter.Seq2[task.Target, error] {
	url := slices.IndexFunc(src.Fields, func(c *relation.Column) bool { return c.Name == "url" })
	return func(yield func(task.Target, error) bool) {
		for b, err := range rows {
			if err != nil {
				yield(task.Target{}, err)
				return
			}
			hidden := b.Cols[len(src.Fields):]
			for i := range b.N {
				t := task.Target{Key: urlkey.Key(b.Cols[url].At(i).Text), Ref: relation.Ref(hidden, i)}
				if !yield(t, nil) {
					return
				}
			}
		}
	}
}

// lines returns lines for the user that say how much the DELETE with the result res deletes.
func (d *deletion) lines(res *task.DeleteResult) []string {
	if len(res.Pools) == 0 {
		lines := []string{"no capture matches, and nothing would be deleted"}
		if d.stays != nil {
			lines = append(lines, d.stayLine())
		}
		return lines
	}
	var captures, versions int64
	for _, p := range res.Pools {
		captures, versions = captures+p.Captures, versions+p.Versions
	}
	lines := []string{fmt.Sprintf("delete from %s: %s of %s, %s, in %s", d.s.Archive().Path(),
		value.Counted(captures, "capture"), value.Counted(res.URLs, "URL"), value.Counted(versions, "version"), value.Counted(len(res.Pools), "pool"))}
	for _, p := range res.Pools {
		when := "hidden at once, gone from the files when the pool is merged"
		if p.Static {
			when = "hidden at once, gone from the files when the pool is sealed again"
		}
		lines = append(lines, fmt.Sprintf("  pool %s: %s, %s: %s", p.Name, value.Counted(p.Captures, "capture"), value.Counted(p.Versions, "version"), when))
	}
	if res.Left > 0 {
		lines = append(lines, "  "+leftNote(res.Left))
	}
	if d.stays != nil {
		lines = append(lines, d.stayLine())
	}
	return lines
}

// stayLine returns a line for the user that says what FOREVER keeps out of the archive.
func (d *deletion) stayLine() string {
	switch f := d.stays; {
	case f.ByDigest:
		return "stay out of the archive: the bodies that are deleted, at every URL"
	case f.Some:
		return "stay out of the archive: the bodies that are deleted, at these URLs and in this time"
	case f.From > record.MinTime || f.To <= record.MaxTime:
		return "stay out of the archive: all captures of these URLs in this time"
	}
	return "stay out of the archive: all captures of these URLs"
}

// blockNotes returns notes for the user about the entry that FOREVER adds to the block-list.
func (d *deletion) blockNotes(res *task.DeleteResult) (notes []string) {
	if res.Entry > 0 {
		notes = append(notes, fmt.Sprintf("the block-list has entry %d now; SELECT * FROM blocked lists it", res.Entry))
	} else {
		notes = append(notes, "the block-list is as it was: no deleted capture has a body that it could keep out")
	}
	if (d.stays.ByDigest || d.stays.Some) && res.Bodiless > 0 && res.Entry > 0 {
		notes = append(notes, "an empty body keeps nothing out; without a body of their own: "+value.Counted(res.Bodiless, "deleted capture"))
	}
	return notes
}

// leftNote returns a note for the user: n captures in the archive still have a body with the
// digest of a deleted body.
func leftNote(n int64) string {
	return "left in the archive, with the digest of a body that is deleted: " + value.Counted(n, "capture")
}

package exec

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// removes is asked before a statement takes captures away.
func (s *Session) removes(ctx context.Context, st ast.Statement, what string, lines []string) error {
	if s.Confirm == nil {
		return ast.Errorf(st, "%s takes captures away, and nobody was asked whether it is to", what)
	}
	return s.Confirm(ctx, lines)
}

// dropPool runs DROP POOL.
func (s *Session) dropPool(ctx context.Context, st *ast.DropPool) (*Result, error) {
	lines, err := s.wouldDrop(ctx, st)
	if err != nil {
		return nil, err
	}
	if err := s.removes(ctx, st, "DROP POOL", lines); err != nil {
		return nil, err
	}
	res, err := s.dropped(ctx, st, false)
	if err != nil {
		return nil, err
	}
	t := newTable(text("pool"), whole("captures"), whole("versions"), whole("files"), whole("bytes"))
	t.add(value.OfText(res.Name), value.OfInt(res.Captures), value.OfInt(res.Versions), value.OfInt(int64(res.Files)), value.OfInt(res.Bytes))
	return t.result(ResultWork, nil), nil
}

// dropped drops the pool, or counts only, and tells what is in the way.
func (s *Session) dropped(ctx context.Context, st *ast.DropPool, dry bool) (record.DropResult, error) {
	pool, err := plan.ConstantText(st.Pool, s.env())
	if err != nil {
		return record.DropResult{}, err
	}
	res, err := s.Archive.Drop(ctx, record.DropOptions{Pool: pool, Dry: dry})
	var depends *record.DependsError
	if errors.As(err, &depends) {
		e := ast.Errorf(st.Pool, "%v", depends)
		e.Hint = "drop these first"
		return res, e
	}
	return res, noPool(st.Pool, err)
}

// noPool tells which pools there are where err says that the one that a statement
// names is not there.
func noPool(pool ast.Expr, err error) error {
	var none *record.NoPoolError
	if pool == nil || !errors.As(err, &none) {
		return err
	}
	return plan.UnknownName(pool, "pool", none.Name, " in the archive", none.Pools)
}

// wouldDrop says what a DROP POOL would take away.
func (s *Session) wouldDrop(ctx context.Context, st *ast.DropPool) ([]string, error) {
	res, err := s.dropped(ctx, st, true)
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("drop pool %s of %s: %d captures, %d versions; %d files with %d bytes",
		res.Name, s.Archive.Path(), res.Captures, res.Versions, res.Files, res.Bytes)}, nil
}

// deleteTries is how often a DELETE is begun again when another process writes
// segments anew meanwhile.
const deleteTries = 10

// deleteCaptures runs DELETE.
func (s *Session) deleteCaptures(ctx context.Context, st *ast.Delete) (*Result, error) {
	res, lines, err := s.planDelete(ctx, st)
	if err != nil {
		return nil, err
	}
	if len(res.Pools) > 0 {
		if err := s.removes(ctx, st, "DELETE", lines); err != nil {
			return nil, err
		}
		for range deleteTries {
			if res, err = s.deleted(ctx, st, false); !errors.Is(err, record.ErrChanged) {
				break
			}
		}
		if err != nil {
			return nil, err
		}
	}
	t := newTable(text("pool"), text("kind"), whole("captures"), whole("versions"))
	for _, p := range res.Pools {
		t.add(value.OfText(p.Name), value.OfText(record.PoolKind(p.Static)), value.OfInt(p.Captures), value.OfInt(p.Versions))
	}
	out := t.result(ResultWork, nil)
	if res.Left > 0 {
		out.Notes = append(out.Notes, leftNote(res.Left))
	}
	if len(res.Pools) == 0 {
		out.Notes = append(out.Notes, "no capture fits, and nothing was deleted")
	}
	return out, nil
}

// leftNote tells of captures that have what was deleted as well.
func leftNote(n int64) string {
	return fmt.Sprintf("%d captures that are left have a body that is among the deleted; their digest is the same", n)
}

// deleteAsked reads the statement: why it deletes, and the plan for the captures.
func deleteAsked(st *ast.Delete, env *plan.Env) (reason string, node plan.Node, src *plan.Source, err error) {
	if st.Reason != nil {
		if reason, err = plan.ConstantText(st.Reason, env); err != nil {
			return "", nil, nil, err
		}
	}
	node, src, err = plan.Captures(st, env)
	return reason, node, src, err
}

// deleted deletes, or counts only.
func (s *Session) deleted(ctx context.Context, st *ast.Delete, dry bool) (res record.DeleteResult, err error) {
	o := record.DeleteOptions{Dry: dry}
	var node plan.Node
	var src *plan.Source
	if o.Reason, node, src, err = deleteAsked(st, s.env()); err != nil {
		return res, err
	}
	snap, release, err := s.pin(ctx)
	if err != nil {
		return res, err
	}
	defer release()
	rows, err := s.runner(snap, nil).Rows(ctx, node)
	if err != nil {
		return res, err
	}
	o.Targets = targets(rows, src)
	return snap.Delete(ctx, o)
}

// targets names the captures that rows are of.
func targets(rows op.Rows, src *plan.Source) iter.Seq2[record.Target, error] {
	url := slices.IndexFunc(src.Fields, func(c *plan.Column) bool { return c.Name == "url" })
	return func(yield func(record.Target, error) bool) {
		for b, err := range rows {
			if err != nil {
				yield(record.Target{}, err)
				return
			}
			hidden := b.Cols[len(src.Fields):]
			for i := range b.N {
				t := record.Target{Key: urlkey.Key(b.Cols[url].At(i).Text), Ref: op.Ref(hidden, i)}
				if !yield(t, nil) {
					return
				}
			}
		}
	}
}

// planDelete says what a DELETE would touch.
func (s *Session) planDelete(ctx context.Context, st *ast.Delete) (record.DeleteResult, []string, error) {
	res, err := s.deleted(ctx, st, true)
	if err != nil {
		return res, nil, err
	}
	if len(res.Pools) == 0 {
		return res, []string{"no capture fits, and nothing would be deleted"}, nil
	}
	var captures, versions int64
	for _, p := range res.Pools {
		captures, versions = captures+p.Captures, versions+p.Versions
	}
	lines := []string{fmt.Sprintf("delete from %s: %d captures of %d URLs, %d versions, in %d pools",
		s.Archive.Path(), captures, res.URLs, versions, len(res.Pools))}
	for _, p := range res.Pools {
		when := "hidden at once, gone from the files when the pool is merged"
		if p.Static {
			when = "hidden at once, gone from the files when the pool is sealed again"
		}
		lines = append(lines, fmt.Sprintf("  pool %s: %d captures, %d versions: %s", p.Name, p.Captures, p.Versions, when))
	}
	if res.Left > 0 {
		lines = append(lines, "  "+leftNote(res.Left))
	}
	return res, lines, nil
}

// wouldDelete is what EXPLAIN says of a DELETE.
func (s *Session) wouldDelete(ctx context.Context, st *ast.Delete) ([]string, error) {
	_, lines, err := s.planDelete(ctx, st)
	return lines, err
}

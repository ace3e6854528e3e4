package pool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// allower is the method of an archive that ALLOW needs.
type allower interface {
	// Allow lifts what o names from the block-list, and says what it lifted.
	Allow(ctx context.Context, o task.AllowOptions) (task.AllowResult, error)
}

// allowance is an ALLOW statement that is ready to run.
type allowance struct {
	a  allower
	s  *session.Session
	st *ast.Allow
	o  task.AllowOptions
}

// Allow is the statement ALLOW, which undoes DELETE … FOREVER: captures that it keeps out
// may enter the archive again.
var Allow = session.DeclareFor("ALLOW", session.Writes|session.Works, readAllow)

// readAllow makes an allowance of an ALLOW statement, and checks its scopes or
// numbers.
func readAllow(s *session.Session, a allower, st *ast.Allow) (*allowance, error) {
	al := &allowance{a: a, s: s, st: st}
	env := s.Env()
	for _, e := range st.Entries {
		n, err := expr.ConstantCount(e, "ENTRY", env)
		if err != nil {
			return nil, err
		}
		al.o.Entries = append(al.o.Entries, n)
	}
	var err error
	al.o.Scopes, err = blockScopes(st.Scopes, env)
	return al, err
}

// Run removes from the block-list what the statement names. Its result has one row for each
// entry of the list that was removed or now covers fewer URLs. If the list has nothing that
// the statement names, Run returns an error.
func (al *allowance) Run(ctx context.Context) (*session.Result, error) {
	res, err := al.a.Allow(ctx, al.o)
	if err != nil {
		return nil, err
	}
	if len(res.Removed)+len(res.Partly) == 0 {
		return nil, al.nothing(&res)
	}
	t := session.NewTable(session.Whole("entry"), session.Text("scope"), session.Text("allowed"), session.Whole("digests"), session.Text("state"))
	add := func(list []task.BlockEntry, state string) {
		for i := range list {
			e := &list[i]
			t.Add(value.OfInt(e.Number), value.TextOrNull(task.ScopesText(e.Scopes)), value.TextOrNull(task.ScopesText(e.Allowed)), value.OfInt(int64(len(e.Digests))), value.OfText(state))
		}
	}
	add(res.Removed, "removed")
	add(res.Partly, "allowed in part")
	out := t.Work(session.Count{Rows: int64(len(res.Removed) + len(res.Partly))}, nil)
	if missing := al.missing(&res); missing != "" {
		out.Notes = append(out.Notes, "not on the block-list: "+missing)
	}
	return out, nil
}

// Would returns the lines for EXPLAIN: one for each entry of the block-list that Run would
// remove or reduce.
func (al *allowance) Would(ctx context.Context) ([]string, error) {
	o := al.o
	o.Dry = true
	res, err := al.a.Allow(ctx, o)
	if err != nil {
		return nil, err
	}
	if len(res.Removed)+len(res.Partly) == 0 {
		return []string{"the block-list has nothing of this, and nothing would change"}, nil
	}
	lines := []string{"let into " + al.s.Archive().Path() + " again:"}
	for i := range res.Removed {
		lines = append(lines, "  "+entryText(&res.Removed[i]))
	}
	for i := range res.Partly {
		lines = append(lines, "  of "+entryText(&res.Partly[i])+" only "+task.ScopesText(res.Partly[i].Allowed))
	}
	return lines, nil
}

// nothing returns the error of an ALLOW that found nothing in the block-list to remove.
func (al *allowance) nothing(res *task.AllowResult) error {
	err := ast.Errorf(al.st, "the block-list does not have %s", al.missing(res))
	err.Hint = "SELECT * FROM blocked lists what it has"
	if len(al.o.Scopes) > 0 {
		err.Hint += "; an entry without a scope is lifted by its number: ALLOW ENTRY n"
	}
	return err
}

// missing returns the scopes and numbers in the statement that are not in the block-list, as
// text, or "" if all are.
func (al *allowance) missing(res *task.AllowResult) string {
	list := slices.Clone(res.Missing)
	for _, n := range res.MissingEntries {
		list = append(list, fmt.Sprintf("entry %d", n))
	}
	return strings.Join(list, ", ")
}

// entryText returns a text that names an entry of the block-list, such as "entry 3,
// 'a.example'".
func entryText(e *task.BlockEntry) string {
	text := fmt.Sprintf("entry %d", e.Number)
	if len(e.Scopes) > 0 {
		text += ", " + task.ScopesText(e.Scopes)
	}
	if len(e.Digests) > 0 {
		text += fmt.Sprintf(", limited to bodies: %d", len(e.Digests))
	}
	return text
}

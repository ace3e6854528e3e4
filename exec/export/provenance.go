package export

import (
	"bufio"
	"context"
	"io"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/exec/webhook"
	"infomall/exec/wholefile"
	"infomall/lang/ast"
	"infomall/store/formats/wacz"
)

// provenance is an EXPORT PROVENANCE statement that is ready to run.
type provenance struct {
	s    *session.Session
	st   *ast.ExportProvenance
	path string    // of the file
	node plan.Node // yields the rows of the query and their trails
}

// Provenance is the statement EXPORT PROVENANCE. It writes a WACZ file with the rows of a
// query, the captures from which the rows were made, and a list of which row was made from
// which captures.
var Provenance = session.Declare("EXPORT PROVENANCE", session.Works, readProvenance)

// readProvenance checks the clauses of an EXPORT PROVENANCE statement and plans its
// query.
func readProvenance(s *session.Session, st *ast.ExportProvenance) (*provenance, error) {
	p := &provenance{s: s, st: st}
	x, err := (&expr.Binder{Where: "TO", Env: s.Env()}).BindAs(st.To, value.Text)
	if err != nil {
		return nil, err
	}
	c, ok := x.(*expr.Const)
	if !ok || !strings.HasSuffix(strings.ToLower(c.V.Text), ".wacz") {
		err := ast.Errorf(st.To, "EXPORT PROVENANCE writes a WACZ file, and %s is not the name of one", st.To)
		err.Hint = "end the name in .wacz"
		return nil, err
	}
	p.path = c.V.Text
	if webhook.Is(p.path) {
		err := ast.Errorf(st.To, "EXPORT PROVENANCE writes a file, and does not send it to a web server")
		err.Hint = "name a file, and EXPORT the rows to the server"
		return nil, err
	}
	p.node, err = plan.Traced(st.Query, s.Env())
	return p, err
}

// Would returns the lines for EXPLAIN: the file's name, then the plan of the query.
func (p *provenance) Would(ctx context.Context) ([]string, error) {
	lines, err := p.s.PlanLines(ctx, p.node)
	return append([]string{"export the captures on which the rows stand to " + p.path}, lines...), err
}

// Run writes the file. Its result has one row, with the numbers of rows and
// captures. The file gets its name only when it is complete: after an error, an
// earlier file of that name is unchanged.
func (p *provenance) Run(ctx context.Context) (*session.Result, error) {
	snap, release, err := p.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	f, err := wholefile.Create(p.path)
	if err != nil {
		return nil, err
	}
	defer f.Abandon()
	answer, err := p.answer(ctx, snap)
	if err != nil {
		return nil, err
	}
	defer answer.close()
	found, err := p.find(ctx, snap, answer)
	if err != nil {
		return nil, err
	}
	note, err := p.write(ctx, f, snap, answer, found)
	if err != nil {
		return nil, wholefile.Fault(p.path, err)
	}
	size, err := f.Commit()
	if err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("file"), session.Whole("rows"), session.Whole("captures"), session.Whole("bytes"))
	t.Add(value.OfText(p.path), value.OfInt(answer.n), value.OfInt(int64(len(found.list))), value.OfInt(size))
	res := t.Work(session.Count{Rows: answer.n, Bytes: size}, nil)
	res.Notes = append(res.Notes, answer.notes...)
	if note != "" {
		res.Notes = append(res.Notes, note)
	}
	return res, nil
}

// write writes to f the captures in found, and the files that describe the answer. note says
// how many captures have no body in the archive; it is "" if all have one.
func (p *provenance) write(ctx context.Context, f io.Writer, snap relation.Snapshot, a *answer, found *evidence) (note string, err error) {
	buf := bufio.NewWriterSize(f, 256<<10)
	to := captureTarget{target: target{path: p.path}, w: buf, now: p.s.Env().Now, run: a.runner}
	out, err := openWACZ(ctx, to)
	if err != nil {
		return "", err
	}
	defer out.Close()
	bodyless, lines, err := p.writeCaptures(ctx, out, snap, a, found)
	if err != nil {
		return "", err
	}
	defer lines.Close()
	manifest, err := p.manifest(snap, a, found)
	if err != nil {
		return "", err
	}
	err = out.w.Finish(out.lines.Sorted(),
		wacz.File{Path: "provenance/rows.jsonl", Write: a.copyRows},
		wacz.File{Path: "provenance/captures.jsonl", Write: func(w io.Writer) error { return copySpool(w, lines) }},
		wacz.File{Path: "provenance/evidence.jsonl", Write: func(w io.Writer) error { return a.writeEvidence(ctx, w, found) }},
		wacz.File{Path: "provenance/manifest.json", Write: func(w io.Writer) error { _, err := w.Write(manifest); return err }},
	)
	if err == nil {
		err = buf.Flush()
	}
	if bodyless > 0 {
		note = bodylessNote(bodyless)
	}
	return note, err
}

package pool

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/exec/wholefile"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
)

// recoverColumns are the columns of the result of RECOVER.
var recoverColumns = []value.Column{
	session.Whole("offset"), session.Whole("bytes"), session.Text("state"), session.Whole("records"), session.Text("what"), session.Text("url"), {Name: "time", Type: value.Time},
}

// recoverer has the methods of an archive that RECOVER needs.
type recoverer interface {
	// Recover reads a damaged file and yields its parts, with the records that
	// can be saved. PlanRecover returns which file Recover would read, and its
	// format. Neither needs the other files of the archive.
	Recover(ctx context.Context, o task.RecoverOptions) iter.Seq2[task.Recovered, error]
	PlanRecover(ctx context.Context, o task.RecoverOptions) (task.RecoverPlan, error)
}

// recoverTarget is a RECOVER statement that is ready to run.
type recoverTarget struct {
	a  recoverer
	s  *session.Session
	st *ast.Recover
	task.RecoverOptions
	task.RecoverPlan
	to   string // the file to write; "" means none
	gzip bool   // the file to write is compressed, each record as a gzip member of its own
}

// Recover is the statement RECOVER, which saves the records of a damaged file.
var Recover = session.DeclareFor("RECOVER", session.Works|session.Answers|session.Anywhere, readRecover)

// readRecover makes a recoverTarget of a RECOVER statement. It does not look at
// the files.
func readRecover(s *session.Session, a recoverer, st *ast.Recover) (t *recoverTarget, err error) {
	t = &recoverTarget{a: a, s: s, st: st}
	if t.File, err = expr.ConstantText(st.File, s.Env()); err != nil || st.To == nil {
		return t, err
	}
	if t.to, err = expr.ConstantText(st.To, s.Env()); err == nil && t.to == "" {
		err = ast.Errorf(st.To, "TO needs the name of a file, and this is not one")
	}
	return t, err
}

// look reads the size and format of the damaged file into t, and checks that
// the file to write has a suitable name and is not the damaged file.
func (t *recoverTarget) look(ctx context.Context) (err error) {
	st := t.st
	t.RecoverPlan, err = t.a.PlanRecover(ctx, t.RecoverOptions)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ast.Errorf(st.File, "%v", err)
	case err != nil, st.To == nil:
		return err
	}
	name, zipped := strings.CutSuffix(strings.ToLower(t.to), ".gz")
	switch isWARC := strings.HasSuffix(name, ".warc"); {
	case t.To == "warc" && !isWARC:
		return ast.Errorf(st.To, "saved records are written as WARC: let the name end in .warc or .warc.gz")
	case t.To != "warc" && (isWARC || zipped):
		return ast.Errorf(st.To, "Tianwang records are written unchanged: let the name end in .raw")
	}
	t.gzip = zipped
	if from, err := os.Stat(t.File); err == nil {
		if to, err := os.Stat(t.to); err == nil && os.SameFile(from, to) {
			return ast.Errorf(st.To, "TO names the damaged file itself: name another, so that nothing of it is lost")
		}
	}
	return nil
}

// Run yields one row per part of the damaged file, and writes the records that
// can be saved. The file with these records gets its name after the last row.
// If no record can be saved, the rows end with an error.
func (t *recoverTarget) Run(ctx context.Context) (*session.Result, error) {
	err := t.look(ctx)
	if err != nil {
		return nil, err
	}
	r := &recovery{to: t}
	if t.to != "" {
		if r.file, err = wholefile.Create(t.to); err != nil {
			return nil, err
		}
		r.buf = bufio.NewWriterSize(r.file, 256<<10)
	}
	t.Progress = t.s.Report("recover "+t.File, "bytes")
	res := &session.Result{Kind: session.ResultWork, Columns: recoverColumns, Close: r.close}
	res.Rows = func(yield func(*value.Batch, error) bool) {
		defer r.close()
		for span, err := range t.a.Recover(ctx, t.RecoverOptions) {
			if err == nil {
				res.Count.Rows, res.Count.Bytes = res.Count.Rows+int64(span.Records), res.Count.Bytes+span.Length
				err = r.take(&span, yield)
			}
			if errors.Is(err, errEnough) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		if r.open.State != task.RecoverDamaged && !yield(recoverRow(&r.open), nil) {
			return
		}
		if r.records == 0 && r.damages > 0 {
			yield(nil, fmt.Errorf("recover %s: no record can be saved; if there is a copy of the archive, REPAIR POOL takes records from it", t.File))
			return
		}
		if err := r.commit(); err != nil {
			yield(nil, err)
			return
		}
		res.Notes = append(res.Notes, r.note())
	}
	return res, nil
}

// errEnough is the error that ends the reading of the damaged file when the
// caller wants no more rows.
var errEnough = errors.New("enough")

// recovery is the state of one execution of RECOVER. It writes the records that
// are saved, and joins consecutive records of the same kind into one row of the
// result.
type recovery struct {
	to      *recoverTarget
	file    *wholefile.File // nil if nothing is written
	buf     *bufio.Writer
	open    task.Recovered // the consecutive records that have no row yet; the state RecoverDamaged means none
	records int64
	damages int64
}

// take takes the next part of the file. It writes the part's records, and
// yields the rows that are complete. It returns errEnough if yield asks to
// stop.
func (r *recovery) take(span *task.Recovered, yield func(*value.Batch, error) bool) error {
	if span.State == task.RecoverDamaged {
		r.damages++
		// A span of 0 bytes is a capture that is missing from a run (captures
		// compressed together) that is itself undamaged. It does not divide the
		// records before it from the records after it.
		if span.Length > 0 && r.open.State != task.RecoverDamaged {
			if !yield(recoverRow(&r.open), nil) {
				return errEnough
			}
			r.open = task.Recovered{}
		}
		if !yield(recoverRow(span), nil) {
			return errEnough
		}
		return nil
	}
	r.records += int64(span.Records)
	if err := r.write(span); err != nil {
		return err
	}
	o := &r.open
	if o.State == span.State && o.What == span.What {
		o.Length += span.Length
		o.Records += span.Records
		return nil
	}
	if o.State != task.RecoverDamaged && !yield(recoverRow(o), nil) {
		return errEnough
	}
	*o = *span
	return nil
}

// write writes the records of a part to the file, if the statement names one.
func (r *recovery) write(span *task.Recovered) error {
	if r.file == nil || span.Write == nil {
		return nil
	}
	var out io.Writer = r.buf
	var z *gzip.Writer
	if r.to.gzip {
		z = gzip.NewWriter(r.buf)
		out = z
	}
	err := span.Write(out)
	if z != nil && err == nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("recover %s to %s: %w", r.to.File, r.to.to, err)
	}
	return nil
}

// commit gives the written file its name, if the statement names one.
func (r *recovery) commit() error {
	if r.file == nil {
		return nil
	}
	err := r.buf.Flush()
	if err == nil {
		_, err = r.file.Commit()
	}
	if err != nil {
		return fmt.Errorf("recover %s to %s: %w", r.to.File, r.to.to, err)
	}
	return nil
}

// close removes the file if it was not committed.
func (r *recovery) close() {
	if r.file != nil {
		r.file.Abandon()
	}
}

// note returns a note for the user: how many records can be saved, how many
// places are damaged, and which file has the records.
func (r *recovery) note() string {
	note := fmt.Sprintf("records that can be saved: %d; damaged places: %d", r.records, r.damages)
	if r.file != nil {
		return fmt.Sprintf("%s; the records are in %s: IMPORT '%s'", note, r.to.to, r.to.to)
	}
	return note + "; RECOVER … TO 'file' writes the records"
}

// recoverRow returns a batch of one row that shows a part of the damaged file.
func recoverRow(r *task.Recovered) *value.Batch {
	var bytes, records, what, url, at value.Value
	if r.Length > 0 {
		bytes = value.OfInt(r.Length)
	}
	if r.State != task.RecoverDamaged {
		records = value.OfInt(int64(r.Records))
	}
	if r.What != "" {
		what = value.OfText(r.What)
	}
	if r.URL != "" {
		url = value.OfText(r.URL)
	}
	if r.Time != record.NoTime && r.URL != "" {
		at = value.OfTime(r.Time)
	}
	t := session.NewTable(recoverColumns...)
	t.Add(value.OfInt(r.Offset), bytes, value.OfText(r.State.String()), records, what, url, at)
	return t.Batch()
}

// Would returns two lines for EXPLAIN: the damaged file that would be read, and
// the file that would be written.
func (t *recoverTarget) Would(ctx context.Context) ([]string, error) {
	if err := t.look(ctx); err != nil {
		return nil, err
	}
	lines := []string{fmt.Sprintf("reads %s, %s, format %s", t.File, value.Counted(t.Bytes, "byte"), t.Format)}
	if t.to == "" {
		return append(lines, "writes nothing"), nil
	}
	return append(lines, fmt.Sprintf("writes the records that it saves to %s, as %s", t.to, t.To)), nil
}

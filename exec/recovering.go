package exec

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// recoverColumns are the columns of RECOVER.
var recoverColumns = []value.Column{
	whole("offset"), whole("bytes"), text("state"), whole("records"), text("what"), text("url"), {Name: "time", Type: value.Time},
}

// recoverTarget is what a RECOVER reads and writes.
type recoverTarget struct {
	record.RecoverOptions
	record.RecoverPlan
	to   string // "" writes nothing
	gzip bool   // a member a record
}

// recoverNames reads the names in the statement.
func (s *Session) recoverNames(st *ast.Recover) (t recoverTarget, err error) {
	if t.File, err = plan.ConstantText(st.File, s.env()); err != nil || st.To == nil {
		return t, err
	}
	if t.to, err = plan.ConstantText(st.To, s.env()); err == nil && t.to == "" {
		err = ast.Errorf(st.To, "TO wants the name of a file, and this is none")
	}
	return t, err
}

// recoverTarget reads the statement and looks at its file.
func (s *Session) recoverTarget(ctx context.Context, st *ast.Recover) (t recoverTarget, err error) {
	if t, err = s.recoverNames(st); err != nil {
		return t, err
	}
	if t.RecoverPlan, err = s.Archive.PlanRecover(ctx, t.RecoverOptions); err != nil || st.To == nil {
		return t, err
	}
	name, zipped := strings.CutSuffix(strings.ToLower(t.to), ".gz")
	switch isWARC := strings.HasSuffix(name, ".warc"); {
	case t.To == "warc" && !isWARC:
		return t, ast.Errorf(st.To, "what is saved is written as WARC: let the name end in .warc or .warc.gz")
	case t.To != "warc" && (isWARC || zipped):
		return t, ast.Errorf(st.To, "Tianwang records are written as they stand: let the name end in .raw")
	}
	t.gzip = zipped
	if from, err := os.Stat(t.File); err == nil {
		if to, err := os.Stat(t.to); err == nil && os.SameFile(from, to) {
			return t, ast.Errorf(st.To, "TO names the damaged file itself: name another, so that nothing of it is lost")
		}
	}
	return t, nil
}

// recoverFile runs RECOVER.
func (s *Session) recoverFile(ctx context.Context, st *ast.Recover) (*Result, error) {
	t, err := s.recoverTarget(ctx, st)
	if err != nil {
		return nil, err
	}
	r := &recovering{to: t}
	if t.to != "" {
		if r.file, err = newWholeFile(t.to); err != nil {
			return nil, err
		}
		r.buf = bufio.NewWriterSize(r.file, 256<<10)
	}
	if s.Progress != nil {
		tell := s.throttled()
		t.Progress = func(done, total int64) {
			tell(Progress{What: "recover " + t.File, Done: done, Total: total, Unit: "bytes"})
		}
	}
	res := &Result{Kind: ResultWork, Columns: recoverColumns, Close: r.close}
	res.Rows = func(yield func(*value.Batch, error) bool) {
		defer r.close()
		for span, err := range s.Archive.Recover(ctx, t.RecoverOptions) {
			if err == nil {
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
		if r.open.State != record.RecoverDamaged && !yield(recoverRow(&r.open), nil) {
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

// errEnough ends the rows of who wants no more.
var errEnough = errors.New("enough")

// recovering is one run of RECOVER: it writes what is saved and gathers records
// that stand in a row into one row.
type recovering struct {
	to      recoverTarget
	file    *wholeFile // nil where nothing is written
	buf     *bufio.Writer
	open    record.Recovered // records in a row so far; RecoverDamaged: none
	records int64
	damages int64
}

// take takes the next span.
func (r *recovering) take(span *record.Recovered, yield func(*value.Batch, error) bool) error {
	if span.State == record.RecoverDamaged {
		r.damages++
		// A capture that a whole run lacks has no bytes of its own, and parts none.
		if span.Length > 0 && r.open.State != record.RecoverDamaged {
			if !yield(recoverRow(&r.open), nil) {
				return errEnough
			}
			r.open = record.Recovered{}
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
	if o.State != record.RecoverDamaged && !yield(recoverRow(o), nil) {
		return errEnough
	}
	*o = *span
	return nil
}

// write writes what was saved.
func (r *recovering) write(span *record.Recovered) error {
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

func (r *recovering) commit() error {
	if r.file == nil {
		return nil
	}
	err := r.buf.Flush()
	if err == nil {
		_, err = r.file.commit()
	}
	if err != nil {
		return fmt.Errorf("recover %s to %s: %w", r.to.File, r.to.to, err)
	}
	return nil
}

// close removes what was not committed.
func (r *recovering) close() {
	if r.file != nil {
		r.file.abandon()
	}
}

func (r *recovering) note() string {
	note := fmt.Sprintf("records that can be saved: %d; damaged places: %d", r.records, r.damages)
	if r.file != nil {
		return fmt.Sprintf("%s; the records are in %s: IMPORT '%s'", note, r.to.to, r.to.to)
	}
	return note + "; RECOVER … TO 'file' writes the records"
}

// recoverRow is a span as a row.
func recoverRow(r *record.Recovered) *value.Batch {
	var bytes, records, what, url, at value.Value
	if r.Length > 0 {
		bytes = value.OfInt(r.Length)
	}
	if r.State != record.RecoverDamaged {
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
	t := newTable(recoverColumns...)
	t.add(value.OfInt(r.Offset), bytes, value.OfText(r.State.String()), records, what, url, at)
	return t.batch
}

// wouldRecover says what RECOVER would read and write.
func (s *Session) wouldRecover(ctx context.Context, st *ast.Recover) ([]string, error) {
	t, err := s.recoverTarget(ctx, st)
	if err != nil {
		return nil, err
	}
	lines := []string{fmt.Sprintf("reads %s, %d bytes, format %s", t.File, t.Bytes, t.Format)}
	if t.to == "" {
		return append(lines, "writes nothing"), nil
	}
	return append(lines, fmt.Sprintf("writes the records that it saves to %s, as %s", t.to, t.To)), nil
}

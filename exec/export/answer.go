package export

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"

	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/rowio"
	"infomall/exec/spill"
	"infomall/exec/value"
)

// answer holds the rows of a query in temporary files. For each row it also holds the trail:
// a text that says from which captures the row was made.
type answer struct {
	runner *op.Runner
	n      int64
	rows   *os.File     // the rows as JSON lines
	trails *spill.Spool // the trail of each row
	steps  *spill.Lines // the entries of all trails
	notes  []string
}

// close removes the temporary files.
func (a *answer) close() {
	if a.rows != nil {
		a.rows.Close() // the file has no name any more
	}
	a.trails.Close()
	a.steps.Close()
}

// answer runs the query on the snapshot and returns its rows and their trails. The caller
// closes the result.
func (p *provenance) answer(ctx context.Context, snap relation.Snapshot) (*answer, error) {
	runner := p.s.Runner(snap, "export provenance")
	a := &answer{runner: runner, trails: runner.Memory.Spool(8), steps: runner.Memory.Lines(ctx)}
	if err := a.run(ctx, p.node, p.s.Env()); err != nil {
		a.close()
		return nil, err
	}
	a.notes = runner.Notes
	return a, nil
}

// run runs the plan node, whose last column is the trail, and adds its rows to a.
func (a *answer) run(ctx context.Context, node plan.Node, env *value.Env) (err error) {
	if a.rows, err = a.runner.Memory.TempFile(); err != nil {
		return err
	}
	cols := node.Columns()
	width := len(cols) - 1
	buf := bufio.NewWriter(a.rows)
	w, err := rowio.New("jsonl", buf, rowio.Options{Zone: env.Location()})
	if err == nil {
		err = w.Begin(cols[:width])
	}
	if err != nil {
		return err
	}
	rows, err := a.runner.Rows(ctx, node)
	if err != nil {
		return err
	}
	var step []byte
	for b, err := range rows {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		for i := range b.N {
			trail := b.Cols[width].At(i).Text // "" if it is NULL
			if err := a.trails.Add([]byte(trail)); err != nil {
				return err
			}
			for f := range plan.Footsteps(trail) {
				step = f.Append(step[:0])
				if err := a.steps.Add(step); err != nil {
					return err
				}
			}
		}
		a.n += int64(b.N)
		if err := w.Write(&value.Batch{N: b.N, Cols: b.Cols[:width]}); err != nil {
			return err
		}
	}
	if err := w.End(); err != nil {
		return err
	}
	return buf.Flush()
}

// copyRows writes the rows to w, as JSON lines.
func (a *answer) copyRows(w io.Writer) error {
	if _, err := a.rows.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w, a.rows)
	return err
}

// rowEvidence is a line of evidence.jsonl: one row, and the captures from which it was made.
type rowEvidence struct {
	Row      int64    `json:"row"`      // from 1
	Captures []string `json:"captures"` // record IDs of the captures from which the row was made
	Context  []string `json:"context"`  // record IDs of captures with which these were compared
}

// writeEvidence writes one line for each row to w: a rowEvidence with the IDs of the
// captures from which the row was made. The captures in found must have their IDs already.
func (a *answer) writeEvidence(ctx context.Context, w io.Writer, found *evidence) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	line := rowEvidence{}
	var marks marks
	for trail, err := range a.trails.All() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		line.Row++
		line.Captures, line.Context = found.row(&marks, string(trail), []string{}, []string{})
		if err := out.Encode(&line); err != nil {
			return err
		}
	}
	return nil
}

// copySpool writes the rows of s to w.
func copySpool(w io.Writer, s *spill.Spool) error {
	for row, err := range s.All() {
		if err == nil {
			_, err = w.Write(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

package exec

import (
	"bytes"
	"context"
	"fmt"

	"infomall/exec/op"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/block"
)

// diff is a DIFF statement whose clauses were read.
type diff struct {
	s        *Session
	st       *ast.Diff
	from, to *pageAsked // from is nil for the version before that of to
}

// Run returns how the page's blocks changed between two times.
func (d *diff) Run(ctx context.Context) (*Result, error) {
	s, st, from, to := d.s, d.st, d.from, d.to
	snap, release, err := s.pin(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	snap.SkipDamage() // to other captures of the page
	old, new, err := s.findPair(ctx, snap, from, to)
	if err != nil {
		return nil, err
	}
	res := &Result{Kind: ResultBytes, Columns: []value.Column{text("diff")}, Close: func() {}}
	if from == nil {
		res.Notes = append(res.Notes, fmt.Sprintf("from the version before, last captured %s", s.stamp(old.time)))
	} else {
		res.Notes = append(res.Notes, "from "+s.usedNote(from, old.time))
	}
	res.Notes = append(res.Notes, "to "+s.usedNote(to, new.time))
	drawing, err := s.diffDrawing(ctx, snap, st, old, new)
	if err != nil {
		return nil, err
	}
	if err := snap.Damage(); err != nil {
		if from == nil {
			return nil, err // which version comes before is not sure
		}
		res.Notes = append(res.Notes, err.Error())
	}
	drawing.url = to.url
	res.Drawing = drawing
	var text bytes.Buffer
	err = drawing.Text(&text, Terminal{})
	res.Bytes = &text
	return res, err
}

// readDiff reads the clauses of a DIFF statement.
func readDiff(s *Session, st *ast.Diff) (*diff, error) {
	to, err := s.pageAsked(st.URL, st.To)
	if err != nil || st.From == nil {
		return &diff{s, st, nil, to}, err
	}
	from, err := s.pageAsked(st.URL, st.From)
	if err != nil {
		return nil, err
	}
	if to.when != nil && from.when.To > to.when.To {
		err := ast.Errorf(st.From, "FROM, read at its end %s, lies after TO, which ends %s",
			s.stamp(from.when.To-1), s.stamp(to.when.To-1))
		err.Hint = fmt.Sprintf("write FROM %s TO %s", st.To, st.From)
		return nil, err
	}
	return &diff{s, st, from, to}, nil
}

// findPair finds the two captures to compare.
func (s *Session) findPair(ctx context.Context, snap op.Snapshot, from, to *pageAsked) (old, new capture, err error) {
	found, err := s.findPage(ctx, snap, to)
	if err != nil {
		return old, new, err
	}
	if from != nil {
		first, err := s.findPage(ctx, snap, from)
		return first.capture, found.capture, err
	}
	if found.first {
		err := ast.Errorf(to.urlAt, "the version of %s captured %s is the first, and there is none to compare it with",
			to.url, s.stamp(found.time))
		err.Hint = "SHOW PAGE shows it"
		return old, new, err
	}
	return found.before, found.capture, nil
}

// diffDrawing compares two captures of a page.
func (s *Session) diffDrawing(ctx context.Context, snap op.Snapshot, st *ast.Diff, old, new capture) (*diffDrawing, error) {
	var h block.History
	var r *block.Revision
	for _, c := range []capture{old, new} {
		p, err := snap.Payload(ctx, c.ref)
		if err == nil {
			err = s.needBody(snap, st, c, p.NoBody)
		}
		if err != nil {
			return nil, err
		}
		v, err := versionOf(c, &p, s.divideOptions())
		if err != nil {
			return nil, err
		}
		r = h.Add(v)
	}
	return &diffDrawing{from: s.captureLine(old), to: s.captureLine(new), r: r, oneCapture: old == new}, nil
}

// captureLine says when a capture was made and what it found.
func (s *Session) captureLine(c capture) string {
	line := s.stamp(c.time)
	if c.status != 0 {
		line += fmt.Sprintf(" %d", c.status)
	}
	return line + " " + c.kind.String()
}

// Would returns two lines on the captures that would be compared.
func (d *diff) Would(context.Context) ([]string, error) {
	if d.from == nil {
		return []string{d.s.would(d.to), "reads the last capture of the version before that one's"}, nil
	}
	return []string{d.s.would(d.from), d.s.would(d.to)}, nil
}

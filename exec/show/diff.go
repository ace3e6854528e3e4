package show

import (
	"bytes"
	"context"
	"fmt"

	"infomall/exec/draw"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/block/life"
)

// diff is a DIFF statement whose clauses were read: it compares two captures of
// one page.
type diff struct {
	s        *session.Session
	st       *ast.Diff
	from, to *pageAsked // from is nil if the statement compares to with the version before it
}

// Run returns how the page's blocks (its parts) changed between two captures,
// as a drawing and as text.
func (d *diff) Run(ctx context.Context) (*session.Result, error) {
	s, from, to := d.s, d.from, d.to
	snap, release, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	snap.SkipDamage() // to other captures of the page
	old, new, err := d.findPair(ctx, snap)
	if err != nil {
		return nil, err
	}
	res := &session.Result{Kind: session.ResultBytes, Columns: []value.Column{session.Text("diff")}, Close: func() {}}
	if from == nil {
		res.Notes = append(res.Notes, fmt.Sprintf("from the version before, last captured %s", s.Stamp(old.time)))
	} else {
		res.Notes = append(res.Notes, "from "+from.usedNote(old.time))
	}
	res.Notes = append(res.Notes, "to "+to.usedNote(new.time))
	drawing, err := d.draw(ctx, snap, old, new)
	if err != nil {
		return nil, err
	}
	if err := snap.Damage(); err != nil {
		if from == nil {
			return nil, err // the version before may be one that cannot be read
		}
		res.Notes = append(res.Notes, err.Error())
	}
	res.Drawing = drawing
	var text bytes.Buffer
	err = drawing.Text(&text, draw.Terminal{})
	res.Bytes = &text
	return res, err
}

// Diff is the statement DIFF, which compares two captures of a page.
var Diff = session.Declare("DIFF", session.Answers, readDiff)

// readDiff makes a diff of a DIFF statement. A time FROM that is after the time
// TO is an error.
func readDiff(s *session.Session, st *ast.Diff) (*diff, error) {
	s, err := s.KnownAt(st.Known)
	if err != nil {
		return nil, err
	}
	to := &pageAsked{s: s, urlAt: st.URL, whenAt: st.To}
	if err := to.read(); err != nil || st.From == nil {
		return &diff{s, st, nil, to}, err
	}
	from := &pageAsked{s: s, urlAt: st.URL, whenAt: st.From}
	if err := from.read(); err != nil {
		return nil, err
	}
	if to.when != nil && from.when.To > to.when.To {
		err := ast.Errorf(st.From, "FROM, read at its end %s, lies after TO, which ends %s",
			s.Stamp(from.when.To-1), s.Stamp(to.when.To-1))
		err.Hint = fmt.Sprintf("write FROM %s TO %s", st.To, st.From)
		return nil, err
	}
	return &diff{s, st, from, to}, nil
}

// findPair returns the two captures to compare. Without FROM, old is the last
// capture of the version before; if there is no such version, findPair returns
// an error.
func (d *diff) findPair(ctx context.Context, snap relation.Snapshot) (old, new capture, err error) {
	if d.from != nil {
		if new, err = d.to.findForm(ctx, snap); err == nil {
			old, err = d.from.findForm(ctx, snap)
		}
		return old, new, err
	}
	found, err := d.to.findVersion(ctx, snap)
	if err != nil {
		return old, new, err
	}
	if found.first {
		err := ast.Errorf(d.to.urlAt, "the version of %s captured %s is the first, and there is none to compare it with",
			d.to.url, d.s.Stamp(found.time))
		err.Hint = "SHOW PAGE shows it"
		return old, new, err
	}
	return found.before, found.capture, nil
}

// draw compares the bodies of two captures of a page, and returns a drawing of
// the differences. It returns an error if the archive does not have one of the
// bodies.
func (d *diff) draw(ctx context.Context, snap relation.Snapshot, old, new capture) (*draw.Diff, error) {
	var h life.History
	var r *life.Revision
	for _, c := range []capture{old, new} {
		p, err := snap.Payload(ctx, c.ref)
		if err == nil {
			err = d.to.needBody(snap, d.st, c, p.NoBody)
		}
		if err != nil {
			return nil, err
		}
		v, err := versionOf(nil, c, &p, d.s.Settings().Division())
		if err != nil {
			return nil, err
		}
		r = h.Add(v)
	}
	return &draw.Diff{URL: d.to.url, From: d.to.captureLine(old), To: d.to.captureLine(new), Revision: r, OneCapture: old == new}, nil
}

// Would returns two lines for EXPLAIN, on the captures that would be compared.
func (d *diff) Would(context.Context) ([]string, error) {
	if d.from == nil {
		return []string{d.to.would(), "reads the last capture of the version before it"}, nil
	}
	return []string{d.from.would(), d.to.would()}, nil
}

package show

import (
	"context"
	"iter"

	"infomall/exec/draw"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/block/blame"
	"infomall/store/block/divide"
	"infomall/store/block/life"
	"infomall/store/record"
)

// blaming is a BLAME statement whose clauses were read.
type blaming struct {
	s     *session.Session
	st    *ast.Blame
	asked *pageAsked
}

// Blame is the statement BLAME, which shows which version of a page brought each
// part of its text.
var Blame = session.Declare("BLAME", session.Answers, readBlame)

// readBlame makes a blaming of a BLAME statement. It checks the URL and the time.
func readBlame(s *session.Session, st *ast.Blame) (*blaming, error) {
	s, err := s.KnownAt(st.Known)
	if err != nil {
		return nil, err
	}
	b := &blaming{s, st, &pageAsked{s: s, urlAt: st.URL, whenAt: st.Time}}
	return b, b.asked.read()
}

// Run returns one row per block, line or word of the page as it was at the time in
// the statement, and a drawing.
func (b *blaming) Run(ctx context.Context) (*session.Result, error) {
	snap, release, err := b.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	snap.SkipDamage() // to other captures of the page
	if err := b.asked.settleForm(ctx, snap); err != nil {
		return nil, err
	}
	t, err := b.trace(ctx, snap)
	if err != nil {
		return nil, err
	}
	res := &session.Result{Kind: session.ResultRows, Columns: b.columns(), Rows: b.rows(ctx, t), Close: func() {}}
	if res.Drawing = blameDrawing(func() *draw.Blame { return b.drawing(t) }); len(t.leaves) == 0 {
		res.Notes = append(res.Notes, "it has no blocks: "+whyNoBlocks(t.asked))
	}
	res.Notes = append(res.Notes, b.asked.usedNote(t.asked.time))
	if err := snap.Damage(); err != nil {
		res.Notes = append(res.Notes, err.Error())
	}
	return res, nil
}

// traced is the text of a version, with the version that brought each piece of it.
type traced struct {
	asked    capture        // the last capture of the version
	revision *life.Revision // the version
	leaves   []blame.Leaf
}

// trace follows the text of the page from the first version to the one that the statement
// asks for.
func (b *blaming) trace(ctx context.Context, snap relation.Snapshot) (*traced, error) {
	to := record.MaxTime + 1
	if b.asked.when != nil {
		to = b.asked.when.To
	}
	if t, err := b.traceStored(ctx, snap, to); t != nil || err != nil {
		return t, err
	}
	return b.traceBodies(ctx, snap, to)
}

// traceBodies does the work of trace by the bodies of the versions. It holds two of them in
// memory at a time.
func (b *blaming) traceBodies(ctx context.Context, snap relation.Snapshot, to record.Time) (*traced, error) {
	a := b.asked
	page := blame.Page{Unit: b.unit()}
	var history life.History
	memory := divide.NewMemory()
	t := new(traced)
	any, why := false, ""
	var before *divide.Body // of the version before t.revision
	seen := record.NoTime   // when the last version that could be read was last captured
	for batch, err := range snap.Scan(ctx, a.scan(to)) {
		if err != nil {
			return nil, err
		}
		for i := range batch.N {
			t.asked = captureAt(batch, i)
			if any && batch.Change[i] == record.ChangeSame {
				if why == "" {
					seen = t.asked.time
				}
				continue
			}
			any = true
			p, err := snap.Payload(ctx, t.asked.ref)
			if err != nil {
				return nil, err
			}
			if why = p.NoBody; why != "" {
				continue
			}
			v, err := versionOf(memory, t.asked, &p, b.s.Settings().Division())
			if err != nil {
				return nil, err
			}
			if before != nil {
				before.Free()
			}
			if before = nil; t.revision != nil {
				before = t.revision.Body
			}
			t.revision = history.Add(v)
			page.Add(blame.VersionOf(t.revision, seen))
			seen = t.asked.time
		}
	}
	if !any {
		return nil, a.noPage(ctx, snap)
	}
	if err := a.needBody(snap, b.st, t.asked, why); err != nil {
		return nil, err
	}
	t.leaves = page.Leaves()
	return t, nil
}

// unit returns the piece of text that the statement asks for. Blocks are followed by words.
func (b *blaming) unit() blame.Unit {
	if b.st.Unit == ast.BlameLines {
		return blame.Lines
	}
	return blame.Words
}

// columns returns the columns of the rows.
func (b *blaming) columns() []value.Column {
	at := func(name string) value.Column { return value.Column{Name: name, Type: value.Time} }
	cols := []value.Column{session.Text("block"), session.Text("identity")}
	if b.st.Unit != ast.BlameWords {
		cols = append(cols, at("first_not_before"), at("first_seen"))
	}
	return append(cols, at("not_before"), at("time"), session.Text("text"), session.Text("old_text"))
}

// blameBatch is how many rows of BLAME a batch has at most.
const blameBatch = 1024

// rows yields the rows, several at a time.
func (b *blaming) rows(ctx context.Context, t *traced) iter.Seq2[*value.Batch, error] {
	return func(yield func(*value.Batch, error) bool) {
		table := session.NewTable(b.columns()...)
		flush := func() bool {
			batch := table.Batch()
			table = session.NewTable(b.columns()...)
			return yield(batch, nil)
		}
		for row := range b.pieces(t) {
			table.Add(row...)
			if table.Batch().N == blameBatch {
				if err := ctx.Err(); err != nil {
					yield(nil, err)
					return
				}
				if !flush() {
					return
				}
			}
		}
		if table.Batch().N > 0 {
			flush()
		}
	}
}

// Would returns one line for EXPLAIN, which says which versions would be read.
func (b *blaming) Would(context.Context) ([]string, error) {
	return []string{b.asked.would(), "reads each version of the page before it, from the first on"}, nil
}

package exec

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"infomall/exec/op"
	"infomall/lang/ast"
	"infomall/store/block"
)

// diff shows what became of a page's blocks between two times.
func (s *Session) diff(ctx context.Context, st *ast.Diff) (*Result, error) {
	from, to, err := s.diffAsked(st)
	if err != nil {
		return nil, err
	}
	snap, release, err := s.pin(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	old, new, err := s.findPair(ctx, snap, from, to)
	if err != nil {
		return nil, err
	}
	res := &Result{Kind: ResultBytes, Close: func() {}}
	if from == nil {
		res.Notes = append(res.Notes, fmt.Sprintf("from the version before, last captured %s", s.stamp(old.time)))
	} else {
		res.Notes = append(res.Notes, "from "+s.usedNote(from, old.time))
	}
	res.Notes = append(res.Notes, "to "+s.usedNote(to, new.time))
	text, err := s.diffText(ctx, snap, st, to.url, old, new)
	res.Bytes = bytes.NewReader(text)
	return res, err
}

// diffAsked reads what DIFF compares. From is nil for the version before that
// of to.
func (s *Session) diffAsked(st *ast.Diff) (from, to *pageAsked, err error) {
	to, err = s.pageAsked(st.URL, st.To)
	if err != nil || st.From == nil {
		return nil, to, err
	}
	from, err = s.pageAsked(st.URL, st.From)
	if err != nil {
		return nil, nil, err
	}
	if to.when != nil && from.when.To > to.when.To {
		err := ast.Errorf(st.From, "FROM, read at its end %s, lies after TO, which ends %s",
			s.stamp(from.when.To-1), s.stamp(to.when.To-1))
		err.Hint = fmt.Sprintf("write FROM %s TO %s", st.To, st.From)
		return nil, nil, err
	}
	return from, to, nil
}

// findPair finds the captures to compare.
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

// diffText is the answer of DIFF.
func (s *Session) diffText(ctx context.Context, snap op.Snapshot, st *ast.Diff, url string, old, new capture) ([]byte, error) {
	var h block.History
	var r *block.Revision
	for _, c := range []capture{old, new} {
		p, err := snap.Payload(ctx, c.ref)
		if err == nil {
			err = s.needBody(st, c, &p)
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
	var w diffWriter
	fmt.Fprintf(&w, "--- %s %s\n", url, s.captureLine(old))
	fmt.Fprintf(&w, "+++ %s %s\n", url, s.captureLine(new))
	w.revision(r, old == new)
	return w.Bytes(), nil
}

// captureLine says when a capture was made and what it found.
func (s *Session) captureLine(c capture) string {
	line := s.stamp(c.time)
	if c.status != 0 {
		line += fmt.Sprintf(" %d", c.status)
	}
	return line + " " + c.kind.String()
}

// wouldDiff says what a DIFF would read.
func (s *Session) wouldDiff(st *ast.Diff) ([]string, error) {
	from, to, err := s.diffAsked(st)
	if err != nil {
		return nil, err
	}
	if from == nil {
		return []string{s.would(to), "reads the last capture of the version before that one's"}, nil
	}
	return []string{s.would(from), s.would(to)}, nil
}

// diffWriter writes what became of blocks, a paragraph each.
type diffWriter struct{ bytes.Buffer }

// revision tells of each block of r that is not the same in the version before.
func (w *diffWriter) revision(r *block.Revision, oneCapture bool) {
	var counts [block.Removed + 1]int
	d := blockDiff{diffWriter: w, old: r.Before, new: r, oldLabels: labels(r.Before), newLabels: labels(r)}
	for _, m := range r.Leaves() {
		counts[m.Op]++
		if m.Op != block.Same {
			d.match(m)
		}
	}
	switch {
	case oneCapture:
		w.WriteString("no difference: both times have this capture\n")
	case sameBody(r.Before, r) && r.Kind == r.Before.Kind:
		w.WriteString("no difference: both captures have the same body\n")
	case counts[block.Added]+counts[block.Edited]+counts[block.Removed]+counts[block.Moved] == 0:
		w.WriteString("no block differs: the change is one of layout\n")
	default:
		w.WriteString(countLine(counts[:]) + "\n")
	}
}

// sameBody reports whether two versions have the same bytes, content-decoded.
func sameBody(a, b *block.Revision) bool {
	if a.Body == nil || b.Body == nil {
		return a.Body == nil && b.Body == nil && a.Version.Digest == b.Version.Digest
	}
	return bytes.Equal(a.Body.Page.Body, b.Body.Page.Body)
}

// countLine says how many blocks each operation befell.
func countLine(counts []int) string {
	var parts []string
	for _, op := range []block.Op{block.Added, block.Edited, block.Moved, block.Removed, block.Same} {
		if n := counts[op]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, op))
		}
	}
	return "blocks: " + strings.Join(parts, ", ")
}

// blockDiff writes the blocks of two versions.
type blockDiff struct {
	*diffWriter
	old, new             *block.Revision
	oldLabels, newLabels []block.Label
}

// match tells of one block: what became of it, where it is, what it is about,
// and its lines.
func (d *blockDiff) match(m block.Match) {
	switch m.Op {
	case block.Added:
		d.head(m.Op, d.new, m.New, "", d.newLabels)
		d.lines("+ ", d.new.Text(m.New))
	case block.Removed:
		d.head(m.Op, d.old, m.Old, "", d.oldLabels)
		d.lines("- ", d.old.Text(m.Old))
	default:
		was := ""
		if path := d.old.Tree.Blocks[m.Old].Path; path != d.new.Tree.Blocks[m.New].Path {
			was = path
		}
		d.head(m.Op, d.new, m.New, was, d.newLabels)
		if m.Op == block.Edited {
			d.edited(m)
		}
	}
}

// head is the first line. Was is the path of the block before, if it differs.
func (d *blockDiff) head(op block.Op, r *block.Revision, n int, was string, labels []block.Label) {
	fmt.Fprintf(d, "%s %s", op, r.Tree.Blocks[n].Path)
	if was != "" {
		fmt.Fprintf(d, " (was %s)", was)
	}
	fmt.Fprintf(d, " %s", labels[n])
	if t := topic(r, n); t != "" {
		fmt.Fprintf(d, ": %s", t)
	}
	d.WriteByte('\n')
}

// lines writes a text, or nothing if there is none.
func (d *blockDiff) lines(mark, text string) {
	for line := range strings.Lines(text) {
		d.WriteString("  " + mark + strings.TrimRight(line, "\n") + "\n")
	}
}

// alikeEnough is the share of words in common from which on an edited block is
// shown as one text with the words marked that came and went. Others read
// better as two texts.
const alikeEnough = 0.5

// edited writes what of a block's text is not as before.
func (d *blockDiff) edited(m block.Match) {
	old, new := d.old.Text(m.Old), d.new.Text(m.New)
	if m.Similarity < alikeEnough && old != new {
		d.lines("- ", old)
		d.lines("+ ", new)
		return
	}
	lines := wordLines(block.Diff(old, new))
	for _, line := range lines {
		d.WriteString("  " + line + "\n")
	}
	if len(lines) > 0 {
		return
	}
	what := "the same words in other markup"
	if d.old.Body == nil || d.new.Body == nil {
		what = "other bytes"
	}
	fmt.Fprintf(d, "  %s: %d bytes, before %d\n", what, size(d.new, m.New), size(d.old, m.Old))
}

func size(r *block.Revision, n int) int { return r.Tree.Blocks[n].End - r.Tree.Blocks[n].Start }

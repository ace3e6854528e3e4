package show

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/block/divide"
	"infomall/store/block/life"
	"infomall/store/record"
	"infomall/store/urlkey"
	"infomall/store/words"
)

// storyReader reads the captures of one page and finds what happened to it. Of the
// versions, it holds two in memory at a time.
type storyReader struct {
	*telling
	ctx   context.Context
	snap  relation.Snapshot
	moves *moveFinder

	history life.History
	memory  *divide.Memory
	last    visited     // the capture before the current one
	any     bool        // last is set
	read    record.Time // when the last version that was read was last captured
	reading bool        // the capture last belongs to this version
	present bool        // the block of the statement is in the last version that was read
	title   string      // of the last version that was a page and could be read
	found   bool        // the block of the statement was in a version
	small   entry       // the small edits since the last entry; edits is 0 if there are none
	grouped bool        // small edits were counted
	notes   []string

	yield   func(*entry, error) bool
	stopped bool // yield has returned false
}

// visited is a capture with what a story says of it.
type visited struct {
	capture
	change   record.Change
	location string // where a redirect leads, as written
	title    string
}

// reader returns a storyReader for the page of the statement.
func (t *telling) reader(ctx context.Context, snap relation.Snapshot) *storyReader {
	return &storyReader{telling: t, ctx: ctx, snap: snap, moves: t.moveFinder(snap), memory: divide.NewMemory(), read: record.NoTime}
}

// entries yields all entries up to the end of the range, the oldest first. It may be
// ranged over once.
func (r *storyReader) entries() iter.Seq2[*entry, error] {
	return func(yield func(*entry, error) bool) {
		r.yield = yield
		if err := r.visitAll(); err != nil && !r.stopped {
			yield(nil, err)
		}
	}
}

// visitAll reads the captures, and yields the entries that it finds, see put.
func (r *storyReader) visitAll() error {
	scan := r.asked.scan(r.window.To)
	scan.Columns |= record.ColTitle | record.ColLocation
	for b, err := range r.snap.Scan(r.ctx, scan) {
		if err != nil {
			return err
		}
		for i := range b.N {
			v := visited{captureAt(b, i), b.Change[i], b.Location[i], b.Title[i]}
			if !r.any {
				v.change = record.ChangeFirst
			}
			err := r.ctx.Err()
			if err == nil {
				err = r.visit(&v)
			}
			if err != nil || r.stopped {
				return err
			}
			r.last, r.any = v, true
		}
	}
	r.flush()
	if n := r.moves.left; n > 0 {
		r.notes = append(r.notes, fmt.Sprintf("in %s, more than %d blocks came or went: only the first %d were looked for on other pages", value.Counted(int64(n), "version"), soughtMax, soughtMax))
	}
	if r.block != "" && !r.found && !r.stopped {
		err := ast.Errorf(r.st.Block, "no block of %s has the identity %s", r.asked.url, r.block)
		err.Hint = "the relation blocks has the identities, and SHOW STORY of the page, too"
		return err
	}
	return nil
}

// put yields e, after the small edits that came before it. It yields nothing if leavesOut reports
// true for e, or after the caller has stopped.
func (r *storyReader) put(e entry) {
	if r.leavesOut(&e) {
		return
	}
	r.flush()
	if !r.stopped {
		e.edits = max(e.edits, 1)
		e.text, e.old = short(e.text), short(e.old)
		r.stopped = !r.yield(&e, nil)
	}
}

// leavesOut reports whether e does not belong in the story: the story is about one block, e is
// about the whole page, and the block is not on the page at that time.
func (r *storyReader) leavesOut(e *entry) bool { return r.block != "" && e.block == "" && !r.present }

// flush yields the small edits that were counted.
func (r *storyReader) flush() {
	e := r.small
	r.small = entry{}
	if e.edits > 0 && !r.stopped {
		r.stopped = !r.yield(&e, nil)
	}
}

// putSmall counts a small edit, which flush later yields with others as one entry. With ALL it
// yields the edit as an entry of its own.
func (r *storyReader) putSmall(e entry) {
	switch {
	case r.leavesOut(&e):
		return
	case r.st.All:
		r.put(e)
		return
	case r.small.edits > 0 && r.small.time < r.window.From && e.time >= r.window.From:
		r.flush() // edits outside of the range are not counted with those in it
		fallthrough
	case r.small.edits == 0:
		r.small = entry{notBefore: e.notBefore, what: storySmall}
	}
	r.grouped = true
	r.small.time = e.time
	r.small.edits++
	reasons := strings.Split(e.reason, ", ")
	if r.small.reason != "" {
		reasons = append(reasons, strings.Split(r.small.reason, ", ")...)
	}
	slices.Sort(reasons)
	r.small.reason = strings.Join(slices.Compact(reasons), ", ")
}

// visit yields the entries for one capture.
func (r *storyReader) visit(v *visited) error {
	if v.change == record.ChangeSame {
		r.sameBody(v)
		if r.reading {
			r.read = v.time
		}
		return nil
	}
	p, err := r.snap.Payload(r.ctx, v.ref)
	if err != nil {
		return err
	}
	var rev *life.Revision // nil if the archive does not have the body
	notBefore := r.read
	if r.reading = p.NoBody == ""; r.reading {
		of, err := versionOf(r.memory, v.capture, &p, r.s.Settings().Division())
		if err != nil {
			return err
		}
		rev = r.history.Add(of)
		r.read = v.time
	}
	whole := r.state(v, rev != nil)
	switch {
	case r.block != "":
		err = r.ofBlock(v, rev, notBefore)
	case rev != nil && !whole:
		err = r.ofPage(rev, notBefore)
	case rev != nil:
		err = r.otherPages(v, rev)
	}
	if v.kind == record.KindPage && rev != nil {
		r.title = v.title
	}
	return err
}

// sameBody yields an entry if the capture v, which has the same body as the capture before, has
// another status or redirects elsewhere. The status 304 counts as the status before.
func (r *storyReader) sameBody(v *visited) {
	const notModified = 304
	if v.kind == record.KindRedirect && v.location != "" && v.location != r.last.location {
		r.put(entry{notBefore: r.last.time, time: v.time, what: storyRedirect, url: r.leadsTo(v), old: r.last.location})
		return
	}
	if v.status == notModified {
		v.status = r.last.status
	}
	if v.status != 0 && r.last.status != 0 && v.status != r.last.status {
		r.put(entry{notBefore: r.last.time, time: v.time, what: storyStatus, text: stateOf(&v.capture), old: stateOf(&r.last.capture)})
	}
}

// state yields the entries for what the page is as a whole: that it was first seen, went or came
// back, is another kind of response or has another title. read is true if the archive has the body
// of the version, and so its title. whole reports whether nothing else needs to be said about the
// version. An entry about the title does not set whole.
func (r *storyReader) state(v *visited, read bool) (whole bool) {
	e := entry{notBefore: r.last.time, time: v.time}
	switch v.change {
	case record.ChangeFirst:
		e.notBefore, e.what, e.text = record.NoTime, storyFirst, v.title
		if v.kind != record.KindPage {
			e.text = stateOf(&v.capture)
		}
		e.url = r.leadsTo(v)
	case record.ChangeGone:
		e.what, e.text, e.old = storyGone, stateOf(&v.capture), r.last.title
	case record.ChangeBack:
		e.what, e.text = storyBack, v.title
	case record.ChangeKind:
		e.what, e.text, e.old, e.url = storyStatus, stateOf(&v.capture), stateOf(&r.last.capture), r.leadsTo(v)
		if v.kind == record.KindRedirect {
			e.what = storyRedirect
		}
	default:
		switch {
		case v.kind == record.KindRedirect && v.location != r.last.location:
			e.what, e.url, e.old = storyRedirect, r.leadsTo(v), r.last.location
		case v.kind != record.KindPage:
			r.putSmall(entry{notBefore: r.last.time, time: v.time, what: storyLayout, reason: v.kind.String()})
			return true
		case r.block == "" && read && v.title != r.title:
			r.put(entry{notBefore: r.last.time, time: v.time, what: storyTitle, text: v.title, old: r.title})
			return false
		default:
			return false
		}
	}
	r.put(e)
	return true
}

// ofPage yields the entries for the blocks that changed with a version of the page.
func (r *storyReader) ofPage(rev *life.Revision, notBefore record.Time) error {
	level := r.s.Settings().CutLevel()
	changes, senses, said := rev.Changes(level), rev.Senses(level), rev.Words(level)
	if changes == nil || rev.Before.Hidden() {
		return nil
	}
	changed := false
	for i, m := range changes {
		if m.Op == life.Same {
			continue
		}
		changed = true
		e := r.ofChange(rev, m, said[i])
		e.notBefore = notBefore
		if !senses[i].Substantial {
			e.reason = senses[i].Reason
			r.putSmall(e)
			continue
		}
		if err := r.follow(&e, m, said[i], rev); err != nil {
			return err
		}
		r.put(e)
	}
	if !changed {
		r.putSmall(entry{notBefore: notBefore, time: rev.Time, what: storyLayout, reason: "markup"})
	}
	return nil
}

// ofChange returns the entry for the change m of a block in the version rev. said has
// the words that the block gained and lost.
func (r *storyReader) ofChange(rev *life.Revision, m life.Match, said life.WordChange) entry {
	e := entry{time: rev.Time, what: m.Op.String()}
	of, n := rev, m.New
	if n < 0 {
		of, n = rev.Before, m.Old
	}
	e.block, e.identity = of.Tree.Blocks[n].Path, of.Life[n].Identity()
	switch m.Op {
	case life.Edited:
		e.text, e.old = said.Added, said.Removed
		if e.text == "" && e.old == "" {
			e.text = rev.Text(m.New)
		}
	case life.Removed:
		e.old = of.Text(n)
	default:
		e.text = of.Text(n)
	}
	return e
}

// ofBlock yields the entries for the block of the statement in one version of the page. rev is nil
// if the archive does not have the body.
func (r *storyReader) ofBlock(v *visited, rev *life.Revision, notBefore record.Time) error {
	if rev == nil {
		return nil
	}
	if rev.Hidden() {
		if r.present {
			r.present = false
			return r.leaves(v, rev)
		}
		return nil
	}
	n := blockNamed(rev, r.block)
	was := r.present
	r.present = n > 0
	r.found = r.found || n > 0
	switch {
	case !r.present && !was:
		return nil
	case r.present && (rev.Before == nil || rev.Before.Hidden()):
		// The version is the first one, or the first that is a page again. It is not compared
		// with a version before.
		said := life.WordChange{Added: rev.Text(n)}
		m := life.Match{Op: life.Added, Old: -1, New: n}
		e := r.ofChange(rev, m, said)
		if e.notBefore = record.NoTime; r.any {
			e.notBefore = r.last.time
		} else {
			e.what = storyFirst
		}
		err := r.follow(&e, m, said, rev)
		r.put(e)
		return err
	}
	before := 0
	if was {
		before = blockNamed(rev.Before, r.block)
	}
	tree, of := rev.Tree, n
	if n == 0 {
		tree, of = rev.Before.Tree, before
	}
	level := tree.Blocks[of].Depth
	changes, senses, said := rev.Changes(level), rev.Senses(level), rev.Words(level)
	for i, m := range changes {
		if n > 0 && m.New != n || n == 0 && m.Old != before || n == 0 && m.New >= 0 || m.Op == life.Same {
			continue
		}
		e := r.ofChange(rev, m, said[i])
		e.notBefore, e.identity = notBefore, r.block
		if !senses[i].Substantial {
			e.reason = senses[i].Reason
			r.putSmall(e)
			continue
		}
		if err := r.follow(&e, m, said[i], rev); err != nil {
			return err
		}
		r.put(e)
	}
	return nil
}

// leaves is called if the capture v is no page, for example an error, and took the place of the page
// with the block of the statement. It yields an entry if the block is found on another page of the
// host.
func (r *storyReader) leaves(v *visited, rev *life.Revision) error {
	n := blockNamed(rev.Before, r.block)
	text := rev.Before.Text(n)
	url, err := r.moves.find(r.ctx, text, life.Removed, v.time)
	if url != "" {
		r.put(entry{notBefore: r.last.time, time: v.time, what: storyMovedTo, block: rev.Before.Tree.Blocks[n].Path, identity: r.block, old: text, url: url})
	}
	return err
}

// blockNamed returns the index of the outermost block of a version that has the given identity, or
// 0 if there is none.
func blockNamed(rev *life.Revision, identity string) int {
	for n := 1; n < len(rev.Life); n++ {
		if rev.Life[n].Identity() == identity {
			return n
		}
	}
	return 0
}

// follow turns the entry of a block that was added or removed into one that says from
// where it came, or where it went, if it was found on another page of the host.
func (r *storyReader) follow(e *entry, m life.Match, said life.WordChange, rev *life.Revision) error {
	var text, changed string
	switch m.Op {
	case life.Added:
		text, changed = rev.Text(m.New), said.Added
	case life.Removed:
		text, changed = rev.Before.Text(m.Old), said.Removed
	default:
		return nil
	}
	// Words that went to another block of the page, or came from one, are not in changed.
	if 2*words.Count(changed) < words.Count(text) {
		return nil
	}
	url, err := r.moves.find(r.ctx, text, m.Op, e.time)
	if err != nil || url == "" {
		return err
	}
	if e.url = url; m.Op == life.Added {
		e.what = storyCameFrom
	} else {
		e.what = storyMovedTo
	}
	return nil
}

// otherPages yields an entry for each other page of the host to which blocks went from a page that
// is gone, or from which they came to a page that was first seen or is back. It looks for the
// smallest blocks, which are not divided further.
func (r *storyReader) otherPages(v *visited, rev *life.Revision) error {
	of, op, what := rev, life.Added, storyCameFrom
	if rev.Hidden() {
		of, op, what = rev.Before, life.Removed, storyMovedTo
	}
	if of == nil || of.Hidden() {
		return nil
	}
	var list []*entry // one for each page
	for _, n := range of.Tree.Cut(0) {
		text := of.Text(n)
		url, err := r.moves.find(r.ctx, text, op, v.time)
		if err != nil {
			return err
		}
		if url == "" {
			continue
		}
		if i := slices.IndexFunc(list, func(e *entry) bool { return e.url == url }); i >= 0 {
			list[i].edits++
			continue
		}
		e := &entry{notBefore: r.last.time, time: v.time, what: what, url: url, edits: 1, block: of.Tree.Blocks[n].Path, identity: of.Life[n].Identity(), text: text}
		if !r.any {
			e.notBefore = record.NoTime
		}
		if op == life.Removed {
			e.text, e.old = "", text
		}
		list = append(list, e)
	}
	for _, e := range list {
		r.put(*e)
	}
	return nil
}

// stateOf returns the status and the kind of a capture, such as "404 missing".
func stateOf(c *capture) string {
	if c.status == 0 {
		return c.kind.String()
	}
	return fmt.Sprintf("%d %s", c.status, c.kind)
}

// leadsTo returns the URL to which a redirect leads, or "".
func (r *storyReader) leadsTo(v *visited) string {
	if v.kind != record.KindRedirect || v.location == "" {
		return ""
	}
	to, err := urlkey.Resolve(r.asked.url, v.location)
	if err != nil {
		return ""
	}
	return to
}

package show

import (
	"context"
	"crypto/sha256"
	"strings"

	"infomall/exec/draw"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/store/block/divide"
	"infomall/store/block/life"
	"infomall/store/record"
	"infomall/store/words"
)

// openBody divides a stored body into blocks. It returns false for a body that
// has no blocks, such as a large body, or a document without text. The memory m may
// be nil.
func openBody(m *divide.Memory, p *record.Payload, o divide.Options) (*divide.Body, bool) {
	if p.Document != nil {
		b, ok := divide.OpenStored(p, nil, o)
		return b, ok && len(b.Blocks) > 1
	}
	if p.Large != nil {
		return nil, false
	}
	return m.Open(p.Body, divide.AsOf(p), o)
}

// versionOf returns the capture c, whose payload is p, in the form that
// life.History takes: divided into blocks, or only as size and digest if it has
// no blocks. The memory m may be nil; it has parts of other versions of the page.
func versionOf(m *divide.Memory, c capture, p *record.Payload, o divide.Options) (life.Version, error) {
	v := life.Version{Time: c.time, Kind: c.kind, Size: p.Size}
	if body, ok := openBody(m, p, o); ok {
		v.Body, v.Size = body, int64(len(body.Page.Body))
		return v, nil
	}
	if p.Large != nil {
		sum := sha256.New()
		if _, err := pieces(p.Large).WriteTo(sum); err != nil {
			return v, err
		}
		sum.Sum(v.Digest[:0])
		return v, nil
	}
	body, err := relation.Decode(p)
	if err != nil {
		body = p.Body // decoding failed: compare the bytes as they are stored
	}
	v.Digest, v.Size = sha256.Sum256(body), int64(len(body))
	return v, nil
}

// blocks returns the blocks of a capture, whose payload is p, and how each
// block changed since the version before. If there is no version before, or the
// archive does not have its body, the field Before of the result is nil.
func (a *pageAsked) blocks(ctx context.Context, snap relation.Snapshot, found captureFound, p *record.Payload) (*life.Revision, error) {
	var h life.History
	if !found.first {
		before, err := snap.Payload(ctx, found.before.ref)
		if err != nil {
			return nil, err
		}
		if before.NoBody == "" {
			v, err := versionOf(nil, found.before, &before, a.s.Settings().Division())
			if err != nil {
				return nil, err
			}
			h.Add(v)
		}
	}
	v, err := versionOf(nil, found.capture, p, a.s.Settings().Division())
	if err != nil {
		return nil, err
	}
	return h.Add(v), nil
}

// blockTable returns a table with one row per block (part of the page) of a
// version, each block before the blocks that it divides into. Only leaves
// (blocks that are not divided further) have a text. So the column text, read
// from top to bottom, is the page. The blocks of a document also have the section,
// such as page 12. If there are no blocks, a note says why.
func blockTable(r *life.Revision, c capture) *session.Result {
	cols := []value.Column{session.Text("block"), session.Whole("depth"), session.Text("label")}
	if r.Tree.Document != nil {
		cols = append(cols, session.Text("section"))
	}
	t := session.NewTable(append(cols, session.Text("topic"), session.Whole("bytes"), session.Whole("words"), session.Text("text"))...)
	if !r.Hidden() {
		addBlocks(t, r)
	}
	res := t.Result()
	if t.Batch().N == 0 {
		res.Notes = append(res.Notes, "it has no blocks: "+whyNoBlocks(c))
	}
	return res
}

// addBlocks adds one row to t for each block of the version r, apart from the
// page itself.
func addBlocks(t *session.Table, r *life.Revision) {
	label := draw.Labels(r)
	for n := range r.Tree.Blocks {
		if n == 0 {
			continue // the page itself
		}
		b := &r.Tree.Blocks[n]
		shown := r.Text(n)
		row := []value.Value{value.OfText(b.Path), value.OfInt(int64(b.Depth)), value.OfText(label[n].String())}
		if r.Tree.Document != nil {
			name := value.Value{}
			if s := r.Tree.SectionOf(n); s != "" {
				name = value.OfText(s)
			}
			row = append(row, name)
		}
		row = append(row, value.OfText(draw.Topic(r, n)), value.OfInt(int64(b.End-b.Start)), value.OfInt(int64(words.Count(shown))))
		if r.Tree.Leaf(n) {
			row = append(row, value.OfText(strings.TrimSpace(shown)))
		}
		t.Add(row...)
	}
}

// whyNoBlocks returns why a capture has no blocks, for a message: "its kind is
// image" or "its body is empty".
func whyNoBlocks(c capture) string {
	if c.kind != record.KindPage {
		return "its kind is " + c.kind.String()
	}
	return "its body is empty"
}

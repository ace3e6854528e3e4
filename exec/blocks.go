package exec

import (
	"context"
	"crypto/sha256"
	"strings"

	"infomall/exec/op"
	"infomall/exec/value"
	"infomall/store/block"
	"infomall/store/record"
	"infomall/store/words"
)

// divideOptions returns the options by which this session divides pages.
func (s *Session) divideOptions() block.Options {
	if s.Settings.Profile == "classic" {
		return block.Options{Profile: block.Classic}
	}
	return block.Options{}
}

// openBody divides a stored body. It returns false for a body that has no
// blocks.
func openBody(p *record.Payload, o block.Options) (*block.Body, bool) {
	if p.Large != nil {
		return nil, false
	}
	return block.Open(p.Body, block.AsOf(p), o)
}

// versionOf returns a capture in the form that block.History takes.
func versionOf(c capture, p *record.Payload, o block.Options) (block.Version, error) {
	v := block.Version{Time: c.time, Kind: c.kind, Size: p.Size}
	if body, ok := openBody(p, o); ok {
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
	body, err := op.Decode(p)
	if err != nil {
		body = p.Body // it is one block, decoded or not
	}
	v.Digest, v.Size = sha256.Sum256(body), int64(len(body))
	return v, nil
}

// labels returns the label of each block of a version, such as "nav".
func labels(r *block.Revision) []block.Label {
	if !r.Whole {
		return r.Tree.Labels()
	}
	list := make([]block.Label, len(r.Tree.Blocks))
	for i := range list {
		list[i] = block.Other
	}
	return list
}

// topic returns the words that say what block n is about.
func topic(r *block.Revision, n int) string {
	if r.Body == nil {
		return ""
	}
	return r.Body.Topic(r.Tree.Blocks[n].Start, r.Tree.Blocks[n].End)
}

// foundBlocks returns the blocks of a capture, whose payload is p, and how each
// changed since the version before, if that version has a body.
func (s *Session) foundBlocks(ctx context.Context, snap op.Snapshot, found captureFound, p *record.Payload) (*block.Revision, error) {
	var h block.History
	if !found.first {
		before, err := snap.Payload(ctx, found.before.ref)
		if err != nil {
			return nil, err
		}
		if before.NoBody == "" {
			v, err := versionOf(found.before, &before, s.divideOptions())
			if err != nil {
				return nil, err
			}
			h.Add(v)
		}
	}
	v, err := versionOf(found.capture, p, s.divideOptions())
	if err != nil {
		return nil, err
	}
	return h.Add(v), nil
}

// blockTable lists the blocks of a version, each block before the blocks that
// it divides into. Only leaves have a text, so that the column text, read from
// top to bottom, is the page.
func blockTable(r *block.Revision, c capture) *Result {
	t := newTable(text("block"), whole("depth"), text("label"), text("topic"), whole("bytes"), whole("words"), text("text"))
	if !r.Hidden() {
		t.addBlocks(r)
	}
	res := t.result(ResultRows, nil)
	if t.batch.N == 0 {
		res.Notes = append(res.Notes, "it has no blocks: "+whyNoBlocks(c))
	}
	return res
}

func (t *table) addBlocks(r *block.Revision) {
	label := labels(r)
	for n := range r.Tree.Blocks {
		if n == 0 {
			continue // the page itself
		}
		b := &r.Tree.Blocks[n]
		shown := r.Text(n)
		row := []value.Value{
			value.OfText(b.Path), value.OfInt(int64(b.Depth)), value.OfText(label[n].String()),
			value.OfText(topic(r, n)), value.OfInt(int64(b.End - b.Start)), value.OfInt(int64(words.Count(shown))),
		}
		if r.Tree.Leaf(n) {
			row = append(row, value.OfText(strings.TrimSpace(shown)))
		}
		t.add(row...)
	}
}

// whyNoBlocks returns why a capture has no blocks, for a message.
func whyNoBlocks(c capture) string {
	if c.kind != record.KindPage {
		return "its kind is " + c.kind.String()
	}
	return "its body is empty"
}

package op

import (
	"context"

	"infomall/store/block"
	"infomall/store/page"
	"infomall/store/record"
)

// responsesMax is how many responses are kept open: a version, the one before,
// and one that a row further up still asks for.
const responsesMax = 3

// response is one capture's payload. What is made of its body is made once.
type response struct {
	record.Payload
	ref     record.Ref
	options block.Options

	ready, readable bool
	body            []byte // after content-decoding, in its own charset
	charset         string

	divided  bool
	page     *block.Body
	meta     *page.Meta
	labels   []block.Label
	links    []block.Link
	cut      []int // at cutLevel
	cutLevel int
	linked   bool
	site     *inSite // what it is among the pages of its host
}

// response opens the response of one capture, or gives the one opened before.
func (r *Runner) response(ctx context.Context, ref record.Ref, o block.Options) (*response, error) {
	for i, res := range r.responses {
		if res.ref == ref {
			copy(r.responses[1:i+1], r.responses[:i])
			r.responses[0] = res
			return res, nil
		}
	}
	p, err := r.Snapshot.Payload(ctx, ref)
	if err != nil {
		return nil, err
	}
	res := &response{Payload: p, ref: ref, options: o}
	if len(r.responses) < responsesMax {
		r.responses = append(r.responses, nil)
	}
	copy(r.responses[1:], r.responses)
	r.responses[0] = res
	return res, nil
}

// text makes the body readable and reports whether it is: not where there is
// none, where it is no text, and where it can't be decoded.
func (r *response) text() bool {
	if r.ready {
		return r.readable
	}
	r.ready = true
	if r.NoBody != "" || !IsText(r.Mime) {
		return false
	}
	body, err := Decode(&r.Payload)
	if err != nil {
		return false
	}
	r.body, r.readable = body, true
	r.charset = page.FindCharset(body, record.Header(r.Head, "Content-Type"), r.Charset).Charset
	return true
}

// blocks is the body as it divides, nil where it does not.
func (r *response) blocks() *block.Body {
	if r.divided {
		return r.page
	}
	r.divided = true
	body := r.Body
	if r.Large != nil && r.ReadLimit > 0 {
		body, _ = r.First(r.ReadLimit + 1) // what damage takes away can't be shown
	}
	if r.NoBody == "" && len(body) > 0 {
		r.page, _ = block.Open(body, block.AsOf(&r.Payload), r.options)
	}
	return r.page
}

// version is the capture as a History takes it. Digest is that of the stored
// body.
func (r *response) version(time record.Time, kind record.Kind, digest record.Digest) block.Version {
	size := r.Size
	if r.Large == nil {
		size = int64(len(r.Body))
	}
	return block.Version{Time: time, Kind: kind, Digest: digest, Size: size, Body: r.blocks()}
}

// about is what the page says of itself.
func (r *response) about() *page.Meta {
	if r.meta == nil {
		r.meta = new(page.Meta)
		if b := r.blocks(); b != nil {
			*r.meta = b.Page.Meta(b.Charset)
		}
	}
	return r.meta
}

// label is what block n of the page is for.
func (r *response) label(n int) block.Label {
	b := r.blocks()
	if b == nil || n >= len(b.Blocks) {
		return block.Other // a body that is one block, whatever it shows
	}
	if r.labels == nil {
		r.labels = b.Labels()
	}
	return r.labels[n]
}

// allLinks are the links of the page in order.
func (r *response) allLinks() []block.Link {
	if b := r.blocks(); !r.linked && b != nil {
		r.linked, r.links = true, b.Links()
	}
	return r.links
}

// inCut is the block in a place of a cut, from 0. A body that is one block is
// one behind the last.
func (r *response) inCut(level, place int) int {
	b := r.blocks()
	if b == nil || len(b.Blocks) <= 1 {
		return 1
	}
	if r.cut == nil || r.cutLevel != level {
		r.cut, r.cutLevel = b.Cut(level), level
	}
	return r.cut[place]
}

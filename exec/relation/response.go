package relation

import (
	"context"
	"strings"

	"infomall/store/block/about"
	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/block/label"
	"infomall/store/block/life"
	"infomall/store/page"
	"infomall/store/page/charset"
	"infomall/store/page/coding"
	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/record/message"
)

// responsesMax is how many responses are cached: a version, the one before, and
// one that a late column of another row still needs.
const responsesMax = 3

// response is the response of one capture, and what was computed from its body.
// Each part is computed once, when it is first needed.
type response struct {
	record.Payload
	ref     record.Ref
	options divide.Options

	ready, readable bool
	body            []byte // after content-decoding, in its own charset
	charset         string

	divided  bool
	page     *divide.Body
	meta     *markup.Meta
	labels   []label.Label
	links    []facts.Link
	cut      []int // at cutLevel
	cutLevel int
	linked   bool
	site     *inSite // what the blocks are among the pages of the host
}

// response returns the response of one capture, from the cache if it is there.
func (r *Reader) response(ctx context.Context, ref record.Ref, o divide.Options) (*response, error) {
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

// text decodes the body and reports whether it can be read. It cannot if the
// archive does not have it, if it is not a text, or if it cannot be decoded.
func (r *response) text() bool {
	if r.ready {
		return r.readable
	}
	r.ready = true
	if r.NoBody != "" || !IsText(r.Mime) {
		return false
	}
	body, err := Decode(&r.Payload)
	if err != nil || page.IsBinary(body) {
		return false
	}
	r.body, r.readable = body, true
	r.charset = charset.Find(body, message.Header(r.Head, "Content-Type"), r.Charset).Charset
	return true
}

// blocks returns the body divided into blocks, or nil if it cannot be divided.
func (r *response) blocks() *divide.Body {
	if r.divided {
		return r.page
	}
	r.divided = true
	body := r.readBody()
	if r.NoBody == "" && len(body) > 0 {
		r.page, _ = divide.Open(body, divide.AsOf(&r.Payload), r.options)
	}
	return r.page
}

// readBody returns the body as it was sent; of a large one, as much as is read of it.
func (r *response) readBody() []byte {
	if r.Large != nil && r.ReadLimit > 0 {
		body, _ := r.First(r.ReadLimit + 1) // bytes lost to damage cannot be shown
		return body
	}
	return r.Body
}

// version returns the capture in the form in which package life compares
// versions. digest is that of the stored body.
func (r *response) version(time record.Time, kind record.Kind, digest record.Digest) life.Version {
	size := r.Size
	if r.Large == nil {
		size = int64(len(r.Body))
	}
	return life.Version{Time: time, Kind: kind, Digest: digest, Size: size, Body: r.blocks()}
}

// about returns what the page says about itself.
func (r *response) about() *markup.Meta {
	if r.meta == nil {
		r.meta = new(markup.Meta)
		if b := r.blocks(); b != nil {
			*r.meta = b.Page.Meta(b.Charset)
		}
	}
	return r.meta
}

// label returns the label of block n.
func (r *response) label(n int) label.Label {
	b := r.blocks()
	if b == nil || n >= len(b.Blocks) {
		return label.Other // a body that was not divided has no label of its own
	}
	if r.labels == nil {
		r.labels = about.Labels(b.Tree)
	}
	return r.labels[n]
}

// allLinks returns the links of the response: first those of its headers, then those
// of its body in order.
func (r *response) allLinks() []facts.Link {
	if r.linked {
		return r.links
	}
	r.linked = true
	if b := r.blocks(); b != nil {
		r.links = facts.Links(b)
	} else if r.NoBody == "" {
		r.links = facts.OutsideLinks(divide.Outside(r.readBody(), divide.AsOf(&r.Payload)))
	}
	return r.links
}

// inCut returns the index of the block at the given place of the cut, from 0.
// For a body that was not divided, it returns 1, which is past the end.
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

// decodedBytesMax bounds the size of a body after content-decoding.
const decodedBytesMax = 64 << 20

// Decode returns a body after content-decoding, or the first part of it if it
// is damaged or too large.
func Decode(p *record.Payload) ([]byte, error) {
	body, _, err := coding.DecodePart(p.Body, message.Codings(p.Head), decodedBytesMax)
	return body, err
}

// IsText reports whether a media type is one that people can read. It reports
// true for "".
func IsText(mime string) bool {
	if mime == "" || strings.HasPrefix(mime, "text/") {
		return true
	}
	for _, part := range []string{"html", "xml", "json", "javascript", "ecmascript"} {
		if strings.Contains(mime, part) {
			return true
		}
	}
	return false
}

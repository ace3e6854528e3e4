package checkreplay

import (
	"context"

	"infomall/exec/relation"
	"infomall/store/block/divide"
	"infomall/store/page/coding"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// bodyMax bounds a body that is compared, in bytes after its content coding is undone.
const bodyMax = 64 << 20

// seen is what a crawl saw of a page.
type seen struct {
	from    string // "dom" or "response"
	text    string // all text of the page
	note    string // why there is no text; "" if there is
	picture []byte // a PNG; nil if the archive has none
}

// seenOf returns what the crawl saw of the page of a canonical URL at the time at. Its
// document after load and its picture are those nearest to that time.
func seenOf(ctx context.Context, snap relation.Snapshot, url string, at record.Time) (*seen, error) {
	s := &seen{from: "dom"}
	of := urlkey.DOM + url
	p, t, err := nearest(ctx, snap, of, at)
	if err == nil && p == nil {
		s.from, of = "response", url
		p, t, err = nearest(ctx, snap, of, at)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case p == nil:
		s.note = "the page is not in the archive any more"
	case p.NoBody != "":
		s.note = noBody(of, t, p.NoBody)
	case p.Large != nil:
		s.note = noBody(of, t, "it is too large")
	default:
		if b, ok := divide.OpenStored(p, decoded(p), divide.Options{}); ok {
			s.text = b.Page.Text(b.Charset)
		}
	}
	if p, _, err = nearest(ctx, snap, urlkey.Screenshot+url, at); err == nil && p != nil && p.Large == nil && p.NoBody == "" {
		s.picture = p.Body
	}
	return s, err
}

// decoded returns the body of p as far as its content coding can be undone.
func decoded(p *record.Payload) []byte {
	body, _, err := coding.DecodePart(p.Body, message.Codings(p.Head), bodyMax)
	if err != nil {
		return p.Body
	}
	return body
}

// nearest returns the response of the capture of a URL that is nearest to the time at,
// and its time. Of two that are equally near it is the later one, because a document
// after load is younger than the response. The response is nil if there is no capture.
func nearest(ctx context.Context, snap relation.Snapshot, url string, at record.Time) (*record.Payload, record.Time, error) {
	key := urlkey.Key(url)
	scan := record.Scan{Ranges: []urlkey.Range{{From: key, To: key + "\x00"}}, From: record.MinTime, To: record.MaxTime + 1}
	var best record.Ref
	var when record.Time
	found := false
	away := func(t record.Time) record.Time { return max(t-at, at-t) }
	for b, err := range snap.Scan(ctx, scan) {
		if err != nil {
			return nil, 0, err
		}
		for i := range b.N {
			if !found || away(b.Time[i]) <= away(when) {
				best, when, found = b.Ref[i], b.Time[i], true
			}
		}
	}
	if !found {
		return nil, 0, nil
	}
	p, err := snap.Payload(ctx, best)
	return &p, when, err
}

// textOf returns all text of a document after load, which is in UTF-8.
func textOf(dom []byte) string {
	b, ok := divide.Open(dom, divide.Sent(nil, "text/html; charset=utf-8"), divide.Options{})
	if !ok {
		return ""
	}
	return b.Page.Text(b.Charset)
}

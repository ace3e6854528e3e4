package op

import (
	"context"
	"strings"
	"time"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/store/page"
	"infomall/store/record"
)

const (
	// payloadBytes is how many bytes of payload columns a batch may hold before
	// it is passed on: pages are large, and rows are wanted soon.
	payloadBytes = 1 << 20
	// decodedBytesMax bounds a body after content-decoding.
	decodedBytesMax = 64 << 20
)

// payload opens the stored response of each row and fills columns from it.
func (r *Runner) payload(ctx context.Context, n *plan.Payload, in Rows) Rows {
	return func(yield func(*value.Batch, error) bool) {
		var out value.Batch
		for b, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			for from := 0; from < b.N; {
				to, cols, err := r.fill(ctx, n, b, from)
				if err != nil {
					yield(nil, err)
					return
				}
				out = *b.Slice(from, to)
				for i, f := range n.Fill {
					out.Cols[f] = cols[i]
				}
				if !yield(&out, nil) {
					return
				}
				from = to
			}
		}
	}
}

// fill computes the columns for rows from on, until they take payloadBytes, and
// gives the row after the last.
func (r *Runner) fill(ctx context.Context, n *plan.Payload, b *value.Batch, from int) (int, []*value.Vector, error) {
	cols := make([]*value.Vector, len(n.Fill))
	for i, f := range n.Fill {
		cols[i] = &value.Vector{Type: n.Source.Fields[f].Type}
	}
	held := 0
	for row := from; row < b.N; row++ {
		if held >= payloadBytes {
			return row, cols, nil
		}
		p, err := r.Snapshot.Payload(ctx, unpackRef(b, row))
		if err != nil {
			return 0, nil, err
		}
		for i, f := range n.Fill {
			v := payloadFields[n.Source.Fields[f].Name](&p)
			held += len(v.Text)
			cols[i].AppendValue(v)
		}
	}
	return b.N, cols, nil
}

// payloadFields computes the columns that need the payload.
var payloadFields = map[string]func(*record.Payload) value.Value{
	"charset": func(p *record.Payload) value.Value {
		body, ok := readable(p)
		if !ok {
			return value.Value{}
		}
		name, _ := page.Charset(body, record.Header(p.Head, "Content-Type"))
		return textOrNull(name)
	},
	"declared_charset": func(p *record.Payload) value.Value {
		body, ok := readable(p)
		if !ok {
			return value.Value{}
		}
		_, declared := page.Charset(body, record.Header(p.Head, "Content-Type"))
		return textOrNull(declared)
	},
	"html": func(p *record.Payload) value.Value {
		body, ok := readable(p)
		if !ok {
			return value.Value{}
		}
		name, _ := page.Charset(body, record.Header(p.Head, "Content-Type"))
		return value.OfText(string(page.ToUTF8(body, name)))
	},
	"headers": func(p *record.Payload) value.Value {
		return textOrNull(strings.ToValidUTF8(string(p.Head), "\uFFFD"))
	},
	"last_modified": func(p *record.Payload) value.Value { return headerTime(p, "Last-Modified") },
	"etag":          func(p *record.Payload) value.Value { return textOrNull(record.Header(p.Head, "ETag")) },
	"expires":       func(p *record.Payload) value.Value { return headerTime(p, "Expires") },
}

func textOrNull(s string) value.Value {
	if s == "" {
		return value.Value{}
	}
	return value.OfText(s)
}

// dateForms are the forms of a date that RFC 9110 has a reader accept.
var dateForms = []string{"Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 MST", time.ANSIC}

// headerTime reads a header that holds a date; one that can't be read is NULL.
func headerTime(p *record.Payload, name string) value.Value {
	text := record.Header(p.Head, name)
	for _, form := range dateForms {
		if t, err := time.Parse(form, text); err == nil {
			return value.OfTime(record.At(t))
		}
	}
	return value.Value{}
}

// readable gives a text body after content-decoding, in its own charset. It
// reports false where there is no body, where the body is no text, and where it
// can't be decoded.
func readable(p *record.Payload) ([]byte, bool) {
	if p.NoBody != "" || !IsText(p.Mime) {
		return nil, false
	}
	body, err := Decode(p)
	return body, err == nil
}

// Decode gives a body after content-decoding.
func Decode(p *record.Payload) ([]byte, error) {
	return page.Decode(p.Body, record.Header(p.Head, "Content-Encoding"), decodedBytesMax)
}

// IsText reports whether a media type is one that a person can read. An unknown
// one is.
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

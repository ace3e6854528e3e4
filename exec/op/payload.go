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
		res := response{Payload: p}
		for i, f := range n.Fill {
			v := payloadFields[n.Source.Fields[f].Name](&res)
			held += len(v.Text)
			cols[i].AppendValue(v)
		}
	}
	return b.N, cols, nil
}

// response is one capture's payload, its body made readable at most once.
type response struct {
	record.Payload
	ready, readable   bool
	body              []byte // after content-decoding, in its own charset
	charset, declared string
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
	r.charset, r.declared = page.Charset(body, record.Header(r.Head, "Content-Type"))
	return true
}

// payloadFields computes the columns that need the payload.
var payloadFields = map[string]func(*response) value.Value{
	"charset": func(r *response) value.Value {
		if !r.text() {
			return value.Value{}
		}
		return textOrNull(r.charset)
	},
	"declared_charset": func(r *response) value.Value {
		if !r.text() {
			return value.Value{}
		}
		return textOrNull(r.declared)
	},
	"html": func(r *response) value.Value {
		if !r.text() {
			return value.Value{}
		}
		return value.OfText(string(page.ToUTF8(r.body, r.charset)))
	},
	"headers": func(r *response) value.Value {
		return textOrNull(strings.ToValidUTF8(string(r.Head), "\uFFFD"))
	},
	"last_modified": func(r *response) value.Value { return headerTime(&r.Payload, "Last-Modified") },
	"etag":          func(r *response) value.Value { return textOrNull(record.Header(r.Head, "ETag")) },
	"expires":       func(r *response) value.Value { return headerTime(&r.Payload, "Expires") },
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

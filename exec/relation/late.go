package relation

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"infomall/exec/value"
	"infomall/store/block"
	"infomall/store/page/charset"
	"infomall/store/page/coding"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/words"
)

// NoField is the lateColumn of a row to which a LEFT JOIN found no match: all
// columns are NULL.
func NoField(string) (value.Value, error) { return value.Value{}, nil }

// LateColumn computes a late column of one row, by its name.
type LateColumn func(name string) (value.Value, error)

// Late returns a function that computes the late columns of a row of n: columns
// that need the stored page. hidden and row say which capture the row was made
// from.
func (r *Reader) Late(ctx context.Context, n *Request, hidden []*value.Vector, row int) (LateColumn, error) {
	switch n.Relation.Name {
	case "changes":
		return r.lateChange(ctx, n, hidden, row)
	case "blocks":
		return r.lateBlock(ctx, n, hidden, row)
	case "links":
		return r.lateLink(ctx, n, hidden, row)
	case "versions", "pages":
		return r.lateVersion(ctx, n, unpackRef(hidden, row)), nil
	case "layouts":
	default:
		panic("op: no late columns in " + n.Relation.Name)
	}
	res, err := r.response(ctx, unpackRef(hidden, row), options(n))
	if err != nil {
		return nil, err
	}
	return func(string) (value.Value, error) { return layoutText(res), nil }, nil
}

// versionFields has the functions that compute the late columns of the relation
// versions from the stored response, by name.
var versionFields = map[string]func(*response) value.Value{
	"html": func(r *response) value.Value {
		if !r.text() {
			return value.Value{}
		}
		return value.OfText(string(charset.ToUTF8(r.body, r.charset)))
	},
	"headers": func(r *response) value.Value {
		return textOrNull(strings.ToValidUTF8(string(r.Head), "\uFFFD"))
	},
	"last_modified": func(r *response) value.Value { return headerTime(&r.Payload, "Last-Modified") },
	"etag":          func(r *response) value.Value { return textOrNull(message.Header(r.Head, "ETag")) },
	"expires":       func(r *response) value.Value { return headerTime(&r.Payload, "Expires") },

	"author":      func(r *response) value.Value { return textOrNull(r.about().Author) },
	"description": func(r *response) value.Value { return textOrNull(r.about().Description) },
	"keywords":    func(r *response) value.Value { return textOrNull(r.about().Keywords) },
	"abstract": ofPage(func(_ *response, b *block.Body) value.Value {
		return textOrNull(beginning(b.MainText(), abstractRunes))
	}),
	"simhash": ofPage(func(_ *response, b *block.Body) value.Value {
		var s words.Simhash
		s.Add(b.Page.Text(b.Charset), 1)
		return value.OfInt(int64(s.Sum()))
	}),
	"text": ofPage(func(_ *response, b *block.Body) value.Value {
		return value.OfText(b.Page.Text(b.Charset))
	}),
	"main": ofPage(func(_ *response, b *block.Body) value.Value {
		return value.OfText(b.MainText())
	}),
	"page_type": ofPage(func(_ *response, b *block.Body) value.Value {
		return value.OfText(b.PageType().String())
	}),
	"topic": ofPage(func(_ *response, b *block.Body) value.Value {
		return textOrNull(block.Topic(b.Page.Body, b.Charset, b.Profile, block.TopicOptions{}))
	}),
	"layout": layoutText,
}

// abstractRunes is how many characters an abstract has at most.
const abstractRunes = 200

// beginning returns the first words of a text, in one line of up to n
// characters. Words stay whole, unless the first is longer than n.
func beginning(text string, n int) string {
	var out strings.Builder
	for w := range strings.FieldsSeq(text) {
		size := utf8.RuneCountInString(w)
		if out.Len() == 0 && size > n {
			return string([]rune(w)[:n]) // Chinese has no spaces
		}
		if n -= size + 1; n < -1 {
			break
		}
		if out.Len() > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(w)
	}
	return out.String()
}

// ofPage returns a function that computes a column of a body that divides into
// blocks. For other bodies the column is NULL.
func ofPage(f func(*response, *block.Body) value.Value) func(*response) value.Value {
	return func(r *response) value.Value {
		b := r.blocks()
		if b == nil {
			return value.Value{}
		}
		return f(r, b)
	}
}

// textOrNull returns s as a Text, or NULL if it is "".
func textOrNull(s string) value.Value {
	if s == "" {
		return value.Value{}
	}
	return value.OfText(s)
}

// dateForms are the formats of dates that RFC 9110 requires recipients to
// accept.
var dateForms = []string{"Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 MST", time.ANSIC}

// headerTime returns the date in a header. If it cannot be read, or is of the
// year 0, which no Time has, headerTime returns NULL.
func headerTime(p *record.Payload, name string) value.Value {
	text := message.Header(p.Head, name)
	for _, form := range dateForms {
		if t, err := time.Parse(form, text); err == nil && t.Year() > 0 {
			return value.OfTime(record.At(t))
		}
	}
	return value.Value{}
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

package relation

import (
	"context"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"infomall/exec/value"
	"infomall/store/block/about"
	"infomall/store/block/divide"
	"infomall/store/page/charset"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
	"infomall/store/words"
)

// Versions is the relation versions.
var Versions = made(Relation{
	Name: "versions", Doc: "one state of a page", Scoped: true, OfVersions: true, Order: []string{"url", "time"}, RefColumns: refColumns,
	Columns: []Column{
		asInCaptures("url"),
		ofFirst("time", value.Time, "first seen so", func(v *value.Vector, b *record.Batch) { times(v, b.Time[:b.N]) }),
		ofSpan("last_seen", value.Time, "last seen so", func(v *value.Vector, b *spanBatch) { times(v, b.Last[:b.N]) }).ahead(),
		ofSpan("next", value.Time, "when the next version was first seen", func(v *value.Vector, b *spanBatch) { times(v, b.Next[:b.N]) }).ahead(),
		ofSpan("not_before", value.Time, "last visit that still found the state before", func(v *value.Vector, b *spanBatch) { times(v, b.Previous[:b.N]) }).needs(record.ColPrevious),
		ofSpan("previous", value.Time, "when the version before was first seen", func(v *value.Vector, b *spanBatch) { times(v, b.PreviousVersion[:b.N]) }).needs(record.ColPrevious),
		ofSpan("as_of", value.Time, "the moment that AT or NEAREST asks for, or the end of the period of EACH", func(v *value.Vector, b *spanBatch) { times(v, b.AsOf[:b.N]) }),
		ofSpan("visits", value.Int, "captures that found it", func(v *value.Vector, b *spanBatch) { ints(v, b.Visits[:b.N]) }).ahead(),
		asInCaptures("status"),
		asInCaptures("kind"),
		asInCaptures("mime"),
		ofFirst("charset", value.Text, "what the body is read as", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Charset[:b.N]) }).needs(record.ColPage),
		ofFirst("declared_charset", value.Text, "what header or page says it is", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.DeclaredCharset[:b.N]) }).needs(record.ColPage),
		ofFirst("charset_source", value.Text, "how charset was found: bom, header, meta, xml, detected, host or default", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.CharsetSource[:b.N]) }).needs(record.ColPage),
		asInCaptures("truncated"),
		ofFirst("unread", value.Text, "why only the first part of the body was read", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Unread[:b.N]) }).needs(record.ColPage),
		asInCaptures("bytes"),
		ofFirst("change", value.Text, "against the version before: first, gone, back, kind, changed or layout", func(v *value.Vector, b *record.Batch) { names(v, b.Change[:b.N]) }).needs(record.ColChange),
		asInCaptures("changed"),
		ofFirst("title", value.Text, "what the page calls itself", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Title[:b.N]) }).needs(record.ColPage),
		ofFirst("lang", value.Text, "language that it says it is in, or that its script gives away", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Lang[:b.N]) }).needs(record.ColPage),
		asInCaptures("digest"),
		asInCaptures("ip"),
		asInCaptures("origin"),
		asInCaptures("location"),
		asInCaptures("pool"),
		ofFirst("block_count", value.Int, "blocks of the finest level", func(v *value.Vector, b *record.Batch) { sizes(v, b.BlockCount[:b.N]) }).needs(record.ColPage),
		ofFirst("link_count", value.Int, "links", func(v *value.Vector, b *record.Batch) { sizes(v, b.LinkCount[:b.N]) }).needs(record.ColPage),
		asInCaptures("urlkey"),
		asInCaptures("host"),
		asInCaptures("domain"),
		ofFirst("path", value.Text, "path of the URL, decoded", func(v *value.Vector, b *record.Batch) { ofURL(v, b.URL[:b.N], urlkey.Path) }),
		ofFirst("depth", value.Int, "number of parts of the path", func(v *value.Vector, b *record.Batch) { depths(v, b.URL[:b.N]) }),
		asInCaptures("job"),
		ofSpan("new_blocks", value.Int, "blocks of the finest level that the version before has not", func(v *value.Vector, b *spanBatch) { sizes(v, b.NewBlocks[:b.N]) }).aside().needs(record.ColPrevious),
		ofSpan("stored_bytes", value.Int, "size of these, and of the layout if that is new: the most that is stored for it, before compression", func(v *value.Vector, b *spanBatch) { sizes(v, b.StoredBytes[:b.N]) }).aside().needs(record.ColPrevious),
		payload("substantial", value.Bool, "whether words came or went that are no dates, counters and the like; true of the first", ofHistory(func(v *learnedVersion) value.Value { return value.OfBool(v.substantial()) })),
		payload("reason", value.Text, "why it is soft_missing, or else not substantial: markup, order, date, time, counter, token", ofHistory(func(v *learnedVersion) value.Value { return textOrNull(v.reason) })),
		payload("level", value.Int, "level at which the blocks of its URL tell most of changes, learned from the versions up to it", ofHistory(func(v *learnedVersion) value.Value { return value.OfInt(int64(v.level)) })),
		payload("level_reason", value.Text, "why it is finer or coarser than level 2", ofHistory(func(v *learnedVersion) value.Value { return textOrNull(v.levelReason) })),
		payload("simhash", value.Int, "fingerprint of the text: similar texts differ in few bits", ofPage(simhashOfPage)),
		payload("text", value.Text, "all visible text, in reading order", ofPage(allText)),
		payload("main", value.Text, "what it is about: its article, without the frame, asides and forms", ofPage(mainText)),
		payload("page_type", value.Text, "detail, list or unknown: about something itself, or leading to other pages", ofPage(func(b *divide.Body) value.Value { return value.OfText(about.TypeOf(b).String()) })),
		payload("html", value.Text, "body, decoded, as UTF-8; NULL if it is no text", ofResponse(decodedBody)),
		payload("headers", value.Text, "status line and headers as received", ofResponse(func(r *response) value.Value { return textOrNull(strings.ToValidUTF8(string(r.Head), "\uFFFD")) })),
		payload("topic", value.Text, "what the page is about, in words of its own", ofPage(func(b *divide.Body) value.Value {
			return textOrNull(about.Topic(b.Page.Body, b.Charset, b.Profile, about.TopicOptions{}))
		})),
		payload("author", value.Text, "author that the page names", ofResponse(func(r *response) value.Value { return textOrNull(r.about().Author) })),
		payload("description", value.Text, "what the page says that it is about", ofResponse(func(r *response) value.Value { return textOrNull(r.about().Description) })),
		payload("keywords", value.Text, "keywords that the page names", ofResponse(func(r *response) value.Value { return textOrNull(r.about().Keywords) })),
		payload("abstract", value.Text, "how main begins, in up to 200 characters and whole words", ofPage(func(b *divide.Body) value.Value { return textOrNull(beginning(about.MainText(b), abstractRunes)) })),
		payload("last_modified", value.Time, "what the header of that name says", ofResponse(func(r *response) value.Value { return headerTime(&r.Payload, "Last-Modified") })),
		payload("etag", value.Text, "what the header of that name says", ofResponse(func(r *response) value.Value { return textOrNull(message.Header(r.Head, "ETag")) })),
		payload("expires", value.Time, "what the header of that name says", ofResponse(func(r *response) value.Value { return headerTime(&r.Payload, "Expires") })),
		payload("layout", value.Text, "html without its blocks, with <!--block--> in place of each", ofResponse(layoutText)),
	},
}, func(b *spanBatch) int { return b.N }, versionRefs, (*Reader).versions)

// ofSpan declares a column of versions.
func ofSpan(name string, t value.Type, doc string, fill func(*value.Vector, *spanBatch)) Column {
	return Column{Name: name, Type: t, Doc: doc, fill: fill}
}

// ofFirst declares a column of versions that is one of the capture that began
// the version.
func ofFirst(name string, t value.Type, doc string, fill func(*value.Vector, *record.Batch)) Column {
	return ofSpan(name, t, doc, func(v *value.Vector, b *spanBatch) { fill(v, &b.Batch) })
}

// asInCaptures declares the column of captures with this name for versions: its
// value is that of the capture that began the version.
func asInCaptures(name string) Column {
	c := Captures.Column(name)
	return ofFirst(c.Name, c.Type, c.Doc, c.fill.(func(*value.Vector, *record.Batch))).needs(c.Needs)
}

// versionRefs names the first captures of the versions of a batch.
func versionRefs(hidden []*value.Vector, b *spanBatch) { packRefs(hidden, b.Ref[:b.N]) }

// versions yields versions.
func (r *Reader) versions(ctx context.Context, n *Request) iter.Seq2[*spanBatch, error] {
	in := r.spans(ctx, r.Snapshot.Scan(ctx, n.Scan(record.ColChange)), n, false)
	if n.Asks("new_blocks", "stored_bytes") {
		in = r.brought(ctx, n, in)
	}
	return in
}

// allText returns the visible text of a page.
func allText(b *divide.Body) value.Value { return value.OfText(b.Page.Text(b.Charset)) }

// mainText returns what a page is about.
func mainText(b *divide.Body) value.Value { return value.OfText(about.MainText(b)) }

// simhashOfPage returns the fingerprint of the text of a page.
func simhashOfPage(b *divide.Body) value.Value {
	var s words.Simhash
	s.Add(b.Page.Text(b.Charset), 1)
	return value.OfInt(int64(s.Sum()))
}

// decodedBody returns the body as UTF-8, or NULL if it is not a text.
func decodedBody(r *response) value.Value {
	if !r.text() {
		return value.Value{}
	}
	return value.OfText(string(charset.ToUTF8(r.body, r.charset)))
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

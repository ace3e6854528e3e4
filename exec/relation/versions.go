package relation

import (
	"context"
	"iter"
	"slices"
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

// Versions declares the relation versions, which has one row per version: one
// state of a page.
var Versions = withRead(Relation{
	Name: "versions", Doc: "one state of a page", Scoped: true, OfVersions: true, OfURL: true, Order: []string{"url", "time"}, RefColumns: senseRefColumns,
	Columns: append([]Column{
		asInCaptures("url"),
		ofFirst("time", value.Time, "when the version was first seen", func(v *value.Vector, b *record.Batch) { times(v, b.Time[:b.N]) }),
		ofSpan("last_seen", value.Time, "when the version was last seen", func(v *value.Vector, b *spanBatch) { times(v, b.Last[:b.N]) }).ahead(),
		ofSpan("next", value.Time, "when the next version was first seen", func(v *value.Vector, b *spanBatch) { times(v, b.Next[:b.N]) }).ahead(),
		ofFirst("not_before", value.Time, "time of the last capture of the previous version", func(v *value.Vector, b *record.Batch) { times(v, b.Previous[:b.N]) }).needs(record.ColPrevious),
		ofFirst("previous", value.Time, "when the previous version was first seen", func(v *value.Vector, b *record.Batch) { times(v, b.PreviousVersion[:b.N]) }).needs(record.ColPrevious),
		ofSpan("as_of", value.Time, "time given by AT or NEAREST, or the end of the EACH period", func(v *value.Vector, b *spanBatch) { times(v, b.AsOf[:b.N]) }),
		ofSpan("known_from", value.Time, "with AT and EACH: time of the last visit not after as_of", func(v *value.Vector, b *spanBatch) { times(v, b.KnownFrom[:b.N]) }).ahead(),
		ofSpan("known_until", value.Time, "with AT and EACH: time of the first visit not before as_of; NULL if there is none", func(v *value.Vector, b *spanBatch) { times(v, b.KnownUntil[:b.N]) }).ahead(),
		ofSpan("gap", value.Duration, "time from known_from to known_until: how sure the state at as_of is", gaps).ahead(),
		ofSpan("visits", value.Int, "number of captures of the version", func(v *value.Vector, b *spanBatch) { ints(v, b.Visits[:b.N]) }).ahead(),
		asInCaptures("status"),
		asInCaptures("kind"),
		asInCaptures("mime"),
		asInCaptures("charset"),
		ofFirst("declared_charset", value.Text, "charset declared by the header or the page", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.DeclaredCharset[:b.N]) }).needs(record.ColCharset),
		ofFirst("charset_source", value.Text, "source of charset: bom, header, meta, xml, detected, host or default", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.CharsetSource[:b.N]) }).needs(record.ColCharset),
		asInCaptures("truncated"),
		ofFirst("unread", value.Text, "why only the first part of the body was read", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Unread[:b.N]) }).needs(record.ColCharset),
		asInCaptures("bytes"),
		ofFirst("change", value.Text, "difference from the previous version: first, gone, back, kind, changed or layout", func(v *value.Vector, b *record.Batch) { names(v, b.Change[:b.N]) }).needs(record.ColChange),
		asInCaptures("changed"),
		ofFirst("title", value.Text, "title of the page", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Title[:b.N]) }).needs(record.ColTitle),
		asInCaptures("lang"),
		asInCaptures("digest"),
		asInCaptures("ip"),
		asInCaptures("origin"),
		asInCaptures("location"),
		asInCaptures("pool"),
		ofFirst("block_count", value.Int, "number of blocks at the finest level", func(v *value.Vector, b *record.Batch) { sizes(v, b.BlockCount[:b.N]) }).needs(record.ColCounts),
		ofFirst("link_count", value.Int, "number of links", func(v *value.Vector, b *record.Batch) { sizes(v, b.LinkCount[:b.N]) }).needs(record.ColCounts),
		asInCaptures("urlkey"),
		asInCaptures("host"),
		asInCaptures("domain"),
		ofFirst("path", value.Text, "path of the URL, decoded", func(v *value.Vector, b *record.Batch) { ofURL(v, b.URLs()[:b.N], urlkey.Path) }).fromURL(),
		ofFirst("depth", value.Int, "number of path segments", func(v *value.Vector, b *record.Batch) { depths(v, b.URLs()[:b.N]) }).fromURL(),
		asInCaptures("job"),
		asInCaptures("source_file").OnRequest(),
		asInCaptures("source_offset").OnRequest(),
		asInCaptures("record_id").OnRequest(),
		ofSpan("new_blocks", value.Int, "number of blocks at the finest level that are not in the previous version", func(v *value.Vector, b *spanBatch) { sizes(v, b.NewBlocks[:b.N]) }).OnRequest().needs(record.ColPrevious),
		ofSpan("stored_bytes", value.Int, "size of the new blocks, and of the layout if it is new: the most that is stored for the version, before compression", func(v *value.Vector, b *spanBatch) { sizes(v, b.StoredBytes[:b.N]) }).OnRequest().needs(record.ColPrevious),
		payload("substantial", value.Bool, "whether words other than dates, counters and the like were added or removed; true for a first version", substantialVersion).needs(record.ColSense).on(OnEarlier),
		payload("reason", value.Text, "for soft_missing, how it was recognised; for a document, why it or the rest of it could not be read; else why the change is not substantial: markup, order, date, time, counter, token", ofHistory(func(v *learnedVersion) value.Value { return value.TextOrNull(v.reason) })).on(OnEarlier),
		payload("level", value.Int, "level at which the blocks of this URL describe changes best, learned from the versions up to this one", ofHistory(func(v *learnedVersion) value.Value { return value.OfInt(int64(v.level)) })).on(OnEarlier),
		payload("level_reason", value.Text, "why level is finer or coarser than 2", ofHistory(func(v *learnedVersion) value.Value { return value.TextOrNull(v.levelReason) })).on(OnEarlier),
		payload("simhash", value.Int, "fingerprint of the text: similar texts differ in few bits", ofPage(simhashOfPage)),
		payload("text", value.Text, "all visible text, in reading order", ofPage(allText)).textOfPage(wholeText, 0),
		payload("main", value.Text, "main content: the article, without page frame, asides and forms", ofPage(mainText)).textOfPage(inParts, 0),
		payload("page_type", value.Text, "detail (about one subject), list (leads to other pages) or unknown", ofPage(func(b *divide.Body) value.Value { return value.OfText(about.TypeOf(b).String()) })),
		payload("format", value.Text, "what the body is by its bytes: identifier in the registry PRONOM, such as fmt/18; NULL if unknown", ofResponse(formatID)),
		payload("format_name", value.Text, "name of format, with its version", ofResponse(formatName)),
		payload("format_newest", value.Text, "identifier of the latest version of format in PRONOM, such as fmt/276 (PDF 1.7) for fmt/18; NULL if format is the latest", ofResponse(formatNewest)),
		payload("format_basis", value.Text, "by what format was found: signature, container (what is inside of a zip or OLE2 file) or text (the body is text without a signature)", ofResponse(formatBasis)),
		payload("mime_agrees", value.Bool, "whether mime is a media type of format; NULL if either is unknown, or mime says nothing, such as application/octet-stream", ofResponse(mimeAgrees)),
		payload("html", value.Text, "body, decoded to UTF-8; NULL if it is not text", ofResponse(decodedBody)),
		payload("headers", value.Text, "status line and headers as received", ofResponse(func(r *response) value.Value { return value.TextOrNull(strings.ToValidUTF8(string(r.Head), "\uFFFD")) })),
		payload("topic", value.Text, "topic of the page, in words from the page", ofPage(func(b *divide.Body) value.Value {
			return value.TextOrNull(about.Topic(b.Page.Body, b.Charset, b.Profile, about.TopicOptions{}))
		})),
		payload("description", value.Text, "description given by the page", ofResponse(func(r *response) value.Value { return value.TextOrNull(r.about().Description) })),
		payload("keywords", value.Text, "keywords given by the page", ofResponse(func(r *response) value.Value { return value.TextOrNull(r.about().Keywords) })),
		payload("abstract", value.Text, "beginning of main, at most 200 characters, in whole words", ofPage(func(b *divide.Body) value.Value { return value.TextOrNull(Beginning(about.MainText(b), abstractRunes)) })),
		payload("places", value.Text, "names of the places that title and main name, in the order in which they do, joined by ', '; see gazetteer", namedPlaces),
		payload("last_modified", value.Time, "time in the Last-Modified header", ofResponse(func(r *response) value.Value { return headerTime(&r.Payload, "Last-Modified") })),
		payload("etag", value.Text, "value of the ETag header", ofResponse(func(r *response) value.Value { return value.TextOrNull(message.Header(r.Head, "ETag")) })),
		payload("expires", value.Time, "time in the Expires header", ofResponse(func(r *response) value.Value { return headerTime(&r.Payload, "Expires") })),
		payload("layout", value.Text, "html with each block replaced by <!--block-->", ofResponse(layoutText)),
	}, slices.Concat(documentColumns, articleColumns)...),
}, func(b *spanBatch) int { return b.N }, versionRefs, (*Reader).versionRows)

// ofSpan returns a column of the relation versions with this name, type and
// documentation. fill sets a vector to the values of the column for a batch of
// versions.
func ofSpan(name string, t value.Type, doc string, fill func(*value.Vector, *spanBatch)) Column {
	return Column{Name: name, Type: t, Doc: doc, fill: fill}
}

// ofFirst returns a column of the relation versions whose value is taken from
// the first capture of the version. fill sets a vector to the values of the
// column for a batch of these captures.
func ofFirst(name string, t value.Type, doc string, fill func(*value.Vector, *record.Batch)) Column {
	c := ofSpan(name, t, doc, func(v *value.Vector, b *spanBatch) { fill(v, &b.Batch) })
	c.ofFirst = true
	return c
}

// asInCaptures returns a column of the relation versions that has the name,
// type and documentation of a column of the relation captures. Its value is
// taken from the first capture of the version.
func asInCaptures(name string) Column {
	c := Captures.Column(name)
	same := ofFirst(c.Name, c.Type, c.Doc, c.fill.(func(*value.Vector, *record.Batch))).needs(c.Needs)
	same.FromURL = c.FromURL
	if raw, ok := c.raw.(func(*value.Vector, *record.Batch)); ok {
		same.raw = func(v *value.Vector, b *spanBatch) { raw(v, &b.Batch) }
	}
	if key, ok := c.key.(func(*value.Vector, *record.Batch)); ok {
		same.key = func(v *value.Vector, b *spanBatch) { key(v, &b.Batch) }
	}
	return same
}

// versionRefs fills the hidden columns for the versions in b with the ref of
// the first capture of each version and its Sense, if the scan reads that. The rows of a tally
// have a single hidden column: the number of versions.
func versionRefs(hidden []*value.Vector, b *spanBatch) {
	if len(hidden) == 1 {
		ints(hidden[0], b.Count[:b.N])
		return
	}
	packRefs(hidden, b.Ref[:b.N])
	hidden[refColumns].Resize(value.Int, b.N)
	clear(hidden[refColumns].Ints)
	if b.Sense == nil {
		return
	}
	for i, s := range b.Sense[:b.N] {
		hidden[refColumns].Ints[i] = int64(s)
	}
}

// substantialVersion computes the column substantial of the relation versions. Usually the import
// has stored the value. Otherwise the version is compared with the earlier ones.
func substantialVersion(l *LateRow) (value.Value, error) {
	if s := record.Sense(l.number(refColumns)); s != record.SenseUnknown && options(l.request) == (divide.Options{}) {
		return value.OfBool(s == record.SenseContent), nil
	}
	return ofHistory(func(v *learnedVersion) value.Value { return value.OfBool(v.substantial()) })(l)
}

// versionRows yields the rows of the relation versions that n asks for, in batches, sorted by URL
// and time. With n.Tally, the order is undefined, and a row may stand for several versions.
//
// If all columns are computed from the first captures of versions, versionRows reads only these
// captures, and does not group captures into versions.
func (r *Reader) versionRows(ctx context.Context, n *Request) iter.Seq2[*spanBatch, error] {
	switch {
	case n.Tally != nil:
		t := n.counted()
		t.Versions = true
		if n.Tally.Words != nil {
			return r.counted(ctx, n, t)
		}
		return firsts(r.Snapshot.Tally(ctx, t))
	case n.Once:
		return firsts(r.Snapshot.Scan(ctx, n.urlScan()))
	case n.Choice.Kind == ChooseAll && n.During == record.MinTime && !slices.ContainsFunc(n.Fields, func(f *Column) bool { return !f.ofFirst && !f.Late() }):
		return firsts(begun(r.Snapshot.Scan(ctx, n.Scan(record.ColChange))))
	}
	return r.versions(ctx, n)
}

// versions yields the versions that n chooses, in batches, sorted by URL and time.
func (r *Reader) versions(ctx context.Context, n *Request) iter.Seq2[*spanBatch, error] {
	in := r.spans(ctx, r.Snapshot.Scan(ctx, n.Scan(record.ColChange)), n, false)
	if n.Asks("new_blocks", "stored_bytes") {
		in = r.brought(ctx, n, in)
	}
	return in
}

// begun yields those captures of a scan that begin a version. The scan must read the column change.
func begun(scan record.Rows) record.Rows {
	return func(yield func(*record.Batch, error) bool) {
		var out record.Batch
		for b, err := range scan {
			if err == nil && slices.Contains(b.Change[:b.N], record.ChangeSame) {
				out.N = 0
				for i, c := range b.Change[:b.N] {
					if c != record.ChangeSame {
						out.CopyRow(out.N, b, i)
						out.N++
					}
				}
				b = &out
			}
			if (err != nil || b.N > 0) && !yield(b, err) {
				return
			}
		}
	}
}

// firsts yields each row of a scan as a version. Only the columns of the scan, those of the first
// capture of the version, have values.
func firsts(scan record.Rows) iter.Seq2[*spanBatch, error] {
	return func(yield func(*spanBatch, error) bool) {
		for b, err := range scan {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&spanBatch{Batch: *b}, nil) {
				return
			}
		}
	}
}

// allText returns as a Text all visible text of the page b.
func allText(b *divide.Body) value.Value { return value.OfText(b.Page.Text(b.Charset)) }

// mainText returns as a Text what the page b is about: its article, without
// navigation, asides and forms.
func mainText(b *divide.Body) value.Value { return value.OfText(about.MainText(b)) }

// simhashOfPage returns as an Int the simhash of the text of the page b: a
// fingerprint that differs in few bits between similar texts.
func simhashOfPage(b *divide.Body) value.Value {
	var s words.Simhash
	s.Add(b.Page.Text(b.Charset), 1)
	return value.OfInt(int64(s.Sum()))
}

// decodedBody returns as a Text the body of r, converted to UTF-8, or NULL if
// the body is missing or not a text.
func decodedBody(r *response) value.Value {
	if !r.text() {
		return value.Value{}
	}
	return value.OfText(string(charset.ToUTF8(r.body, r.charset)))
}

// abstractRunes is how many characters an abstract has at most.
const abstractRunes = 200

// Beginning returns the first words of text, with one space between them, in at
// most n characters. Words stay whole. But if the first word alone is longer
// than n, Beginning returns the first n characters of this word.
func Beginning(text string, n int) string {
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

// headerTime returns as a Time the date in the response header with this name.
// It returns NULL if there is no such header, or the date cannot be read or is
// in the year 0, which a Time cannot represent.
func headerTime(p *record.Payload, name string) value.Value {
	text := message.Header(p.Head, name)
	for _, form := range dateForms {
		if t, err := time.Parse(form, text); err == nil && t.Year() > 0 {
			return value.OfTime(record.At(t))
		}
	}
	return value.Value{}
}

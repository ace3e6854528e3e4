package relation

import (
	"context"
	"iter"
	"strings"

	"infomall/exec/value"
	"infomall/store/block/divide"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Captures declares the relation captures, which has one row per capture: one
// visit of a URL that got a response.
var Captures = withRead(Relation{
	Name: "captures", Doc: "one capture: a visit that got a response", Scoped: true, OfVisits: true, OfURL: true, Order: []string{"url", "time"}, RefColumns: refColumns,
	Columns: []Column{
		captured("url", value.URL, "canonical URL", func(v *value.Vector, b *record.Batch) { urls(v, b.URLs()[:b.N]) }).fromURL().
			orKey(func(v *value.Vector, b *record.Batch) { urls(v, b.Key[:b.N]) }),
		captured("time", value.Time, "when the URL was fetched", func(v *value.Vector, b *record.Batch) { times(v, b.Time[:b.N]) }),
		captured("status", value.Int, "HTTP status", func(v *value.Vector, b *record.Batch) { statuses(v, b.Status[:b.N]) }).needs(record.ColStatus),
		captured("kind", value.Text, "page, redirect, missing, soft_missing, denied or error", func(v *value.Vector, b *record.Batch) { names(v, b.Kind[:b.N]) }).needs(record.ColKind),
		captured("mime", value.Text, "media type, without parameters", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Mime[:b.N]) }).needs(record.ColMime),
		captured("bytes", value.Int, "size of the body", func(v *value.Vector, b *record.Batch) { sizes(v, b.Bytes[:b.N]) }).needs(record.ColBytes),
		captured("digest", value.Text, "sha256 of the body, in hex", func(v *value.Vector, b *record.Batch) { digests(v, b.Digest[:b.N]) }).needs(record.ColDigest).
			orRaw(func(v *value.Vector, b *record.Batch) { rawDigests(v, b.Digest[:b.N]) }),
		captured("change", value.Text, "difference from the previous capture: first, gone, back, kind, changed, layout or same", func(v *value.Vector, b *record.Batch) { names(v, b.Change[:b.N]) }).needs(record.ColChange),
		captured("changed", value.Bool, "whether change is gone, back, kind or changed", changed).needs(record.ColChange),
		captured("location", value.URL, "target of a redirect", func(v *value.Vector, b *record.Batch) { texts(v, value.URL, b.Location[:b.N]) }).needs(record.ColLocation),
		captured("reason", value.Text, "for soft_missing, how it was recognised", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Reason[:b.N]) }).needs(record.ColReason),
		captured("ip", value.Text, "IP address of the server", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.IP[:b.N]) }).needs(record.ColIP),
		captured("origin", value.URL, "URL requested first, if a redirect led here", func(v *value.Vector, b *record.Batch) { texts(v, value.URL, b.Origin[:b.N]) }).needs(record.ColOrigin),
		captured("asked_url", value.Text, "URL as received, not made canonical", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.AskedURL[:b.N]) }).needs(record.ColAskedURL),
		captured("urlkey", value.Text, "normalized URL key, as in CDX files", func(v *value.Vector, b *record.Batch) { ofURL(v, b.URLs()[:b.N], urlkey.CDX) }).fromURL(),
		captured("host", value.Text, "host of the URL", func(v *value.Vector, b *record.Batch) { hosts(v, b) }).fromURL(),
		captured("domain", value.Text, "registered domain of the host", func(v *value.Vector, b *record.Batch) { domains(v, b) }).fromURL(),
		captured("truncated", value.Bool, "whether the body was cut when fetched", func(v *value.Vector, b *record.Batch) { *v = value.Vector{Type: value.Bool, Bools: b.Truncated[:b.N]} }).needs(record.ColTruncated),
		captured("noarchive", value.Bool, "whether the page asks robots to keep no copy", func(v *value.Vector, b *record.Batch) { *v = value.Vector{Type: value.Bool, Bools: b.NoArchive[:b.N]} }).needs(record.ColNoArchive),
		captured("previous", value.Time, "time of the previous capture", func(v *value.Vector, b *record.Batch) { times(v, b.Previous[:b.N]) }).needs(record.ColPrevious),
		captured("version_time", value.Time, "when the captured version began", func(v *value.Vector, b *record.Batch) { times(v, b.VersionTime[:b.N]) }).needs(record.ColVersionTime),
		captured("pool", value.Text, "pool that contains the capture", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Pool[:b.N]) }).needs(record.ColPool),
		captured("added", value.Time, "when the capture was added to this archive", func(v *value.Vector, b *record.Batch) { times(v, b.Added[:b.N]) }).needs(record.ColAdded),
		captured("job", value.Text, "name of the import or crawl that added the capture", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Job[:b.N]) }).needs(record.ColJob),
		captured("source_file", value.Text, "file that the capture came from", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Source[:b.N]) }).needs(record.ColSource),
		captured("source_offset", value.Int, "offset in that file, in bytes", func(v *value.Vector, b *record.Batch) { ints(v, b.SourceOffset[:b.N]) }).needs(record.ColSource),
		captured("record_id", value.Text, "record ID from that file", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.RecordID[:b.N]) }).needs(record.ColSource),
		captured("declared_digest", value.Text, "digest declared in that file", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.DeclaredDigest[:b.N]) }).needs(record.ColDeclaredDigest),
		captured("via_record", value.Text, "type of the record: response, revisit, not_modified or resource", func(v *value.Vector, b *record.Batch) { names(v, b.Via[:b.N]) }).needs(record.ColVia),
		captured("charset", value.Text, "charset used to decode the body", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Charset[:b.N]) }).needs(record.ColCharset).OnRequest(),
		captured("lang", value.Text, "language declared by the page, or inferred from its script", func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Lang[:b.N]) }).needs(record.ColLang).OnRequest(),
		captured("request", value.Text, "request line and headers as sent, if they were kept", func(v *value.Vector, b *record.Batch) { requests(v, b.Request[:b.N]) }).needs(record.ColRequest).OnRequest(),
	},
}, func(b *record.Batch) int { return b.N }, captureRefs, (*Reader).captures)

// captured returns a column of the relation captures with this name, type and
// documentation. fill sets a vector to the values of the column for a batch of
// captures.
func captured(name string, t value.Type, doc string, fill func(*value.Vector, *record.Batch)) Column {
	return Column{Name: name, Type: t, Doc: doc, fill: fill}
}

// orRaw returns a copy of c that also has a raw form, a shorter one that sorts and compares alike.
// raw fills a vector with it.
func (c Column) orRaw(raw func(*value.Vector, *record.Batch)) Column {
	c.raw = raw
	return c
}

// orKey returns a copy of c that also has a form with keys in place of URLs, with which key fills
// a vector.
func (c Column) orKey(key func(*value.Vector, *record.Batch)) Column {
	c.key = key
	return c
}

// captureRefs fills the hidden columns for the captures in b with their refs,
// which identify them. The rows of a tally, which stand for several captures
// each, have a single hidden column: the number of captures.
func captureRefs(hidden []*value.Vector, b *record.Batch) {
	if len(hidden) == 1 {
		ints(hidden[0], b.Count[:b.N])
		return
	}
	packRefs(hidden, b.Ref[:b.N])
}

// captures yields the captures that n selects, in batches. With a choice such as AT, it yields the
// captures of the chosen versions. With n.Tally, which counts captures without listing them, a row
// may stand for several captures.
func (r *Reader) captures(ctx context.Context, n *Request) iter.Seq2[*record.Batch, error] {
	switch {
	case n.Tally != nil:
		return r.Snapshot.Tally(ctx, n.counted())
	case n.Choice.Kind != ChooseAll:
		return r.chosen(ctx, n)
	case n.Once:
		return r.Snapshot.Scan(ctx, n.urlScan())
	}
	return r.visits(ctx, n, n.Scan(0))
}

// changed sets v to the values of the column changed for the captures in b:
// true if the capture differs from the one before.
func changed(v *value.Vector, b *record.Batch) {
	v.Resize(value.Bool, b.N)
	for i, c := range b.Change[:b.N] {
		v.Bools[i] = c.Changed()
	}
}

// requests sets v to the given heads of HTTP requests, in UTF-8. An empty head becomes NULL.
func requests(v *value.Vector, heads []string) {
	valid := make([]string, len(heads))
	for i, head := range heads {
		valid[i] = strings.ToValidUTF8(head, "\uFFFD")
	}
	texts(v, value.Text, valid)
}

// hosts sets v to the host of each row of b, NULL for a URL without a host. It
// computes hosts from the URLs, except in a tally, whose rows stand for several
// captures and have hosts instead of URLs.
func hosts(v *value.Vector, b *record.Batch) {
	if b.Host != nil {
		texts(v, value.Text, b.Host[:b.N])
		return
	}
	ofURL(v, b.URLs()[:b.N], urlkey.Host)
}

// domains sets v to the registered domain of each row of b, NULL for a row
// without a host. It computes domains from the URLs, except in a tally, whose
// rows stand for several captures and have hosts instead of URLs.
func domains(v *value.Vector, b *record.Batch) {
	if b.Host != nil {
		ofURL(v, b.Host[:b.N], domainOf)
		return
	}
	ofURL(v, b.URLs()[:b.N], urlkey.Domain)
}

// domainOf returns the registered domain of a host, such as pku.edu.cn for
// www.pku.edu.cn, or "" if the host is "".
func domainOf(host string) string {
	if host == "" {
		return ""
	}
	return urlkey.Domain("http://" + host + "/")
}

// Visits yields the captures that n selects, with the columns Change and Sense, sorted by URL and
// time. An import computes the Sense of a capture for one way to
// divide pages into blocks. If n asks for another way, each Sense is record.SenseUnknown. If r.Watch
// is set, it can report the progress of the reading.
func (r *Reader) Visits(ctx context.Context, n *Request) record.Rows {
	return func(yield func(*record.Batch, error) bool) {
		work := NewWork(n)
		if r.Watch != nil {
			defer r.Watch(ctx, work)()
		}
		counted, end := work.Begin(n)
		defer end()
		plain := options(n) == (divide.Options{})
		for b, err := range r.visits(ctx, counted, counted.Scan(record.ColChange|record.ColSense)) {
			if err == nil && !plain {
				clear(b.Sense)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

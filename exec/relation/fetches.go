package relation

import (
	"context"
	"iter"
	"slices"

	"infomall/crawl/report"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Fetches declares the relation fetches, which has one row per attempt of a
// crawl to fetch a URL.
var Fetches = list(Relation{
	Name: "fetches", Doc: "one attempt of a crawl to fetch a URL, or a decision not to fetch it", Scoped: true, OwnTime: "time", OfSession: true,
	Columns: []Column{
		urlOf("url", "canonical URL", func(f *report.Fetch) string { return f.URL }),
		timeOf("time", "when the attempt began", func(f *report.Fetch) record.Time { return f.Time }),
		textOf("outcome", "ok, not_modified, redirect, http_error, incomplete, timeout, unreachable, dns_failed, tls_error, robots_denied, filtered, truncated or internal_error", func(f *report.Fetch) string { return f.Outcome.String() }),
		answered("status", "HTTP status; NULL if there was no response", func(f *report.Fetch) int64 { return int64(f.Status) }),
		intOf("ms", "duration, in milliseconds", func(f *report.Fetch) int64 { return f.Elapsed.Milliseconds() }),
		answered("bytes", "size of the body; NULL if there was no response", func(f *report.Fetch) int64 { return f.Bytes }),
		textOf("ip", "IP address of the connection", func(f *report.Fetch) string { return f.IP }),
		intOf("hop", "number of redirects before this one", func(f *report.Fetch) int64 { return int64(f.Hop) }),
		urlOf("via", "page that led to this URL", func(f *report.Fetch) string { return f.Via }),
		textOf("reason", "reason for the outcome", func(f *report.Fetch) string { return f.Reason }),
		textOf("crawl", "name of the crawl", func(f *report.Fetch) string { return f.Crawl }),
	},
}, (*Reader).fetches)

// fetches yields the attempts of crawls to fetch a URL in the scope and the
// time window of n, several at a time. It yields nothing if there are no
// crawls.
func (r *Reader) fetches(ctx context.Context, n *Request) iter.Seq2[[]report.Fetch, error] {
	return func(yield func([]report.Fetch, error) bool) {
		if r.Crawls == nil {
			return
		}
		for list, err := range r.Crawls.Fetches(ctx) {
			list = slices.DeleteFunc(list, func(f report.Fetch) bool { return !asksFor(n, &f) })
			if err == nil && len(list) == 0 {
				continue
			}
			if !yield(list, err) || err != nil {
				return
			}
		}
	}
}

// asksFor reports whether the URL of the attempt f lies in the scope of n, and
// its time in the window of n.
func asksFor(n *Request, f *report.Fetch) bool {
	if f.Time < n.Window.From || f.Time >= n.Window.To {
		return false
	}
	if n.Ranges == nil {
		return true
	}
	key := urlkey.Key(f.URL)
	if n.Match != nil && !n.Match(key) {
		return false
	}
	return slices.ContainsFunc(n.Ranges, func(r urlkey.Range) bool { return r.Contains(key) })
}

// answered returns a column of the relation fetches, of type Int, that is NULL
// for attempts to which no server answered. f returns the value for the others.
func answered(name, doc string, f func(*report.Fetch) int64) Column {
	return intOrNull(name, doc, func(x *report.Fetch) (int64, bool) { return f(x), x.Bytes >= 0 })
}

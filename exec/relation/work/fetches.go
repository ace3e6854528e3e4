package work

import (
	"context"
	"iter"
	"slices"

	"infomall/crawl/report"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/store/record"
)

// Fetches declares the relation fetches, which has one row per attempt of a
// crawl to fetch a URL.
var Fetches = relation.List(relation.Relation{
	Name: "fetches", Doc: "one attempt of a crawl to fetch a URL, or a decision not to fetch it", Scoped: true, OwnTime: "time", OfSession: true,
	Columns: []relation.Column{
		relation.URLOf("url", "canonical URL", func(f *report.Fetch) string { return f.URL }),
		relation.TimeOf("time", "when the attempt began", func(f *report.Fetch) record.Time { return f.Time }),
		relation.TextOf("outcome", "ok, not_modified, redirect, http_error, incomplete, timeout, unreachable, dns_failed, tls_error, robots_denied, filtered, truncated or internal_error", func(f *report.Fetch) string { return f.Outcome.String() }),
		answered("status", "HTTP status; NULL if there was no response", func(f *report.Fetch) int64 { return int64(f.Status) }),
		relation.IntOf("ms", "duration, in milliseconds", func(f *report.Fetch) int64 { return f.Elapsed.Milliseconds() }),
		answered("bytes", "size of the body; NULL if there was no response", func(f *report.Fetch) int64 { return f.Bytes }),
		relation.TextOf("ip", "IP address of the connection", func(f *report.Fetch) string { return f.IP }),
		relation.IntOf("hop", "number of redirects before this one", func(f *report.Fetch) int64 { return int64(f.Hop) }),
		relation.URLOf("via", "page that led to this URL", func(f *report.Fetch) string { return f.Via }),
		relation.TextOf("reason", "reason for the outcome", func(f *report.Fetch) string { return f.Reason }),
		shown("rendered", value.Bool, "whether a browser showed the page; NULL if RENDER is not about the URL", func(s *report.Shown) value.Value { return value.OfBool(s.Rendered) }),
		shown("rendering", value.Text, "why a browser showed the page or not; NULL if RENDER is not about the URL", func(s *report.Shown) value.Value { return value.OfText(s.Why) }),
		shown("consent", value.Text, "rule of consent_rules that clicked on the shown page", func(s *report.Shown) value.Value { return value.TextOrNull(s.Consent) }),
		shown("behaviours", value.Text, "steps that made the shown page load more, and why they ended", func(s *report.Shown) value.Value { return value.TextOrNull(s.Behaviours) }),
		shown("sockets", value.Int, "number of WebSockets of the shown page, whose messages are not archived", func(s *report.Shown) value.Value { return value.OfInt(int64(s.Sockets)) }),
		relation.TextOf("crawl", "name of the crawl", func(f *report.Fetch) string { return f.Crawl }),
	},
}, fetches)

// fetches yields the attempts of crawls to fetch a URL in the scope and the
// time window of n, several at a time. It yields nothing if there are no
// crawls.
func fetches(r *relation.Reader, ctx context.Context, n *relation.Request) iter.Seq2[[]report.Fetch, error] {
	return func(yield func([]report.Fetch, error) bool) {
		if r.Crawls == nil {
			return
		}
		for list, err := range r.Crawls.Fetches(ctx) {
			list = slices.DeleteFunc(list, func(f report.Fetch) bool { return !n.Covers(f.URL, f.Time) })
			if err == nil && len(list) == 0 {
				continue
			}
			if !yield(list, err) || err != nil {
				return
			}
		}
	}
}

// answered returns a column of the relation fetches, of type Int, that is NULL
// for attempts to which no server answered. f returns the value for the others.
func answered(name, doc string, f func(*report.Fetch) int64) relation.Column {
	return relation.IntOrNull(name, doc, func(x *report.Fetch) (int64, bool) { return f(x), x.Bytes >= 0 })
}

// shown returns a column of the relation fetches, of type t, about what a browser made of a page.
// It is NULL if the clause RENDER of the crawl, which lets a browser show pages, does not concern
// the URL. f returns the value for other URLs.
func shown(name string, t value.Type, doc string, f func(*report.Shown) value.Value) relation.Column {
	return relation.ValueOf(name, t, doc, func(x *report.Fetch) value.Value {
		if x.Shown == nil {
			return value.Value{}
		}
		return f(x.Shown)
	})
}

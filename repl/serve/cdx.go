package serve

import (
	"compress/gzip"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"

	"infomall/repl/serve/cdx"
	"infomall/repl/serve/lookup"
	"infomall/repl/serve/replay"
)

// cdx answers a request to the CDX server.
func (s *server) cdx(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	v := r.URL.Query()
	if text := v.Get("q"); text != "" {
		snap, release, err := s.snapshot(r.Context())
		if err != nil {
			return err
		}
		defer release()
		w.Header().Set("Content-Type", "application/xml; charset=utf-8")
		return cdx.OpenWayback(r.Context(), w, snap, text)
	}
	q, err := cdx.Parse(v)
	if err != nil {
		return err
	}
	return s.answerCDX(w, r, q)
}

// cdxj answers a request for the TimeMap of a canonical URL in the format cdxj.
func (s *server) cdxj(w http.ResponseWriter, r *http.Request, u string) error {
	q, err := cdx.Parse(url.Values{"url": {u}, "matchType": {"exact"}, "output": {"cdxj"}})
	if err != nil {
		return err
	}
	return s.answerCDX(w, r, q)
}

// answerCDX sends the lines that q asks for.
func (s *server) answerCDX(w http.ResponseWriter, r *http.Request, q *cdx.Query) error {
	ctx := r.Context()
	snap, release, err := s.snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	if notModified(w, r, fmt.Sprintf(`W/"%s-%s"`, snap.State(), s.metrics.boot)) {
		return nil
	}
	h := w.Header()
	if q.NumPages() {
		lines, pages, err := q.Count(ctx, snap)
		if err != nil {
			return err
		}
		h.Set("Content-Type", q.MediaType())
		return q.WriteCount(w, lines, pages)
	}
	// The first line is read before the header is sent, so that an error can still
	// be answered as one.
	next, stop := iter.Pull2(q.Lines(ctx, snap))
	defer stop()
	line, err, ok := next()
	if err != nil {
		return err
	}
	if !ok && q.Page() > 0 {
		// Clients read pages until one is an error.
		return failf(http.StatusBadRequest, "there is no page %d; the first page is 0, and showNumPages=true says how many there are", q.Page())
	}
	h.Set("Content-Type", q.MediaType())
	h.Add("Vary", "Accept-Encoding")
	if r.Method == http.MethodHead {
		return nil
	}
	var out io.Writer = w
	if q.Gzip() && acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		out = z
	}
	base := s.origins.plainReplayOrigin(r)
	cw := cdx.NewWriter(out, q, func(l *cdx.Line) string {
		return base + "/" + lookup.Stamp(l.Time) + string(replay.PageTop) + "/" + quoted(l.URL)
	})
	for ; ok; line, err, ok = next() {
		if err != nil {
			return err
		}
		if err := cw.Write(line); err != nil {
			return err
		}
	}
	return cw.End()
}

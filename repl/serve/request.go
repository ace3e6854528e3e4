package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"infomall/exec/access"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/repl/ask"
	"infomall/repl/serve/cdx"
	"infomall/repl/serve/keep"
	"infomall/repl/serve/lookup"
	"infomall/store/record"
)

// replaysMax is how many captures replay reads at the same time. A rewritten page
// may take some 20 MB of memory while it is sent.
const replaysMax = 16

// clientTimeout is how long a client may take to accept one piece of an answer, or to
// send the body of a request.
const clientTimeout = time.Minute

// pieceMax is how many bytes of an answer are sent at once. A client that accepts 5 KB a second gets
// an answer of any length.
const pieceMax = 256 << 10

// handler is a function that answers one request. A returned error is sent to the
// client by the caller, unless the answer has begun.
type handler func(w http.ResponseWriter, r *http.Request) error

// statusError is an error with the HTTP status for its answer.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string { return e.text }

// failf returns an error for which the answer gets the given HTTP status.
func failf(status int, format string, args ...any) error {
	return &statusError{status, fmt.Sprintf(format, args...)}
}

// statusOf returns the HTTP status for an error.
func statusOf(err error) int {
	var fixed *statusError
	var none *session.NoArchiveError
	var param *cdx.ParamError
	var asked *ask.ParamError
	switch {
	case errors.As(err, &fixed):
		return fixed.status
	case errors.As(err, &none):
		return http.StatusNotFound
	case errors.Is(err, ask.ErrTime), errors.Is(err, ask.ErrBusy):
		return http.StatusServiceUnavailable
	case ask.IsFault(err), errors.As(err, &param), errors.As(err, &asked):
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// wrap returns an http.Handler that calls h for each request whose host is served,
// and logs and counts it. part is the name of the listener in the metrics. fail
// writes the answer for an error of h.
func (s *server) wrap(part string, served func(host string) bool, h handler, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := s.o.Now()
		rec := &recorder{ResponseWriter: w, deadline: http.NewResponseController(w)}
		defer func() {
			if rec.status == 0 {
				rec.status = http.StatusOK
			}
			took := s.o.Now().Sub(begun)
			s.log.add(r, rec.status, rec.bytes, begun, took)
			s.metrics.request(part, rec.status, rec.bytes, took)
		}()
		if !served(r.Host) {
			http.Error(rec, fmt.Sprintf("this server does not serve the host %q; behind a proxy, give its name by --serve-origin or --replay-origin", r.Host), http.StatusMisdirectedRequest)
			return
		}
		if r.Body != http.NoBody {
			// Package http waits for what the handler leaves of the body.
			rec.deadline.SetReadDeadline(time.Now().Add(clientTimeout)) // a test's connection has none
		}
		if err := h(rec, r); err != nil {
			if rec.status != 0 || r.Context().Err() != nil {
				// The answer has begun, or nobody waits for it. Breaking the
				// connection shows the client that the answer is not whole.
				panic(http.ErrAbortHandler)
			}
			fail(rec, r, err)
		}
	})
}

// mayCall reports whether a page may call the APIs with the request r. Programs and
// pages of the interface may. A page of another origin may if Options.CORS lists
// that origin; mayCall then sets the header that lets the page read the answer.
func (s *server) mayCall(w http.ResponseWriter, r *http.Request) bool {
	w.Header().Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin != "" && (slices.Contains(s.o.CORS, origin) || slices.Contains(s.o.CORS, "*")) {
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Expose-Headers", "Link, Memento-Datetime, X-Result-Complete")
		return true
	}
	if fromElsewhere(r) {
		return followed(r)
	}
	return origin == "" || origin == s.origins.interfaceOrigin(r)
}

// fromElsewhere reports whether a page of another origin made the browser send r.
func fromElsewhere(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "same-site" || site == "cross-site"
}

// followed reports whether a person followed a link to the address of r, such as that of a
// shared query, so that the browser shows the answer as a page.
func followed(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" && r.Method == http.MethodGet
}

// snapshot returns a snapshot of the present state of the archive, which other
// requests may share. The caller calls release when the answer is complete. The error
// is a *session.NoArchiveError if there is no archive.
func (s *server) snapshot(ctx context.Context) (snap *keep.Snapshot, release func(), err error) {
	return s.snapshots.Get(ctx)
}

// acquire waits for a free place in the channel gate, and takes it until the caller
// calls release, once or more often. It returns an error if ctx ends first, or if no place is free
// within the time wait.
func acquire(ctx context.Context, gate chan struct{}, wait time.Duration) (release func(), err error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case gate <- struct{}{}:
		var once sync.Once
		return func() { once.Do(func() { <-gate }) }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, failf(http.StatusServiceUnavailable, "the server is busy with other requests, %d of them; try again later", cap(gate))
	}
}

// readBody returns the body of a request, which may have max bytes. The client must send it within
// clientTimeout.
func readBody(w http.ResponseWriter, r *http.Request, max int64) ([]byte, error) {
	sent := http.NewResponseController(w)
	sent.SetReadDeadline(time.Now().Add(clientTimeout)) // a test's connection has none
	body, err := io.ReadAll(io.LimitReader(r.Body, max+1))
	if err == nil && int64(len(body)) <= max {
		sent.SetReadDeadline(time.Time{}) // the answer may take longer
	}
	switch {
	case err != nil:
		return nil, failf(http.StatusBadRequest, "the body of the request ended early")
	case int64(len(body)) > max:
		return nil, failf(http.StatusRequestEntityTooLarge, "the body of a request may have %d bytes", max)
	}
	return body, nil
}

// onlyRead returns an error unless the method of r is GET, HEAD or one of others.
func onlyRead(w http.ResponseWriter, r *http.Request, others ...string) error {
	allowed := append([]string{http.MethodGet, http.MethodHead}, others...)
	if slices.Contains(allowed, r.Method) {
		return nil
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return failf(http.StatusMethodNotAllowed, "%s is not answered here; use %s", r.Method, strings.Join(allowed, ", "))
}

// notModified sets the ETag of the answer to tag, which must name the state of the archive. It
// reports whether the client already has this answer; it then sends the status 304. Caches must
// ask each time, so that they do not show what was deleted.
func notModified(w http.ResponseWriter, r *http.Request, tag string) bool {
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", tag)
	for _, known := range strings.Split(r.Header.Get("If-None-Match"), ",") {
		if known = strings.TrimPrefix(strings.TrimSpace(known), "W/"); known == strings.TrimPrefix(tag, "W/") || known == "*" {
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}

// deniedAt returns an error with status 451 if an access rule blocks the captures of a
// canonical URL at time t, or the block-list keeps them out. The error says why.
func deniedAt(ctx context.Context, snap relation.Snapshot, url string, t record.Time) error {
	if shared, ok := snap.(*keep.Snapshot); ok {
		snap = shared.Snapshot
	}
	why, denied, err := access.Denied(ctx, snap, url, t)
	switch {
	case err != nil || !denied:
		return err
	case why == "":
		return failf(http.StatusUnavailableForLegalReasons, "this archive does not show %s", url)
	}
	return failf(http.StatusUnavailableForLegalReasons, "this archive does not show %s: %s", url, why)
}

// denied returns an error as deniedAt does, for a URL for which no capture was found, if the URL
// or another form of it is denied at any time.
func denied(ctx context.Context, snap relation.Snapshot, url string) error {
	for _, u := range lookup.Family(url) {
		if err := deniedAt(ctx, snap, u, record.NoTime); err != nil {
			return err
		}
	}
	return nil
}

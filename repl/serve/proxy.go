package serve

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"infomall/repl/serve/lookup"
	"infomall/repl/serve/replay"
	"infomall/store/record"
	"infomall/store/record/message"
)

// proxyHandler returns the handler of the HTTP proxy, which answers each request with
// the capture that is nearest to Options.ProxyTime. Nothing in a capture is rewritten.
// It returns an error if ProxyTime is no time.
func (s *server) proxyHandler() (http.Handler, error) {
	if _, ok := lookup.Time(s.o.ProxyTime, s.o.Now()); !ok {
		return nil, fmt.Errorf("--at %q is no time; write it like 2008-07-10", s.o.ProxyTime)
	}
	return s.wrap("proxy", func(string) bool { return true }, s.proxy, func(w http.ResponseWriter, r *http.Request, err error) {
		proxyNote(w, r, statusOf(err), err.Error())
	}), nil
}

// proxyNote answers with a text that says why there is no capture.
func proxyNote(w http.ResponseWriter, r *http.Request, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		fmt.Fprintf(w, "infomall: %s\n", text)
	}
}

// proxy answers a request to the proxy.
func (s *server) proxy(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodConnect {
		return failf(http.StatusNotImplemented, "this proxy does not open connections to https sites; write http://%s/ instead: it shows captures of https pages too", hostOf(r.RequestURI))
	}
	// A page whose host name was made to lead here sends only a path.
	if strings.HasPrefix(r.RequestURI, "/") {
		return failf(http.StatusBadRequest, "this is an HTTP proxy for a web archive; set it as the proxy for http in a browser, or try curl -x http://%s http://www.pku.edu.cn/", r.Context().Value(http.LocalAddrContextKey))
	}
	if err := onlyRead(w, r, http.MethodPost); err != nil {
		return err
	}
	u, err := lookup.Canonical(r.RequestURI)
	if err != nil {
		return failf(http.StatusBadRequest, "%.200q is no URL: %v", r.RequestURI, err)
	}
	at, err := s.timeOf(&replay.Target{Time: s.o.ProxyTime})
	if err != nil {
		return err
	}
	ctx := r.Context()
	free, err := acquire(ctx, s.replays, replayWait)
	if err != nil {
		return err
	}
	defer free()
	snap, release, err := s.snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	f, err := s.find(w, r, snap, u, at)
	if err != nil {
		return err
	}
	if len(f.Nearest) == 0 {
		return failf(http.StatusNotFound, "the archive has no capture of %s: nobody has looked at it for this archive", u)
	}
	c, p, err := choose(ctx, snap, f)
	if err != nil {
		return err
	}
	if c == nil {
		return failf(http.StatusNotFound, "the archive has no body for the capture of %s: %s", u, p.NoBody)
	}
	proxyHeader(w.Header(), c, p)
	free()
	status := sendable(message.Status(p.Head))
	if p.Large != nil {
		return sendLarge(w, r, status, p)
	}
	return sendBody(w, r, status, p.Body)
}

// connectionFields are the fields of a stored header that describe the connection or the
// transfer. They are not sent, because the proxy's own connection differs.
var connectionFields = map[string]bool{
	"connection": true, "keep-alive": true, "proxy-authenticate": true, "proxy-authorization": true, "proxy-connection": true, "te": true,
	"trailer": true, "transfer-encoding": true, "upgrade": true, "content-length": true, "content-range": true, "content-encoding": true, "date": true,
}

// proxyHeader sets the header of the answer with the response p of the capture c. It is the
// stored header, but Date is the time of the capture. By that date, a copy that the stored header
// lets a browser keep is long out of date, so the browser asks again.
func proxyHeader(h http.Header, c *lookup.Capture, p *record.Payload) {
	stored, _ := storedHeader(p)
	for _, f := range stored {
		// Package http drops names that are none, and line breaks in values.
		if !connectionFields[strings.ToLower(f[0])] {
			h.Add(f[0], f[1])
		}
	}
	codings, body := message.Codings(p.Head), p.Body
	var coded bool
	if p.Large != nil {
		body, coded = largeStart(p, codings)
	} else if codings != "" {
		plain, still, err := decoded(p, codings)
		if coded = still || err != nil; still {
			body = plain
		}
	}
	if coded {
		h.Set("Content-Encoding", codings)
	}
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", sniff(body))
	}
	seen := c.Time.Std().UTC().Format(http.TimeFormat)
	h.Set("Date", seen)
	h.Set("Memento-Datetime", seen)
	h.Add("Link", "<"+c.URL+`>; rel="original"`)
}

// announceProxy says where the proxy is and what it shows.
func (s *server) announceProxy(addr net.Addr) {
	when := "the latest captures"
	if at, ok := lookup.Time(s.o.ProxyTime, s.o.Now()); ok && s.o.ProxyTime != "" {
		when = "captures near " + at.Std().Format(time.DateTime)
	}
	s.o.Say("infomall: serving %s as an HTTP proxy at %s, with %s; only http:// addresses; Ctrl-C ends", s.o.Archive.Path(), addr, when)
	if ip, err := netip.ParseAddrPort(addr.String()); err != nil || !ip.Addr().IsLoopback() {
		s.o.Say("infomall: the proxy's address is not loopback: anybody who reaches it can read the archive")
	}
}

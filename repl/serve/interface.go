package serve

import (
	"embed"
	"fmt"
	"net/http"
	"strings"

	"infomall/repl/serve/lookup"
	"infomall/repl/serve/replay"
	"infomall/store/urlkey"
)

// route is a path of the interface and its handler.
type route struct {
	path string // the whole path, or its start if it ends with a slash
	api  bool   // only programs, the interface's own pages and Options.CORS may call it
	// handle answers. rest is what follows the path, as it was received.
	handle func(s *server, w http.ResponseWriter, r *http.Request, rest string) error
}

// routes lists all paths of the interface but those of archived pages, which begin
// with a time.
var routes = []route{
	{"/", false, simple((*server).homePage)},
	{"/search", false, simple((*server).searchPage)},
	{"/query", false, simple((*server).queryPage)},
	{"/history", false, simple((*server).historyPage)},
	{"/diff", false, simple((*server).diffPage)},
	{"/site", false, simple((*server).sitePage)},
	{"/crawls", false, simple((*server).crawlsPage)},
	{"/jobs", false, simple((*server).jobsPage)},
	{"/events", false, simple((*server).eventsPage)},
	{"/static/", false, (*server).static},

	{"/cdx", true, simple((*server).cdx)},
	{"/cdx/search/cdx", true, simple((*server).cdx)},
	{"/timegate/", true, (*server).timeGate},
	{"/timemap/", true, (*server).timeMap},
	{"/web/timegate/", true, (*server).timeGate},
	{"/web/timemap/", true, (*server).timeMap},
	{"/wayback/available", true, simple((*server).available)},

	{"/api/query", true, simple((*server).apiQuery)},
	{"/api/search", true, simple((*server).apiSearch)},
	{"/api/page", true, simple((*server).apiPage)},
	{"/api/diff", true, simple((*server).apiDiff)},
	{"/api/complete", true, simple((*server).apiComplete)},
	{"/api/relations", true, simple((*server).apiRelations)},
	{"/api/crawls", true, simple((*server).apiCrawls)},
	{"/openapi.json", true, simple((*server).openAPI)},

	{"/metrics", false, simple((*server).sendMetrics)},
	{"/healthz", false, simple((*server).health)},
}

// simple returns h as the handler of a route that matches whole paths only.
func simple(h func(*server, http.ResponseWriter, *http.Request) error) func(*server, http.ResponseWriter, *http.Request, string) error {
	return func(s *server, w http.ResponseWriter, r *http.Request, _ string) error { return h(s, w, r) }
}

// routeOf returns the route for target, the target of a request as it was received, and the rest
// of target after the route's path. It returns nil if target is that of an archived page.
func routeOf(target string) (rt *route, rest string) {
	path, _, _ := strings.Cut(target, "?")
	for i := range routes {
		p := routes[i].path
		if path == p || path == p+"/" && p != "/" {
			return &routes[i], ""
		}
		if p != "/" && strings.HasSuffix(p, "/") && strings.HasPrefix(target, p) {
			return &routes[i], target[len(p):]
		}
	}
	return nil, ""
}

// interfaceHandler returns the handler of the listener interface.
func (s *server) interfaceHandler() http.Handler {
	return s.wrap("interface", s.origins.servesInterface, s.answer, func(w http.ResponseWriter, r *http.Request, err error) {
		if rt, _ := routeOf(r.RequestURI); rt != nil && rt.api {
			sendProblem(w, r, err)
			return
		}
		s.errorPage(w, r, err)
	})
}

// answer answers a request for the interface.
func (s *server) answer(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	if r.Header.Get("Service-Worker") != "" {
		return failf(http.StatusForbidden, "there are no service workers here")
	}
	rt, rest := routeOf(r.RequestURI)
	if (rt == nil || !rt.api) && fromElsewhere(r) && !followed(r) {
		return failf(http.StatusForbidden, "a page of another origin may only link here")
	}
	if rt == nil {
		return s.archived(w, r)
	}
	if rt.api {
		if !s.mayCall(w, r) {
			return failf(http.StatusForbidden, "a page of another origin may not ask here; --cors ORIGIN allows it")
		}
		if r.Method == http.MethodOptions {
			h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
			h.Set("Access-Control-Allow-Headers", "Accept, Accept-Datetime, Content-Type")
			w.WriteHeader(http.StatusNoContent)
			return nil
		}
	}
	return rt.handle(s, w, r, rest)
}

// archived answers a request whose path names an archived page: with its calendar,
// with the page that has the bar and the frame, or with a redirect to replay.
func (s *server) archived(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r, http.MethodPost); err != nil {
		return err
	}
	t, err := replay.ParseTarget(r.RequestURI)
	if err != nil {
		return failf(http.StatusNotFound, "%v", err)
	}
	switch {
	case t.Calendar:
		return s.calendarPage(w, r, &t)
	case t.Modifier != replay.Interface && t.Modifier != replay.AfterLoad && t.View.Name == replay.NoView:
		origin := s.origins.replayOrigin(r, t.URL)
		if t.Modifier == replay.Raw && r.Header.Get("Sec-Fetch-Dest") == "" {
			// Programs other than browsers do not know names below localhost.
			origin = s.origins.plainReplayOrigin(r)
		}
		// 307 keeps the method, because a form may come here.
		redirect(w, origin+t.Prefix()+t.URL, http.StatusTemporaryRedirect)
		return nil
	}
	return s.framePage(w, r, &t)
}

//go:embed static
var staticFiles embed.FS

// staticTypes are the media types of the files in the folder static, by suffix.
var staticTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// static sends a file of the folder static.
func (s *server) static(w http.ResponseWriter, r *http.Request, name string) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	name, _, _ = strings.Cut(name, "?")
	if name == "drawing.css" {
		return drawingStyle(w)
	}
	if name == "logo" && s.o.Logo != nil {
		w.Header().Set("Content-Type", s.o.LogoType)
		if !notModified(w, r, `"`+s.metrics.boot+`"`) {
			_, err := w.Write(s.o.Logo)
			return err
		}
		return nil
	}
	body, err := staticFiles.ReadFile("static/" + name)
	if err != nil {
		return failf(http.StatusNotFound, "no file %s", name)
	}
	for suffix, t := range staticTypes {
		if strings.HasSuffix(name, suffix) {
			w.Header().Set("Content-Type", t)
		}
	}
	if notModified(w, r, `"`+s.metrics.boot+`"`) {
		return nil
	}
	_, err = w.Write(body)
	return err
}

// health answers with success if the server runs and the archive can be opened.
func (s *server) health(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	snap, release, err := s.o.Session().SnapshotOrEmpty(r.Context())
	if err != nil {
		return err
	}
	defer release()
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	_, err = w.Write([]byte("ok " + snap.State() + "\n"))
	return err
}

// available answers whether a URL was captured near a time, in the form of
// web.archive.org.
func (s *server) available(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	v := r.URL.Query()
	u, err := lookup.Canonical(v.Get("url"))
	if err != nil {
		return failf(http.StatusBadRequest, "url=%s is no URL: %v", v.Get("url"), err)
	}
	at, ok := lookup.Time(v.Get("timestamp"), s.o.Now())
	if !ok {
		return failf(http.StatusBadRequest, "timestamp=%s is no time; write it like 20080602, up to 14 digits", v.Get("timestamp"))
	}
	snap, release, err := s.snapshot(r.Context())
	if err != nil {
		return err
	}
	defer release()
	f, err := lookup.Nearest(r.Context(), snap, u, at)
	if err != nil {
		return err
	}
	type closest struct {
		Status    string `json:"status"`
		Available bool   `json:"available"`
		URL       string `json:"url"`
		Timestamp string `json:"timestamp"`
	}
	body := struct {
		URL       string             `json:"url"`
		Timestamp string             `json:"timestamp,omitempty"`
		Archived  map[string]closest `json:"archived_snapshots"`
	}{v.Get("url"), v.Get("timestamp"), map[string]closest{}}
	if len(f.Nearest) > 0 {
		c := &f.Nearest[0]
		body.Archived["closest"] = closest{statusText(c.Status), true, s.origins.interfaceOrigin(r) + "/" + lookup.Stamp(c.Time) + "/" + urlkey.EscapePercent(c.URL), lookup.Stamp(c.Time)}
	}
	return sendJSON(w, body)
}

// statusText returns an HTTP status as text, "" if unknown.
func statusText(status int32) string {
	if status == 0 {
		return ""
	}
	return fmt.Sprint(status)
}

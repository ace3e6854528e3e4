package serve

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"infomall/repl/serve/lookup"
	"infomall/repl/serve/replay"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// timeMapMax is how many captures one TimeMap lists. A larger one has pages.
const timeMapMax = 10_000

// mementoOf returns the address of a capture for programs: its address at replay, and not that
// of the page with the bar.
func (s *server) mementoOf(r *http.Request, c *lookup.Capture) string {
	return s.origins.plainReplayOrigin(r) + "/" + lookup.Stamp(c.Time) + string(replay.PageTop) + "/" + urlkey.EscapePercent(c.URL)
}

// datetime returns a time as Memento and HTTP write it.
func datetime(t record.Time) string { return t.Std().Format(http.TimeFormat) }

// quoted returns a URL for a Link header. Characters that would end the URL there, and percent signs
// that begin no escape, are percent-encoded.
func quoted(url string) string { return linkQuoter.Replace(urlkey.EscapePercent(url)) }

var linkQuoter = strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22")

// mementoHeader sets the header fields of RFC 7089 for an answer that shows c, a capture of f. n
// are the captures around c.
func (s *server) mementoHeader(h http.Header, r *http.Request, f *lookup.Found, c *lookup.Capture, n lookup.Around) {
	h.Set("Memento-Datetime", datetime(c.Time))
	h.Set("Content-Location", "/"+lookup.Stamp(c.Time)+string(replay.PageTop)+"/"+urlkey.EscapePercent(c.URL))
	h.Set("Link", s.mementoLinks(r, f, c, n))
}

// mementoLinks returns the value of the header Link for the captures of f: the
// original, the TimeGate and the TimeMap, and the first, last, previous and next
// capture around c. A capture that is several of these is listed once.
func (s *server) mementoLinks(r *http.Request, f *lookup.Found, c *lookup.Capture, n lookup.Around) string {
	ui := s.origins.interfaceOrigin(r)
	links := []string{
		fmt.Sprintf(`<%s>; rel="original"`, quoted(f.URL)),
		fmt.Sprintf(`<%s/timegate/%s>; rel="timegate"`, ui, quoted(f.URL)),
		fmt.Sprintf(`<%s/timemap/link/%s>; rel="timemap"; type="application/link-format"`, ui, quoted(f.URL)),
	}
	if c == nil {
		return strings.Join(links, ", ")
	}
	var list []*lookup.Capture
	rels := map[record.Ref][]string{}
	for _, x := range []struct {
		rel string
		c   *lookup.Capture
	}{{"first", &f.First}, {"prev", &n.Prev}, {"", c}, {"next", &n.Next}, {"last", &f.Last}} {
		if x.c.URL == "" {
			continue
		}
		if _, ok := rels[x.c.Ref]; !ok {
			list = append(list, x.c)
		}
		rels[x.c.Ref] = append(rels[x.c.Ref], x.rel)
	}
	for _, x := range list {
		links = append(links, fmt.Sprintf(`<%s>; rel="%s"; datetime="%s"`, quoted(s.mementoOf(r, x)), mementoRel(rels[x.Ref]), datetime(x.Time)))
	}
	return strings.Join(links, ", ")
}

// mementoRel returns the relation of a capture with these roles, such as "first
// prev memento".
func mementoRel(roles []string) string {
	var words []string
	for _, role := range roles {
		if role != "" {
			words = append(words, role)
		}
	}
	return strings.Join(append(words, "memento"), " ")
}

// timeGate answers a request for /timegate/URL: a redirect to the capture that is
// nearest to the header Accept-Datetime, or to the last one (RFC 7089, pattern 2.1).
func (s *server) timeGate(w http.ResponseWriter, r *http.Request, target string) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	url, err := lookup.Canonical(target)
	if err != nil {
		return failf(http.StatusNotFound, "%v", err)
	}
	h := w.Header()
	h.Add("Vary", "accept-datetime")
	at := record.At(s.o.Now())
	if wanted := r.Header.Get("Accept-Datetime"); wanted != "" {
		t, err := http.ParseTime(wanted)
		if err != nil {
			return failf(http.StatusBadRequest, "Accept-Datetime %q is no date; write it like Tue, 15 Nov 1994 12:45:26 GMT", wanted)
		}
		at = record.At(t)
	}
	ctx := r.Context()
	snap, release, err := s.snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := deniedAt(ctx, snap, url, at); err != nil {
		return err
	}
	f, err := lookup.Nearest(ctx, snap, url, at)
	if err != nil {
		return err
	}
	if len(f.Nearest) == 0 {
		if err := denied(ctx, snap, url); err != nil {
			return err
		}
		h.Set("Link", s.mementoLinks(r, f, nil, lookup.Around{}))
		return failf(http.StatusNotFound, "%s was never captured", url)
	}
	c := &f.Nearest[0]
	n, err := f.Around(ctx, snap, c)
	if err != nil {
		return err
	}
	h.Set("Link", s.mementoLinks(r, f, c, n))
	redirect(w, s.mementoOf(r, c), http.StatusFound)
	return nil
}

// timeMap answers a request for /timemap/FORMAT/URL, with a page number after the
// format if the map has several: /timemap/link/2/URL.
func (s *server) timeMap(w http.ResponseWriter, r *http.Request, target string) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	format, rest, ok := strings.Cut(target, "/")
	if _, known := timeMapTypes[format]; !ok || !known {
		format, rest = "link", target
	}
	page := int64(1)
	if number, after, ok := strings.Cut(rest, "/"); ok {
		if n, err := strconv.ParseInt(number, 10, 32); err == nil && n > 0 {
			page, rest = n, after
		}
	}
	url, err := lookup.Canonical(rest)
	if err != nil {
		return failf(http.StatusNotFound, "%v", err)
	}
	if format == "cdxj" {
		return s.cdxj(w, r, url)
	}
	ctx := r.Context()
	snap, release, err := s.snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	f := &lookup.Found{URL: url}
	var list []lookup.Capture
	columns := lookup.AllColumns
	if format == "link" {
		columns = 0 // it shows nothing else of a capture
	}
	for c, err := range lookup.Captures(ctx, snap, url, columns) {
		if err != nil {
			return err
		}
		if f.Count == 0 {
			f.First = c
		}
		f.Last = c
		if f.Count/timeMapMax == page-1 {
			list = append(list, c)
		}
		f.Count++
	}
	if len(list) == 0 {
		if err := denied(ctx, snap, url); err != nil {
			return err
		}
		return failf(http.StatusNotFound, "%s was never captured, or has no page %d", url, page)
	}
	if notModified(w, r, fmt.Sprintf(`"%s-%s"`, snap.State(), s.metrics.boot)) {
		return nil
	}
	w.Header().Set("Content-Type", timeMapTypes[format])
	if r.Method == http.MethodHead {
		return nil
	}
	out := bufio.NewWriterSize(w, 64<<10)
	m := timeMapPage{server: s, r: r, f: f, page: page, pages: (f.Count + timeMapMax - 1) / timeMapMax, list: list}
	if format == "json" {
		err = m.json(out)
	} else {
		err = m.link(out)
	}
	if err == nil {
		err = out.Flush()
	}
	return err
}

// timeMapTypes are the media types of TimeMaps by their format.
var timeMapTypes = map[string]string{
	"link": "application/link-format; charset=utf-8",
	"json": "application/json; charset=utf-8",
	"cdxj": "text/x-cdxj; charset=utf-8",
}

// timeMapPage is one page of the list of captures of a URL.
type timeMapPage struct {
	*server
	r           *http.Request
	f           *lookup.Found
	page, pages int64
	list        []lookup.Capture
}

// address returns the address of page n of the map.
func (m *timeMapPage) address(format string, n int64) string {
	number := ""
	if n > 1 {
		number = strconv.FormatInt(n, 10) + "/"
	}
	return m.origins.interfaceOrigin(m.r) + "/timemap/" + format + "/" + number + quoted(m.f.URL)
}

// link writes the page in the format application/link-format.
func (m *timeMapPage) link(w io.Writer) error {
	fmt.Fprintf(w, "<%s>; rel=\"original\",\n<%s>; rel=\"self\"; type=\"application/link-format\"; from=\"%s\"; until=\"%s\",\n",
		quoted(m.f.URL), m.address("link", m.page), datetime(m.list[0].Time), datetime(m.list[len(m.list)-1].Time))
	for n := int64(1); n <= m.pages; n++ {
		if n != m.page {
			fmt.Fprintf(w, "<%s>; rel=\"timemap\"; type=\"application/link-format\",\n", m.address("link", n))
		}
	}
	fmt.Fprintf(w, "<%s/timegate/%s>; rel=\"timegate\"", m.origins.interfaceOrigin(m.r), quoted(m.f.URL))
	base := m.origins.plainReplayOrigin(m.r)
	var line []byte
	for i := range m.list {
		c := &m.list[i]
		var roles []string
		if c.Ref == m.f.First.Ref {
			roles = append(roles, "first")
		}
		if c.Ref == m.f.Last.Ref {
			roles = append(roles, "last")
		}
		at := c.Time.Std()
		line = append(append(line[:0], ",\n<"...), base...)
		line = append(at.AppendFormat(append(line, '/'), "20060102150405"), replay.PageTop...)
		line = append(append(append(line, '/'), quoted(c.URL)...), ">; rel=\""...)
		line = append(append(line, mementoRel(roles)...), "\"; datetime=\""...)
		line = append(at.AppendFormat(line, http.TimeFormat), '"')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// json writes the page in the JSON form of Memento aggregators.
func (m *timeMapPage) json(w io.Writer) error {
	type memento struct {
		Datetime string `json:"datetime"`
		URI      string `json:"uri"`
		Status   int32  `json:"status,omitempty"`
	}
	type uri struct {
		URI string `json:"uri"`
	}
	short := func(c *lookup.Capture) memento {
		return memento{c.Time.Std().Format("2006-01-02T15:04:05Z"), m.mementoOf(m.r, c), c.Status}
	}
	var body struct {
		OriginalURI string `json:"original_uri"`
		Self        string `json:"self"`
		TimeGateURI string `json:"timegate_uri"`
		TimeMapURI  struct {
			LinkFormat string `json:"link_format"`
			JSONFormat string `json:"json_format"`
			CDXJFormat string `json:"cdxj_format"`
		} `json:"timemap_uri"`
		Index    []uri `json:"timemap_index,omitempty"`
		Mementos struct {
			First memento   `json:"first"`
			Last  memento   `json:"last"`
			List  []memento `json:"list"`
		} `json:"mementos"`
	}
	body.OriginalURI, body.Self = m.f.URL, m.address("json", m.page)
	body.TimeGateURI = m.origins.interfaceOrigin(m.r) + "/timegate/" + m.f.URL
	body.TimeMapURI.LinkFormat, body.TimeMapURI.JSONFormat, body.TimeMapURI.CDXJFormat = m.address("link", 1), m.address("json", 1), m.address("cdxj", 1)
	for n := int64(1); n <= m.pages && m.pages > 1; n++ {
		body.Index = append(body.Index, uri{m.address("json", n)})
	}
	body.Mementos.First, body.Mementos.Last = short(&m.f.First), short(&m.f.Last)
	for i := range m.list {
		body.Mementos.List = append(body.Mementos.List, short(&m.list[i]))
	}
	return json.NewEncoder(w).Encode(body)
}

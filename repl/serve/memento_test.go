package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"infomall/exec/relation/relationtest"
)

// mementoCaptures are the captures of the example in RFC 7089, section 4.1.1, and
// others around them.
func mementoCaptures() []relationtest.Capture {
	var list []relationtest.Capture
	for _, digits := range []string{"20000620180259", "20091027204954", "20100203123455", "20110501000000"} {
		list = append(list, shot("http://a.example.org/", digits))
	}
	return list
}

// TestTimeGate is a table of requests to the TimeGate after RFC 7089, sections 4.1
// and 4.5.
func TestTimeGate(t *testing.T) {
	s, _ := testServer(t, nil, mementoCaptures()...)
	for _, c := range []struct {
		name, method, target, accept string
		status                       int
		location                     string // digits of the capture
	}{
		{"nearest", "GET", "/timegate/http://a.example.org/", "Tue, 27 Oct 2009 20:49:54 GMT", 302, "20091027204954"},
		{"nearest after", "HEAD", "/timegate/http://a.example.org/", "Mon, 01 Feb 2010 00:00:00 GMT", 302, "20100203123455"},
		{"before the first", "GET", "/timegate/http://a.example.org/", "Thu, 01 Jan 1970 00:00:00 GMT", 302, "20000620180259"},
		{"after the last", "GET", "/timegate/http://a.example.org/", "Thu, 01 Jan 2037 00:00:00 GMT", 302, "20110501000000"},
		{"without a time", "GET", "/timegate/http://a.example.org/", "", 302, "20110501000000"},
		{"alias", "GET", "/web/timegate/http://a.example.org/", "Tue, 27 Oct 2009 20:49:54 GMT", 302, "20091027204954"},
		{"without a scheme", "GET", "/timegate/a.example.org", "", 302, "20110501000000"},
		{"a date that is none", "GET", "/timegate/http://a.example.org/", "in June", 400, ""},
		{"never captured", "GET", "/timegate/http://never.example.org/", "", 404, ""},
		{"no writing", "POST", "/timegate/http://a.example.org/", "", 405, ""},
	} {
		r := send(t, s.interfaceHandler(), c.method, c.target, "", "Accept-Datetime: "+c.accept)
		if r.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d", c.name, r.StatusCode, c.status)
			continue
		}
		if c.status != 302 {
			continue
		}
		if want := "http://127.0.0.1:8081/" + c.location + "mp_/http://a.example.org/"; r.Header.Get("Location") != want {
			t.Errorf("%s: Location %s, want %s", c.name, r.Header.Get("Location"), want)
		}
		if vary := strings.Join(r.Header.Values("Vary"), ", "); !strings.Contains(vary, "accept-datetime") {
			t.Errorf("%s: Vary is %q", c.name, vary)
		}
		if r.Header.Get("Memento-Datetime") != "" {
			t.Errorf("%s: a TimeGate that redirects has a Memento-Datetime", c.name)
		}
		for _, rel := range []string{"original", "timemap", "first memento", "last memento"} {
			if !strings.Contains(strings.ReplaceAll(r.Header.Get("Link"), "last memento", "first memento last memento"), rel) {
				t.Errorf("%s: Link has no %s: %s", c.name, rel, r.Header.Get("Link"))
			}
		}
	}
}

// TestMemento shows the header of a capture: RFC 7089, section 4.1.2.
func TestMemento(t *testing.T) {
	s, _ := testServer(t, nil, mementoCaptures()...)
	r := get(t, s.replayHandler(), "/20091027204954mp_/http://a.example.org/")
	if got, want := r.Header.Get("Memento-Datetime"), "Tue, 27 Oct 2009 20:49:54 GMT"; got != want {
		t.Errorf("Memento-Datetime %q, want %q", got, want)
	}
	want := `<http://a.example.org/>; rel="original", ` +
		`<http://127.0.0.1:8080/timegate/http://a.example.org/>; rel="timegate", ` +
		`<http://127.0.0.1:8080/timemap/link/http://a.example.org/>; rel="timemap"; type="application/link-format", ` +
		`<http://127.0.0.1:8081/20000620180259mp_/http://a.example.org/>; rel="first prev memento"; datetime="Tue, 20 Jun 2000 18:02:59 GMT", ` +
		`<http://127.0.0.1:8081/20091027204954mp_/http://a.example.org/>; rel="memento"; datetime="Tue, 27 Oct 2009 20:49:54 GMT", ` +
		`<http://127.0.0.1:8081/20100203123455mp_/http://a.example.org/>; rel="next memento"; datetime="Wed, 03 Feb 2010 12:34:55 GMT", ` +
		`<http://127.0.0.1:8081/20110501000000mp_/http://a.example.org/>; rel="last memento"; datetime="Sun, 01 May 2011 00:00:00 GMT"`
	if got := r.Header.Get("Link"); got != want {
		t.Errorf("Link is\n%s\nwant\n%s", got, want)
	}
}

// TestMementoNeighbours shows that the previous and the next capture are right also
// if a URL has more captures than a look-up keeps.
func TestMementoNeighbours(t *testing.T) {
	var list []relationtest.Capture
	begin := time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 30 {
		// The distances grow, so that the nearest captures of an early time are on one
		// side of it.
		list = append(list, shot("http://a.example/", begin.Add(time.Duration(i*i)*time.Hour).Format("20060102150405")))
	}
	s, _ := testServer(t, nil, list...)
	link := regexp.MustCompile(`/([0-9]{14})mp_/[^>]*>; rel="([a-z ]*)memento"`)
	for i := range list {
		digits := begin.Add(time.Duration(i*i) * time.Hour).Format("20060102150405")
		r := get(t, s.replayHandler(), "/"+digits+"mp_/http://a.example/")
		got := map[string]string{}
		for _, m := range link.FindAllStringSubmatch(r.Header.Get("Link"), -1) {
			for _, rel := range strings.Fields(m[2]) {
				got[rel] = m[1]
			}
		}
		stamp := func(i int) string {
			if i < 0 || i >= len(list) {
				return ""
			}
			return begin.Add(time.Duration(i*i) * time.Hour).Format("20060102150405")
		}
		if got["prev"] != stamp(i-1) || got["next"] != stamp(i+1) || got["first"] != stamp(0) || got["last"] != stamp(29) {
			t.Errorf("capture %d (%s): %v", i, digits, got)
		}
	}
}

// TestTimeMap shows TimeMaps in their formats: RFC 7089, section 5.
func TestTimeMap(t *testing.T) {
	s, _ := testServer(t, nil, mementoCaptures()...)
	h := s.interfaceHandler()
	want := `<http://a.example.org/>; rel="original",
<http://127.0.0.1:8080/timemap/link/http://a.example.org/>; rel="self"; type="application/link-format"; from="Tue, 20 Jun 2000 18:02:59 GMT"; until="Sun, 01 May 2011 00:00:00 GMT",
<http://127.0.0.1:8080/timegate/http://a.example.org/>; rel="timegate",
<http://127.0.0.1:8081/20000620180259mp_/http://a.example.org/>; rel="first memento"; datetime="Tue, 20 Jun 2000 18:02:59 GMT",
<http://127.0.0.1:8081/20091027204954mp_/http://a.example.org/>; rel="memento"; datetime="Tue, 27 Oct 2009 20:49:54 GMT",
<http://127.0.0.1:8081/20100203123455mp_/http://a.example.org/>; rel="memento"; datetime="Wed, 03 Feb 2010 12:34:55 GMT",
<http://127.0.0.1:8081/20110501000000mp_/http://a.example.org/>; rel="last memento"; datetime="Sun, 01 May 2011 00:00:00 GMT"
`
	for _, target := range []string{"/timemap/link/http://a.example.org/", "/timemap/http://a.example.org/", "/web/timemap/link/http://a.example.org/", "/timemap/link/a.example.org"} {
		r := get(t, h, target)
		if got := bodyOf(t, r); got != want || r.Header.Get("Content-Type") != "application/link-format; charset=utf-8" {
			t.Errorf("%s: %s\n%s\nwant\n%s", target, r.Header.Get("Content-Type"), got, want)
		}
	}
	r := get(t, h, "/timemap/json/http://a.example.org/")
	var body struct {
		Original string `json:"original_uri"`
		Mementos struct {
			First, Last struct{ Datetime, URI string }
			List        []struct{ Datetime, URI string }
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	m := body.Mementos
	if body.Original != "http://a.example.org/" || len(m.List) != 4 || m.First.Datetime != "2000-06-20T18:02:59Z" || m.Last.URI != "http://127.0.0.1:8081/20110501000000mp_/http://a.example.org/" {
		t.Errorf("the TimeMap in JSON is %+v", body)
	}
	if got := bodyOf(t, get(t, h, "/timemap/cdxj/http://a.example.org/")); !strings.HasPrefix(got, `org,example,a)/ 20000620180259 {"url": "http://a.example.org/"`) {
		t.Errorf("the TimeMap in CDXJ is %s", got)
	}
	if got := get(t, h, "/timemap/link/http://never.example.org/").StatusCode; got != http.StatusNotFound {
		t.Errorf("a URL that was never captured: status %d", got)
	}
}

// TestTimeMapPages shows that a large TimeMap has pages, and that each of them names
// the others.
func TestTimeMapPages(t *testing.T) {
	var list []relationtest.Capture
	begin := time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
	const n = timeMapMax + 5
	for i := range n {
		list = append(list, shot("http://a.example/", begin.Add(time.Duration(i)*time.Minute).Format("20060102150405")))
	}
	s, _ := testServer(t, nil, list...)
	for page, want := range map[int]int{1: timeMapMax, 2: 5, 3: 0} {
		r := get(t, s.interfaceHandler(), fmt.Sprintf("/timemap/link/%d/http://a.example/", page))
		body := bodyOf(t, r)
		if got := strings.Count(body, "memento\""); got != want {
			t.Errorf("page %d has %d captures, want %d", page, got, want)
		}
		if other := fmt.Sprintf("/timemap/link/%s", map[int]string{1: "2/http://a.example/", 2: "http://a.example/"}[page]); want > 0 && !strings.Contains(body, other) {
			t.Errorf("page %d does not name %s", page, other)
		}
	}
}

// TestBarePercent shows that a page whose URL has a percent sign that begins no escape is found at
// the addresses that the server writes for it. The HTTP server refuses such a sign in a path, so
// these addresses have %25.
func TestBarePercent(t *testing.T) {
	page := shot("http://a.example/", "20080601000000")
	page.Body = `<a href="100%">x</a> <a href="/x?q=100%">y</a>`
	s, _ := testServer(t, nil, page, shot("http://a.example/100%", "20080602000000"))
	for path, want := range map[string]string{
		"/timemap/link/http://a.example/100%25":        "<http://127.0.0.1:8081/20080602000000mp_/http://a.example/100%25>",
		"/cdx?url=http://a.example/100%2525&fl=url":    "http://a.example/100%",
		"/cdx?url=http://a.example/100%25&output=link": "<http://127.0.0.1:8081/20080602000000mp_/http://a.example/100%25>",
	} {
		if got := bodyOf(t, get(t, s.interfaceHandler(), path)); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	for path, want := range map[string]string{
		"/20080602mp_/http://a.example/100%25": "body of 20080602000000",
		"/20080602id_/http://a.example/100%25": "body of 20080602000000",
		"/20080601mp_/http://a.example/":       `mp_/http://a.example/100%25">x</a>`,
	} {
		r := get(t, s.replayHandler(), path)
		if got := bodyOf(t, r); r.StatusCode != 200 || !strings.Contains(got, want) {
			t.Errorf("%s: status %d, got %s, want %s", path, r.StatusCode, got, want)
		}
	}
	if got := bodyOf(t, get(t, s.replayHandler(), "/20080601mp_/http://a.example/")); !strings.Contains(got, `mp_/http://a.example/x?q=100%">y</a>`) {
		t.Errorf("the query was changed: %s", got)
	}
}

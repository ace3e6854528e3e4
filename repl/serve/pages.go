package serve

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"infomall/exec/draw"
	"infomall/lang/ast"
	"infomall/repl/ask"
	"infomall/store/urlkey"
)

// finding is a row of a search as the page shows it.
type finding struct {
	URL, Shown, Title  string
	Stamp, First, Last string
	Snippet            []span
	Label, Topic       string
	Section            string // of a document, such as "page 12"
	Copies             string
	Host, Year         string
	From, Width        string // place of the span of time on the common axis, in percent
}

// facet is one value that findings have, such as a host or a year, and the number of findings
// that have it.
type facet struct {
	Value string
	Count int
	Link  string // address of the search within the value; "" if there is none
}

// searchData is what the page search shows.
type searchData struct {
	Words, Scope, From, To string
	Found                  []finding
	Total                  int
	Cut                    bool
	Hosts, Years, Labels   []facet
	AxisFrom, AxisTo       string
	Next, Prev             string // addresses of further pages
	Fault                  *fault
	Notes                  []string
}

// searchPage answers /search with the findings on a common axis of time, and with how many
// findings there are for each host, year and place in pages.
func (s *server) searchPage(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	v := r.URL.Query()
	d := &searchData{Words: v.Get("q"), Scope: v.Get("scope"), From: v.Get("from"), To: v.Get("to")}
	p := newPage(r, "search", d)
	p.Title = p.T("search")
	if d.Words == "" {
		return s.send(w, r, http.StatusOK, p, "")
	}
	p.Title = d.Words + " – " + p.T("search")
	asked := url.Values{"q": {d.Words}, "scope": {d.Scope}, "from": {d.From}, "to": {d.To}}
	statement, err := ask.Search(asked, searchRowsMax)
	if err != nil {
		return err
	}
	p.Statement = statement
	t, err := s.tableOf(r, statement, searchRowsMax)
	if err != nil {
		return err
	}
	d.Fault, d.Notes, d.Total, d.Cut = t.Fault, t.Notes, len(t.Rows), len(t.Rows) == searchRowsMax
	all := findingsOf(t, d)
	link := func(name, value string) string {
		x := url.Values{}
		for k, list := range asked {
			if list[0] != "" {
				x[k] = list
			}
		}
		x.Set(name, value)
		if p.Chosen {
			x.Set("lang", p.Lang)
		}
		return "/search?" + x.Encode()
	}
	d.Hosts = facetsOf(all, func(f *finding) string { return f.Host }, func(h string) string { return link("scope", h) })
	d.Years = facetsOf(all, func(f *finding) string { return f.Year }, nil)
	d.Labels = facetsOf(all, func(f *finding) string { return f.Label }, nil)
	at, _ := strconv.Atoi(v.Get("page"))
	at = min(max(at, 1), searchRowsMax) // no search has more pages
	from := min((at-1)*searchRowsPage, len(all))
	d.Found = all[from:min(from+searchRowsPage, len(all))]
	if at > 1 {
		d.Prev = link("page", strconv.Itoa(at-1))
	}
	if from+searchRowsPage < len(all) {
		d.Next = link("page", strconv.Itoa(at+1))
	}
	return s.send(w, r, t.status(), p, "")
}

// findingsOf returns the rows of a search, each with its span of time on an axis that covers all
// rows. It sets the ends of the axis in d.
func findingsOf(t *table, d *searchData) []finding {
	column := map[string]int{}
	for i, c := range t.Columns {
		column[c] = i
	}
	var first, last time.Time
	type bounds struct{ from, to time.Time }
	list := make([]finding, 0, len(t.Rows))
	spans := make([]bounds, 0, len(t.Rows))
	for _, row := range t.Rows {
		get := func(name string) cell {
			i, ok := column[name]
			if !ok {
				return cell{}
			}
			return row[i]
		}
		from, _ := time.Parse(time.RFC3339, get("first_seen").Text)
		to, _ := time.Parse(time.RFC3339, get("last_seen").Text)
		if first.IsZero() || from.Before(first) {
			first = from
		}
		if to.After(last) {
			last = to
		}
		u := get("url").Text
		f := finding{
			URL: u, Shown: shownURL(u), Title: get("title").Text, Stamp: to.UTC().Format("20060102150405"),
			First: from.UTC().Format("2006-01-02"), Last: to.UTC().Format("2006-01-02"), Label: get("label").Text, Section: get("section").Text, Topic: get("topic").Text,
			Copies: get("copies").Text, Host: urlkey.Host(u), Year: from.UTC().Format("2006"),
		}
		if f.Title == "" {
			f.Title = f.Shown
		}
		if c := get("snippet"); c.Marked != nil {
			f.Snippet = c.Marked
		} else if c.Text != "" {
			f.Snippet = spansOf(c.Text)
		}
		if f.Copies == "0" {
			f.Copies = ""
		}
		list, spans = append(list, f), append(spans, bounds{from, to})
	}
	if length := last.Sub(first).Seconds(); length > 0 {
		for i := range list {
			left := spans[i].from.Sub(first).Seconds() / length * 100
			width := max(1, spans[i].to.Sub(spans[i].from).Seconds()/length*100)
			list[i].From = strconv.FormatFloat(min(left, 99), 'f', 1, 64)
			list[i].Width = strconv.FormatFloat(min(width, 100-min(left, 99)), 'f', 1, 64)
		}
	}
	d.AxisFrom, d.AxisTo = first.UTC().Format("2006-01-02"), last.UTC().Format("2006-01-02")
	return list
}

// facetsMax is how many values of a facet are shown.
const facetsMax = 12

// facetsOf returns the most frequent values that findings in list have. The function of returns
// the value of a finding, and link the address for a value.
func facetsOf(list []finding, of func(*finding) string, link func(string) string) []facet {
	counts := map[string]int{}
	for i := range list {
		if v := of(&list[i]); v != "" {
			counts[v]++
		}
	}
	var out []facet
	for v, n := range counts {
		f := facet{Value: v, Count: n}
		if link != nil {
			f.Link = link(v)
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b facet) int { return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value)) })
	return out[:min(len(out), facetsMax)]
}

// queryData is what the page query shows.
type queryData struct {
	Text    string
	Table   *table // nil before a statement was asked
	Saved   *table
	Formats []answerFormat
	Params  map[string]string
}

// Name returns the name of the format.
func (f answerFormat) Name() string { return f.name }

// queryPage answers /query with the answer of a statement, which is in the address so
// that it can be shared.
func (s *server) queryPage(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	v := r.URL.Query()
	d := &queryData{Text: v.Get("q"), Params: map[string]string{}}
	for name, values := range v {
		if short, ok := strings.CutPrefix(name, "param."); ok {
			d.Params[short] = values[0]
		}
	}
	p := newPage(r, "query", d)
	p.Title = p.T("query")
	var err error
	if strings.TrimSpace(d.Text) != "" {
		if d.Table, err = s.chartOf(r, d.Text, d.Params); err != nil {
			return err
		}
		for _, f := range answerFormats {
			if f.name != "raw" {
				d.Formats = append(d.Formats, f)
			}
		}
	} else if d.Saved, err = s.tableOf(r, "SHOW QUERIES", siteRowsMax); err != nil {
		return err
	}
	status := http.StatusOK
	if d.Table != nil {
		status = d.Table.status()
	}
	return s.send(w, r, status, p, "")
}

// historyPage answers /history with the versions of a URL.
func (s *server) historyPage(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	u, err := ask.URL(r.URL.Query())
	if err != nil {
		return err
	}
	statement := "SELECT time, last_seen, visits, change, substantial, reason, status, bytes, title FROM " + ask.Literal(u) + " ORDER BY time DESC LIMIT " + strconv.Itoa(versionsMax)
	t, err := s.tableOf(r, statement, versionsMax)
	if err != nil {
		return err
	}
	for _, row := range t.Rows {
		if at, err := time.Parse(time.RFC3339, row[0].Text); err == nil {
			row[0].Link = "/" + at.UTC().Format("20060102150405") + "/" + u
			row[3].Link = pathQuery("/diff", "url", u, "to", row[0].Text)
		}
	}
	p := newPage(r, "table", t)
	p.Title, p.Statement = p.T("history")+": "+shownURL(u), statement
	return s.send(w, r, t.status(), p, "")
}

// diffData is what the page diff shows.
type diffData struct {
	URL, Shown, From, To string
	As                   string
	Table                *table
}

// diffPage answers /diff with what changed in a page between two times, and with
// as=blocks with the blocks of one version.
func (s *server) diffPage(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	v := r.URL.Query()
	u, err := ask.URL(v)
	if err != nil {
		return err
	}
	d := &diffData{URL: u, Shown: shownURL(u), From: v.Get("from"), To: v.Get("to"), As: v.Get("as")}
	var statement string
	if d.As == "blocks" || d.As == "text" || d.As == "html" || d.As == "headers" {
		statement, err = ask.Page(url.Values{"url": {u}, "at": {d.To}, "as": {d.As}})
	} else {
		d.As = ""
		statement, err = ask.Diff(url.Values{"url": {u}, "from": {d.From}, "to": {d.To}})
	}
	if err != nil {
		return err
	}
	if d.Table, err = s.tableOf(r, statement, pageRowsMax); err != nil {
		return err
	}
	p := newPage(r, "diff", d)
	p.Title, p.Statement = p.T("changes")+": "+d.Shown, statement
	if d.As != "" {
		p.Title = d.Shown
	}
	return s.send(w, r, d.Table.status(), p, "")
}

// section is a part of a page: a heading, and the rows of a statement.
type section struct {
	Title string
	Table *table
}

// siteData is what the pages site and jobs show.
type siteData struct {
	Host     string // the host that the page site shows; "" for all hosts
	Sections []section
}

// sitePage answers /site with the hosts of the archive, or with one host: its pages
// that changed most, its versions by month and its pages that are gone.
func (s *server) sitePage(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	d := &siteData{Host: strings.ToLower(strings.TrimSpace(r.URL.Query().Get("host")))}
	p := newPage(r, "site", d)
	p.Title = p.T("sites")
	limit := " LIMIT " + strconv.Itoa(siteRowsMax)
	parts := []asked{
		{"all_hosts", "SELECT host, page_count, version_count, change_count, first_seen, last_seen FROM hosts ORDER BY page_count DESC, host LIMIT 200"},
	}
	if d.Host != "" {
		if _, err := urlkey.ParseScope(d.Host); err != nil {
			return failf(http.StatusBadRequest, "host=%s: %v", d.Host, err)
		}
		p.Title = d.Host
		in := " IN " + ask.Literal(d.Host)
		parts = []asked{
			{"site_pages", "SELECT url, title, version_count, change_count, last_seen, rank FROM pages" + in + " ORDER BY change_count DESC, url" + limit},
			{"site_months", "SELECT date_trunc('month', time) AS month, count(*) AS captures FROM captures" + in + " GROUP BY month ORDER BY month LIMIT 400"},
			{"site_gone", "SELECT url, title, last_seen, status FROM pages" + in + " WHERE kind IN ('missing', 'soft_missing') ORDER BY last_seen DESC" + limit},
		}
	}
	var err error
	if d.Sections, err = s.sections(r, p, parts...); err != nil {
		return err
	}
	if t := d.Sections[0].Table; d.Host == "" {
		for _, row := range t.Rows {
			row[0].Link = pathQuery("/site", "host", row[0].Text)
		}
	}
	return s.send(w, r, d.Sections[0].Table.status(), p, "")
}

// crawlsData is what the page crawls shows.
type crawlsData struct {
	URL      string   // about which the page says what each crawl decided; or ""
	Traced   *section // nil without URL
	Sections []section
	Orders   []string // statements that steer the running crawls
}

// crawlParts are the parts of the page crawls.
var crawlParts = []asked{
	{"crawls", "SELECT name, state, fetched, failed, waiting, pages_per_second AS pages_s, bytes_per_second AS bytes_s, pages_per_second_hour AS pages_s_hour, bytes_per_second_hour AS bytes_s_hour, bytes, alerts, started, finished, error FROM crawls ORDER BY started DESC LIMIT 100"},
	{"alerts", "SELECT time, crawl, kind, host, url, text FROM alerts ORDER BY time DESC LIMIT 20"},
	{"crawl_hosts", "SELECT crawl, host, state, waiting, fetched, failed, errors, delay, next, silent_since, soft_404 FROM crawl_hosts ORDER BY silent_since NULLS LAST, waiting DESC, fetched DESC, crawl, host LIMIT 50"},
	{"last_errors", "SELECT error_time AS time, crawl, error_url AS url, error FROM crawl_hosts WHERE error_time IS NOT NULL ORDER BY error_time DESC LIMIT 20"},
	{"traps", "SELECT crawl, host, kept, url, reason FROM traps ORDER BY kept DESC LIMIT 20"},
	{"outcomes", "SELECT name, outcomes, stages FROM crawls ORDER BY started DESC LIMIT 20"},
	{"workers", "SELECT crawl, step, url, since FROM workers ORDER BY crawl, worker LIMIT 100"},
}

// crawlsPage answers /crawls with the crawls of the archive, their hosts, alerts and
// workers, and what each decided about a URL. The server only reads, so the page
// names the statements that steer the running crawls.
func (s *server) crawlsPage(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	d := &crawlsData{URL: strings.TrimSpace(r.URL.Query().Get("url"))}
	p := newPage(r, "crawls", d)
	p.Title = p.T("crawls")
	var err error
	if d.Sections, err = s.sections(r, p, crawlParts...); err != nil {
		return err
	}
	d.Orders = ordersOf(d.Sections[0].Table)
	if d.URL != "" {
		traced, err := s.sections(r, p, asked{"why_not", "TRACE " + ask.Literal(d.URL)})
		if err != nil {
			return err
		}
		d.Traced = &traced[0]
	}
	return s.send(w, r, d.Sections[0].Table.status(), p, "")
}

// ordersOf returns statements that steer the crawls in t that are running or paused.
func ordersOf(t *table) (list []string) {
	for _, row := range t.Rows {
		name, state := ast.Name{Text: row[0].Text}, row[1].Text
		switch {
		case name.Text == "…": // an access rule hides it
			continue
		case state == "running":
			list = append(list, "PAUSE CRAWL "+name.String()+";")
		case state == "paused", state == "interrupted":
			list = append(list, "RESUME CRAWL "+name.String()+";")
		default:
			continue
		}
		for _, order := range []string{"SET WORKERS 8 FOR CRAWL %;", "SET DELAY 5s FOR CRAWL % IN 'a.example';", "EXCLUDE 'a.example' FROM CRAWL %;", "INCLUDE 'a.example' IN CRAWL %;", "STOP CRAWL %;"} {
			list = append(list, strings.Replace(order, "%", name.String(), 1))
		}
	}
	return list
}

// jobParts are the parts of the page jobs.
var jobParts = []asked{
	{"schedules", "SELECT name, state, rule, statement, next_run, last_run, last_state, error FROM schedules ORDER BY next_run, name LIMIT 100"},
	{"running", "SELECT id, name, statement, started FROM jobs WHERE state = 'running' ORDER BY started LIMIT 100"},
	{"ended", "SELECT id, name, state, statement, started, finished - started AS duration, rows, error FROM jobs WHERE state <> 'running' ORDER BY started DESC LIMIT 100"},
}

// jobsPage answers /jobs with the jobs of the archive and what is scheduled.
func (s *server) jobsPage(w http.ResponseWriter, r *http.Request) (err error) {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	d := &siteData{}
	p := newPage(r, "jobs", d)
	p.Title = p.T("jobs")
	if d.Sections, err = s.sections(r, p, jobParts...); err != nil {
		return err
	}
	return s.send(w, r, d.Sections[0].Table.status(), p, "")
}

// asked is a part of a page whose statement has not run yet: the name of its heading, and the
// statement.
type asked struct{ title, statement string }

// sections runs the statements of parts, which are parts of the page p, and adds the statements to
// p.Statement.
func (s *server) sections(r *http.Request, p *page, parts ...asked) (list []section, err error) {
	for _, a := range parts {
		t, err := s.tableOf(r, a.statement, sectionRowsMax)
		if err != nil {
			return nil, err
		}
		list = append(list, section{p.T(a.title), t})
		if p.Statement != "" {
			p.Statement += ";\n"
		}
		p.Statement += a.statement
	}
	return list, nil
}

// drawingStyle sends the style sheet of drawings.
func drawingStyle(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", staticTypes[".css"])
	_, err := w.Write([]byte(draw.Style()))
	return err
}

package serve

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"infomall/exec/rowio"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/repl/ask"
	"infomall/repl/serve/lookup"
	"infomall/store/urlkey"
)

//go:embed templates
var templateFiles embed.FS

// pageTemplates returns the templates of all pages. Each file in the folder templates
// defines one page, named as the file; layout.html defines what they share.
var pageTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"query":   url.QueryEscape,
		"quote":   ask.Literal,
		"address": func(at, u string) template.URL { return template.URL("/" + at + "/" + pathText(u)) },
		"dec":     func(n int64) int64 { return n - 1 },
		"inc":     func(n int64) int64 { return n + 1 },
	}).ParseFS(templateFiles, "templates/*.html"))
})

// moveTemplate is the page that opens another address in its frame.
var moveTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Parse(`<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={{.}}"><title>…</title><a href="{{.}}">{{.}}</a>
`))
})

// pathText returns a canonical URL as a part of a path. It escapes the characters that end
// an attribute of HTML. All other characters of a canonical URL may be in a path.
func pathText(u string) string {
	return strings.NewReplacer(`"`, "%22", "'", "%27", "<", "%3C", ">", "%3E", "`", "%60").Replace(u)
}

// page is what a template gets. Data depends on the page.
type page struct {
	Lang      string
	Chosen    bool // the language is that of the parameter lang
	Name      string
	Title     string
	Statement string // how the page was asked, in the query language; "" if it was not
	Logo      bool   // the logo is an image
	Other     string // address of this page in the other language; "" if it has none
	Data      any
}

// T returns a text in the language of the page.
func (p *page) T(name string) string { return word(p.Lang, name) }

// F returns a text in the language of the page, with values in it.
func (p *page) F(name string, values ...any) string {
	return fmt.Sprintf(word(p.Lang, name), values...)
}

// OtherLang returns the language that the page is not in.
func (p *page) OtherLang() string {
	if p.Lang == languages[0] {
		return languages[1]
	}
	return languages[0]
}

// OtherName returns the name of the language that OtherLang returns, in that language.
func (p *page) OtherName() string {
	if p.OtherLang() == "zh" {
		return "中文"
	}
	return "English"
}

// To returns the address of a path of the interface, with the chosen language.
func (p *page) To(path string) template.URL {
	if !p.Chosen {
		return template.URL(path)
	}
	mark := "?"
	if strings.Contains(path, "?") {
		mark = "&"
	}
	return template.URL(path + mark + "lang=" + p.Lang)
}

// newPage returns a page. name is the name of its template.
func newPage(r *http.Request, name string, data any) *page {
	p := &page{Name: name, Data: data}
	p.Lang, p.Chosen = languageOf(r)
	p.Title = word(p.Lang, "archive")
	if path := strings.TrimPrefix(r.URL.Path, "/"); !strings.ContainsAny(path, "/.*:") { // no path of an archived page
		v := r.URL.Query()
		v.Set("lang", p.OtherLang())
		p.Other = r.URL.Path + "?" + v.Encode()
	}
	return p
}

// pagePolicy is the Content-Security-Policy of the pages. The sources from which frames may come
// replace %s.
const pagePolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; frame-src %s"

// send sends the page with a status. frames says where its frame may come from; ""
// is nowhere.
func (s *server) send(w http.ResponseWriter, r *http.Request, status int, p *page, frames string) error {
	p.Logo = s.o.Logo != nil
	var b bytes.Buffer
	if err := pageTemplates().ExecuteTemplate(&b, p.Name+".html", p); err != nil {
		return err
	}
	if frames == "" {
		frames = "'none'"
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", p.Lang)
	h.Add("Vary", "Accept-Language")
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", fmt.Sprintf(pagePolicy, frames))
	retryLater(h, status)
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return nil
	}
	_, err := w.Write(b.Bytes())
	return err
}

// fault is an error as a page shows it.
type fault struct {
	Status int
	Text   string // with the line of the statement and a mark below the place
}

// faultOf returns err as a page shows it. statement is the text of the statement if err is a
// mistake in a statement, or "".
func faultOf(err error, statement string) *fault {
	p := problemOf(err)
	f := &fault{Status: p.Status, Text: err.Error()}
	if ask.IsFault(err) {
		f.Text = lang.Render(err, statement)
	}
	return f
}

// errorPage answers with a page for an error.
func (s *server) errorPage(w http.ResponseWriter, r *http.Request, err error) {
	p := newPage(r, "error", faultOf(err, ""))
	p.Title = p.T("error")
	// If the page cannot be sent, nobody is there to read it.
	_ = s.send(w, r, statusOf(err), p, "")
}

// note is a page at replay about an address that has nothing to show.
type note struct {
	Title  string // name of a text
	URL    string
	Detail string
	Near   []lookup.Capture
	File   string // address of a file that a browser does not show in a frame; or ""
	Origin string
}

// About returns the name of the text that explains the note, or "".
func (n *note) About() string {
	switch n.Title {
	case "note_never", "note_gone", "note_bodyless", "note_no_dom", "note_file":
		return strings.TrimPrefix(n.Title, "note_") + "_about"
	}
	return ""
}

// replayNote answers at replay with a page that says why there is no archived page.
func (s *server) replayNote(w http.ResponseWriter, r *http.Request, status int, n *note) {
	n.Origin = s.origins.interfaceOrigin(r)
	p := newPage(r, "note", n)
	p.Title, p.Other = p.T(n.Title), ""
	var b bytes.Buffer
	if err := pageTemplates().ExecuteTemplate(&b, "note.html", p); err != nil {
		panic(err) // the template and its data are ours
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self' "+n.Origin+"; sandbox allow-downloads allow-same-origin allow-top-navigation-by-user-activation")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	retryLater(h, status)
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(b.Bytes())
	}
}

// cell is one value of a table.
type cell struct {
	Text   string
	Null   bool
	Class  string // n for a number, t for a time, u for a URL, or ""
	Marked []span // the text in parts, if found words are marked in it
	Link   string // address that the value leads to; or ""
}

// span is a part of a text that is marked or not.
type span struct {
	Text string
	Mark bool
}

// table is the rows of an answer as a page shows them.
type table struct {
	Statement string
	Columns   []string
	Rows      [][]cell
	Cut       int // how many rows are shown, if there are more; otherwise 0
	Notes     []string
	Text      string        // an answer without rows
	Drawing   template.HTML // an answer with a drawing
	Chart     template.HTML // a drawing of the columns with numbers
	Fault     *fault
	charted   bool // the table gets a chart
}

// status returns the HTTP status of a page that shows this table.
func (t *table) status() int {
	if t.Fault != nil {
		return t.Fault.Status
	}
	return http.StatusOK
}

// tableOf runs a statement and returns up to max of its rows. If the statement has a mistake, or
// fails while it runs, the table has the error.
func (s *server) tableOf(r *http.Request, statement string, max int) (*table, error) {
	return s.fillTable(r, &table{Statement: statement}, nil, max)
}

// chartOf runs a statement with the values of its parameters. It does what tableOf does, for up to
// pageRowsMax rows, and adds a chart of the columns that have numbers.
func (s *server) chartOf(r *http.Request, statement string, params map[string]string) (*table, error) {
	return s.fillTable(r, &table{Statement: statement, charted: true}, params, pageRowsMax)
}

// fillTable runs the statement of t and adds up to max of its rows to t.
func (s *server) fillTable(r *http.Request, t *table, params map[string]string, max int) (*table, error) {
	a, err := s.asker.Run(r.Context(), t.Statement, params)
	if err == nil {
		err = t.fill(a, max)
		if errors.Is(err, ask.ErrRows) {
			t.Cut, err = max, nil
			a.Close(ask.ErrRows)
		} else {
			a.Close(err)
		}
	}
	if err != nil {
		if r.Context().Err() != nil {
			return nil, err
		}
		t.Fault = faultOf(err, t.Statement)
	}
	return t, nil
}

// fill reads the answer a into t: a drawing, a text or rows. The error is ask.ErrRows if a has
// more than max rows.
func (t *table) fill(a *ask.Answer, max int) error {
	drawing := a.Drawing
	if drawing == nil {
		drawing = a.Picture
	}
	switch {
	case drawing != nil:
		var b bytes.Buffer
		if err := drawing.Part(&b); err != nil {
			return a.Cause(err)
		}
		t.Drawing = template.HTML(b.String()) // made by a template, which escapes
	case a.Rows != nil:
		if err := t.fillRows(a, max); err != nil {
			return err
		}
	case a.Bytes != nil:
		b := limitedBuffer{left: tableTextMax}
		if _, err := a.Bytes.WriteTo(&b); err != nil && !errors.Is(err, errTableText) {
			return a.Cause(err)
		}
		t.Text = strings.ToValidUTF8(b.String(), "\uFFFD")
	default:
		return nil
	}
	t.Notes = a.Notes
	return nil
}

// fillRows reads the rows of the answer a into t. The error is ask.ErrRows if there are more than
// max; t then has the first max rows, and a chart of them.
func (t *table) fillRows(a *ask.Answer, max int) error {
	for _, c := range a.Columns {
		t.Columns = append(t.Columns, c.Name)
	}
	zone := a.Zone()
	figures := rowio.NewFigures(a.Columns, zone)
	if t.charted {
		defer func() { t.Chart = template.HTML(figures.HTML()) }() // its texts are escaped
	}
	for b, err := range a.Rows {
		if err != nil {
			return a.Cause(err)
		}
		if t.charted {
			figures.Add(b.Slice(0, min(b.N, max-len(t.Rows))))
		}
		for i := range b.N {
			if len(t.Rows) == max {
				return ask.ErrRows
			}
			row := make([]cell, len(b.Cols))
			for k, v := range b.Cols {
				row[k] = cellOf(&a.Columns[k], v, i, zone)
			}
			t.Rows = append(t.Rows, row)
		}
		a.Sent += int64(b.N)
	}
	return nil
}

// cellOf returns the value i of v, a vector of the column c, with times in zone.
func cellOf(c *value.Column, v *value.Vector, i int, zone *time.Location) cell {
	if v.IsNull(i) {
		return cell{Null: true}
	}
	text, ok := c.AppendStart(nil, v, i, zone)
	if !ok {
		text = v.AppendText(nil, i, zone)
	}
	x := cell{Text: string(text)}
	switch {
	case v.Type.Numeric(), v.Type == value.Duration:
		x.Class = "n"
	case v.Type == value.Time:
		x.Class = "t"
	case c.Marked:
		x.Marked = spansOf(x.Text)
	case v.Type == value.URL:
		x.Class, x.Link = "u", "/*/"+x.Text
	}
	return x
}

// Column returns the texts of a column by its name, for charts.
func (t *table) Column(name string) []string {
	for k, c := range t.Columns {
		if c == name {
			list := make([]string, len(t.Rows))
			for i := range t.Rows {
				list[i] = t.Rows[i][k].Text
			}
			return list
		}
	}
	return nil
}

// spansOf splits a text that has marks into marked and unmarked spans.
func spansOf(text string) []span {
	var list []span
	for text != "" {
		before, rest, ok := strings.Cut(text, value.MarkFrom)
		if before != "" {
			list = append(list, span{before, false})
		}
		if !ok {
			break
		}
		marked, after, _ := strings.Cut(rest, value.MarkTo)
		list = append(list, span{marked, true})
		text = after
	}
	return list
}

// tableTextMax bounds the bytes of a text, such as of SHOW PAGE, on a page.
const tableTextMax = 1 << 20

// errTableText says that a text is longer than tableTextMax.
var errTableText = errors.New("the text is too long for a page")

// limitedBuffer is a buffer that refuses more than left bytes.
type limitedBuffer struct {
	bytes.Buffer
	left int
}

// Write writes b as far as there is room.
func (l *limitedBuffer) Write(b []byte) (int, error) {
	if len(b) > l.left {
		l.Buffer.Write(b[:l.left])
		l.left = 0
		return 0, errTableText
	}
	l.left -= len(b)
	return l.Buffer.Write(b)
}

// shownURL returns a canonical URL as people read it: without http://, and with its
// escapes resolved.
func shownURL(u string) string {
	plain := urlkey.Unescape(u)
	return strings.TrimSuffix(strings.TrimPrefix(plain, "http://"), "/")
}

// pathQuery returns a path with parameters.
func pathQuery(path string, pairs ...string) string {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}

// With returns a copy of the page with other data, for a part of it.
func (p *page) With(data any) *page {
	part := *p
	part.Data = data
	return &part
}

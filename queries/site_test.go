package queries_test

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"text/template"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"infomall/store/formats/tianwang"
	"infomall/store/record"
)

// beijing is the zone of the site's clock; it has had no summer time since 1991.
var beijing = time.FixedZone("CST", 8*60*60)

// charsets are the folders of site.txtar and the charsets of news.txtar. Pages that say gb2312 may hold
// characters of GBK, as they did.
var charsets = map[string]encoding.Encoding{
	"ascii":  unicode.UTF8,
	"big5":   traditionalchinese.Big5,
	"gb2312": simplifiedchinese.GBK,
	"latin1": charmap.ISO8859_1,
	"utf8":   unicode.UTF8,
}

// site is a web site as one text file has it: a template a page, and the
// visits of a crawler. The head of site.txtar tells how it is written.
type site struct {
	pages    *template.Template
	captures []visit
	ips      map[string]string // by host
}

// visit is one line of captures.txt.
type visit struct {
	file   string // that holds its record
	time   time.Time
	url    string
	page   string // the template of what was found
	origin string // the URL first asked for, or ""
}

func openSite(name string) (*site, error) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		return nil, err
	}
	s := &site{pages: template.New("").Funcs(functions(time.Time{}))}
	for _, f := range archive.Files {
		switch f.Name {
		case "hosts.txt":
			s.ips = parseHosts(string(f.Data))
		case "captures.txt":
			s.captures, err = parseVisits(string(f.Data))
		default:
			_, err = s.pages.New(f.Name).Parse(string(f.Data))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, f.Name, err)
		}
	}
	return s, nil
}

func parseHosts(text string) map[string]string {
	ips := make(map[string]string)
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		for _, host := range f[min(1, len(f)):] {
			ips[host] = f[0]
		}
	}
	return ips
}

func parseVisits(text string) ([]visit, error) {
	var visits []visit
	for n, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) != 4 && len(f) != 5 {
			return nil, fmt.Errorf("line %d: %d fields, want file, time, URL, page and perhaps the URL asked for", n+1, len(f))
		}
		t, err := time.Parse(time.RFC3339, f[1])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		v := visit{file: f[0], time: t, url: f[2], page: f[3]}
		if len(f) == 5 {
			v.origin = f[4]
		}
		visits = append(visits, v)
	}
	return visits, nil
}

// functions are what the templates of a page seen at t may call.
func functions(t time.Time) template.FuncMap {
	return template.FuncMap{
		"date":  func() string { return t.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT") },
		"local": func(layout string) string { return t.In(beijing).Format(layout) },
		"since": func(day string) (bool, error) {
			d, err := time.ParseInLocation(time.DateOnly, day, beijing)
			return !t.Before(d), err
		},
		"count": func(start, perDay float64) int {
			days := t.Sub(time.Date(2008, 6, 1, 0, 0, 0, 0, beijing)).Hours() / 24
			return int(start + days*perDay)
		},
	}
}

// ip is the address of the host of a URL.
func (s *site) ip(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	ip, ok := s.ips[u.Host]
	if !ok {
		return "", fmt.Errorf("hosts.txt has no host %s", u.Host)
	}
	return ip, nil
}

// response is what the server sends to v: status line, headers, blank line and
// body, in the page's charset.
func (s *site) response(v visit) ([]byte, error) {
	pages, err := s.pages.Clone()
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	if err := pages.Funcs(functions(v.time)).ExecuteTemplate(&text, v.page, nil); err != nil {
		return nil, err
	}
	head, body, ok := strings.Cut(text.String(), "\n\n")
	if !ok {
		return nil, fmt.Errorf("%s: no blank line after the headers", v.page)
	}
	if strings.Contains(head, "Microsoft-IIS") {
		body = strings.ReplaceAll(body, "\n", "\r\n")
	}
	folder, _, _ := strings.Cut(v.page, "/")
	charset, ok := charsets[folder]
	if !ok {
		return nil, fmt.Errorf("%s: no charset is named %s", v.page, folder)
	}
	body, err = charset.NewEncoder().String(body)
	if err != nil {
		return nil, fmt.Errorf("%s in %s: %w", v.page, folder, err)
	}
	if strings.Contains(head, "Transfer-Encoding: chunked") {
		body = chunk(body)
	} else {
		head += fmt.Sprintf("\nContent-Length: %d", len(body))
	}
	return []byte(strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n" + body), nil
}

// chunk frames body as a server does that sends its head first and the rest
// from a buffer of 512 bytes.
func chunk(body string) string {
	var b bytes.Buffer
	for len(body) > 0 {
		n := min(len(body), 512)
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	b.WriteString("0\r\n\r\n")
	return b.String()
}

// compressed is the file whose records are compressed; the others are plain.
const compressed = "200808.raw"

// build writes the site's captures as Tianwang 1.0 files, by name.
func (s *site) build() (map[string][]byte, error) {
	files := make(map[string][]byte)
	for _, v := range s.captures {
		data, err := s.response(v)
		if err != nil {
			return nil, fmt.Errorf("%s at %v: %w", v.url, v.time, err)
		}
		ip, err := s.ip(v.url)
		if err != nil {
			return nil, err
		}
		files[v.file], err = tianwang.Append(files[v.file], v.record(ip, data))
		if err != nil {
			return nil, fmt.Errorf("%s at %v: %w", v.url, v.time, err)
		}
	}
	return files, nil
}

// record is the visit's record with the response that it got.
func (v *visit) record(ip string, data []byte) *tianwang.Record {
	r := &tianwang.Record{
		URL: v.url, Origin: v.origin, Time: record.At(v.time), IP: ip,
		Data: data, Compress: v.file == compressed,
	}
	if v.time.Location() != time.UTC {
		r.Extra = fmt.Appendf(nil, "date: %s\n", v.time.Format(time.RFC1123Z))
	}
	return r
}

package queries_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"infomall/store/formats/warc"
	"infomall/store/record"
	"infomall/store/record/message"
)

// news is the sites of demo/news.txtar. The head of that file says how it is written.
type news struct {
	sites []*newsSite
	pages map[string]string // templates by name, such as "www.lanjiang.example/front"
}

// newsSite is one site, with its articles in order of time.
type newsSite struct {
	host, ip, charset string
	first             time.Time     // of the visits
	every             time.Duration // between two visits
	path              string        // of an article, with text in braces that is replaced
	articles          []*newsArticle
}

// newsArticle is one article as a site prints it.
type newsArticle struct {
	Section, Source, Title, Path string
	Time                         time.Time
	Text                         []string // paragraphs
}

// lastVisit is the time after which no site is visited.
var lastVisit = time.Date(2008, 8, 31, 23, 0, 0, 0, beijing)

// frontArticles is how many articles a front page lists.
const frontArticles = 14

// openNews reads the text file.
func openNews(name string) (*news, error) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		return nil, err
	}
	n := &news{pages: map[string]string{}}
	for _, f := range archive.Files {
		text := string(f.Data)
		switch host, articles := strings.CutPrefix(f.Name, "articles/"); {
		case f.Name == "sites.txt":
			err = n.parseSites(text)
		case f.Name == "agency.txt":
			err = n.parseAgency(text)
		case articles:
			err = n.parseArticles(host, text)
		default:
			n.pages[strings.TrimPrefix(f.Name, "pages/")] = text
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, f.Name, err)
		}
	}
	for _, s := range n.sites {
		s.number()
	}
	return n, nil
}

func (n *news) parseSites(text string) error {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 6 {
			return fmt.Errorf("%q has %d fields, want 6", line, len(f))
		}
		s := &newsSite{host: f[0], ip: f[1], charset: f[2], path: f[5]}
		var err error
		if s.first, err = time.Parse(time.RFC3339, f[3]); err != nil {
			return err
		}
		if s.every, err = time.ParseDuration(f[4]); err != nil {
			return err
		}
		n.sites = append(n.sites, s)
	}
	return nil
}

// site returns the site of a host.
func (n *news) site(host string) (*newsSite, error) {
	for _, s := range n.sites {
		if s.host == host {
			return s, nil
		}
	}
	return nil, fmt.Errorf("no site %q in sites.txt", host)
}

func (n *news) parseArticles(host, text string) error {
	s, err := n.site(host)
	if err != nil {
		return err
	}
	for part := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		a, err := parseArticle(strings.Split(part, "\n"))
		if err != nil {
			return err
		}
		s.articles = append(s.articles, a)
	}
	return nil
}

// parseAgency gives each article of an agency to the sites that print it.
func (n *news) parseAgency(text string) error {
	for part := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		lines := strings.Split(part, "\n")
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "@ ") })
		if at < 0 {
			return fmt.Errorf("%q: no line begins with @", lines[0])
		}
		for _, line := range lines[at:] {
			f := strings.SplitN(line, " ", 7)
			if len(f) < 6 {
				return fmt.Errorf("%q: want @, site, section, day, time and number of paragraphs", line)
			}
			a, err := parseArticle(lines[:at])
			if err != nil {
				return err
			}
			s, err := n.site(f[1])
			if err != nil {
				return err
			}
			if a.Time, err = time.ParseInLocation("2006-01-02 15:04", f[3]+" "+f[4], beijing); err != nil {
				return err
			}
			if keep, err := strconv.Atoi(f[5]); err != nil || keep < 1 || keep > len(a.Text) {
				return fmt.Errorf("%q: the article has %d paragraphs", line, len(a.Text))
			} else {
				a.Text = a.Text[:keep]
			}
			a.Section = f[2]
			if len(f) == 7 {
				a.Title = f[6]
			}
			s.articles = append(s.articles, a)
		}
	}
	return nil
}

// parseArticle reads a line such as "| sport | 2008-08-08 23:40 | 本报 | title" and the
// paragraphs after it.
func parseArticle(lines []string) (*newsArticle, error) {
	f := strings.Split(lines[0], "|")
	if len(f) != 5 || len(lines) < 2 {
		return nil, fmt.Errorf("%q: want section, time, source and title after bars, then paragraphs", lines[0])
	}
	for i := range f {
		f[i] = strings.TrimSpace(f[i])
	}
	t, err := time.ParseInLocation("2006-01-02 15:04", f[2], beijing)
	return &newsArticle{Section: f[1], Time: t, Source: f[3], Title: f[4], Text: lines[1:]}, err
}

// inBraces is a part of a path that is replaced.
var inBraces = regexp.MustCompile(`\{[^}]*\}`)

// number sorts the articles by time and gives each its path.
func (s *newsSite) number() {
	slices.SortStableFunc(s.articles, func(a, b *newsArticle) int { return a.Time.Compare(b.Time) })
	for i, a := range s.articles {
		a.Path = inBraces.ReplaceAllStringFunc(s.path, func(part string) string {
			switch part = strings.Trim(part, "{}"); part {
			case "section":
				return a.Section
			case "n":
				return strconv.Itoa(41700 + 3*i)
			}
			return a.Time.Format(part)
		})
	}
}

// build returns the WARC file: the captures of each site in order of time. All records
// share one gzip member: the file has a fifth of the size that it had with one member for
// each record.
func (n *news) build() ([]byte, error) {
	var file bytes.Buffer
	zip, err := gzip.NewWriterLevel(&file, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w, err := warc.NewWriter(zip, warc.WriterOptions{Plain: true, Filename: "news.warc.gz", Now: record.At(lastVisit)})
	if err != nil {
		return nil, err
	}
	for _, s := range n.sites {
		captured := 0
		for t := s.first; t.Before(lastVisit); t = t.Add(s.every) {
			known := captured
			for known < len(s.articles) && s.articles[known].Time.Before(t) {
				known++
			}
			front := slices.Clone(s.articles[max(0, known-frontArticles):known])
			slices.Reverse(front)
			if err := n.write(w, s, t, "/", "front", map[string]any{"List": front}); err != nil {
				return nil, err
			}
			for i, a := range s.articles[captured:known] {
				if err := n.write(w, s, t.Add(time.Duration(i+1)*23*time.Second), a.Path, "article", a); err != nil {
					return nil, err
				}
			}
			captured = known
		}
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

// write writes the capture of a path at t, whose response the template page makes of data.
func (n *news) write(w *warc.Writer, s *newsSite, t time.Time, path, page string, data any) error {
	at := functions(t)
	at["ago"] = func(then time.Time) string { return ago(then, t) }
	name := s.host + "/" + page
	tmpl, err := template.New(name).Funcs(at).Parse(n.pages[name])
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := tmpl.Execute(&text, data); err != nil {
		return err
	}
	head, body, ok := strings.Cut(text.String(), "\n\n")
	if !ok {
		return fmt.Errorf("%s: no blank line after the headers", name)
	}
	if body, err = charsets[s.charset].NewEncoder().String(body); err != nil {
		return fmt.Errorf("%s%s in %s: %w", s.host, path, s.charset, err)
	}
	c := &message.Stored{URL: "http://" + s.host + path}
	c.AskedURL, c.Time, c.IP, c.RefersTime = c.URL, record.At(t), s.ip, record.NoTime
	c.Head = []byte(strings.ReplaceAll(fmt.Sprintf("%s\nContent-Length: %d", head, len(body)), "\n", "\r\n") + "\r\n\r\n")
	c.Status = message.Status(c.Head)
	c.Body, c.Size, c.Digest = []byte(body), int64(len(body)), sha256.Sum256([]byte(body))
	_, err = w.Write(c)
	return err
}

// ago returns a time as sites say it to people who read at now: by "今天" or "昨天", or by
// month and day.
func ago(t, now time.Time) string {
	day := func(t time.Time) string { return t.In(beijing).Format(time.DateOnly) }
	switch day(t) {
	case day(now):
		return "今天 " + t.In(beijing).Format("15:04")
	case day(now.AddDate(0, 0, -1)):
		return "昨天 " + t.In(beijing).Format("15:04")
	}
	return t.In(beijing).Format("01-02 15:04")
}

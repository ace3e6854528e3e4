package article

import (
	"strings"
	"unicode"
)

// Site holds what was learned about a host from its pages. A nil Site has learned nothing.
type Site struct {
	dayFirst, monthFirst int            // number of pages with a date that has a number over 12 in the first place, and in the second place
	titles               int            // number of pages with a window title
	ends                 map[string]int // for each part of a window title before or after a separator at an end: the number of titles with it at an end
}

// NewSite returns a Site that has learned nothing.
func NewSite() *Site { return &Site{ends: map[string]int{}} }

// siteEndsMax is the largest number of different parts in Site.ends.
const siteEndsMax = 256

// Learn adds what one page of the host shows: the parts of its window title,
// and whether its dates have the day or the month first. Main and Seen of in
// may be empty.
func (s *Site) Learn(in *Input) {
	r := newReader(in)
	defer r.free()
	r.walk()
	r.place()
	if r.window != 0 {
		c := &r.t.Nodes[r.window+1]
		s.learnTitle(oneLine(r.value(r.t.Body[c.Inner:min(c.Outer, c.Inner+titleTextMax)])))
	}
	day, month := false, false
	read := 0
	for i := range r.lines {
		l := &r.lines[i]
		if !l.digit || l.end-l.start > lineBytesMax || l.text > lineTextMax {
			continue
		}
		if read++; read > linesReadMax {
			break
		}
		for _, e := range r.scan.scan(r.text(i)) {
			text := r.scan.text[e.start:e.end]
			if e.swap || e.day <= 12 || e.month == 0 || e.year == 0 || len(text) < 8 {
				continue
			}
			first := digitsBefore(text)
			day, month = day || first == e.day, month || first == e.month
		}
	}
	if day != month {
		if day {
			s.dayFirst++
		} else {
			s.monthFirst++
		}
	}
}

// digitsBefore returns the first number of a date that is all numbers, such as 13 for 13/8/2008.
// It returns 0 if text does not begin with a number of one or two digits, a slash, point or
// hyphen, and a digit.
func digitsBefore(text string) int {
	n, i := 0, 0
	for i < len(text) && text[i]-'0' < 10 && i < 3 {
		n = n*10 + int(text[i]-'0')
		i++
	}
	if i == 0 || i > 2 || i+1 >= len(text) || text[i] != '/' && text[i] != '.' && text[i] != '-' || text[i+1]-'0' >= 10 {
		return 0
	}
	return n
}

// titleMarks are the separators between the title of an article and the name of
// its site in a window title.
var titleMarks = []string{" - ", " – ", " — ", " | ", "|", " :: ", " » ", " « ", " · ", " • ", "_", "--", "——", " / ", " : ", " > "}

// siteMarks are the titleMarks, and further separators that are common inside
// titles too.
var siteMarks = append([]string{": ", "：", ", "}, titleMarks...)

// learnTitle counts the parts of title before and after each separator.
func (s *Site) learnTitle(title string) {
	if title == "" {
		return
	}
	s.titles++
	for _, mark := range siteMarks {
		for from := 0; ; {
			k := strings.Index(title[from:], mark)
			if k < 0 {
				break
			}
			k += from
			s.learnEnd(title[k:])
			s.learnEnd(title[:k+len(mark)])
			from = k + len(mark)
		}
	}
}

func (s *Site) learnEnd(end string) {
	if len(end) > 0 && (s.ends[end] > 0 || len(s.ends) < siteEndsMax) {
		s.ends[end]++
	}
}

// The limits by which bare decides which part of a title is the name of the site.
const (
	endPages = 2   // at least this many window titles must have a part at an end so that it is the name of the site,
	endShare = .4  // and at least this share of all titles
	endBytes = 40  // if no other pages are known: a last part of at most this many bytes is the name of the site,
	endRatio = 1.2 // if the rest of the title is at least this many times as long
)

// bare returns a window title without the name of the site at its ends. name is
// the name of the site that the page itself gives, or "". s may be nil.
func (s *Site) bare(title, name string) string {
	if title == "" {
		return ""
	}
	if s != nil && s.titles >= endPages {
		longest := ""
		for end, n := range s.ends {
			if n >= endPages && float64(n) >= endShare*float64(s.titles) && (len(end) > len(longest) || len(end) == len(longest) && end < longest) && len(end) < len(title) &&
				(strings.HasPrefix(title, end) || strings.HasSuffix(title, end)) {
				longest = end
			}
		}
		if longest != "" {
			rest := strings.TrimSuffix(title, longest)
			if rest == title {
				rest = strings.TrimPrefix(title, longest)
			}
			if t := trimTitle(rest); t != "" {
				return t
			}
		}
	}
	if name != "" {
		if i := strings.LastIndex(title, name); i > 0 && i+len(name) == len(title) {
			if t := trimTitle(title[:i]); len(t) > 0 && t != strings.TrimSpace(title[:i]) {
				return t
			}
		}
	}
	for {
		cut, size := -1, 0
		for _, mark := range titleMarks {
			if k := strings.LastIndex(title, mark); k > cut {
				cut, size = k, len(mark)
			}
		}
		if cut <= 0 || len(title)-cut-size > endBytes || float64(cut) < endRatio*float64(len(title)-cut-size) {
			return title
		}
		if rest := strings.TrimRightFunc(title[:cut], unicode.IsSpace); rest != "" {
			title = rest
			continue
		}
		return title
	}
}

// monthFirst reports whether dates such as 8/9/2008 have the month first. It follows the other
// pages of the host, or else the custom of the page's language.
func (r *reader) monthFirst() bool {
	if s := r.in.Site; s != nil && s.dayFirst != s.monthFirst {
		return s.monthFirst > s.dayFirst
	}
	lang := strings.ToLower(r.in.Lang)
	switch {
	case strings.HasPrefix(lang, "en-us") || strings.HasPrefix(lang, "en_us"):
		return true
	case lang == "" || lang == "en":
		return !dayFirstHost(r.in.URL)
	}
	return false
}

// dayFirstHost reports whether the host of a URL is in a country in whose dates
// the day comes before the month.
func dayFirstHost(url string) bool {
	_, rest, _ := strings.Cut(url, "//")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, ":")
	end := host[strings.LastIndexByte(host, '.')+1:]
	return len(end) == 2 && end != "us"
}

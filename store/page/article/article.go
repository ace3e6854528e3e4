// Package article reads what a page says of itself as an article: when it was published and
// changed, who wrote it, where it comes from, and its title. It reads one page and what was
// learned from other pages of its host.
//
// # Words
//
//	line       a piece of visible text on a line of its own, or in a table cell of its own
//	candidate  a date that may be the one of the article
//	weight     how probably a candidate is the day of publication, from 0 to 1
//	trust      the weight that the place of a line gives to a date in it
//	near       in one of the few lines around the title, or at an end of the main text
//	beside     in a part of the page that is about something else, such as comments
//	mark       what the words beside a date say of it, such as "updated"
//	bare       of the title of a window: without the name of the site
package article

import (
	"strings"

	"infomall/store/page/markup"
	"infomall/store/record"
)

// Article holds the statements of a page about itself, such as its author. A field is zero if
// the page does not state it.
type Article struct {
	// Score says how much the page is one article, from 0 to 1: running text in the main
	// part, a title, a date, and few links.
	Score     float64
	Published Date
	Modified  Date
	Author    string
	Source    string // publication that the page names as the origin of its text, such as 新华网; or ""
	Title     string // title of the article, without the name of the site
}

// Date is a date that a page gives. Time is the start of the period that Precision names.
type Date struct {
	Time      record.Time // record.NoTime if there is none
	Precision Precision
	From      From
}

// Precision says how exact a date is.
type Precision uint8

// String returns the name of p, such as "day", or "" for NoDate.
func (p Precision) String() string { return [...]string{"", "year", "month", "day", "minute"}[p] }

// The precisions, from coarse to fine.
const (
	NoDate Precision = iota
	Year
	Month
	Day
	Minute
)

// From says where on the page a date was found.
type From string

// The places of dates.
const (
	FromMeta   From = "meta"
	FromJSONLD From = "json-ld"
	FromTime   From = "time"
	FromURL    From = "url"
	FromText   From = "text"
	FromHeader From = "header"
)

// Input has the parameters of Read. Page and Charset must be set.
type Input struct {
	Page    *markup.Tree
	Charset string // charset of the bytes of Page.Body
	URL     string
	// LastModified is the header of that name as received, or "".
	LastModified string
	// Lang is the language of the page, such as de or zh-cn; "" if it is not known.
	Lang string
	// Main has the ranges of the page's body that are its main text, in order.
	Main []Range
	// Seen is the time of the first capture with this main text. The page
	// cannot have been published later. Captured is the time of the capture
	// that is read: relative dates, such as yesterday, are counted back from
	// it. Each is 0 or record.NoTime if it is not known.
	Seen, Captured record.Time
	// Site is what was learned from other pages of the host; nil if nothing is
	// known.
	Site *Site
}

// Range is a range of the bytes of a body.
type Range struct{ Start, End int }

// Read reads what a page says of itself as an article.
func Read(in *Input) Article {
	r := newReader(in)
	defer r.free()
	return r.read()
}

// read reads the page and returns what it says of itself.
func (r *reader) read() (a Article) {
	r.walk()
	r.place()
	a.Title = r.findTitle()
	r.placeBody()
	r.readURLs()
	r.readTimes()
	if !r.sure() {
		r.readProps()
		r.readPrograms()
	}
	r.readLines()
	a.Published, a.Modified = r.choose()
	a.Author, a.Source = r.findAuthor(), r.findSource()
	a.Score = r.score(&a)
	return a
}

// newReader returns a reader for the page. The caller calls free.
func newReader(in *Input) *reader {
	r := readers.Get().(*reader)
	*r = reader{in: in, t: in.Page, lines: r.lines[:0], dates: r.dates[:0], scan: r.scan, times: r.times[:0], scripts: r.scripts[:0], texts: r.texts, names: r.names, marked: r.marked[:0], programs: r.programs[:0], besides: r.besides, title: -1}
	lang, _, _ := strings.Cut(strings.ToLower(in.Lang), "-")
	lang, _, _ = strings.Cut(lang, "_")
	r.scan.lang = lang
	return r
}

// free gives the memory of r to later readers.
func (r *reader) free() {
	r.in, r.t = nil, nil
	clear(r.besides)
	clear(r.texts)
	readers.Put(r)
}

// Package article reads what a page says of itself as an article: when it was published and
// changed, who wrote it, where it comes from, and its title. It reads one page and what was
// learned from other pages of its host.
package article

import "infomall/store/record"

// Article is what a page says of itself. Fields that it does not say are zero.
type Article struct {
	// Score says how much the page is one article, from 0 to 1: running text in the main
	// part, a title, a date, and few links.
	Score     float64
	Published Date
	Modified  Date
	Author    string
	Source    string // who wrote the text, if the page says it took it from elsewhere, such as 新华网
	Title     string // of the article, without the name of the site
}

// Date is a date that a page gives. Time is the start of the period that Precision names.
type Date struct {
	Time      record.Time // record.NoTime if there is none
	Precision Precision
	From      From
}

// Precision says how exact a date is.
type Precision uint8

// String returns the name of the precision, such as "day", or "" for NoDate.
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

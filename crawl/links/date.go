package links

import (
	"net/mail"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"infomall/store/urlkey"
)

// dayLayouts are the forms of a date without a time of day, with the time that such a
// date lasts.
var dayLayouts = []struct {
	layout              string
	years, months, days int
}{{time.DateOnly, 0, 0, 1}, {"2006-01", 0, 1, 0}, {"2006", 1, 0, 0}}

// date parses a date in the W3C format, such as 2008-06-12, or in the form of mails, such
// as Thu, 12 Jun 2008 08:00:00 GMT. The result until is the end of the day, month or year
// that s names, or from. Both are zero if s is no such date.
func date(s string) (from, until time.Time) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), t.UTC()
		}
	}
	for _, d := range dayLayouts {
		if t, err := time.Parse(d.layout, s); err == nil {
			return t, t.AddDate(d.years, d.months, d.days)
		}
	}
	if t, err := mail.ParseDate(s); err == nil && strings.Contains(s, ":") {
		return t.UTC(), t.UTC()
	}
	return time.Time{}, time.Time{}
}

// monthInName finds a year and month in the path of a sitemap, such as 2024-05.
var monthInName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\D)((?:19|20)\d\d)[-_/.]?(0[1-9]|1[0-2])(?:\D|$)`)
})

// dateOf returns the date by which l is ordered: when it changed, or for a sitemap the
// month in its name. ok is false if it has no date.
func dateOf(l *Link) (t time.Time, ok bool) {
	if !l.Modified.IsZero() || !l.Sitemap {
		return l.Modified, !l.Modified.IsZero()
	}
	m := monthInName().FindStringSubmatch(urlkey.RawPath(l.URL))
	if m == nil {
		return t, false
	}
	year, _ := strconv.Atoi(m[1])
	month, _ := strconv.Atoi(m[2])
	return time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC), true
}

// newestFirst puts the links of a sitemap or feed, those from the index first on, in
// order: those with a date, the newest first, then the others. The indexes in c.seen are
// then wrong, so no link may be added any more.
func (c *collector) newestFirst(first int) {
	type dated struct {
		Link
		at time.Time
		ok bool
	}
	list := make([]dated, len(c.found.Links)-first)
	any := false
	for i := range list {
		l := &c.found.Links[first+i]
		at, ok := dateOf(l)
		list[i] = dated{*l, at, ok}
		any = any || ok
	}
	if !any {
		return
	}
	slices.SortStableFunc(list, func(a, b dated) int {
		switch {
		case a.ok != b.ok:
			if a.ok {
				return -1
			}
			return 1
		case a.ok:
			return b.at.Compare(a.at)
		}
		return 0
	})
	for i := range list {
		c.found.Links[first+i] = list[i].Link
	}
}

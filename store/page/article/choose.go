package article

import (
	"math"
	"strings"
	"time"

	"infomall/store/record"
)

// candidate is a date that may be the one of the article.
type candidate struct {
	expression
	from   From
	weight float64 // how probably it is the day of publication, or of the last change
	change bool    // the page says that it is the day of the last change
	line   int     // the index of the line that has it, or -1
	plain  bool    // the line is no sentence, and its words do not say what the date is
}

// The limits by which choose decides.
const (
	weightLeast  = .25 // a date with less weight is not taken
	visibleLeast = .6  // see trustVisible
	visibleMore  = .25
	visibleMost  = .92
	localLeast   = .35            // a date with less weight does not correct one in UTC
	zoneSlack    = 24 * time.Hour // so much later than the first capture may a date be, because of time zones
)

// datesMax is how many dates of a page are compared. Those found first are more telling.
const datesMax = 300

// add adds a date, unless there are datesMax already.
func (r *reader) add(c candidate) {
	if len(r.dates) < datesMax {
		r.dates = append(r.dates, c)
	}
}

// sureWeight is the weight of a date that is hardly ever wrong.
const sureWeight = .85

// sure reports whether a meta element or JSON-LD says when the page was published. Other dates
// are then looked for near the title only.
func (r *reader) sure() bool {
	for i := range r.dates {
		if c := &r.dates[i]; !c.change && c.day != 0 && c.weight >= sureWeight && (c.from == FromMeta || c.from == FromJSONLD) && r.possible(&c.expression) {
			return true
		}
	}
	return false
}

// choose returns when the article was published and when it was last changed.
func (r *reader) choose() (published, modified Date) {
	r.doubtHome()
	r.resolve()
	r.trustVisible()
	published = r.best(false)
	if published.Precision < Day {
		if r.readAttributes(); len(r.dates) > 0 {
			r.resolve()
			published = r.best(false)
		}
	}
	modified = r.best(true)
	if modified.Precision == NoDate {
		if e, ok := r.exact(r.in.LastModified); ok && r.possible(&e) {
			modified = e.date()
			modified.From = FromHeader
		}
	}
	return published, modified
}

// known reports whether t is a time.
func known(t record.Time) bool { return t > 0 }

// possible reports whether a page that was first seen at in.Seen may be of the date e.
func (r *reader) possible(e *expression) bool {
	if !known(r.in.Seen) {
		return true
	}
	at := time.Date(e.year, time.Month(max(1, e.month)), max(1, e.day), 0, 0, 0, 0, time.UTC)
	return !at.After(r.in.Seen.Std().Add(zoneSlack))
}

// resolve completes dates without a year, decides between the two readings of dates such as
// 8/9/2008, and drops impossible dates.
func (r *reader) resolve() {
	monthFirst := r.monthFirst()
	kept := r.dates[:0]
	for _, c := range r.dates {
		if c.year == 0 && !r.giveYear(&c) {
			continue
		}
		if c.swap {
			other := c.expression
			other.day, other.month = c.month, c.day
			first, second := r.possible(&c.expression), r.possible(&other)
			switch here, there := r.backed(&c.expression), r.backed(&other); {
			case !first && second, first == second && (there > here+.5 || there > here-.5 && monthFirst):
				c.expression = other
			}
		}
		if !c.valid() || !r.possible(&c.expression) {
			continue
		}
		kept = append(kept, c)
	}
	r.dates = kept
	for i := range r.dates {
		if c := &r.dates[i]; c.zone == 0 && c.hour >= 0 {
			r.localDay(c)
		}
	}
}

// doubtHome lowers the weight of dates in the text if the URL is that of a home page: they are
// those of the articles that it leads to.
func (r *reader) doubtHome() {
	_, rest, ok := strings.Cut(r.in.URL, "://")
	if _, path, _ := strings.Cut(rest, "/"); !ok || path != "" {
		return
	}
	for i := range r.dates {
		if c := &r.dates[i]; c.from == FromText || c.from == FromTime {
			c.weight *= listDoubt
		}
	}
}

// trustVisible raises the weight of a date that readers of the page see near its title, if the
// page does not say elsewhere that it is the day of a change, and the URL has no other day.
// Meta elements often have the day on which a file was made.
func (r *reader) trustVisible() {
	for i := range r.dates {
		c := &r.dates[i]
		if c.from != FromText || c.change || c.line < r.title || c.weight < visibleLeast || c.year == 0 {
			continue
		}
		changed := false
		for k := range r.dates {
			o := &r.dates[k]
			same := o.year == c.year && o.month == c.month && o.day == c.day
			changed = changed || o.change && same || o.from == FromURL && o.day != 0 && !same
		}
		if !changed {
			c.weight = min(visibleMost, c.weight+visibleMore)
		}
	}
}

// localDay corrects the day of a date that is given in UTC: another date of the page may say
// which day it was where the page was made.
func (r *reader) localDay(c *candidate) {
	day := time.Date(c.year, time.Month(c.month), c.day, 0, 0, 0, 0, time.UTC)
	near := day.AddDate(0, 0, 1)
	if c.hour < 12 {
		near = day.AddDate(0, 0, -1)
	}
	var local *candidate
	same := false // a date without a zone is the same day as c
	for i := range r.dates {
		o := &r.dates[i]
		if o.day == 0 || o.zone == 0 || o.change != c.change || o.weight < localLeast {
			continue
		}
		switch at := time.Date(o.year, time.Month(o.month), o.day, 0, 0, 0, 0, time.UTC); {
		case at.Equal(near) && (local == nil || o.from == FromURL):
			local = o
		case at.Equal(day) && o.from != FromJSONLD:
			same = true
		}
	}
	if local != nil && (!same || local.from == FromURL) {
		c.year, c.month, c.day, c.hour = local.year, local.month, local.day, -1
		return
	}
	if same {
		return
	}
	if at := day.Add(time.Duration(c.hour*60+c.minute+r.saidZone()) * time.Minute); at.Day() != c.day {
		c.year, c.month, c.day, c.hour = at.Year(), int(at.Month()), at.Day(), -1
	}
}

// backed returns the weight of the other dates of the page that are the same day as e.
func (r *reader) backed(e *expression) float64 {
	sum := 0.0
	for i := range r.dates {
		c := &r.dates[i]
		if c.year == e.year && c.month == e.month && !c.swap {
			if c.day == e.day {
				sum += c.weight
			} else if c.day == 0 {
				sum += c.weight / 2
			}
		}
	}
	return sum
}

// giveYear completes a date without a year: the year of another date of the page with the
// same month, or the last year in which the date is not after the first capture.
func (r *reader) giveYear(c *candidate) bool {
	best := 0.0
	for i := range r.dates {
		o := &r.dates[i]
		if o.year != 0 && o.month == c.month && (o.day == 0 || o.day == c.day) && o.weight > best {
			best, c.year = o.weight, o.year
		}
	}
	if c.year != 0 {
		return true
	}
	if !known(r.in.Seen) {
		return false
	}
	c.weight *= .8
	by := r.in.Seen
	if newest := r.newest(); newest != record.NoTime {
		by = min(by, newest)
	}
	c.year = by.Std().Year()
	if at := c.date(); at.Time > by {
		c.year--
	}
	return true
}

// newest returns a time shortly after the newest date that the page says, whatever it is about,
// or the end of the year of its copyright; record.NoTime if there is none. The page was hardly
// made later.
func (r *reader) newest() record.Time {
	newest := record.NoTime
	for i := range r.dates {
		if c := &r.dates[i]; c.year != 0 && c.valid() && r.possible(&c.expression) {
			newest = max(newest, record.At(c.date().Time.Std().AddDate(0, 0, newestDays)))
		}
	}
	if r.copyright != 0 {
		newest = max(newest, record.At(time.Date(r.copyright, 12, 31, 0, 0, 0, 0, time.UTC)))
	}
	return newest
}

// newestDays is by how many days a page may be younger than the newest date that it says.
const newestDays = 40

// best returns the date with the most weight, among those of changes or those of publication.
// Dates of different places that agree on the day add weight to each other.
func (r *reader) best(change bool) Date {
	var chosen Date
	most := 0.0
	var at *candidate
	for i := range r.dates {
		c := &r.dates[i]
		if c.change != change {
			continue
		}
		if w := r.support(c); w > most+1e-9 {
			most, at = w, c
		}
	}
	if at == nil || most < weightLeast {
		return Date{Time: record.NoTime}
	}
	chosen = at.date()
	chosen.From = at.from
	// Another date of the same day may also say the minute, or the day of the month.
	for i := range r.dates {
		c := &r.dates[i]
		if c.change != change || c.year != at.year || at.month != 0 && c.month != at.month || at.day != 0 && c.day != at.day || c.weight < weightLeast {
			continue
		}
		if d := c.date(); d.Precision > chosen.Precision {
			from := chosen.From
			if c.weight > at.weight || chosen.Precision < Day {
				from = c.from
			}
			chosen, chosen.From = d, from
		}
	}
	return chosen
}

// support returns the weight of c together with that of the dates of other places of the page
// that are the same day.
func (r *reader) support(c *candidate) float64 {
	places := [...]From{FromMeta, FromJSONLD, FromTime, FromURL, FromText}
	doubt := 1.0
	for _, p := range places {
		most := 0.0
		for i := range r.dates {
			o := &r.dates[i]
			if o.from != p || o.change != c.change || o.year != c.year {
				continue
			}
			switch {
			case o.month == c.month && o.day == c.day:
				most = max(most, o.weight)
			case o.day == 0 && o.month == c.month && c.day != 0, o.month == 0 && c.month != 0:
				most = max(most, o.weight*.5)
			}
		}
		doubt *= 1 - math.Min(most, .99)
	}
	return 1 - doubt
}

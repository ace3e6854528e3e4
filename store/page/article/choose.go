package article

import (
	"math"
	"slices"
	"strings"
	"time"

	"infomall/store/record"
)

// candidate is a date on the page that may be the day of publication or of the last change of the
// article.
type candidate struct {
	expression
	from   From
	weight float64 // how probable it is that the date is the day of publication, or that of the last change if change is set; from 0 to 1
	change bool    // the page says that the article was last changed on this day
	line   int     // index of the line that contains the date, or -1
	plain  bool    // the line is no sentence, and no word in it says what the date is
}

// The limits by which choose decides.
const (
	weightLeast  = .25 // a date with less weight is not chosen
	visibleLeast = .6  // see trustVisible
	visibleMore  = .25
	visibleMost  = .92
	localLeast   = .35            // a date with less weight does not correct the day of a date in UTC
	zoneSlack    = 24 * time.Hour // a date may be this much later than the first capture, because of time zones
)

// datesMax is how many dates of a page are compared. The dates found first are the best evidence.
const datesMax = 300

// add adds the date c to r.dates, unless r.dates has datesMax dates already.
func (r *reader) add(c candidate) {
	if len(r.dates) < datesMax {
		r.dates = append(r.dates, c)
	}
}

// sureWeight is the weight from which on a date in meta elements or JSON-LD counts as certain.
const sureWeight = .85

// sure reports whether a meta element or JSON-LD gives the day of publication with at least
// sureWeight. Other dates are then searched only near the title and the ends of the main text.
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

// known reports whether t is set: it is neither 0 nor record.NoTime.
func known(t record.Time) bool { return t > 0 }

// possible reports whether the date e is not after in.Seen, the first capture of the main text.
func (r *reader) possible(e *expression) bool {
	if !known(r.in.Seen) {
		return true
	}
	at := time.Date(e.year, time.Month(max(1, e.month)), max(1, e.day), 0, 0, 0, 0, time.UTC)
	return !at.After(r.in.Seen.Std().Add(zoneSlack))
}

// resolve completes r.dates: it gives a year to dates without one, chooses one
// of the two meanings of a date such as 8/9/2008, and removes dates that do not
// exist or are after the first capture.
func (r *reader) resolve() {
	monthFirst := r.monthFirst()
	for i, c := range r.dates {
		r.dates[i] = candidate{} // removed, unless c is put back
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
		r.dates[i] = c
	}
	r.dates = slices.DeleteFunc(r.dates, func(c candidate) bool { return c.year == 0 })
	for i := range r.dates {
		if c := &r.dates[i]; c.zone == 0 && c.hour >= 0 {
			r.localDay(c)
		}
	}
}

// doubtHome lowers the weight of visible dates if the URL is that of a home page. Such dates
// belong to the articles to which the home page links.
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

// trustVisible raises the weight of visible dates below the title. It skips a
// date if the page says elsewhere that the last change was on that day, or if
// the URL has another day. Raised dates are chosen before the dates of meta
// elements, which are often the day on which a file was made.
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

// localDay corrects the day of c, a date with a time in UTC, to the day at the
// place where the page was made. It takes the day from another date of the
// page, or computes it from a time zone that the page gives.
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

// backed returns the sum of the weights of the dates of the page that agree with the day of e.
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

// giveYear sets the year of c, a date without a year. It takes the year of another date of the
// page in the same month, or else the last year in which c is not after the first capture. It
// returns false if neither is known.
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

// newest returns a time after which the page was probably not made: newestDays
// after the latest date on the page, or the end of the year in its copyright
// notice, whichever is later. It returns record.NoTime if the page has neither.
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

// newestDays is how many days after the latest date on a page the page may have
// been made; see newest.
const newestDays = 40

// best returns the date with the greatest weight, among the days of the last
// change if change is true, and otherwise among the days of publication. Dates
// from different places of the page that agree on the day raise each other's
// weight, see support.
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

// support returns the weight of c, raised by the weights of other dates of the
// same day, if they come from other places, such as the URL or a meta element.
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

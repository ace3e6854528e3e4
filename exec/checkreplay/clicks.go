package checkreplay

import (
	"fmt"

	"infomall/crawl/report"
	"infomall/store/record"
)

// otherClicks returns one note for each crawl that ran at the time of a page and clicked by other
// rules than this session. The note says by which rules the crawl clicked, and which settings make
// the browser of this session click by them. otherClicks returns nil if a crawl of that time clicked
// by the rules of the session.
func (r *run) otherClicks(at record.Time) (notes []string) {
	set := r.s.Settings()
	for i := range r.crawls {
		c := &r.crawls[i]
		if c.Clicks == nil || at < c.Started || c.Finished != record.NoTime && at > c.Finished {
			continue
		}
		if *c.Clicks == (report.Clicks{Consent: set.ConsentRules, More: set.MoreRules}) {
			return nil
		}
		for _, x := range []struct{ setting, crawl, session string }{
			{"consent_rules", c.Clicks.Consent, set.ConsentRules}, {"more_rules", c.Clicks.More, set.MoreRules},
		} {
			if x.crawl != x.session {
				notes = append(notes, fmt.Sprintf("crawl %s had %s = '%s', and this session has '%s': SET %[2]s = '%[3]s' to click like the crawl", c.Name, x.setting, x.crawl, x.session))
			}
		}
	}
	return notes
}

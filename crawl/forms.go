package crawl

import (
	"infomall/crawl/forms"
	"infomall/crawl/report"
	"infomall/store/urlkey"
)

// formLimit is how many submissions of one form a crawl makes, unless its options say otherwise.
const formLimit = 1000

// fieldNames returns the names of the fields of forms for which the crawl has values.
func (e *engine) fieldNames() []string {
	if len(e.o.Forms) == 0 {
		return nil
	}
	names := make([]string, len(e.o.Forms))
	for i, f := range e.o.Forms {
		names[i] = f.Name
	}
	return names
}

// submit queues the submissions of the forms of t. A form that the crawl has met before,
// on another page, is not submitted again.
func (e *engine) submit(t *fetchTask) error {
	if len(t.forms) == 0 || e.o.Depth >= 0 && t.u.Layer+1 > e.o.Depth {
		return nil
	}
	given := make([]forms.Given, len(e.o.Forms))
	for i, f := range e.o.Forms {
		given[i] = forms.Given(f)
	}
	limit := int64(e.o.FormLimit)
	if limit == 0 {
		limit = formLimit
	}
	for _, f := range t.forms {
		before, err := e.q.Meet(keyForm + f.ID(given))
		if err != nil {
			return err
		}
		if before {
			continue
		}
		for s := range f.Submissions(given, int(min(limit, limit*report.FormsPerLimit-e.crawl.Submitted))) {
			u := report.Queued{URL: s.URL, Layer: t.u.Layer + 1, Via: t.u.URL, Score: t.u.Score}
			if s.Body != nil {
				u.Post = &report.Post{Media: s.Media, Body: s.Body}
			}
			if s.Refused != "" {
				t.logFiltered(&u, s.Refused)
				break // another submission of the form is as long
			}
			added, err := e.offer(t, u, false)
			if err != nil {
				return err
			}
			if added {
				e.crawl.Submitted++
			}
		}
	}
	return nil
}

// refuses returns why the rules of the crawl leave u out, or "" if they do not. The
// response to a form is left out too if the rules leave out the URL to which the form is
// sent.
func (e *engine) refuses(u *report.Queued, requisite bool) string {
	asked := u.Asked()
	why := e.rules.refuse(asked, requisite)
	if why == "" && asked != u.URL {
		why = e.rules.excluded(u.URL)
	}
	return why
}

// unsent returns a reason not to fetch u if its URL names the response to another request than a
// GET, such as a POST, and no form led to u. Such a URL comes from the archive, as a seed or a
// link. For any other URL unsent returns "".
func unsent(u *report.Queued) string {
	if _, method, _, ok := urlkey.Method(u.URL); ok && u.Post == nil {
		return "it is the response to a " + method + ", which a crawl sends only for its FORMS"
	}
	return ""
}

// postedTo returns the URL under which the response is stored when p is sent to the URL to. ok
// is false if that is no URL.
func postedTo(to string, p *report.Post) (url string, ok bool) {
	u, err := urlkey.Canonical(urlkey.WithBody(to, "POST", p.Media, p.Body))
	if err != nil {
		return to, false
	}
	return u, true
}

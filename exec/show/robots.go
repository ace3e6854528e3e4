package show

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"infomall/crawl/robots"
	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// robotsHopsMax is how many redirects from a robots.txt are followed. RFC 9309 asks for
// at least five.
const robotsHopsMax = 5

// robotsLongURL is a length of URLs in bytes. A longer URL may be too long for an archive
// once it is escaped.
const robotsLongURL = 4 << 10

// readAgent returns the name of the crawler that SHOW ROBOTS asks about. The name comes
// from the clause AGENT, otherwise from the setting agent, otherwise it is infomall.
func (r *robotsCheck) readAgent(st *ast.ShowRobots) (string, error) {
	agent := r.s.Settings().Agent
	if st.Agent != nil {
		var err error
		if agent, err = expr.ConstantText(st.Agent, r.s.Env()); err != nil {
			return "", err
		}
	}
	switch {
	case agent == "":
		return "infomall", nil
	case st.Agent != nil && !strings.Contains(agent, "/"):
		return agent, nil // a name, and not what a crawler sends; no robots.txt names "Foo Bar"
	}
	return robots.Product(agent), nil
}

// readURL returns the URL that SHOW ROBOTS asks about. The URL may be longer than
// any URL in an archive; if it is, its path and query are returned as written.
func (r *robotsCheck) readURL(st *ast.ShowRobots) (string, error) {
	written, err := expr.ConstantText(st.URL, r.s.Env())
	if err != nil {
		return "", err
	}
	canonical, err := urlkey.Canonical(written)
	if err == nil {
		return canonical, nil
	}
	scheme, rest, ok := strings.Cut(written, "://")
	end := strings.IndexAny(rest, "/?")
	if ok && end > 0 && len(written) > robotsLongURL {
		if site, siteErr := urlkey.Canonical(scheme + "://" + rest[:end]); siteErr == nil {
			path, _, _ := strings.Cut(rest[end:], "#")
			return site + strings.TrimPrefix(path, "/"), nil
		}
	}
	return "", ast.Errorf(st.URL, "%v", err)
}

// readRobots returns which robots.txt applies to r.page, and the time of the statement.
// A URL that is neither http nor https is an error.
func (r *robotsCheck) readRobots(st *ast.ShowRobots) (*pageAsked, error) {
	u, err := url.Parse(r.page)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, ast.Errorf(st.URL, "%s is no URL of http or https, and only these have a robots.txt", r.page)
	}
	site := &ast.String{Value: (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}).String()}
	asked := &pageAsked{s: r.s, urlAt: site, whenAt: st.Time}
	if err := asked.read(); err != nil {
		return nil, err
	}
	asked.urlAt = st.URL
	return asked, nil
}

// robotsCheck is a SHOW ROBOTS statement whose clauses were read.
type robotsCheck struct {
	s     *session.Session
	page  string     // the URL to be checked
	agent string     // the name of the crawler
	asked *pageAsked // the robots.txt
}

// Robots is the statement SHOW ROBOTS.
var Robots = session.Declare("SHOW ROBOTS", session.Answers, readShowRobots)

// readShowRobots reads the clauses of a SHOW ROBOTS statement.
func readShowRobots(s *session.Session, st *ast.ShowRobots) (r *robotsCheck, err error) {
	r = &robotsCheck{s: s}
	if r.page, err = r.readURL(st); err != nil {
		return nil, err
	}
	if r.asked, err = r.readRobots(st); err != nil {
		return nil, err
	}
	r.agent, err = r.readAgent(st)
	return r, err
}

// Would returns which robots.txt would be read.
func (r *robotsCheck) Would(context.Context) ([]string, error) {
	return []string{r.asked.would()}, nil
}

// Run returns one row, which says whether the archived robots.txt allowed the crawler to
// fetch the URL. If the archive has no such robots.txt, allowed is NULL.
func (r *robotsCheck) Run(ctx context.Context) (*session.Result, error) {
	s, page, agent, asked := r.s, r.page, r.agent, r.asked
	snap, release, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	t := session.NewTable(value.Column{Name: "url", Type: value.URL}, session.Text("agent"), value.Column{Name: "allowed", Type: value.Bool}, session.Text("reason"),
		session.Text("rule"), session.Whole("line"), value.Column{Name: "delay", Type: value.Duration}, value.Column{Name: "time", Type: value.Time})
	file, at, err := asked.robots(ctx, snap)
	var none *ast.Error
	if errors.As(err, &none) {
		// That nobody knows is an answer too.
		reason := strings.TrimSuffix(none.Msg+"; "+none.Hint, "; ")
		t.Add(value.OfURL(page), value.OfText(agent), value.Value{}, value.OfText(reason))
		return t.Result(), nil
	}
	if err != nil {
		return nil, err
	}
	group := file.Group(agent)
	d := group.Decide(page)
	rule, line := value.Value{}, value.Value{}
	if d.Rule.Line > 0 {
		rule, line = value.OfText(strings.TrimSpace(d.Rule.String())), value.OfInt(int64(d.Rule.Line))
	}
	t.Add(value.OfURL(page), value.OfText(agent), value.OfBool(d.Allowed), value.OfText(d.Reason), rule, line,
		value.OfDuration(group.Delay.Milliseconds()), value.OfTime(at))
	res := t.Result()
	res.Notes = append(res.Notes, asked.usedNote(at))
	return res, nil
}

// robots reads an archived robots.txt, and follows its redirects in the archive. The
// time is that of the capture of the first URL, before any redirect.
func (a *pageAsked) robots(ctx context.Context, snap relation.Snapshot) (*robots.File, record.Time, error) {
	var first record.Time
	next := *a
	for hop := 0; ; hop++ {
		found, err := next.find(ctx, snap)
		if err != nil && hop > 0 && ctx.Err() == nil {
			return robots.Of(301, nil), first, nil // it led to what the archive has not
		}
		if err != nil {
			return nil, 0, err
		}
		p, err := snap.Payload(ctx, found.ref)
		if err != nil {
			return nil, 0, err
		}
		if hop == 0 {
			first = found.time
		}
		to, err := urlkey.Resolve(next.url, message.Header(p.Head, "Location"))
		if found.status < 300 || found.status > 399 || err != nil || hop == robotsHopsMax {
			body, err := robotsBody(&p)
			switch {
			case err != nil && p.Large != nil:
				return nil, 0, fmt.Errorf("%s: %w", next.url, err)
			case err != nil: // of its content coding: it could have said anything
				return robots.Unreachable(fmt.Sprintf("cannot be read (%v)", err)), first, nil
			case found.part && len(body) <= robots.BytesMax:
				return robots.Unreachable("came in part"), first, nil
			}
			return robots.Of(int(found.status), body), first, nil
		}
		next.url = to
	}
}

// robotsBody returns the decoded body of a robots.txt. Of a large body it returns the
// beginning, a little more than robots.BytesMax, without decoding.
func robotsBody(p *record.Payload) ([]byte, error) {
	if p.Large == nil {
		return relation.Decode(p)
	}
	var b strings.Builder
	for piece, err := range p.Large {
		if err != nil {
			return nil, err
		}
		if b.Write(piece); b.Len() > robots.BytesMax {
			break
		}
	}
	return []byte(b.String()), nil
}

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

// robotsHopsMax is the most redirects from a robots.txt that SHOW ROBOTS
// follows. RFC 9309 asks for at least five.
const robotsHopsMax = 5

// robotsLongURL is the length of URLs, in bytes, above which a URL may be too long for an archive
// after it is escaped.
const robotsLongURL = 4 << 10

// readAgent returns the name of the crawler that SHOW ROBOTS asks about. The
// name comes from the clause AGENT; without that, from the setting agent;
// without both, it is "infomall".
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
		return agent, nil // a name, not a whole User-Agent header; no robots.txt names "Foo Bar"
	}
	return robots.Product(agent), nil
}

// readURL returns the canonical form of the URL that SHOW ROBOTS asks about. A
// URL may be longer than any URL in an archive. Then readURL returns the path
// and query as the statement has them.
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

// readRobots returns the URL of the robots.txt that applies to r.page, with the
// time in the statement. A URL that is neither http nor https is an error.
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
	page  string     // the URL to check
	agent string     // the name of the crawler
	asked *pageAsked // the robots.txt to read, and its time
}

// Robots is the statement SHOW ROBOTS, which shows whether a robots.txt in the
// archive allows a crawler to fetch a URL.
var Robots = session.Declare("SHOW ROBOTS", session.Answers, readShowRobots)

// readShowRobots makes a robotsCheck of a SHOW ROBOTS statement. It checks the
// URL, the time and the name of the crawler.
func readShowRobots(s *session.Session, st *ast.ShowRobots) (r *robotsCheck, err error) {
	if s, err = s.KnownAt(st.Known); err != nil {
		return nil, err
	}
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

// Would returns one line for EXPLAIN, which says which robots.txt would be
// read.
func (r *robotsCheck) Would(context.Context) ([]string, error) {
	return []string{r.asked.would()}, nil
}

// Run returns a table of one row, which says whether the archived robots.txt
// allowed the crawler to fetch the URL. If the archive has no such robots.txt,
// the column allowed is NULL.
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
		// A row without an answer says that the archive does not know.
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

// robots returns the robots.txt that the archive has for a.url, and follows its
// redirects in the archive. The returned time is that of the capture of the
// first URL, before any redirect. If a redirect leads to a URL that the archive
// does not have, the result is that of a redirect without a target.
func (a *pageAsked) robots(ctx context.Context, snap relation.Snapshot) (*robots.File, record.Time, error) {
	var first record.Time
	next := *a
	for hop := 0; ; hop++ {
		found, err := next.find(ctx, snap)
		if err != nil && hop > 0 && ctx.Err() == nil {
			return robots.Of(301, nil), first, nil // the archive does not have the target of the redirect
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
			case err != nil: // an error of decoding: the robots.txt may have allowed or forbidden anything
				return robots.Unreachable(fmt.Sprintf("cannot be read (%v)", err)), first, nil
			case found.part && len(body) <= robots.BytesMax:
				return robots.Unreachable("came in part"), first, nil
			}
			return robots.Of(int(found.status), body), first, nil
		}
		next.url = to
	}
}

// robotsBody returns the decoded body of a robots.txt. Of a large body it
// returns only the beginning, a little more than robots.BytesMax bytes, without
// decoding.
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

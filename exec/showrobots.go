package exec

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"infomall/crawl/robots"
	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// robotsAgent is the crawler that SHOW ROBOTS asks about unless told.
const robotsAgent = "infomall"

// robotsAsked is the robots.txt that SHOW ROBOTS wants.
func (s *Session) robotsAsked(st *ast.ShowRobots) (*pageAsked, error) {
	asked, err := s.pageAsked(st.URL, st.Time)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(asked.url)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, ast.Errorf(st.URL, "%s is no URL of http or https, and only these have a robots.txt", asked.url)
	}
	asked.url = (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}).String()
	return asked, nil
}

// showRobots tells whether a URL might be fetched, by the archived robots.txt;
// without one that is not known.
func (s *Session) showRobots(ctx context.Context, st *ast.ShowRobots) (*Result, error) {
	page, err := s.pageAsked(st.URL, st.Time)
	if err != nil {
		return nil, err
	}
	asked, err := s.robotsAsked(st)
	if err != nil {
		return nil, err
	}
	agent := robotsAgent
	if st.Agent != nil {
		if agent, err = plan.ConstantText(st.Agent, s.env()); err != nil {
			return nil, err
		}
		agent = robots.Product(agent)
	}
	snap, release, err := s.pin(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	t := newTable(value.Column{Name: "url", Type: value.URL}, text("agent"), value.Column{Name: "allowed", Type: value.Bool}, text("reason"),
		text("rule"), whole("line"), value.Column{Name: "delay", Type: value.Duration}, value.Column{Name: "time", Type: value.Time})
	found, err := s.findPage(ctx, snap, asked)
	var none *ast.Error
	if errors.As(err, &none) {
		reason := strings.TrimSuffix(none.Msg+"; "+none.Hint, "; ")
		t.add(value.OfURL(page.url), value.OfText(agent), value.Value{}, value.OfText(reason))
		return t.result(ResultRows, nil), nil
	}
	if err != nil {
		return nil, err
	}
	p, err := snap.Payload(ctx, found.ref)
	if err != nil {
		return nil, err
	}
	group := robots.Of(int(found.status), p.Body).Group(agent)
	d := group.Decide(page.url)
	rule, line := value.Value{}, value.Value{}
	if d.Rule.Line > 0 {
		rule, line = value.OfText(strings.TrimSpace(d.Rule.String())), value.OfInt(int64(d.Rule.Line))
	}
	t.add(value.OfURL(page.url), value.OfText(agent), value.OfBool(d.Allowed), value.OfText(d.Reason), rule, line,
		value.OfDuration(group.Delay.Milliseconds()), value.OfTime(found.time))
	res := t.result(ResultRows, nil)
	res.Notes = append(res.Notes, s.usedNote(asked, found.time))
	return res, nil
}

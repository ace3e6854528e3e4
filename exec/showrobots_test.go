package exec_test

import (
	"strings"
	"testing"

	"infomall/exec/relation/relationtest"
)

// TestShowRobots asks robots.txt files as they were at a time, for several
// agents, and where a redirect led.
func TestShowRobots(t *testing.T) {
	file := func(url, day string, status int, body string) relationtest.Capture {
		return relationtest.Capture{URL: url, Time: at(day), Status: status, Mime: "text/plain", Body: body}
	}
	moved := func(url, to string) relationtest.Capture {
		return relationtest.Capture{URL: url, Time: at("2008-06-01"), Status: 301, Mime: "text/plain", Head: "HTTP/1.1 301 Moved\r\nLocation: " + to + "\r\n\r\n", Location: to}
	}
	s := newSession(archive{relationtest.New(
		file("http://a.cn/robots.txt", "2008-05-01", 200, "User-agents: *\nDisallowed: /x\nUser-agent: Foo Bar\nDisallow: /\n"),
		file("http://a.cn/robots.txt", "2008-06-01", 200, "User-agent: *\nDisallow: /x\n"),
		file("http://a.cn/robots.txt", "2008-07-01", 200, "User-agent: *\nDisallow: /y\nUser-agent: infomall\nAllow: /\n"),
		file("http://a.cn/robots.txt", "2008-08-01", 404, "none"),
		file("https://a.cn:8080/robots.txt", "2008-06-01", 503, "busy"),
		moved("http://b.cn/robots.txt", "http://a.cn/robots.txt"),
		moved("http://c.cn/robots.txt", "/robots.txt"),
		moved("http://d.cn/robots.txt", "http://nowhere.cn/robots.txt"),
	)})
	for _, c := range []struct{ statement, want string }{
		{"'http://a.cn/x/1' AT 2008-06", "infomall|false|line 2 of robots.txt, for *, says Disallow: /x|Disallow: /x|2"},
		{"'http://u:p@a.cn/y?q' AT 2008-06", "infomall|true|no rule of robots.txt for * matches|-|-"},
		{"'a.cn/y' AT 2008-07", "infomall|true|line 4 of robots.txt, for infomall, says Allow: /|Allow: /|4"},
		{"'a.cn/y' AGENT 'Mozilla/5.0 (compatible; other/1.0)' AT 2008-07", "other|false|line 2 of robots.txt, for *, says Disallow: /y|Disallow: /y|2"},
		{"'a.cn/x' AGENT 'Foo' AT 2008-05", "Foo|false|line 4 of robots.txt, for foo, says Disallow: /|Disallow: /|4"},
		{"'a.cn/x' AGENT 'Foo Bar' AT 2008-05", "Foo Bar|false|line 2 of robots.txt, for *, says Disallow: /x|Disallow: /x|2"},
		{"'a.cn/y' AGENT '北大' AT 2008-05", "北大|true|no rule of robots.txt for * matches|-|-"},
		{"'http://a.cn/x" + strings.Repeat("/long", 4000) + "#part' AT 2008-06", "infomall|false|line 2 of robots.txt, for *, says Disallow: /x|Disallow: /x|2"},
		{"'http://A.cn?" + strings.Repeat("北", 4000) + "' AT 2008-06", "infomall|true|no rule of robots.txt for * matches|-|-"},
		{"'a.cn/y'", "infomall|true|robots.txt was answered with 404, so everything is allowed|-|-"},
		{"'https://a.cn:8080/'", "infomall|false|robots.txt was answered with 503, so nothing is allowed|-|-"},
		{"'http://b.cn/x' AT 2008-06", "infomall|false|line 2 of robots.txt, for *, says Disallow: /x|Disallow: /x|2"},
		{"'http://c.cn/x'", "infomall|true|robots.txt was answered with 301, so everything is allowed|-|-"},
		{"'http://d.cn/x'", "infomall|true|robots.txt was answered with 301, so everything is allowed|-|-"},
		{"'a.cn/x' AT 2007", "infomall|-|no capture of http://a.cn/robots.txt at or before 2007-12-31T23:59:59.999Z; the first is of 2008-05-01|-|-"},
	} {
		got, _, err := ask(s, "SHOW ROBOTS "+c.statement)
		_, row, _ := strings.Cut(got, "\n")
		_, row, _ = strings.Cut(row, "|")
		if !strings.HasPrefix(row, c.want+"|") || err != nil {
			t.Errorf("SHOW ROBOTS %s: %q, %v; want %q", c.statement, row, err, c.want)
		}
	}
	s.Settings().Agent = "Mozilla/5.0 (compatible; other/2.0)"
	if got, _, err := ask(s, "SHOW ROBOTS 'a.cn/y' AT 2008-07"); !strings.Contains(got, "|other|false|") || err != nil {
		t.Errorf("of the agent that is set: %q, %v", got, err)
	}
	if _, _, err := ask(s, "SHOW ROBOTS 'urn:x'"); err == nil || !strings.Contains(err.Error(), "only these have a robots.txt") {
		t.Errorf("of a URN: %v", err)
	}
}

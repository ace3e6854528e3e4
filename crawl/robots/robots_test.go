package robots

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestRecorded compares Decide with recorded decisions of Google's parser.
func TestRecorded(t *testing.T) {
	dir := os.Getenv("INFOMALL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "data", "suites", "robotstxt", "*.jsonl"))
	if len(files) == 0 {
		t.Skip("no recorded cases (INFOMALL_SHARED names their folder)")
	}
	ran := 0
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); ran++ {
			var c struct {
				Test, Agent string
				Robots      string `json:"robots_latin1"`
				URL         string `json:"url_latin1"`
				Allowed     bool
			}
			if err := json.Unmarshal(s.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			if got := parse(latin1(c.Robots)).Group(c.Agent).Decide(string(latin1(c.URL))); got.Allowed != c.Allowed {
				t.Errorf("%s: %q for %q: %v (%s), want %v\n%s", c.Test, c.URL, c.Agent, got.Allowed, got.Reason, c.Allowed, c.Robots)
			}
		}
	}
	t.Logf("%d cases", ran)
}

// latin1 returns the bytes of a text in which each byte was recorded as the
// letter with its number.
func latin1(s string) (b []byte) {
	for _, r := range s {
		b = append(b, byte(r))
	}
	return b
}

// rfcSimple is the example of RFC 9309 §5.1.
const rfcSimple = `User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/
User-Agent: foobot
Disallow:/
Allow:/example/page.html
Disallow:/example/allowed.gif
User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html
User-Agent: quxbot
`

// decisions are further cases in the form of the recorded ones: a file, an
// agent, and URLs, each with + for allowed or - for denied and the deciding
// line, or 0 if no line decides.
var decisions = []struct {
	name, file, agent string
	urls              []string
}{
	{"longest match", "user-agent: f\ndisallow: /x/page.html\nallow: /x/\n", "f", []string{"-2 /x/page.html", "+3 /x/", "+3 /x/pag", "+0 /y"}},
	{"longest match, turned round", "user-agent: f\nallow: /x/page.html\ndisallow: /x/\n", "f", []string{"+2 /x/page.html", "-3 /x/"}},
	{"allow wins ties", "user-agent: f\ndisallow: /\nallow: /\n", "f", []string{"+3 /", "+3 /a"}},
	{"allow wins ties of different paths", "user-agent: f\ndisallow: /*b\nallow: /ab\n", "f", []string{"+3 /ab", "-2 /bb"}},
	{"the first of equals is named", "user-agent: f\ndisallow: /a\ndisallow: /a\n", "f", []string{"-2 /a"}},
	{"empty paths say nothing", "user-agent: f\ndisallow:\nallow:\n", "f", []string{"+0 /a"}},
	{"empty disallow beside a rule", "user-agent: f\ndisallow:\ndisallow: /a\n", "f", []string{"-3 /a", "+0 /b"}},
	{"with and without slash", "user-agent: f\ndisallow: /x\nallow: /x/\n", "f", []string{"-2 /x", "+3 /x/", "-2 /xy"}},
	{"a star makes a path longer", "user-agent: f\nallow: /page\ndisallow: /*.html\n", "f", []string{"-3 /page.html", "+2 /page"}},
	{"a longer prefix beats a star", "user-agent: f\nallow: /x/page.\ndisallow: /*.html\n", "f", []string{"+2 /x/page.html", "-3 /x/y.html"}},
	{"one's own group alone counts", "user-agent: *\ndisallow: /x/\nuser-agent: f\ndisallow: /y/\n", "f", []string{"+0 /x/p", "-4 /y/p"}},
	{"others have the group of all", "user-agent: *\ndisallow: /x/\nuser-agent: f\ndisallow: /y/\n", "g", []string{"-2 /x/p", "+0 /y/p"}},
	{"a group without rules allows all", "user-agent: *\ndisallow: /\nuser-agent: f\n", "f", []string{"+0 /x"}},
	{"the group of all without rules", "user-agent: *\n", "f", []string{"+0 /x"}},
	{"no group", "user-agent: g\ndisallow: /\n", "f", []string{"+0 /x"}},
	{"groups of one name are one", "user-agent: f\ndisallow: /a\nuser-agent: g\ndisallow: /b\nuser-agent: F\ndisallow: /c\n", "f", []string{"-2 /a", "+0 /b", "-6 /c"}},
	{"groups of all are one", "user-agent: *\ndisallow: /a\nuser-agent: g\ndisallow: /b\nuser-agent: * x\ndisallow: /c\n", "f", []string{"-2 /a", "+0 /b", "-6 /c"}},
	{"rules before any agent", "disallow: /a\nuser-agent: f\ndisallow: /b\n", "f", []string{"+0 /a", "-3 /b"}},
	{"blank lines end nothing", "user-agent: f\n\n\ndisallow: /a\n\ndisallow: /b", "f", []string{"-4 /a", "-6 /b"}},
	{"other lines end nothing", "user-agent: f\nsitemap: http://x/s\nuser-agent: g\ncrawl-delay: 1\nuser-agent: h\nfoo: bar\ndisallow: /\n", "f", []string{"-7 /a"}},
	{"agent up to what is no letter", "user-agent: f/1.0 (x)\ndisallow: /\n", "F", []string{"-2 /a"}},
	{"agent with digits", "user-agent: f2b\ndisallow: /\n", "f", []string{"-2 /a"}},
	{"agent is no prefix", "user-agent: fo\ndisallow: /\n", "foo", []string{"+0 /a"}},
	{"agent without a letter", "user-agent: 2f\ndisallow: /\n", "f", []string{"+0 /a"}},
	{"star with a tail is no star", "user-agent: *x\ndisallow: /\n", "f", []string{"+0 /a"}},
	{"wanted agent is taken whole", "user-agent: *\ndisallow: /\nuser-agent: foo bar\nallow: /\n", "foo bar", []string{"-2 /a"}},
	{"paths tell case", "user-agent: f\ndisallow: /X/\n", "f", []string{"+0 /x/y", "-2 /X/y"}},
	{"prefix", "user-agent: f\ndisallow: /\nallow: /fish\n", "f", []string{"-2 /bar", "+3 /fish", "+3 /fish.html", "+3 /fish/salmon.html", "+3 /fishheads", "+3 /fish.html?id=x", "-2 /Fish.asp", "-2 /catfish", "-2 /?id=fish"}},
	{"star at the end", "user-agent: f\ndisallow: /\nallow: /fish*\n", "f", []string{"+3 /fish", "+3 /fish.html", "-2 /Fish"}},
	{"folder", "user-agent: f\ndisallow: /\nallow: /fish/\n", "f", []string{"+3 /fish/", "+3 /fish/?salmon", "-2 /fish", "-2 /fish.html", "-2 /Fish/x"}},
	{"star within", "user-agent: f\ndisallow: /\nallow: /*.php\n", "f", []string{"+3 /a.php", "+3 /d/a.php?p", "+3 //d/a.php.html", "+3 /a.php/", "+3 /i?f=a.php/", "-2 /php/", "-2 /i?php", "-2 /w.PHP"}},
	{"star and end", "user-agent: f\ndisallow: /\nallow: /*.php$\n", "f", []string{"+3 /a.php", "+3 /d/a.php", "+3 /a.php.php", "-2 /a.php?p", "-2 /a.php/", "-2 /a.php5", "-2 /php/"}},
	{"star between", "user-agent: f\ndisallow: /\nallow: /fish*.php\n", "f", []string{"+3 /fish.php", "+3 /fishheads/catfish.php?p", "-2 /Fish.PHP"}},
	{"many stars", "user-agent: f\ndisallow: /*a*b*c$\n", "f", []string{"-2 /xaybzc", "-2 /abc", "-2 /cabcbc", "+0 /acb", "+0 /abcd"}},
	{"stars in a row", "user-agent: f\ndisallow: /a***b\n", "f", []string{"-2 /ab", "-2 /axb", "+0 /a"}},
	{"star first", "user-agent: f\ndisallow: *.gif\n", "f", []string{"-2 /a.gif", "-2 /.gif?x", "+0 /a.jpg"}},
	{"the last part may not overlap", "user-agent: f\ndisallow: /ab*b$\n", "f", []string{"+0 /ab", "-2 /abb"}},
	{"end alone", "user-agent: f\nallow: /$\ndisallow: /\n", "f", []string{"+2 /", "-3 /a", "+2 "}},
	{"dollar within is itself", "user-agent: f\ndisallow: /a$b\n", "f", []string{"-2 /a$b", "-2 /a%24bc", "+0 /a"}},
	{"signs escaped are themselves", "user-agent: f\ndisallow: /f-%2A.html\ndisallow: /p%24\n", "f", []string{"-2 /f-*.html", "-2 /f-%2a.html", "+0 /f-x.html", "-3 /p$x"}},
	{"comments", "user-agent: f#g\n# disallow: /\ndisallow: /q#x\nallow: /\n", "f", []string{"+4 /a", "-3 /q"}},
	{"escapes as RFC 9309 §2.2.2", "user-agent: f\ndisallow: /\nallow: /foo/bar/ツ\nallow: /b/%62%61%7a\nallow: /c/%e3%83%84\n", "f", []string{"+3 /foo/bar/%E3%83%84", "+3 /foo/bar/ツ", "+4 /b/baz", "+4 /b/%62%61%7A", "+5 /c/%E3%83%84", "+5 /c/ツ"}},
	{"reserved escapes differ from what they escape", "user-agent: f\ndisallow: /a%2Fb\n", "f", []string{"-2 /a%2fb", "+0 /a/b"}},
	{"bytes of another charset", "user-agent: f\ndisallow: /\xb1\xb1\n", "f", []string{"-2 /%B1%B1", "+0 /%E5%8C%97"}},
	{"percent that escapes nothing", "user-agent: f\ndisallow: /100%\ndisallow: /%zz\n", "f", []string{"-2 /100%", "-2 /100%x", "-3 /%zz"}},
	{"query", "user-agent: f\ndisallow: /\nallow: /b?q=t&z=http://f.b?t&p\n", "f", []string{"+3 /b?q=t&z=http://f.b?t&p", "-2 /b"}},
	{"index.html is its folder", "user-agent: *\nallow: /a/index.html\ndisallow: /\n", "f", []string{"+2 /a/", "-3 /a/index.htm", "+2 /a/index.html", "-3 /b"}},
	{"disallowed index.html is itself", "user-agent: *\ndisallow: /a/index.html\n", "f", []string{"+0 /a/", "-2 /a/index.html"}},
	{"robots.txt is always allowed", "user-agent: f\ndisallow: /\n", "f", []string{"+0 /robots.txt", "-2 /robots.txt2", "-2 /a/robots.txt"}},
	{"colon forgotten", "user-agent f\ndisallow /a\ndisallow /b c\n", "f", []string{"-2 /a", "+0 /b"}},
	{"blanks", " \t user-agent \t: \t f \t\n disallow : /a \t\n", "f", []string{"-2 /a"}},
	{"misspelt", "useragent: f\nuser agent: h\ndissallow: /a\ndissalow: /b\ndisalow: /c\ndiasllow: /d\ndisallaw: /e\ndisslalow: /f\n", "f", []string{"-3 /a", "-4 /b", "-5 /c", "-6 /d", "-7 /e", "+0 /f"}},
	{"case of names", "UsEr-AgEnT: f\nDISALLOW: /a\n", "f", []string{"-2 /a"}},
	{"mark", "\xef\xbb\xbfuser-agent: f\ndisallow: /a\n", "f", []string{"-2 /a"}},
	{"mark cut short", "\xef\xbbuser-agent: f\ndisallow: /a\n", "f", []string{"-2 /a"}},
	{"mark broken", "\xef\x11\xbfuser-agent: f\ndisallow: /a\n", "f", []string{"+0 /a"}},
	{"mark within", "user-agent: f\n\xef\xbb\xbfdisallow: /a\ndisallow: /b\n", "f", []string{"+0 /a", "-3 /b"}},
	{"ends of lines", "user-agent: f\r\ndisallow: /a\rdisallow: /b\r\n\r\ndisallow: /c", "f", []string{"-2 /a", "-3 /b", "-5 /c"}},
	{"a page instead", "<!DOCTYPE html><html>\n<p>User-agent: f\n<p>Disallow: /\n", "f", []string{"+0 /a"}},
	{"several agents share a group", "user-agent: e\nuser-agent: f\nuser-agent: g\ndisallow: /a\nallow: /a/b\n", "f", []string{"-4 /a", "+5 /a/b", "+0 /b"}},
	{"groups share an agent", "user-agent: e\nuser-agent: f\ndisallow: /a\n\nuser-agent: f\nuser-agent: g\ndisallow: /b\n", "f", []string{"-3 /a", "-7 /b"}},
	{"all among several agents", "user-agent: e\nuser-agent: *\ndisallow: /a\n", "f", []string{"-3 /a"}},
	{"one's own group among those of all", "user-agent: *\nuser-agent: f\ndisallow: /a\n\nuser-agent: *\ndisallow: /b\n", "f", []string{"-3 /a", "+0 /b"}},
	{"an agent named twice in a group", "user-agent: f\nuser-agent: F\ndisallow: /a\n", "f", []string{"-3 /a"}},
	{"example of RFC 9309 §5.1, all", rfcSimple, "other", []string{"-2 /x.gif", "-3 /example/x", "+4 /publications/x", "+0 /y"}},
	{"example of RFC 9309 §5.1, one", rfcSimple, "FooBot", []string{"-6 /", "+7 /example/page.html", "-8 /example/allowed.gif"}},
	{"example of RFC 9309 §5.1, two names", rfcSimple, "BazBot", []string{"-11 /example/page.html", "+0 /"}},
	{"example of RFC 9309 §5.1, no rules", rfcSimple, "QuxBot", []string{"+0 /example/page.html"}},
	{"example of RFC 9309 §5.2", "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n", "foobot", []string{"+2 /example/page/a.gif", "-3 /example/page/disallowed.gif", "+0 /example/"}},
	{"Google: the more specific rule", "user-agent: f\nallow: /p\ndisallow: /\n", "f", []string{"+2 /page", "-3 /other"}},
	{"Google: the less restrictive rule", "user-agent: f\nallow: /folder\ndisallow: /folder\n", "f", []string{"+2 /folder/page"}},
	{"Google: a longer path with a sign", "user-agent: f\nallow: /page\ndisallow: /*.htm\n", "f", []string{"-3 /page.htm"}},
	{"Google: a path with a sign as long", "user-agent: f\nallow: /page\ndisallow: /*.ph\n", "f", []string{"+2 /page.php5"}},
	{"Google: the home page alone", "user-agent: f\nallow: /$\ndisallow: /\n", "f", []string{"+2 /", "-3 /page.htm"}},
	{"Google: a name with a star behind it", "user-agent: f*\ndisallow: /a\n", "f", []string{"-2 /a"}},
	{"Google: a name with a version behind it", "user-agent: f/1.2\ndisallow: /a\n\nuser-agent: *\ndisallow: /b\n", "f", []string{"-2 /a", "+0 /b"}},
	{"Google: a longer name is another's", "user-agent: f-news\ndisallow: /a\n\nuser-agent: *\ndisallow: /b\n", "f", []string{"+0 /a", "-5 /b"}},
	{"a name with a low line", "user-agent: f_bot\ndisallow: /a\n", "F_Bot", []string{"-2 /a"}},
	{"a name that is a number", "user-agent: 007\nuser-agent: f\ndisallow: /a\n", "f", []string{"-3 /a"}},
	{"an agent without a name", "user-agent:\ndisallow: /\n", "f", []string{"+0 /a"}},
	{"an agent without a name among others", "user-agent:\nuser-agent: f\ndisallow: /a\n", "f", []string{"-3 /a"}},
	{"a colon in a name", "user-agent: f:g\ndisallow: /a\n", "f", []string{"-2 /a"}},
	{"a colon in a path", "user-agent: f\ndisallow: /a:b\ndisallow::/c\n", "f", []string{"-2 /a:b", "+0 /c"}},
	{"a path without a slash matches nothing", "user-agent: f\ndisallow: a\nallow: http://foo.bar/b\n", "f", []string{"+0 /a", "+0 /b"}},
	{"a star alone", "user-agent: f\ndisallow: *\n", "f", []string{"-2 /", "-2 /a?b"}},
	{"a star and the end", "user-agent: f\ndisallow: *$\n", "f", []string{"-2 /", "-2 /a?b"}},
	{"the end alone matches no path", "user-agent: f\ndisallow: $\n", "f", []string{"+0 /"}},
	{"two ends", "user-agent: f\ndisallow: /a$$\n", "f", []string{"-2 /a$", "+0 /a", "+0 /a$b"}},
	{"a star behind the end", "user-agent: f\ndisallow: /a$*\n", "f", []string{"-2 /a$b", "-2 /a$", "+0 /ab"}},
	{"an escaped end is none", "user-agent: f\ndisallow: /a%24\ndisallow: /b$\n", "f", []string{"-2 /a$b", "-3 /b", "+0 /bc"}},
	{"arguments of queries", "user-agent: f\ndisallow: /*?\nallow: /*?$\n", "f", []string{"-2 /a?b", "+3 /a?", "+0 /a"}},
	{"an argument anywhere", "user-agent: f\ndisallow: /*?*sort=\n", "f", []string{"-2 /list?sort=a", "-2 /list?p=1&sort=a", "+0 /list?p=1"}},
	{"escapes of letters, either side", "user-agent: f\ndisallow: /%7Ejoe/\ndisallow: /~ann/\n", "f", []string{"-2 /~joe/", "-2 /%7ejoe/", "-3 /%7Eann/", "-3 /~ann/"}},
	{"escapes of blanks, either side", "user-agent: f\ndisallow: /a b\ndisallow: /c%20d\n", "f", []string{"-2 /a%20b", "-2 /a b", "-3 /c d", "-3 /c%20d"}},
	{"escapes of what no URL has", "user-agent: f\ndisallow: /{a}\ndisallow: /%3cb%3E\ndisallow: /c|d^e\n", "f", []string{"-2 /%7Ba%7D", "-2 /{a}", "-3 /<b>", "-4 /c%7Cd%5ee", "-4 /c|d^e"}},
	{"an escape is undone once", "user-agent: f\ndisallow: /a%2561\n", "f", []string{"-2 /a%2561", "+0 /aa", "+0 /a%61"}},
	{"half an escape at the end", "user-agent: f\ndisallow: /a%\ndisallow: /b%4\n", "f", []string{"-2 /a%", "-3 /b%4", "+0 /a%41", "+0 /bA"}},
	{"a path of two scripts", "user-agent: f\ndisallow: /新闻/Öl\n", "f", []string{"-2 /%E6%96%B0%E9%97%BB/%C3%96l", "-2 /新闻/Ölfeld", "+0 /新闻/öl"}},
	{"a rule may begin within an escape's letter", "user-agent: f\ndisallow: /新\n", "f", []string{"-2 /新闻", "+0 /斱"}},
	{"CR alone ends lines", "user-agent: f\rdisallow: /a\rallow: /a/b\r", "f", []string{"-2 /a", "+3 /a/b"}},
	{"CR CR LF is two ends", "user-agent: f\r\r\ndisallow: /a\r\r\n", "f", []string{"-3 /a"}},
	{"a mark and CRLF", "\xef\xbb\xbfUser-agent: f\r\n\r\nDisallow: /a\r\n", "f", []string{"-3 /a"}},
	{"two marks", "\xef\xbb\xbf\xef\xbb\xbfuser-agent: f\ndisallow: /a\n", "f", []string{"+0 /a"}},
	{"UTF-16", "\xff\xfeu\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00f\x00\n\x00", "f", []string{"+0 /a"}},
	{"no colons at all", "User-agent *\nDisallow /a\nAllow /a/b\n", "f", []string{"-2 /a", "+3 /a/b"}},
	{"a tab for a colon", "user-agent\tf\ndisallow\t/a\n", "f", []string{"-2 /a"}},
	{"a comment behind a name", "user-agent: f # ours\ndisallow: /a # not this\n", "f", []string{"-2 /a"}},
	{"a comment between group and rules", "user-agent: f\n# why\n\n# so\ndisallow: /a\n", "f", []string{"-5 /a"}},
	{"a path that is a comment", "user-agent: f\ndisallow: #/a\n", "f", []string{"+0 /a"}},
	{"unknown lines", "noindex: /b\nuser-agent: f\nhost: x\nnoindex: /b\ndisallow: /a\nrequest-rate: 1/5\n", "f", []string{"-5 /a", "+0 /b"}},
	{"a site map between agent and rule", "user-agent: f\nsitemap: http://x/s\ndisallow: /a\n", "f", []string{"-3 /a"}},
	{"robots.txt with a query is a page", "user-agent: f\ndisallow: /\n", "f", []string{"-2 /robots.txt?x", "+0 /robots.txt"}},
	{"a page with rules in its text", "<pre>\nUser-agent: f\nDisallow: /a\n</pre>", "f", []string{"-3 /a"}},
	{"zero bytes", "user-agent: f\x00\x00\ndisallow: /a\x00\n", "f", []string{"+0 /a"}},
}

func TestDecide(t *testing.T) {
	for _, c := range decisions {
		g := parse([]byte(c.file)).Group(c.agent)
		for _, u := range c.urls {
			sign, url, _ := strings.Cut(u, " ")
			d := g.Decide("http://foo.bar" + url)
			got := fmt.Sprintf("-%d", d.Rule.Line)
			if d.Allowed {
				got = fmt.Sprintf("+%d", d.Rule.Line)
			}
			if got != sign {
				t.Errorf("%s: %s: %s (%s), want %s", c.name, url, got, d.Reason, sign)
			}
		}
	}
}

// TestPathOf shows which part of a URL rules are compared with.
func TestPathOf(t *testing.T) {
	for _, c := range [][2]string{
		{"", "/"}, {"http://x.cn", "/"}, {"http://x.cn?a=/b", "/?a=/b"}, {"http://x.cn/a?b#c", "/a?b"}, {"http://x.cn#/c", "/"},
		{"http://x.cn/a/http://y.cn/b", "/a/http://y.cn/b"}, {"http://u:p@x.cn:81/a", "/a"}, {"/a", "/a"},
	} {
		if got := pathOf(c[0]); got != c[1] {
			t.Errorf("pathOf(%q) = %q, want %q", c[0], got, c[1])
		}
	}
}

// TestReason shows the clauses that name the deciding rule.
func TestReason(t *testing.T) {
	file := parse([]byte("user-agent: *\n\ndisallow: /news/*.asp$ # no\n"))
	for _, c := range []struct {
		g    *Group
		want string
	}{
		{file.Group("infomall"), "line 3 of robots.txt, for *, says Disallow: /news/*.asp$"},
		{parse([]byte("user-agent: InfoMall\nallow: /b")).Group("infomall"), "no rule of robots.txt for infomall matches"},
		{parse([]byte("user-agent: other\ndisallow: /")).Group("infomall"), `robots.txt has no rules for "infomall"`},
		{Of(404, nil).Group("infomall"), "robots.txt was answered with 404, so everything is allowed"},
		{Of(503, nil).Group("infomall"), "robots.txt was answered with 503, so nothing is allowed"},
		{Unreachable("cannot be fetched: connection refused").Group("infomall"), "robots.txt cannot be fetched: connection refused, so nothing is allowed"},
	} {
		if got := c.g.Decide("http://x.cn/news/a.asp").Reason; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestOf shows what each kind of response means.
func TestOf(t *testing.T) {
	body := []byte("user-agent: *\ndisallow: /a\n")
	for _, c := range []struct {
		status int
		a, b   bool
		fresh  time.Duration
	}{
		{200, false, true, Lifetime}, {206, false, true, Lifetime},
		{301, true, true, Lifetime}, {400, true, true, Lifetime}, {401, true, true, Lifetime}, {403, true, true, Lifetime},
		{404, true, true, Lifetime}, {410, true, true, Lifetime}, {428, true, true, Lifetime}, {499, true, true, Lifetime},
		{429, false, false, RetryAfter}, {500, false, false, RetryAfter}, {503, false, false, RetryAfter}, {599, false, false, RetryAfter},
		{0, false, false, RetryAfter}, {100, false, false, RetryAfter}, {700, false, false, RetryAfter},
	} {
		f := Of(c.status, body)
		g := f.Group("infomall")
		if a, b := g.Decide("http://x.cn/a").Allowed, g.Decide("http://x.cn/b").Allowed; a != c.a || b != c.b || f.Fresh() != c.fresh {
			t.Errorf("%d: /a %v, /b %v, fresh for %v; want %v, %v, %v", c.status, a, b, f.Fresh(), c.a, c.b, c.fresh)
		}
	}
}

// TestDelay shows which Crawl-delay a group gets, and its bound.
func TestDelay(t *testing.T) {
	for _, c := range []struct {
		file string
		want time.Duration
	}{
		{"user-agent: f\ncrawl-delay: 2", 2 * time.Second},
		{"user-agent: f\nCrawl-Delay: 0.5\ndisallow: /", 500 * time.Millisecond},
		{"user-agent: f\ncrawl-delay: 301", DelayMax},
		{"user-agent: f\ncrawl-delay: 1e300", DelayMax},
		{"user-agent: f\ncrawl-delay: Inf", DelayMax},
		{"user-agent: f\ncrawl-delay: NaN", 0},
		{"user-agent: f\ncrawl-delay: -1", 0},
		{"user-agent: f\ncrawl-delay: ten", 0},
		{"user-agent: f\nuser-agent: g\ncrawl-delay: 3", 3 * time.Second},
		{"user-agent: *\ncrawl-delay: 4", 4 * time.Second},
		{"user-agent: f\ncrawl-delay: 4\n\nuser-agent: *\ncrawl-delay: 5\ndisallow: /", 4 * time.Second},
		{"user-agent: g\ncrawl-delay: 4\n\nuser-agent: f\ndisallow: /", 0},
		{"user-agent: *\ncrawl-delay: 4\ndisallow: /a\nuser-agent: f\ndisallow: /b", 0},
		{"user-agent: f\ncrawl-delay: 4\ndisallow: /a\nuser-agent: f\ndisallow: /b", 4 * time.Second},
		{"crawl-delay: 4\nuser-agent: f\ndisallow: /b", 0},
	} {
		if got := parse([]byte(c.file)).Group("f").Delay; got != c.want {
			t.Errorf("%q: %v, want %v", c.file, got, c.want)
		}
	}
}

func TestSitemaps(t *testing.T) {
	file := "sitemap: http://x/1\nuser-agent: f\nSite-Map: http://x/2 # all\nsitemap: http://x/1\nsitemap:\nsitemap /3\n"
	got, want := parse([]byte(file)).Sitemaps, []string{"http://x/1", "http://x/2", "/3"}
	if !slices.Equal(got, want) {
		t.Errorf("sitemaps %q, want %q", got, want)
	}
	var many strings.Builder
	for i := range 2 * sitemapsMax {
		fmt.Fprintf(&many, "sitemap: /%d\n", i)
	}
	if got := len(parse([]byte(many.String())).Sitemaps); got != sitemapsMax {
		t.Errorf("%d sitemaps are kept, want %d", got, sitemapsMax)
	}
}

// TestCaps shows how a long line and a long file are handled.
func TestCaps(t *testing.T) {
	long := "/x/" + strings.Repeat("a", lineBytesMax-len("disallow: /x/"))
	g := parse([]byte("user-agent: f\ndisallow: " + long + "/qux\n")).Group("f")
	if !g.Decide("http://x.cn/fux").Allowed || g.Decide("http://x.cn"+long+"/fux").Allowed {
		t.Error("a long line is not read up to the limit")
	}
	head := "user-agent: f\ndisallow: /a\n#"
	tail := "\nallow: /aa\n"
	for _, room := range []int{0, 1, len(tail) - 1, len(tail)} {
		file := head + strings.Repeat("x", BytesMax-len(head)-room) + tail
		d := parse([]byte(file)).Group("f").Decide("http://x.cn/aab")
		if want := room == len(tail); d.Allowed != want {
			t.Errorf("with %d bytes left for the last rule: %s, want allowed %v", room, d.Reason, want)
		}
	}
}

// TestHostileFiles shows that files made to cost a parser much time or memory
// do not.
func TestHostileFiles(t *testing.T) {
	var agents, groups strings.Builder
	for i := range 12000 {
		fmt.Fprintf(&agents, "user-agent: %s\n", letters(i))
	}
	for i := range 18000 {
		fmt.Fprintf(&agents, "allow: /%d\n", i)
		groups.WriteString("user-agent: f\nallow: /a\n")
	}
	for name, file := range map[string]string{
		"agents times rules": agents.String(),
		"groups of one name": groups.String(),
		"stars":              "user-agent: *\ndisallow: /" + strings.Repeat("*a", 8000) + "b\n",
		"ends of lines":      strings.Repeat("\r", BytesMax),
	} {
		f := parse([]byte(file))
		if !f.Group("f").Decide("http://x.cn/" + strings.Repeat("a", 16000)).Allowed {
			t.Errorf("%s: denied", name)
		}
	}
}

func letters(i int) string {
	return string([]byte{'a' + byte(i%26), 'a' + byte(i/26%26), 'a' + byte(i/676%26)}) + strings.Repeat("x", i/17576)
}

// TestNames shows which directive names parse accepts: a name that begins with a
// known directive, or with a known misspelling of one.
func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"Disallow": true, "Disallowed": true, "disallows ": true, "Dissallowed": true, "disalow": true, "Dis-allow": false, "Not-disallow": false, "deny": false,
	} {
		if got := !parse([]byte("User-agent: *\n" + name + ": /\n")).Group("x").Decide("http://a.cn/").Allowed; got != want {
			t.Errorf("%s denies: %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]bool{"User-agent": true, "User-agents": true, "useragents": true, "User Agents": true, "Agent": false, "X-User-agent": false} {
		if got := !parse([]byte(name + ": *\nDisallow: /\n")).Group("x").Decide("http://a.cn/").Allowed; got != want {
			t.Errorf("%s begins a group: %v, want %v", name, got, want)
		}
	}
}

func TestProduct(t *testing.T) {
	for agent, want := range map[string]string{
		"Mozilla/5.0 (compatible; infomall/1.0; +mailto:a@x.cn)": "infomall",
		"infomall/1.0": "infomall", "Info-Mall_x 2": "Info-Mall_x", " wget": "wget", "": "", "*": "",
		"Mozilla/5.0 (compatible;)": "Mozilla",
	} {
		if got := Product(agent); got != want {
			t.Errorf("Product(%q) = %q, want %q", agent, got, want)
		}
	}
}

func TestHeader(t *testing.T) {
	for _, c := range []struct {
		values []string
		want   Directives
	}{
		{nil, Directives{}},
		{[]string{"noindex, NoFollow"}, Directives{NoFollow: true}},
		{[]string{"none", "noarchive"}, Directives{true, true}},
		{[]string{"otherbot: noindex, nofollow"}, Directives{}},
		{[]string{"infomall: noarchive"}, Directives{NoArchive: true}},
		{[]string{"otherbot: noindex, infomall: nofollow, noarchive"}, Directives{NoFollow: true, NoArchive: true}},
		{[]string{"otherbot: noindex", "nofollow"}, Directives{NoFollow: true}},
		{[]string{"unavailable_after: 25 Jun 2010 15:00:00 PST, max-snippet:20, noindex"}, Directives{}},
		{[]string{"", ",,:,", "all", "noindexed"}, Directives{}},
	} {
		if got := Header(c.values, "infomall"); got != c.want {
			t.Errorf("Header(%q) = %+v, want %+v", c.values, got, c.want)
		}
	}
}

// TestPatternModel compares patterns with regular expressions that mean the
// same.
func TestPatternModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := "/" + rapid.StringMatching(`[ab*/$]{0,8}`).Draw(t, "rule")
		path := "/" + rapid.StringMatching(`[ab/]{0,12}`).Draw(t, "path")
		body, anchored := strings.CutSuffix(rule, "$")
		expr := "^" + strings.ReplaceAll(regexp.QuoteMeta(body), `\*`, ".*")
		if anchored {
			expr += "$"
		}
		want := regexp.MustCompile(expr).MatchString(path)
		if got := newPattern(rule).matches(pathOf("http://x.cn" + path)); got != want {
			t.Fatalf("%q matches %q: %v, want %v", rule, path, got, want)
		}
	})
}

// FuzzParse reads any bytes. The line that a decision names must be there.
func FuzzParse(f *testing.F) {
	for _, c := range decisions {
		f.Add([]byte(c.file), c.agent, c.urls[0][3:])
	}
	f.Fuzz(func(t *testing.T, body []byte, agent, path string) {
		file := parse(body)
		g := file.Group(agent)
		d := g.Decide("http://x.cn/" + path)
		if g.Delay < 0 || g.Delay > DelayMax || len(file.Sitemaps) > sitemapsMax {
			t.Errorf("delay %v, %d sitemaps", g.Delay, len(file.Sitemaps))
		}
		lines := strings.FieldsFunc(strings.ReplaceAll(string(body), "\n", "\r"), func(r rune) bool { return r == '\r' })
		if d.Rule.Line != 0 && (d.Allowed != d.Rule.Allow || !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, d.Rule.Path) })) {
			t.Errorf("%+v is no line of %q", d, body)
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	var file strings.Builder
	file.WriteString("user-agent: *\n")
	for i := range 200 {
		fmt.Fprintf(&file, "disallow: /folder%d/*.php$\n", i)
	}
	g := parse([]byte(file.String())).Group("infomall")
	for b.Loop() {
		g.Decide("http://www.pku.edu.cn/news/2008/06/01/index.html?id=17")
	}
}

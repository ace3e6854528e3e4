// Package robots parses what a site asks of crawlers: its robots.txt, by RFC
// 9309, and the robots directives in the HTTP header of a page. Its functions
// work on bytes only. The caller fetches and stores robots.txt.
//
// Beyond the RFC the package knows Crawl-delay and Sitemap. It accepts the
// misspellings that Google's parser accepts, and follows that parser's rule
// that "Allow: /a/index.html" also allows /a/.
//
// # Group
//
// A group is all that a robots.txt says to one agent, such as "infomall" or,
// for all agents that it does not name, "*".
//
// # Block
//
// A block is several rules in a row after one or more User-agent lines. The
// rules hold for all agents in these lines. A group may consist of several
// blocks.
package robots

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// BytesMax is how much of a robots.txt is parsed. The RFC requires 500 KiB
	// at least. A line that crosses the limit is ignored, because its first
	// part could forbid more than the whole line.
	BytesMax = 512 << 10

	// Lifetime is how long a robots.txt may be used before it is fetched again.
	// If it could not be fetched, the next attempt is after RetryAfter.
	Lifetime   = 24 * time.Hour
	RetryAfter = time.Hour

	// DelayMax is the longest Crawl-delay; a longer one counts as this.
	DelayMax = 300 * time.Second

	// lineBytesMax is how much of a line is parsed. The rest is ignored.
	lineBytesMax = 2083*8 - 2

	// sitemapsMax bounds the number of sitemaps kept of one file.
	sitemapsMax = 1000
)

// File is a parsed robots.txt, or the rules that hold if there is none. It
// does not change and may be used from several goroutines at once.
type File struct {
	Sitemaps []string // URLs as written, without duplicates, in order; at most 1,000

	blocks  map[string][]member // by agent in lower case; "*" for all other agents
	blanket *Group              // if not nil, holds for every agent, because the file could not be read
	fresh   time.Duration       // see Fresh
}

// Group is what a robots.txt says to one agent.
type Group struct {
	Agent string        // name in the file, in lower case; "*" if the file has no group of this name, "" if it has no "*" either
	Delay time.Duration // Crawl-delay, at most DelayMax; 0 if there is none

	rules  []Rule // sorted such that the first one that matches decides
	denied bool   // whether every URL is forbidden, because robots.txt could not be fetched
	reason string // why there are no rules; "" if there are
}

// block holds rules that several agents share. Sharing them keeps the memory of
// a file with many agents and many rules proportional to its length.
type block struct{ rules []Rule }

// member is one agent's part in a block: its rules and its delay. The agents of one sequence of
// User-agent lines share a delay. A Crawl-delay line does not end a block, by the RFC, but the
// delay does not hold for agents that are named after the line.
type member struct {
	*block
	delay *time.Duration
}

// Rule is one Allow or Disallow line.
type Rule struct {
	Line  int // number of the line, from 1
	Allow bool
	Path  string // as written

	pattern pattern
}

// String returns the rule as robots.txt spells it, such as "Disallow:
// /cgi-bin/".
func (r Rule) String() string {
	if r.Allow {
		return "Allow: " + r.Path
	}
	return "Disallow: " + r.Path
}

// Decision says whether a URL may be fetched, and why.
type Decision struct {
	Allowed bool
	Rule    Rule   // the deciding rule; its Line is 0 if there is none
	Reason  string // a clause without a full stop, such as "line 3 of robots.txt, for *, says Disallow: /x"
}

// Of returns the File for the response to a request for robots.txt, after
// redirects. For a status 2XX it parses body. 3XX (a redirect that leads
// nowhere) and 4XX allow every URL. 5XX and any other status forbid every
// URL. So does 429 (too many requests): it says that the server is busy, not
// that there is no robots.txt.
func Of(status int, body []byte) *File {
	switch {
	case 200 <= status && status < 300:
		return parse(body)
	case 300 <= status && status < 500 && status != 429:
		return &File{fresh: Lifetime, blanket: &Group{reason: fmt.Sprintf("robots.txt was answered with %d, so everything is allowed", status)}}
	}
	return Unreachable(fmt.Sprintf("was answered with %d", status))
}

// Unreachable returns the File for a robots.txt that could not be fetched; it
// forbids every URL. The parameter why completes the sentence "robots.txt …", such
// as "was answered with 503".
func Unreachable(why string) *File {
	return &File{fresh: RetryAfter, blanket: &Group{denied: true, reason: "robots.txt " + why + ", so nothing is allowed"}}
}

// Fresh returns how long after its fetch the file may be used.
func (f *File) Fresh() time.Duration { return f.fresh }

// Group returns what the file says to agent, which is a product token such
// as "infomall" (see Product). It joins all blocks for that name, in upper
// or lower case. If there are none, it joins all blocks for "*". The Group
// does not keep the whole File in memory.
func (f *File) Group(agent string) *Group {
	if f.blanket != nil {
		return f.blanket
	}
	for _, name := range []string{strings.ToLower(agent), "*"} {
		if blocks := f.blocks[name]; blocks != nil {
			return newGroup(name, blocks)
		}
	}
	return &Group{reason: "robots.txt has no rules for " + strconv.Quote(agent)}
}

// newGroup joins the blocks of one agent. name is the name of the Group.
func newGroup(name string, blocks []member) *Group {
	g := &Group{Agent: name}
	for _, b := range blocks {
		g.rules = append(g.rules, b.rules...)
		g.Delay = cmp.Or(*b.delay, g.Delay)
	}
	slices.SortStableFunc(g.rules, func(a, b Rule) int {
		if c := cmp.Compare(b.pattern.bytes, a.pattern.bytes); c != 0 || a.Allow == b.Allow {
			return c
		}
		if a.Allow {
			return -1
		}
		return 1
	})
	return g
}

// Known reports whether the group comes from a robots.txt that could be fetched, or
// there is none. If not, every URL is forbidden.
func (g *Group) Known() bool { return !g.denied }

// Decide returns whether the canonical URL url may be fetched, and why. The
// rule with the longest matching path decides; among equally long paths,
// Allow wins. robots.txt itself is always allowed, unless it could not be
// fetched. An empty url means the home page.
func (g *Group) Decide(url string) Decision {
	if g.denied {
		return Decision{Reason: g.reason}
	}
	path := pathOf(url)
	if path == "/robots.txt" {
		return Decision{Allowed: true, Reason: "robots.txt itself is always allowed"}
	}
	if g.reason != "" {
		return Decision{Allowed: true, Reason: g.reason}
	}
	for _, r := range g.rules {
		if r.pattern.matches(path) {
			return Decision{r.Allow, r, fmt.Sprintf("line %d of robots.txt, for %s, says %s", r.Line, g.Agent, r)}
		}
	}
	return Decision{Allowed: true, Reason: "no rule of robots.txt for " + g.Agent + " matches"}
}

// parse parses a robots.txt. It accepts any bytes: a line that it does not
// understand is ignored. The File does not keep body in memory.
func parse(body []byte) *File {
	p := fileParser{f: &File{blocks: map[string][]member{}, fresh: Lifetime}, block: &block{}, delayed: new(time.Duration), ruled: true}
	body = skipMark(body)
	if len(body) > BytesMax {
		body = body[:BytesMax]
		body = body[:bytes.LastIndexAny(body, "\r\n")+1]
	}
	for len(body) > 0 {
		p.number++
		end := bytes.IndexAny(body, "\r\n")
		if end < 0 {
			p.line(body)
			break
		}
		p.line(body[:end])
		if body[end] == '\r' && end+1 < len(body) && body[end+1] == '\n' {
			end++
		}
		body = body[end+1:]
	}
	return p.f
}

// skipMark returns body without a UTF-8 byte order mark, or the first bytes
// of one, at its start.
func skipMark(body []byte) []byte {
	const mark = "\xef\xbb\xbf"
	for i := range len(mark) {
		if len(body) == 0 || body[0] != mark[i] {
			break
		}
		body = body[1:]
	}
	return body
}

// fileParser parses the lines of one robots.txt.
type fileParser struct {
	f       *File
	number  int            // of the current line
	block   *block         // the block to which the next rule belongs; at first a block without an agent
	delayed *time.Duration // delay of the agents in the last User-agent lines
	ruled   bool           // whether the next User-agent line begins a new block
}

// names maps the start of a line's name to the proper name. It includes common misspellings.
// Only the start is compared, so "Disallowed" and "User-agents" are understood too.
var names = []struct{ prefix, name string }{
	{"user-agent", "user-agent"}, {"useragent", "user-agent"}, {"user agent", "user-agent"},
	{"allow", "allow"},
	{"disallow", "disallow"}, {"dissallow", "disallow"}, {"dissalow", "disallow"}, {"disalow", "disallow"}, {"diasllow", "disallow"}, {"disallaw", "disallow"},
	{"crawl-delay", "crawl-delay"}, {"crawldelay", "crawl-delay"}, {"crawl delay", "crawl-delay"},
	{"sitemap", "sitemap"}, {"site-map", "sitemap"},
}

// lineName returns the proper spelling of written, the name of a line, such
// as "disallow" for "Dissallow". It returns "" for an unknown name.
func lineName(written string) string {
	written = strings.ToLower(strings.TrimSpace(written))
	for _, n := range names {
		if strings.HasPrefix(written, n.prefix) {
			return n.name
		}
	}
	return ""
}

// line parses one line, which is given without its line end.
func (p *fileParser) line(line []byte) {
	if len(line) > lineBytesMax {
		line = line[:lineBytesMax]
	}
	line, _, _ = bytes.Cut(line, []byte("#"))
	name, value, ok := strings.Cut(string(line), ":")
	if !ok {
		// The colon is often missing. Two words then count as name and value.
		words := strings.Fields(name)
		if len(words) != 2 {
			return
		}
		name, value = words[0], words[1]
	}
	value = strings.TrimSpace(value)
	switch lineName(name) {
	case "user-agent":
		p.agent(value)
	case "allow":
		p.rule(true, value)
	case "disallow":
		p.rule(false, value)
	case "crawl-delay":
		p.delay(value)
	case "sitemap":
		if s := p.f.Sitemaps; value != "" && len(s) < sitemapsMax && !slices.Contains(s, value) {
			p.f.Sitemaps = append(s, value)
		}
	}
}

// agent handles a User-agent line with the given value: it begins a block,
// or adds the agent to the current one.
func (p *fileParser) agent(value string) {
	if p.ruled || *p.delayed != 0 {
		p.delayed = new(time.Duration)
	}
	if p.ruled {
		p.block, p.ruled = &block{}, false
	}
	name := strings.ToLower(token(value))
	if value == "*" || len(value) > 1 && value[0] == '*' && (value[1] == ' ' || value[1] == '\t') {
		name = "*"
	}
	if name == "" {
		return
	}
	blocks := p.f.blocks[name]
	if len(blocks) == 0 || blocks[len(blocks)-1].block != p.block {
		p.f.blocks[name] = append(blocks, member{p.block, p.delayed})
	}
}

// rule adds an Allow or Disallow rule to the current block, unless its path
// is empty.
func (p *fileParser) rule(allow bool, path string) {
	p.ruled = true
	if path == "" {
		return
	}
	p.block.rules = append(p.block.rules, Rule{p.number, allow, path, newPattern(path)})
	if slash := strings.LastIndexByte(path, '/'); allow && slash >= 0 && strings.HasPrefix(path[slash+1:], "index.htm") {
		p.block.rules = append(p.block.rules, Rule{p.number, allow, path, newPattern(path[:slash+1] + "$")})
	}
}

// delay handles a Crawl-delay line with the given value. If value is a
// number of seconds above 0, it becomes the delay of the agents in the last
// User-agent lines.
func (p *fileParser) delay(value string) {
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || !(seconds > 0) {
		return
	}
	d := DelayMax
	if seconds < DelayMax.Seconds() {
		d = time.Duration(seconds * float64(time.Second))
	}
	*p.delayed = d
}

// Product returns the product token of a User-Agent header: the name by
// which a robots.txt addresses the crawler. It is "infomall" for
// "Mozilla/5.0 (compatible; infomall/1.0; +…)".
func Product(userAgent string) string {
	if _, rest, ok := strings.Cut(userAgent, "(compatible;"); ok {
		if t := token(strings.TrimSpace(rest)); t != "" {
			return t
		}
	}
	return token(strings.TrimSpace(userAgent))
}

// token returns the product token at the start of s: its first letters,
// hyphens and underscores.
func token(s string) string {
	for i := range len(s) {
		if c := s[i]; !('a' <= c|0x20 && c|0x20 <= 'z' || c == '-' || c == '_') {
			return s[:i]
		}
	}
	return s
}

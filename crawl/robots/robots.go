// Package robots reads what a site asks of crawlers: its robots.txt, by RFC
// 9309, and the robots directives in the header of a page. It consists of pure
// functions over bytes; fetching and keeping robots.txt is its caller's.
//
// Beyond the RFC it knows Crawl-delay and Sitemap, the misspellings of names
// that the authors' own parser forgives, and that parser's rule that
// "Allow: /a/index.html" allows /a/ as well.
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
	// BytesMax is how much of a robots.txt is read. The RFC asks for 500 KiB at
	// least. A line that the limit cuts is left out, for its start could say
	// more than the whole.
	BytesMax = 512 << 10

	// Lifetime is how long a robots.txt may be used before it is asked for
	// again; of one that could not be fetched, RetryAfter.
	Lifetime   = 24 * time.Hour
	RetryAfter = time.Hour

	// DelayMax bounds a Crawl-delay.
	DelayMax = 300 * time.Second

	// lineBytesMax is how much of a line is read; what follows is passed over.
	lineBytesMax = 2083*8 - 2

	// sitemapsMax bounds the sitemaps kept of one file.
	sitemapsMax = 1000
)

// File is what a robots.txt says, or what it means that there is none. It does
// not change and is safe for any goroutine.
type File struct {
	Sitemaps []string // as written, each once, in order; at most 1,000

	blocks  map[string][]member // by agent in lower case, "*" among them
	blanket *Group              // what holds for all if the file could not be read
	fresh   time.Duration
}

// Group is what a robots.txt says to one agent.
type Group struct {
	Agent string        // as the file names it, in lower case; "*" for the rest, "" if nothing is said
	Delay time.Duration // Crawl-delay, 0 if there is none; at most DelayMax

	rules  []Rule // the first that matches decides
	denied bool   // nothing is allowed
	reason string // why there are no rules
}

// block is a run of rules under one or more agents, which share it: a file of
// many agents and many rules takes memory in proportion to its length.
type block struct{ rules []Rule }

// member is an agent of a block. It shares its delay with those that were named
// with it: a Crawl-delay ends no block, by the RFC, but is not meant for the
// agents that come after it.
type member struct {
	*block
	delay *time.Duration
}

// Rule is one Allow or Disallow.
type Rule struct {
	Line  int // from 1
	Allow bool
	Path  string // as written

	pattern pattern
}

// String is the rule as a robots.txt has it.
func (r Rule) String() string {
	if r.Allow {
		return "Allow: " + r.Path
	}
	return "Disallow: " + r.Path
}

// Decision says whether a URL may be fetched and why.
type Decision struct {
	Allowed bool
	Rule    Rule   // what decided; Line is 0 if no rule did
	Reason  string // a sentence without full stop that names the deciding rule
}

// Of returns what the answer to a request for robots.txt means, redirects
// followed: a success is parsed, 4XX (and a redirect that leads nowhere) allows
// everything, 5XX and anything else nothing.
func Of(status int, body []byte) *File {
	switch {
	case 200 <= status && status < 300:
		return Parse(body)
	case 300 <= status && status < 500:
		return &File{fresh: Lifetime, blanket: &Group{reason: fmt.Sprintf("robots.txt was answered with %d, so everything is allowed", status)}}
	}
	return Unreachable(fmt.Sprintf("was answered with %d", status))
}

// Unreachable returns what it means that robots.txt could not be fetched:
// nothing is allowed. Why completes the sentence "robots.txt …".
func Unreachable(why string) *File {
	return &File{fresh: RetryAfter, blanket: &Group{denied: true, reason: "robots.txt " + why + ", so nothing is allowed"}}
}

// Fresh is how long after its fetch the file may be used.
func (f *File) Fresh() time.Duration { return f.fresh }

// Group returns what the file says to an agent, named by its product token as
// Product gives it: all groups of that name in whatever case, else those of
// all. It does not keep the file in memory.
func (f *File) Group(agent string) *Group {
	if f.blanket != nil {
		return f.blanket
	}
	for _, name := range []string{strings.ToLower(agent), "*"} {
		if blocks := f.blocks[name]; blocks != nil {
			return newGroup(name, blocks)
		}
	}
	return &Group{reason: "robots.txt says nothing to " + strconv.Quote(agent)}
}

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

// Decide says whether a URL may be fetched: by the rule with the longest path
// that matches, Allow before Disallow among equals. Robots.txt itself always
// may. URL is canonical; "" is that of the home page.
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

// Parse reads a robots.txt, of which it keeps nothing. Any bytes are one: what
// is no line of the protocol is passed over.
func Parse(body []byte) *File {
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

// skipMark takes a byte order mark off, also one cut short.
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

type fileParser struct {
	f       *File
	number  int
	block   *block         // where the next rule goes; at first nobody's
	delayed *time.Duration // of the agents that were named last
	ruled   bool           // whether the next agent begins a block
}

// names are how the names of the lines that are understood begin, misspellings
// among them: "Disallowed" and "User-agents" mean the same as the proper names.
var names = []struct{ prefix, name string }{
	{"user-agent", "user-agent"}, {"useragent", "user-agent"}, {"user agent", "user-agent"},
	{"allow", "allow"},
	{"disallow", "disallow"}, {"dissallow", "disallow"}, {"dissalow", "disallow"}, {"disalow", "disallow"}, {"diasllow", "disallow"}, {"disallaw", "disallow"},
	{"crawl-delay", "crawl-delay"}, {"crawldelay", "crawl-delay"}, {"crawl delay", "crawl-delay"},
	{"sitemap", "sitemap"}, {"site-map", "sitemap"},
}

// lineName is the proper name of a line that is named so; "" if it is not known.
func lineName(written string) string {
	written = strings.ToLower(strings.TrimSpace(written))
	for _, n := range names {
		if strings.HasPrefix(written, n.prefix) {
			return n.name
		}
	}
	return ""
}

// line reads one line without its end.
func (p *fileParser) line(line []byte) {
	if len(line) > lineBytesMax {
		line = line[:lineBytesMax]
	}
	line, _, _ = bytes.Cut(line, []byte("#"))
	name, value, ok := strings.Cut(string(line), ":")
	if !ok {
		// The colon is often forgotten: two words are a name and a value.
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

// agent begins a group or adds an agent to it.
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

// rule adds a rule to the block. An empty path makes none.
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

// delay sets the delay of the agents that were named last.
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

// Product is the product token of a User-Agent header, by which robots.txt
// names a crawler: infomall of "Mozilla/5.0 (compatible; infomall/1.0; +…)".
func Product(userAgent string) string {
	if _, rest, ok := strings.Cut(userAgent, "(compatible;"); ok {
		if t := token(strings.TrimSpace(rest)); t != "" {
			return t
		}
	}
	return token(strings.TrimSpace(userAgent))
}

// token is the product token that s begins with.
func token(s string) string {
	for i := range len(s) {
		if c := s[i]; !('a' <= c|0x20 && c|0x20 <= 'z' || c == '-' || c == '_') {
			return s[:i]
		}
	}
	return s
}

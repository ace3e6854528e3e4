package crawl

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"infomall/store/record"
)

// Bounds of what sites have a crawl remember.
const (
	cookiesMax      = 50 // of a domain
	cookieBytes     = 4096
	cookieSitesMax  = 100_000
	cookieLineBytes = 8192 // of all that is sent with a request
)

// cookies are what sites set during a crawl. They may be used from many goroutines.
type cookies struct {
	jar     *cookiejar.Jar
	mu      sync.Mutex
	sites   map[string]map[string]savedCookie // by the domain that they are sent to; then by name, domain and path
	changed map[string]bool                   // domains whose cookies changed since they were saved
}

// savedCookie is a cookie as the state of a crawl has it.
type savedCookie struct {
	URL  string // that set it
	Line string // as in Set-Cookie, with the time when it ends
}

// cookieNews says whether a response set a cookie that was not there before, and
// whether it gave one that was there another value.
type cookieNews struct{ added, changed bool }

func newCookies() *cookies {
	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		panic("crawl: a jar of cookies: " + err.Error()) // Unreachable: it never fails.
	}
	return &cookies{jar: jar, sites: make(map[string]map[string]savedCookie), changed: make(map[string]bool)}
}

// set takes the cookies of a response that came at a time. What is beyond the
// bounds is forgotten.
func (c *cookies) set(u *url.URL, head []byte, now time.Time) (news cookieNews) {
	var list []*http.Cookie
	for line := range record.Headers(head, "Set-Cookie") {
		if len(line) > cookieBytes {
			continue
		}
		cookie, err := http.ParseSetCookie(line)
		if err == nil && c.keep(u, cookie, now, &news) {
			list = append(list, cookie)
		}
	}
	if len(list) > 0 {
		c.jar.SetCookies(u, list)
	}
	return news
}

// keep notes a cookie, or that it was taken back. It reports whether there is room
// for it.
func (c *cookies) keep(u *url.URL, cookie *http.Cookie, now time.Time, news *cookieNews) bool {
	domain, ok := cookieDomain(strings.ToLower(u.Hostname()), cookie)
	if !ok {
		return false
	}
	id := cookie.Name + "\x00" + cookie.Domain + "\x00" + cookie.Path
	if cookie.MaxAge > 0 {
		cookie.Expires = now.Add(time.Duration(min(cookie.MaxAge, int(365*24*time.Hour/time.Second))) * time.Second)
		cookie.MaxAge = 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	site := c.sites[domain]
	before, ok := site[id]
	if cookie.MaxAge < 0 || !cookie.Expires.IsZero() && !cookie.Expires.After(now) {
		if ok {
			delete(site, id)
			c.changed[domain] = true
		}
		return true
	}
	saved := savedCookie{URL: (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String(), Line: cookie.String()}
	switch {
	case site == nil && len(c.sites) >= cookieSitesMax:
		return false
	case site == nil:
		site = make(map[string]savedCookie)
		c.sites[domain] = site
	}
	switch {
	case !ok && len(site) >= cookiesMax:
		return false
	case !ok:
		news.added = true
	case value(before.Line) == value(saved.Line):
		return true // it may end later, which a run that goes on with the crawl need not know
	default:
		news.changed = true
	}
	site[id], c.changed[domain] = saved, true
	return true
}

// cookieDomain returns the domain that a cookie of a host is sent to, in lower case.
// It reports false if the host may set none for that domain.
func cookieDomain(host string, cookie *http.Cookie) (string, bool) {
	domain := strings.ToLower(strings.TrimPrefix(cookie.Domain, "."))
	if domain == "" || domain == host {
		return host, true
	}
	suffix, _ := publicsuffix.PublicSuffix(domain)
	return domain, strings.HasSuffix(host, "."+domain) && domain != suffix
}

// value is name and value of a line of Set-Cookie.
func value(line string) string {
	v, _, _ := strings.Cut(line, ";")
	return v
}

// header is the line of a request that has its cookies; "" without any.
func (c *cookies) header(u *url.URL) string {
	var b strings.Builder
	for _, cookie := range c.jar.Cookies(u) {
		pair := (&http.Cookie{Name: cookie.Name, Value: cookie.Value, Quoted: cookie.Quoted}).String()
		if b.Len()+len(pair) > cookieLineBytes {
			break
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(pair)
	}
	if b.Len() == 0 {
		return ""
	}
	return "Cookie: " + b.String() + "\r\n"
}

// changes returns the cookies of each domain that were changed since the last call,
// in JSON.
func (c *cookies) changes() (map[string][]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.changed) == 0 {
		return nil, nil
	}
	list := make(map[string][]byte, len(c.changed))
	for domain := range c.changed {
		b, err := json.Marshal(slices.Collect(maps.Values(c.sites[domain])))
		if err != nil {
			return nil, err
		}
		list[domain] = b
	}
	clear(c.changed)
	return list, nil
}

// restore takes cookies that changes returned in an earlier run.
func (c *cookies) restore(b []byte, now time.Time) error {
	var saved []savedCookie
	if err := json.Unmarshal(b, &saved); err != nil {
		return err
	}
	for _, s := range saved {
		u, err := url.Parse(s.URL)
		if err != nil {
			return err
		}
		c.set(u, []byte("HTTP/1.1 200 OK\r\nSet-Cookie: "+s.Line+"\r\n\r\n"), now)
	}
	return nil
}

// cookiesOf is where the state of a crawl has the cookies of a domain.
func cookiesOf(domain string) string { return "cookies " + domain }

// saveCookies puts the cookies that changed into the state of the crawl.
func (e *engine) saveCookies() error {
	list, err := e.client.cookies.changes()
	for domain, b := range list {
		if err == nil {
			err = e.q.SetHost(cookiesOf(domain), b)
		}
	}
	return err
}

// restoreCookies takes up the cookies that an earlier run of the crawl had for a
// host: those of the host and of the domains above it.
func (e *engine) restoreCookies(host string) error {
	if !e.resumed {
		return nil
	}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	for domain := strings.ToLower(name); domain != ""; {
		b, err := e.q.Host(cookiesOf(domain))
		if err == nil && b != nil {
			err = e.client.cookies.restore(slices.Clone(b), e.now())
		}
		if err != nil {
			return fmt.Errorf("crawl state: cookies of %s: %w", domain, err)
		}
		_, domain, _ = strings.Cut(domain, ".")
	}
	return nil
}

package fetch

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"infomall/store/record/message"
)

// Bounds of the cookies that a client remembers.
const (
	cookiesMax      = 50      // cookies of one domain
	cookieBytes     = 4096    // length of a value of Set-Cookie
	cookieSitesMax  = 100_000 // domains
	cookieLineBytes = 8192    // length of all cookies sent with one request
)

// cookies holds the cookies that sites have set, for one client. It may be
// used from many goroutines.
type cookies struct {
	jar     *cookiejar.Jar
	mu      sync.Mutex
	sites   map[string]map[string]savedCookie // by the domain to which they are sent, then by name, domain and path
	changed map[string]bool                   // domains whose cookies changed since the last call of changes
}

// savedCookie is a cookie in the form in which a caller of TakeCookies
// stores it.
type savedCookie struct {
	URL  string // URL of the response that set it
	Line string // value of Set-Cookie, with an absolute expiry time
}

func newCookies() *cookies {
	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		panic("fetch: a jar of cookies: " + err.Error()) // Unreachable: it never fails.
	}
	return &cookies{jar: jar, sites: make(map[string]map[string]savedCookie), changed: make(map[string]bool)}
}

// set takes the cookies from head, the head of a response from u. It leaves
// out cookies that are not allowed or exceed the bounds. added reports
// whether it added a new cookie, and changed whether a cookie that it had
// before got another value.
func (c *cookies) set(u *url.URL, head []byte, now time.Time) (added, changed bool) {
	var list []*http.Cookie
	for line := range message.Headers(head, "Set-Cookie") {
		if len(line) > cookieBytes {
			continue
		}
		cookie, err := http.ParseSetCookie(line)
		if err != nil {
			continue
		}
		kept, news := c.keep(u, cookie, now)
		if kept {
			list = append(list, cookie)
		}
		added, changed = added || news == cookieAdded, changed || news == cookieChanged
	}
	if len(list) > 0 {
		c.jar.SetCookies(u, list)
	}
	return added, changed
}

// cookieNews says what a cookie in a response is: the same as before, a new cookie, or a known
// cookie with another value.
type cookieNews int

const (
	cookieSame cookieNews = iota
	cookieAdded
	cookieChanged
)

// keep notes a cookie of a response from u, or removes it if it has expired.
// kept is false if the cookie is not allowed or exceeds the bounds. news
// says what the cookie changes.
func (c *cookies) keep(u *url.URL, cookie *http.Cookie, now time.Time) (kept bool, news cookieNews) {
	domain, ok := cookieDomain(strings.ToLower(u.Hostname()), cookie)
	if !ok {
		return false, cookieSame
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
		return true, cookieSame
	}
	saved := savedCookie{URL: (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String(), Line: cookie.String()}
	switch {
	case site == nil && len(c.sites) >= cookieSitesMax:
		return false, cookieSame
	case site == nil:
		site = make(map[string]savedCookie)
		c.sites[domain] = site
	}
	switch {
	case !ok && len(site) >= cookiesMax:
		return false, cookieSame
	case !ok:
		news = cookieAdded
	case value(before.Line) == value(saved.Line):
		return true, cookieSame // a later expiry time need not be stored
	default:
		news = cookieChanged
	}
	site[id], c.changed[domain] = saved, true
	return true, news
}

// cookieDomain returns the domain to which a cookie is sent, in lower case.
// host is the host that set it. ok is false if the host may not set a cookie for
// that domain.
func cookieDomain(host string, cookie *http.Cookie) (domain string, ok bool) {
	domain = strings.ToLower(strings.TrimPrefix(cookie.Domain, "."))
	if domain == "" || domain == host {
		return host, true
	}
	suffix, _ := publicsuffix.PublicSuffix(domain)
	return domain, strings.HasSuffix(host, "."+domain) && domain != suffix
}

// value returns name=value from a value of Set-Cookie, that is, without the
// attributes.
func value(line string) string {
	v, _, _ := strings.Cut(line, ";")
	return v
}

// header returns the header line "Cookie: …" for a request to u, with CR LF,
// or "" if there are no cookies for u.
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

// AddCookie adds a cookie from the browser of a user, as if a response from u had set it with
// line, a value of Set-Cookie. A cookie that is not allowed is left out. TakeCookies does not
// return the cookie, so it stays in memory only.
func (c *Client) AddCookie(u *url.URL, line string) {
	cookie, err := http.ParseSetCookie(line)
	if err != nil || len(line) > cookieBytes {
		return
	}
	if _, ok := cookieDomain(strings.ToLower(u.Hostname()), cookie); ok {
		c.cookies.jar.SetCookies(u, []*http.Cookie{cookie})
	}
}

// TakeCookies returns all cookies of each domain whose cookies changed since
// the last call. The map has them by domain, as JSON that RestoreCookies
// reads.
func (c *Client) TakeCookies() (map[string][]byte, error) { return c.cookies.changes() }

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

// RestoreCookies adds the cookies of one domain, in the JSON that
// TakeCookies of another client returned.
func (c *Client) RestoreCookies(b []byte) error { return c.cookies.restore(b, c.now()) }

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

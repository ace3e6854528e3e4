package crawl

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"

	"infomall/store/record"
)

// Bounds of what sites have a crawl remember.
const (
	cookiesMax      = 50 // of a host
	cookieBytes     = 4096
	cookieHostsMax  = 100_000
	cookieLineBytes = 8192 // of all that is sent with a request
)

// cookies are what sites set during one run of a crawl. They are kept in memory
// only, and may be used from many goroutines.
type cookies struct {
	jar   *cookiejar.Jar
	mu    sync.Mutex
	names map[string]map[string]bool // of each host, those of its cookies
}

func newCookies() *cookies {
	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		panic("crawl: a jar of cookies: " + err.Error()) // Unreachable: it never fails.
	}
	return &cookies{jar: jar, names: make(map[string]map[string]bool)}
}

// set takes the cookies of a response. What is beyond the bounds is forgotten.
func (c *cookies) set(u *url.URL, head []byte) {
	var list []*http.Cookie
	for line := range record.Headers(head, "Set-Cookie") {
		if len(line) > cookieBytes {
			continue
		}
		cookie, err := http.ParseSetCookie(line)
		if err == nil && c.room(u.Host, cookie) {
			list = append(list, cookie)
		}
	}
	if len(list) > 0 {
		c.jar.SetCookies(u, list)
	}
}

// room reports whether a host may have a further cookie, and counts it.
func (c *cookies) room(host string, cookie *http.Cookie) bool {
	id := cookie.Name + "\x00" + cookie.Domain + "\x00" + cookie.Path
	c.mu.Lock()
	defer c.mu.Unlock()
	names := c.names[host]
	switch {
	case names[id]:
		return true
	case len(names) >= cookiesMax, names == nil && len(c.names) >= cookieHostsMax:
		return false
	case names == nil:
		names = make(map[string]bool)
		c.names[host] = names
	}
	names[id] = true
	return true
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

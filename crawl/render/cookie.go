package render

import (
	"net/url"
	"strings"
)

// Cookie is a cookie from the profile of the browser's user.
type Cookie struct {
	URL  *url.URL // that may have set it
	Line string   // value of Set-Cookie that sets it, without a time at which it expires
}

// Cookies returns the cookies of Options.Profile, so that requests without the browser can
// send them too. Without a profile there are none.
func (p *Pool) Cookies() []Cookie {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session == nil {
		return nil
	}
	list := make([]Cookie, 0, len(p.session.cookies))
	for _, c := range p.session.cookies {
		u := &url.URL{Scheme: "https", Host: strings.TrimPrefix(c.Domain, "."), Path: "/"}
		line := c.Name + "=" + c.Value + "; Path=" + c.Path
		if strings.HasPrefix(c.Domain, ".") {
			line += "; Domain=" + u.Host
		}
		if c.Secure {
			line += "; Secure"
		}
		list = append(list, Cookie{URL: u, Line: line})
	}
	return list
}

package crawl

import (
	"fmt"
	"net"
	"slices"
	"strings"
)

// cookiesOf returns the key under which the state of a crawl stores the
// cookies of a domain, such as "cookies example.org".
func cookiesOf(domain string) string { return "cookies " + domain }

// saveCookies writes the cookies that changed since its last call to the
// state of the crawl.
func (e *engine) saveCookies() error {
	list, err := e.client.TakeCookies()
	for domain, b := range list {
		if err == nil {
			err = e.q.SetHost(cookiesOf(domain), b)
		}
	}
	return err
}

// restoreCookies gives the client the cookies that an earlier run of the
// crawl had for a host and for the domains above it. host may have a port.
// If this run began the crawl, it does nothing.
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
			err = e.client.RestoreCookies(slices.Clone(b))
		}
		if err != nil {
			return fmt.Errorf("crawl state: cookies of %s: %w", domain, err)
		}
		_, domain, _ = strings.Cut(domain, ".")
	}
	return nil
}

package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"

	"infomall/store/urlkey"
)

// labelSuffix ends the label of a replayed site below localhost. A single label is
// used because neighbours below a shared parent could share cookies.
const labelSuffix = "-replay"

// origins says at which origins browsers reach the interface and replay, and which host names a
// request may have.
type origins struct {
	ui       *url.URL // origin of the interface by --serve-origin; nil if it follows the Host
	replay   *url.URL // origin of replay by --replay-origin; nil if it follows the Host
	sited    bool     // each replayed site has an origin of its own
	loopback bool     // the interface listens on a loopback address
	uiPort   string
	replPort string
	uiHost   string // host of the interface for links from replay, without port
	hostname string // name of this machine
}

// originsOf returns the origins for the addresses on which the listeners listen.
func originsOf(o *Options, ui, replay net.Addr) (origins, error) {
	var g origins
	var err error
	if g.uiHost, g.uiPort, err = net.SplitHostPort(ui.String()); err != nil {
		return g, err
	}
	if _, g.replPort, err = net.SplitHostPort(replay.String()); err != nil {
		return g, err
	}
	g.hostname, _ = os.Hostname() // without a name, only addresses are served
	ip, err := netip.ParseAddr(g.uiHost)
	g.loopback = err == nil && ip.IsLoopback()
	if err == nil && ip.IsUnspecified() {
		g.uiHost = ""
	}
	if g.ui, err = parseOrigin("--serve-origin", o.Origin); err != nil {
		return g, err
	}
	if g.replay, err = parseOrigin("--replay-origin", o.ReplayOrigin); err != nil {
		return g, err
	}
	if g.replay != nil {
		g.sited = strings.Contains(g.replay.Host, "*")
		if g.ui != nil && g.ui.Host == g.replay.Host {
			return g, fmt.Errorf("--replay-origin %s: archived pages would have the origin of the interface; use another host name", o.ReplayOrigin)
		}
	} else {
		g.sited = g.loopback && g.ui == nil
	}
	return g, nil
}

// parseOrigin parses the value of a flag that is an origin. "" gives nil.
func parseOrigin(flag, text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return nil, fmt.Errorf("%s %q: write an origin such as https://archive.example", flag, text)
	}
	if star := strings.Count(u.Host, "*"); star > 1 || star == 1 && !strings.HasPrefix(u.Host, "*.") {
		return nil, fmt.Errorf("%s %q: a * may only be the first part of the host, as in https://*.replay.example", flag, text)
	}
	u.Path = ""
	return u, nil
}

// nextPort returns the address addr, HOST:PORT, with the next port.
func nextPort(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("--serve %s: %w; write HOST:PORT, such as 127.0.0.1:8080", addr, err)
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 0 || n > 65534 {
		return "", fmt.Errorf("--serve %s: %q is no port; write a number up to 65534", addr, port)
	}
	if n == 0 {
		return net.JoinHostPort(host, "0"), nil
	}
	return net.JoinHostPort(host, strconv.Itoa(n+1)), nil
}

// interfaceOrigin returns the origin of the interface, such as
// http://127.0.0.1:8080, for a browser that sent the request r to either listener.
func (g *origins) interfaceOrigin(r *http.Request) string {
	if g.ui != nil {
		return g.ui.String()
	}
	return g.plainOrigin(r, g.uiPort)
}

// plainOrigin returns the origin with this port at the host to which r was sent, or at the host of
// the interface if r was sent to a replayed site or names no host.
func (g *origins) plainOrigin(r *http.Request, port string) string {
	host := hostOf(r.Host)
	if strings.HasSuffix(host, ".localhost") || host == "" {
		host = g.uiHost
	}
	return "http://" + net.JoinHostPort(strings.Trim(host, "[]"), port)
}

// plainReplayOrigin returns an origin of replay that contains no name of a site. It is for
// programs that follow links but do not run pages.
func (g *origins) plainReplayOrigin(r *http.Request) string {
	if g.replay != nil {
		u := *g.replay
		u.Host = strings.TrimPrefix(strings.Replace(u.Host, "*", "www", 1), ".")
		return u.String()
	}
	return g.plainOrigin(r, g.replPort)
}

// replayOrigin returns the origin from which the page with the URL site is replayed,
// with all its parts, for the browser that sent r.
func (g *origins) replayOrigin(r *http.Request, site string) string {
	switch {
	case !g.sited:
		return g.plainReplayOrigin(r)
	case g.replay != nil:
		u := *g.replay
		u.Host = label(site) + strings.TrimPrefix(u.Host, "*")
		return u.String()
	}
	return "http://" + label(site) + labelSuffix + ".localhost:" + g.replPort
}

// frameSources returns the list of origins for the directive frame-src of a page
// that shows archived pages in a frame.
func (g *origins) frameSources(r *http.Request) string {
	switch {
	case !g.sited:
		return g.plainReplayOrigin(r)
	case g.replay != nil:
		return g.replay.String()
	}
	return "http://*.localhost:" + g.replPort
}

// labelMax is the maximum length of a label without its suffix: DNS allows 63 bytes.
const labelMax = 63 - len(labelSuffix)

// label returns the label of the site of a canonical URL: letters, digits and
// hyphens that name its domain, and a part of a checksum, because different domains
// may have the same letters.
func label(site string) string {
	domain := urlkey.Domain(site)
	if domain == "" {
		domain = urlkey.Host(site)
	}
	sum := sha256.Sum256([]byte(domain))
	tail := "-" + hex.EncodeToString(sum[:4])
	var b strings.Builder
	for _, c := range []byte(strings.ToLower(domain)) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			b.WriteByte(c)
		} else {
			b.WriteByte('-')
		}
	}
	name := strings.Trim(b.String(), "-")
	name = name[:min(len(name), labelMax-len(tail)-1)]
	return "s" + name + tail
}

// inOrigin reports whether the request r came to the origin of the site of a canonical URL. If
// sites have no origins of their own, it returns true.
func (g *origins) inOrigin(r *http.Request, site string) bool {
	host := hostOf(r.Host)
	switch {
	case !g.sited:
		return true
	case g.replay != nil:
		return host == label(site)+strings.TrimPrefix(hostOf(g.replay.Host), "*")
	}
	return host == label(site)+labelSuffix+".localhost"
}

// servesInterface reports whether the interface answers a request for the host, the
// value of the header Host. A page of another site whose name was made to lead here
// (DNS rebinding) has another name.
func (g *origins) servesInterface(host string) bool {
	if g.ui != nil && strings.EqualFold(host, g.ui.Host) {
		return true
	}
	return g.ownName(host)
}

// servesReplay reports whether replay answers a request for the host, the value of the header
// Host.
func (g *origins) servesReplay(host string) bool {
	if g.replay != nil {
		if suffix, ok := strings.CutPrefix(g.replay.Host, "*"); ok && strings.HasSuffix(host, suffix) || host == g.replay.Host {
			return true
		}
	} else if strings.HasSuffix(hostOf(host), labelSuffix+".localhost") {
		return true
	}
	return g.ownName(host)
}

// ownName reports whether host is a name of this machine that nobody else can make
// lead here: localhost or an IP address, and unless the interface is on loopback,
// also the name of the machine.
func (g *origins) ownName(host string) bool {
	name := strings.Trim(hostOf(host), "[]")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	if ip, err := netip.ParseAddr(name); err == nil {
		return !g.loopback || ip.IsLoopback()
	}
	return !g.loopback && g.hostname != "" && strings.EqualFold(name, g.hostname)
}

// hostOf returns the host of the value of a header Host, without its port.
func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return hostport
}

// announce prints where the archive is served and, if all sites share one origin, what that
// means for safety.
func (s *server) announce() {
	g := &s.origins
	host := g.uiHost
	if host == "" {
		host = "localhost"
	}
	at := "http://" + net.JoinHostPort(host, g.uiPort) + "/"
	if g.ui != nil {
		at = g.ui.String() + "/"
	}
	s.o.Say("infomall: serving %s at %s, replay at port %s; Ctrl-C ends", s.o.Archive.Path(), at, g.replPort)
	if !g.sited {
		s.o.Say("infomall: all replayed sites share one origin, so a script of one can read what another keeps in the browser; --replay-origin https://*.replay.example gives each site its own")
	}
	if !g.loopback && g.ui == nil {
		s.o.Say("infomall: this address is not loopback and has no TLS: there is no service worker, and anybody who reaches it can read the archive; see LANGUAGE.md, Serve")
	}
}
